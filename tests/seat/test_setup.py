"""Setup with the seat, doctor on it, removal: the settings of a home before, in between and afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import only
from tests.seat.conftest import AGENT, BASH

from context_mode_installer import seats
from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.result import Result, UserError
from context_mode_installer.specs.catalog import find_spec
from context_mode_runtime.agents import known_agents

USERS = '{\n  "env" : {"A": "1"}\n}\n'
pytestmark = only.POSIX


@pytest.fixture
def settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings of a user whose shell is bash."""
    monkeypatch.setenv("SHELL", BASH)
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(USERS)
    return path


def set_up(**options: Any) -> Result:
    return run(Options(agents=(AGENT,), **options))


def shell_in(settings: Path) -> object:
    return json.loads(settings.read_text())["env"].get("CLAUDE_CODE_SHELL")


def d11() -> tuple[str, str]:
    """Status and detail of the row that looks at the seat."""
    [row] = doctor.run(doctor.Options(agents=(AGENT,), only=("D11",))).data["checks"]
    return row["status"], row["detail"]


def test_only_where_it_is_asked_for(settings: Path) -> None:
    set_up()
    assert shell_in(settings) is None
    assert "shell's seat" not in d11()[1]


def test_in_again_and_out(settings: Path) -> None:
    done = set_up(shell_seat=True)
    launcher = seats.path_of(AGENT, BASH)
    assert shell_in(settings) == launcher
    assert json.loads(settings.read_text())["env"]["A"] == "1"
    assert any("every shell command" in line for line in done.messages)
    once = settings.read_text()
    for again in (set_up(), set_up(shell_seat=True)):
        assert not again.data["done"]
        assert settings.read_text() == once
    status, detail = d11()
    assert (status, f"bin/seat/{AGENT}/bash runs {BASH}" in detail) == ("PASS", True)
    run(Options(remove=True))
    assert settings.read_text() == USERS


def test_a_dry_run_shows_it_and_writes_nothing(settings: Path, home: Path) -> None:
    done = set_up(shell_seat=True, dry_run=True)
    shown = "\n".join(done.messages)
    assert '"CLAUDE_CODE_SHELL"' in shown
    assert settings.read_text() == USERS
    assert not (home / ".context-mode").exists()


def test_a_shell_of_the_user_s_own_stays_and_is_named(settings: Path) -> None:
    settings.write_text('{"env": {"CLAUDE_CODE_SHELL": "/opt/my/zsh"}}')
    done = set_up(shell_seat=True)
    assert any("env.CLAUDE_CODE_SHELL was set by you and stays as it is" in line for line in done.messages)
    assert shell_in(settings) == "/opt/my/zsh"
    assert "is set by you" in d11()[1]
    run(Options(remove=True))
    assert shell_in(settings) == "/opt/my/zsh"


def test_a_user_s_own_shell_needs_no_launcher(settings: Path, home: Path) -> None:
    """Hooks take the folder as the sign that somebody reads their notes."""
    settings.write_text('{"env": {"CLAUDE_CODE_SHELL": "/opt/my/zsh"}}')
    set_up(shell_seat=True)
    assert not (home / ".context-mode/bin/seat").exists()


def test_another_shell_of_the_moment_changes_nothing(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repair may run where `$SHELL` says something else; who asks for the seat anew gets his shell of now."""
    set_up(shell_seat=True)
    zsh = settings.parent / "zsh"
    zsh.symlink_to(BASH)
    monkeypatch.setenv("SHELL", str(zsh))
    assert not set_up().data["done"]
    assert shell_in(settings) == seats.path_of(AGENT, BASH)
    [row] = doctor.run(doctor.Options(agents=(AGENT,), only=("D12",))).data["checks"]
    assert row["status"] == "PASS", row
    done = set_up(shell_seat=True)
    assert any("shell_seat env.CLAUDE_CODE_SHELL mended" in line for line in done.messages)
    assert shell_in(settings) == seats.path_of(AGENT, "zsh")
    run(Options(remove=True))
    assert settings.read_text() == USERS


def test_it_never_sits_in_for_itself(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host tells its commands the launcher as their shell."""
    set_up(shell_seat=True)
    monkeypatch.setenv("SHELL", str(shell_in(settings)))
    set_up(shell_seat=True)
    assert "/bin/seat/" not in seats.shell_behind(str(shell_in(settings)))


@pytest.mark.parametrize("options", [{}, {"shell_seat": True}])
def test_it_moves_with_the_data(
    settings: Path, home: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, bool]
) -> None:
    set_up(shell_seat=True)
    monkeypatch.setenv("CONTEXT_MODE_DATA_DIR", str(home / "moved"))
    done = set_up(**options)
    assert not any("was set by you" in line for line in done.messages)
    assert shell_in(settings) == str(home / f"moved/bin/seat/{AGENT}/bash")
    assert d11()[0] == "PASS"
    run(Options(remove=True))
    assert shell_in(settings) is None


