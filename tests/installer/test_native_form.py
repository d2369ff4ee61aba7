"""Package and entries are never both active: what setup does beside an enabled package of ours."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from tests import only

from context_mode_installer.commands import doctor, package, upgrade
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.groups import groups
from context_mode_installer.native.make import MARK
from context_mode_installer.native.starters import FOLDERS, FRAMEWORK
from context_mode_installer.result import Result
from context_mode_runtime.version import VERSION

KEY = "context-mode@context-mode-py"


def claude_home(home: Path, *, key: str = KEY, enabled: bool = True, version: str = VERSION) -> Path:
    """A home as Claude Code leaves it after it installed the package of a folder; the package's own folder."""
    folder = home / "package"
    package.run("claude-code", folder)
    inside = folder / "plugins/context-mode"
    mark = json.loads((inside / MARK).read_text())
    (inside / MARK).write_text(json.dumps(mark | {"version": version}))
    market = key.partition("@")[2]
    config = home / ".claude"
    (config / "plugins").mkdir(parents=True)
    source = {"source": {"source": "directory", "path": str(folder)}}
    (config / "plugins/known_marketplaces.json").write_text(json.dumps({market: source}))
    (config / "settings.json").write_text(
        json.dumps({"extraKnownMarketplaces": {market: source}, "enabledPlugins": {key: enabled}}, indent=2) + "\n"
    )
    return inside


def codex_home(home: Path) -> None:
    """A home as Codex leaves it after it copied the package into its cache."""
    package.run("codex", home / "package")
    cache = home / ".codex/plugins/cache/context-mode-py/context-mode" / VERSION
    shutil.copytree(home / "package/plugins/context-mode", cache)
    (home / ".codex/config.toml").write_text(f'# mine\n[plugins."{KEY}"]\nenabled = true\n')


def set_up(*agents: str, **more: Any) -> Result:
    return run(Options(agents=agents or ("claude-code",), **more))


def settings(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((home / ".claude/settings.json").read_text())
    return found


def look(agent: str, *only: str, **more: Any) -> dict[str, tuple[str, str, str | None]]:
    rows = doctor.run(doctor.Options(agents=(agent,), only=only, offline=True, **more)).data["checks"]
    return {row["id"]: (row["status"], row["detail"], row["fix"]) for row in rows}


def test_no_entries_are_written_beside_it(home: Path) -> None:
    claude_home(home)
    assert "is in force" in "\n".join(set_up().messages)
    assert "hooks" not in settings(home)
    assert settings(home)["permissions"] == {"allow": ["mcp__plugin_context-mode_context-mode"]}
    assert not (home / ".claude.json").exists()
    assert not (home / ".claude/skills").exists()
    rows = look("claude-code")
    assert {name: row for name, row in rows.items() if row[0] == "FAIL"} == {}
    assert rows["D3"][1] == f"package {VERSION} in ~/package/plugins/context-mode"


def test_entries_that_were_there_go_and_come_back(home: Path) -> None:
    """F06: after any order of package and setup each event has one command of ours."""
    inside = claude_home(home, enabled=False)
    before = (home / ".claude/settings.json").read_bytes()
    set_up()
    assert len(settings(home)["hooks"]) > 5
    (home / ".claude/settings.json").write_bytes(
        (home / ".claude/settings.json").read_bytes().replace(f'"{KEY}": false'.encode(), f'"{KEY}": true'.encode())
    )
    rows = look("claude-code", "D3", "D4")
    assert [rows[name][0] for name in ("D3", "D4")] == ["FAIL", "FAIL"]
    assert "two servers" in rows["D3"][1]
    look("claude-code", "D3", fix=True)
    assert "hooks" not in settings(home)
    assert not (home / ".claude.json").exists()
    assert not (home / ".claude/skills").exists()
    shutil.rmtree(inside)  # the package goes: what setup put in for it goes, too, and the entries are back
    file = home / ".claude/settings.json"
    file.write_bytes(file.read_bytes().replace(f'"{KEY}": true'.encode(), f'"{KEY}": false'.encode()))
    set_up()
    assert settings(home)["permissions"] == {"allow": ["mcp__context-mode"]}
    run(Options(remove=True))
    assert file.read_bytes() == before


def test_removal_takes_back_what_the_package_needed(home: Path) -> None:
    claude_home(home)
    before = (home / ".claude/settings.json").read_bytes()
    set_up()
    done = run(Options(remove=True))
    assert (home / ".claude/settings.json").read_bytes() == before
    assert "our package stays; to take it out: claude plugin uninstall" in "\n".join(done.messages)


def test_trust_of_the_packages_hooks_is_written_and_taken_back(home: Path) -> None:
    codex_home(home)
    before = (home / ".codex/config.toml").read_bytes()
    set_up("codex")
    text = (home / ".codex/config.toml").read_text()
    assert f'[hooks.state."{KEY}:hooks/hooks.json:pre_tool_use:0:0"]' in text
    assert "mcp_servers" not in text
    assert not (home / ".codex/hooks.json").exists()
    assert look("codex", "D12")["D12"][0] == "PASS"
    assert set_up("codex").messages[-1] == "All is set up already; nothing was changed."
    run(Options(remove=True))
    assert (home / ".codex/config.toml").read_bytes() == before


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_what_a_package_was_granted_is_kept_by_upgrade_and_goes_with_removal(home: Path, agent: str) -> None:
    config = home / (".codex/config.toml" if agent == "codex" else ".claude/settings.json")
    codex_home(home) if agent == "codex" else claude_home(home)
    before = config.read_bytes()
    set_up(agent)
    assert {tuple(names): way.approved for way, names in groups().items()} == {(agent,): True}
    granted = config.read_bytes()
    set_up(agent, approve=False)
    assert config.read_bytes() == granted
    run(Options(remove=True))
    assert config.read_bytes() == before


def test_without_approvals_nothing_is_granted(home: Path) -> None:
    codex_home(home)
    before = (home / ".codex/config.toml").read_bytes()
    set_up("codex", approve=False)
    assert (home / ".codex/config.toml").read_bytes() == before


def test_both_in_one_run(home: Path) -> None:
    claude_home(home)
    shutil.rmtree(home / "package")
    claude = home / ".claude/plugins"
    shutil.rmtree(claude)
    (home / ".claude/settings.json").unlink()
    codex_home(home)
    set_up("claude-code", "codex")
    assert len(settings(home)["hooks"]) > 5
    assert not (home / ".codex/hooks.json").exists()


@pytest.mark.parametrize("key", ["context-mode@context-mode", "context-mode@somebody"])
def test_a_plugin_is_ours_by_what_it_holds_whatever_its_marketplace_is_called(home: Path, key: str) -> None:
    claude_home(home, key=key)
    assert set_up().exit_code == 0
    assert look("claude-code", "D3", "D4")["D4"][0] == "PASS"


def test_a_plugin_of_our_name_that_is_not_ours_is_foreign(home: Path) -> None:
    inside = claude_home(home, key="context-mode@context-mode")
    (inside / MARK).unlink()
    done = set_up()
    assert done.exit_code == 1
    assert "a plugin called context-mode" in "\n".join(done.messages)


def test_the_package_of_another_agent_is_none_of_ours(home: Path) -> None:
    inside = claude_home(home)
    (inside / MARK).write_text(json.dumps({"agent": "codex", "version": VERSION}))
    assert set_up().exit_code == 1


def test_a_list_of_plugins_of_any_size_is_read_whole(home: Path) -> None:
    """R28: over 1 MiB of other plugins before ours."""
    claude_home(home)
    value = settings(home)
    value["enabledPlugins"] = {f"some-plugin-{n:05}@a-marketplace-with-a-name": True for n in range(22_000)} | {
        KEY: True
    }
    (home / ".claude/settings.json").write_text(json.dumps(value))
    assert (home / ".claude/settings.json").stat().st_size > 1024 * 1024
    assert "is in force" in "\n".join(set_up().messages)
    assert look("claude-code", "D3")["D3"][0] == "PASS"


def program(home: Path, code: int, script: str = "") -> Path:
    """A `claude` that leaves a line for each call."""
    folder = home / "programs"
    folder.mkdir()
    file = folder / "claude"
    file.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo "9.8.7 (Claude Code)" && exit 0\n'
        f'echo "$*" >> {home}/calls\n{script}\necho "no network" >&2\nexit {code}\n'
    )
    file.chmod(0o755)
    return folder


