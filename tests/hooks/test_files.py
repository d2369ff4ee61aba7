"""What a hook writes: private under any umask, whole under any number of hooks, by our own code only."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import context_mode_runtime
from context_mode_runtime import limits, notes, paths

from .test_process import LAUNCH

BIG: dict[str, object] = {
    "session_id": "s",
    "tool_name": "Bash",
    "tool_input": {"command": "make"},
    "tool_response": {"stdout": "word\n" * 2_000},
}


@pytest.mark.parametrize("umask", ["000", "022", "077", "277", "777"])
def test_files_are_0600_and_folders_0700_under_any_umask(umask: str, home: Path, project: Path) -> None:
    script = f'umask {umask}; exec "$0" -I -S "$1" hook claude-code "$2"'
    calls: dict[str, object] = {
        "UserPromptSubmit": {"session_id": "s", "prompt": "hello"},
        "PreToolUse": {"session_id": "s", "tool_use_id": "t1", "tool_name": "mcp__context-mode__ctx_search"},
        "PostToolUse": BIG,
        "Stop": [],
    }
    for event, payload in calls.items():
        data = json.dumps({**payload, "cwd": str(project)} if isinstance(payload, dict) else payload).encode()
        subprocess.run(["sh", "-c", script, sys.executable, LAUNCH, event], input=data, check=True)
    modes: dict[str, tuple[int, os.stat_result]] = {}
    for folder, folders, files in os.walk(home / ".context-mode"):
        modes |= {os.path.join(folder, name): (0o700, os.stat(os.path.join(folder, name))) for name in folders}
        modes |= {os.path.join(folder, name): (0o600, os.stat(os.path.join(folder, name))) for name in files}
    assert len([name for name in modes if name.endswith(("context.db", "hook-errors.log", "/s", "/t1"))]) == 4
    assert [name for name, (wanted, status) in modes.items() if status.st_mode & 0o777 != wanted] == []


LOGGER = """
import sys
from context_mode_runtime.log import log_error
sys.stdin.readline()
for n in range(60):
    log_error(sys.argv[1], f"line {n} " + "x" * 200)
"""


def test_a_log_that_many_rotate_loses_nothing(home: Path) -> None:
    log = home / ".context-mode/hook-errors.log"
    log.parent.mkdir()
    log.write_text("old line\n" * (limits.LOG_MAX_BYTES // 9 - 3))
    writers = [
        subprocess.Popen([sys.executable, "-c", LOGGER, f"w{n}"], stdin=subprocess.PIPE, text=True) for n in range(6)
    ]
    for writer in writers:
        writer.communicate("\n", timeout=60)
        assert writer.returncode == 0
    rotated = log.with_name(log.name + ".1").read_text()
    lines = (rotated + log.read_text()).splitlines()
    assert rotated.startswith("old line\nold line")
    assert {
        (w, n) for w in range(6) for n in range(60) if not any(f" w{w}: line {n} " in line for line in lines)
    } == set()


def test_hooks_that_look_at_a_dead_servers_mark_do_not_take_each_other_for_it() -> None:
    for n in range(60):
        folder = Path(paths.make_private(os.path.join(paths.run_dir(), "servers")))
        for mark in range(5):
            (folder / f"{n}{mark}").write_text('{"agent": "one", "project": null}')
        with ThreadPoolExecutor(8) as pool:
            assert not any(pool.map(lambda _: notes.live_server("one", "/p"), range(8)))


def test_a_strangers_module_beside_us_is_not_loaded(tmp_path: Path, home: Path, project: Path) -> None:
    """The folder that holds us is a site-packages: what lies there must not stand before the standard library."""
    package = Path(context_mode_runtime.__file__).parent
    library = tmp_path / "lib"
    shutil.copytree(package, library / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("re", "select", "stat", "sqlite3", "_sqlite3", "hashlib", "typing", "json", "bisect", "unicodedata"):
        (library / f"{name}.py").write_text(
            f"open({str(tmp_path / 'loaded')!r}, 'a').write({name!r})\nraise ImportError\n"
        )
    replies = [
        subprocess.run(
            [sys.executable, "-I", "-S", str(library / package.name / "launch.py"), "hook", "claude-code", event],
            input=json.dumps({**BIG, "cwd": str(project)}).encode(), capture_output=True, check=True,
        ).stdout
        for event in ("PreToolUse", "PostToolUse")
    ]  # fmt: skip
    assert b"stored whole" in replies[-1]
    assert not (tmp_path / "loaded").exists()


LOCKED = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
"""


def test_a_store_that_another_process_holds_costs_no_output_and_no_rule(home: Path, project: Path) -> None:
    def run(event: str, payload: dict[str, object]) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-I", "-S", LAUNCH, "hook", "claude-code", event],
            input=json.dumps({**payload, "cwd": str(project)}).encode(), capture_output=True, check=True, timeout=20,
        )  # fmt: skip

    assert b"stored whole" in run("PostToolUse", BIG).stdout
    (home / ".context-mode/policy.json").write_text('{"version": 1, "deny": ["Bash(touch *)"]}')
    (database,) = home.glob(".context-mode/projects/*/context.db")
    with subprocess.Popen(
        [sys.executable, "-c", LOCKED, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout
        holder.stdout.readline()
        other = {**BIG, "tool_response": {"stdout": "other\n" * 2_000}}
        assert run("PostToolUse", other).stdout == b""
        assert run("UserPromptSubmit", {"session_id": "s", "prompt": "hello"}).stdout == b""
        assert b"denied by rule" in run("PreToolUse", {**BIG, "tool_input": {"command": "touch x"}}).stdout
        assert holder.stdin
        holder.stdin.close()
