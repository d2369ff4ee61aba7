"""`context-mode upgrade`: the command of the program that brought us; a failure leaves what was there and says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_installer.commands import doctor, setup, upgrade
from context_mode_installer.origin import Home, Origin, find_origin, newest
from context_mode_runtime.version import VERSION

CASES = YAML(typ="safe").load(Path(__file__).with_name("origins.yaml").read_text(encoding="utf-8"))
PYTHON = "/opt/env/bin/python"


def installed(folder: Path, case: dict[str, Any]) -> Home:
    info = folder / "site" / "context_mode_py-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: context-mode-py\nVersion: 0.1.0\n")
    if "installer" in case:
        (info / "INSTALLER").write_text(case["installer"] + "\n")
    if "direct" in case:
        (info / "direct_url.json").write_text(json.dumps(case["direct"]))
    for name in case.get("prefix", []):
        (folder / name).write_text("")
    for name in case.get("above", []):
        (folder.parent / name).write_text("")
    return Home(Distribution.at(info), PYTHON, str(folder))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_command_fits_how_we_were_installed(case: dict[str, Any], tmp_path: Path) -> None:
    home = tmp_path / "envs" / tmp_path.name
    home.mkdir(parents=True)
    origin = find_origin(installed(home, case))
    steps = [step.format(python=PYTHON, name=tmp_path.name) for step in case.get("steps", [])]
    assert (origin.kind, origin.command) == (case["kind"], " && ".join(steps) or None)
    assert (origin.advice, origin.commit) == (case.get("advice"), case.get("commit"))


def test_without_a_record_of_an_installer_it_says_so() -> None:
    origin = find_origin(Home(None, PYTHON, "/opt/env"))
    assert (origin.kind, origin.command, "bring that folder up to date" in (origin.advice or "")) == (
        "none",
        None,
        True,
    )


def test_a_checkout_with_an_upstream_is_pulled_first(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q", "-b", "main", str(tmp_path / "far"))
    git("-C", str(tmp_path / "far"), "commit", "-q", "--allow-empty", "-m", "one")
    git("clone", "-q", str(tmp_path / "far"), str(tmp_path / "near"))
    direct = {"url": (tmp_path / "near").as_uri(), "dir_info": {"editable": True}}
    origin = find_origin(installed(tmp_path / "env", {"installer": "pip", "direct": direct}))
    near = str(tmp_path / "near")
    assert origin.steps == (("git", "-C", near, "pull", "--ff-only"), (PYTHON, "-m", "pip", "install", "-e", near))
    assert origin.commit == git("-C", near, "rev-parse", "--short=12", "HEAD")


def program(folder: Path, name: str, text: str) -> str:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize(
    ("listed", "wanted"),
    [
        ('[{"name": "context-mode-py", "version": "0.1.0", "latest_version": "0.2.0"}]', "0.2.0"),
        ('[{"name": "rich", "version": "1", "latest_version": "2"}]', "0.1.0"),
        ("no network", None),
    ],
)
def test_the_newest_is_what_the_installer_knows(
    listed: str, wanted: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = installed(tmp_path / "env", {"installer": "uv"})
    program(tmp_path, "uv", f"echo '{listed}'")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert newest(find_origin(home), home) == wanted


@pytest.fixture
def by(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`by("program", ...)`: pretends that we were installed by a program that this test made."""

    def pretend(*steps: tuple[str, ...], advice: str | None = None) -> None:
        monkeypatch.setattr(upgrade, "find_origin", lambda: Origin("folder", "a program of the test", steps, advice))

    return pretend


def files(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file() and path.parent.name != "run"}


def test_check_runs_nothing_and_names_the_command(home: Path, by: Any, tmp_path: Path) -> None:
    by(("touch", str(tmp_path / "ran")))
    result = upgrade.run(check=True)
    assert (result.exit_code, result.data["version"], result.data["done"]) == (0, VERSION, False)
    assert result.messages[-1] == f"To upgrade: touch {tmp_path / 'ran'}"
    assert not (tmp_path / "ran").exists()


def test_what_we_cannot_run_is_said_and_is_no_success(by: Any) -> None:
    by(advice="ask your distribution")
    assert upgrade.run(check=True).exit_code == 0
    result = upgrade.run(check=False)
    assert (result.exit_code, result.messages[-1]) == (1, "To upgrade: ask your distribution")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("echo working; echo 'ERROR: no room on the disk' >&2; echo bye >&2; exit 3", "ERROR: no room on the disk"),
        ("exit 1", "no word why"),
    ],
)
def test_f61_a_failed_update_leaves_every_file_and_says_so(
    text: str, says: str, home: Path, by: Any, tmp_path: Path
) -> None:
    (home / ".claude").mkdir()
    setup.run(setup.Options(agents=("claude-code",)))
    before = files(home)
    by((program(tmp_path, "update", text),))
    result = upgrade.run(check=False)
    assert (result.exit_code, says in result.messages[-2]) == (1, True), result.messages
    assert result.messages[-1] == f"context-mode {VERSION} is still there, and no config was changed."
    assert files(home) == before


def test_a_program_that_is_missing_is_named(home: Path, by: Any) -> None:
    by(("no-such-installer", "upgrade"))
    result = upgrade.run(check=False)
    assert (result.exit_code, "no-such-installer was not found on PATH" in result.messages[-2]) == (1, True)


def test_after_the_update_launchers_are_written_anew_and_doctor_looks(home: Path, by: Any, tmp_path: Path) -> None:
    (home / ".claude").mkdir()
    setup.run(setup.Options(agents=("claude-code",), approve=False))
    for file in (home / ".context-mode/bin").iterdir():
        file.write_text(file.read_text().replace(sys.executable, "/gone/python3"))
    settings = (home / ".claude/settings.json").read_bytes()
    by((program(tmp_path, "update", f"touch {tmp_path}/ran"),))
    result = upgrade.run(check=False)
    assert (tmp_path / "ran").exists()
    assert result.exit_code == 0, result.messages
    assert "set up again: claude-code" in result.messages
    assert sys.executable in (home / ".context-mode/bin/context-mode-serve").read_text()
    assert (home / ".claude/settings.json").read_bytes() == settings  # an approval that was left out stays out
    assert {row["id"] for row in result.data["checks"]} == {check.id for check in doctor.CHECKS}
    assert result.messages[-1].startswith("Start new sessions")


def test_without_a_set_up_agent_nothing_is_set_up(home: Path, by: Any) -> None:
    by(("true",))
    result = upgrade.run(check=False)
    assert (result.exit_code, result.messages[-1]) == (0, "No agent is set up. To set up: context-mode setup")
    assert list(home.iterdir()) == []


def test_the_command_as_people_type_it(run_cli: Any) -> None:
    done = run_cli("upgrade", "--check", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["command"], answer["data"]["version"]) == (0, "upgrade", VERSION)