def test_another_version_is_renewed_after_the_transaction(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R02, R05: by the host's own commands."""
    inside = claude_home(home, version="0.0.1")
    renew = f'sed -i s/0.0.1/{VERSION}/ "{inside / MARK}"'
    monkeypatch.setenv("PATH", f"{program(home, 0, renew)}:{os.environ['PATH']}")
    shown = "\n".join(set_up(dry_run=True).messages)
    assert (
        f"package 0.0.1 is another version than {VERSION}: to be renewed by claude plugin marketplace update" in shown
    )
    assert not (home / "calls").exists()
    done = set_up()
    assert (home / "calls").read_text().splitlines() == [
        "plugin marketplace update context-mode-py",
        f"plugin update {KEY}",
    ]
    assert "still" not in "\n".join(done.messages)
    assert look("claude-code", "D3")["D3"][0] == "PASS"


def test_a_renewal_that_fails_is_a_warning(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R02: what worked stays, and the way by hand is said."""
    claude_home(home, version="0.0.1")
    monkeypatch.setenv("PATH", f"{program(home, 3)}:{os.environ['PATH']}")
    done = set_up()
    assert done.exit_code == 0
    said = "\n".join(done.messages)
    assert "`claude plugin update context-mode@context-mode-py` failed: no network" in said
    assert "the package is still 0.0.1. Make it anew and install that: context-mode package claude-code DIR" in said
    assert settings(home)["permissions"]
    assert look("claude-code", "D3")["D3"] == (
        "WARN",
        f"package 0.0.1 in ~/package/plugins/context-mode, installed is {VERSION}",
        "context-mode setup --agents claude-code",
    )


def test_upgrade_knows_a_host_that_has_the_package_only(home: Path) -> None:
    """R05: it was never set up by us, and gets its own update command, without approvals."""
    claude_home(home)
    assert groups() == {}
    found = upgrade.wanted()
    assert {tuple(names): way.approved for way, names in found.items()} == {("claude-code",): False}


@only.POSIX
@pytest.mark.parametrize("fits", [True, False])
def test_doctor_says_what_a_package_without_launchers_runs_on(home: Path, fits: bool) -> None:
    inside = claude_home(home)
    places = home / "pythons"
    places.mkdir()
    if fits:
        (places / "python3.11").symlink_to(sys.executable)
    serve = inside / "bin/context-mode-serve"
    serve.write_text(serve.read_text().replace(" ".join(FOLDERS), str(places)).replace(FRAMEWORK, str(places / "x")))
    status, detail, fix = look("claude-code", "D2")["D2"]
    if fits:
        assert (status, detail) == ("PASS", "the package's own runtime, by a Python of the system")
    else:
        assert (status, fix) == ("FAIL", "context-mode setup --agents claude-code")
        assert detail.startswith("no Python 3.11 or newer in ")
