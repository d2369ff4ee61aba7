"""Where setup looks and writes: moved folders, project scope, machines without an agent, the data root."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests.installer.homefiles import fill, set_up, tree

from context_mode_installer import launchers
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.result import UserError
from context_mode_runtime.version import VERSION


def test_a_moved_config_folder_is_used_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F10: two profiles don't touch each other; a link in the variable is resolved where the host does so."""
    (home / "work/codex").mkdir(parents=True)
    (home / "link").symlink_to("work/codex")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "work/claude"))
    monkeypatch.setenv("CODEX_HOME", str(home / "link"))
    done = set_up()
    assert sorted(os.listdir(home)) == [".context-mode", "link", "work"]
    assert (home / "work/claude/.claude.json").exists()
    assert f'[hooks.state."{home}/work/codex/hooks.json:stop:0:0"]' in (home / "work/codex/config.toml").read_text()
    assert done.messages.count("  profile: ~/work/claude (CLAUDE_CONFIG_DIR)") == 1
    run(Options(remove=True))
    assert tree(home).keys() == {"link", "work", "work/codex"}


def test_a_moved_folder_that_its_host_does_not_make_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(home / "typo"))
    with pytest.raises(UserError, match=r"CODEX_HOME says .*typo, which isn't there"):
        set_up("codex")
    assert tree(home) == {}


def test_terminal_variables_choose_no_host(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F09."""
    monkeypatch.setenv("VSCODE_PID", "1")
    monkeypatch.setenv("TERM_PROGRAM", "vscode")
    set_up("claude-code")
    assert sorted(os.listdir(home)) == [".claude", ".claude.json", ".context-mode"]


def test_with_no_agent_launchers_are_made_and_places_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    done = run(Options())
    assert done.exit_code == 0
    assert any("Looked for" in line for line in done.messages)
    assert sorted(os.listdir(home)) == [".context-mode"]
    assert sorted(os.listdir(home / ".context-mode/bin")) == sorted(launchers.names().values())


def test_programs_are_asked_in_a_throw_away_home(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, says in (("claude", "9.8.7 (Claude Code)"), ("codex", "codex-cli 1.2.3")):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\nmkdir -p "$HOME/.trace" "${{CODEX_HOME-$HOME}}/.trace"\necho "{says}"\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex-home"))
    (tmp_path / "codex-home").mkdir()
    done = run(Options(dry_run=True))
    assert {one["id"]: one["version"] for one in done.data["agents"]} == {"claude-code": "9.8.7", "codex": "1.2.3"}
    assert os.listdir(home) == []
    assert os.listdir(tmp_path / "codex-home") == []


def test_project_scope_uses_the_private_file(home: Path, project: Path) -> None:
    before = tree(project)
    set_up("claude-code", scope="project", project=project)
    made = [name for name in tree(project) if "ctx-" not in name and name not in before]
    assert made == [".claude", ".claude/settings.local.json", ".claude/skills"]
    assert list(json.loads((home / ".claude.json").read_text())["projects"]) == [str(project)]
    assert not (home / ".claude").exists()
    run(Options(remove=True))
    assert (tree(home), tree(project)) == ({}, before)


def test_the_project_is_the_one_around_the_working_folder(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    set_up("claude-code", scope="project")
    assert (project / ".claude/settings.local.json").exists()
    monkeypatch.chdir(home)
    with pytest.raises(UserError, match="this folder is no project"):
        set_up("claude-code", scope="project")


def test_a_host_with_a_weak_sign_only_is_named_and_left(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(home, "neighbours")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    done = run(Options())
    assert [one["id"] for one in done.data["agents"]] == ["claude-code"]
    assert "Codex: only ~/.codex is there; to set it up: --agents codex" in done.messages


def test_a_host_that_was_set_up_by_name_is_looked_after_without_it(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    set_up("codex")
    (home / ".codex/hooks.json").unlink()
    monkeypatch.chdir(project)
    elsewhere = run(Options(scope="project"))
    assert "Codex: only ~/.codex is there; to set it up: --agents codex" in elsewhere.messages
    done = run(Options())
    assert [one["id"] for one in done.data["agents"]] == ["codex"]
    assert (home / ".codex/hooks.json").exists()


def test_no_path_holds_a_version(home: Path) -> None:
    """F60: what stands in a config outlives an upgrade."""
    fill(home, "bare")
    set_up()
    text = "".join(data.decode() for _, _, data in tree(home).values())
    assert VERSION not in text
    assert "site-packages" not in text
    assert sys.prefix not in text


def test_hooks_do_not_look_at_path(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F62."""
    for name in ("python", "python3"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 9\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert set_up("claude-code").data["agents"][0]["checked"] == ["hook answers", "server answers"]


def test_a_moved_data_root_is_in_the_launchers(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "data of mine"
    monkeypatch.setenv("CONTEXT_MODE_DATA_DIR", str(root))
    set_up("claude-code")
    assert not (home / ".context-mode").exists()
    assert f"CONTEXT_MODE_DATA_DIR='{root}'" in (root / "bin/context-mode-hook").read_text()
    command = json.loads((home / ".claude.json").read_text())["mcpServers"]["context-mode"]["command"]
    assert command == str(root / "bin/context-mode-serve")
