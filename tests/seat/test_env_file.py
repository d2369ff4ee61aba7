"""Where a host passes `BASH_ENV` on: the file starts the launcher for the host's own commands, and for nothing else."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests import only
from tests.seat.conftest import BASH, LIMIT_S

from context_mode_installer import launchers, seats
from context_mode_installer.specs.catalog import find_spec
from context_mode_runtime import limits

AGENT = "gemini-cli"
pytestmark = only.POSIX
TEXT = """shopt -u promptvars nullglob; _bgpids_file=/dev/null
(
  trap 'jobs -p > "$_bgpids_file"' EXIT
{}
)
__code=$?
exit $__code"""
Ran = subprocess.CompletedProcess[bytes]


@pytest.fixture
def file(home: Path) -> Path:
    """The file that the host's variable names, and the launcher beside it."""
    seat = find_spec(AGENT).shell_seat.seat
    assert seat
    launcher, file = Path(seats.path_of(AGENT, BASH)), Path(seats.env_path_of(AGENT, BASH))
    launcher.parent.mkdir(parents=True)
    launcher.write_text(seats.text_of(AGENT, seat, BASH, launchers.this_interpreter()))
    launcher.chmod(launchers.MODE)
    file.write_text(seats.env_text_of(str(launcher), seat))
    return file


def run(file: Path, project: Path, text: str) -> Ran:
    told = {**os.environ, "BASH_ENV": str(file)}
    return subprocess.run(
        [BASH, "-c", text, "zero", "one"], cwd=project, env=told, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=LIMIT_S, check=False,
    )  # fmt: skip


def test_a_command_of_the_model(file: Path, project: Path) -> None:
    done = run(file, project, TEXT.format('echo "$0 $1 ${BASH_ENV-none}"; bash -c "seq 1 3000" | wc -l; exit 3'))
    assert (done.returncode, done.stdout, done.stderr) == (3, b"zero one none\n3000\n", b"")
    long = run(file, project, TEXT.format("seq 1 3000; echo err >&2; exit 4"))
    assert long.returncode == 4
    assert len(long.stdout) <= limits.SHORT_REPLY
    assert b"err\n" in long.stdout
    assert b"mcp_context-mode_ctx_search(" in long.stdout


@pytest.mark.parametrize(
    "text",
    ["seq 1 3000; echo err >&2; exit 4", TEXT.format("CTX_RAW=1 seq 1 3000; echo err >&2; exit 4")],
)
def test_what_is_left_alone(file: Path, project: Path, text: str) -> None:
    """A hook of the user's, and what asks for it."""
    done = run(file, project, text)
    assert (done.returncode, done.stderr) == (4, b"err\n")
    assert done.stdout == "".join(f"{n}\n" for n in range(1, 3_001)).encode()


@pytest.mark.parametrize("gone", ["launcher", "file"])
def test_with_us_gone_it_runs(file: Path, project: Path, gone: str) -> None:
    Path(seats.launcher_behind(str(file)) if gone == "launcher" else file).unlink()
    done = run(file, project, TEXT.format("seq 1 3000; echo err >&2; exit 4"))
    assert (done.returncode, done.stderr, done.stdout.count(b"\n")) == (4, b"err\n", 3_000)