def test_a_removal_finds_it_without_a_receipt(settings: Path, home: Path) -> None:
    set_up(shell_seat=True)
    (home / ".context-mode/receipt.json").unlink()
    run(Options(agents=(AGENT,), remove=True))
    assert shell_in(settings) is None


def test_taken_out_by_hand_it_stays_out(settings: Path) -> None:
    set_up(shell_seat=True)
    content = json.loads(settings.read_text())
    del content["env"]["CLAUDE_CODE_SHELL"]
    settings.write_text(json.dumps(content))
    set_up()
    assert shell_in(settings) is None


def test_a_file_of_variables_keeps_what_is_in_it(home: Path) -> None:
    """And is private where setup makes it: people keep keys there."""
    path = home / ".gemini/.env"
    (home / ".gemini").mkdir()
    for text in (None, "# mine\nexport GEMINI_API_KEY='a b'\nA=1"):
        if text:
            path.write_text(text)
        run(Options(agents=("gemini-cli",), shell_seat=True))
        assert path.read_text().splitlines()[-1] == f"BASH_ENV={seats.env_path_of('gemini-cli', BASH)}"
        assert path.read_text().startswith(text or "BASH_ENV=")
        if not text:
            assert path.stat().st_mode & 0o777 == 0o600
        run(Options(remove=True))
        assert (path.read_text() if path.exists() else None) == text


@pytest.mark.parametrize("agent", [one for one in known_agents() if find_spec(one).shell_seat.absent])
def test_a_host_without_such_a_place_says_why(home: Path, agent: str) -> None:
    done = run(Options(agents=(agent,), shell_seat=True, dry_run=True))
    assert any(str(find_spec(agent).shell_seat.absent) in line for line in done.messages)


def test_not_with_a_removal() -> None:
    with pytest.raises(UserError, match="--shell-seat and --remove don't go together"):
        run(Options(shell_seat=True, remove=True))


def _gone(launcher: Path, _project: Path) -> None:
    launcher.unlink()


def _changed(launcher: Path, _project: Path) -> None:
    launcher.write_text(launcher.read_text() + "exit 0\n")


def _overruled(_launcher: Path, project: Path) -> None:
    folder = project / ".claude"
    folder.mkdir()
    (folder / "settings.local.json").write_text('{"env": {"CLAUDE_CODE_SHELL": "/bin/zsh"}}')


def _route_off(_launcher: Path, project: Path) -> None:
    folder = project / ".context-mode"
    folder.mkdir()
    (folder / "policy.json").write_text('{"version": 1, "routes": {"seat": "off"}}')


@pytest.mark.parametrize(
    ("act", "status", "says"),
    [
        (_gone, "FAIL", "is missing or not as setup writes it"),
        (_changed, "FAIL", "is missing or not as setup writes it"),
        (_overruled, "WARN", ".claude/settings.local.json sets env.CLAUDE_CODE_SHELL"),
        (_route_off, "WARN", "route seat or capture is off"),
    ],
)
def test_doctor_sees_it(
    settings: Path, project: Path, monkeypatch: pytest.MonkeyPatch,
    act: Callable[[Path, Path], None], status: str, says: str,
) -> None:  # fmt: skip
    set_up(shell_seat=True)
    monkeypatch.chdir(project)
    launcher = Path(str(shell_in(settings)))
    act(launcher, project)
    found = d11()
    assert found[0] == status, found
    assert says in found[1]
    if status == "FAIL":
        doctor.run(doctor.Options(agents=(AGENT,), only=("D11",), fix=True))
        assert d11()[0] == "PASS"
