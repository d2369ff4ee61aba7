"""What stops setup, with nothing changed: files it can't read, tools of our name, wrong usage, a failed check."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from tests.installer.homefiles import fill, set_up, tree

from context_mode_installer import launchers
from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.result import UserError

BROKEN = [
    (".claude/settings.json", b'{"theme":"dark", "hooks": {', r"~/.claude/settings.json:1:28 the file ends here"),
    (".claude/settings.json", b'{\n  "a": 1\n  "b": 2\n}', r"~/.claude/settings.json:3:3 a \",\" or"),
    (".claude/settings.json", b'{"hooks": []}', r"~/.claude/settings.json:1:11 hooks is no table"),
    (
        ".claude/settings.json",
        b'{"hooks": {"SessionStart": [],\n           "Stop": 3}}',
        r"~/.claude/settings.json:2:20 hooks.Stop is no list",
    ),
    (".claude.json", b"// hello\n{}", r"~/.claude.json:1:1 a comment.*Claude Code does not start"),
    (".codex/config.toml", b"[a]\n[a]\n", r"~/.codex/config.toml:2:"),
    (".codex/hooks.json", b"\xff\xfe{", r"~/.codex/hooks.json:1:1 not UTF-8"),
]


@pytest.mark.parametrize(("name", "data", "words"), BROKEN)
def test_a_config_that_does_not_parse_stops_all(home: Path, name: str, data: bytes, words: str) -> None:
    """F03: named with file, line and column; nothing is changed anywhere."""
    fill(home, "bare")
    (home / name).write_bytes(data)
    before = tree(home)
    with pytest.raises(UserError, match=words) as caught:
        set_up()
    assert caught.value.exit_code == 1
    assert tree(home) == before
    assert not (home / ".context-mode/receipt.json").exists()


def test_a_dangling_link_stops_all(home: Path) -> None:
    fill(home, "bare")
    (home / ".claude/settings.json").symlink_to("nowhere")
    before = tree(home)
    with pytest.raises(UserError, match=r"~/.claude/settings.json is a link to .*nowhere, which isn't there"):
        set_up()
    assert tree(home) == before


FOREIGN = {
    "entry": (".claude.json", '{"mcpServers": {"context-mode": {"command": "npx", "args": ["-y", "context-mode"]}}}'),
    "bare entry": (".claude.json", '{"mcpServers": {"context-mode": {"command": "context-mode"}}}'),
    "hook": (
        ".claude/settings.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "x", "command": "context-mode hook claude-code posttooluse"}]}]}}',
    ),
    "script": (
        ".claude/settings.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "node /x/context-mode/hooks/stop.mjs"}]}]}}',
    ),
    "plugin": (".claude/settings.json", '{"enabledPlugins": {"context-mode@market": true}}'),
    "other plugin": (".codex/config.toml", '[plugins."context-mode@market"]\nenabled = true\n'),
}


@pytest.mark.parametrize(("name", "text"), FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_tool_of_our_name_stops_setup_until_replaced(home: Path, name: str, text: str) -> None:
    fill(home, "bare")
    (home / name).write_text(text)
    before = tree(home)
    found = set_up()
    assert (found.status, found.exit_code) == ("findings", 1)
    assert "--replace" in found.data["findings"][0]["fix"]
    assert tree(home) == before
    assert set_up(replace=True).exit_code == 0
    assert text not in (home / name).read_text()
    assert "nothing was changed" in set_up().messages[-1]
    run(Options(undo="newest"))
    assert tree(home) == before


def test_a_foreign_tools_databases_are_moved_aside_and_kept(home: Path) -> None:
    import sqlite3

    fill(home, "bare")
    folder = home / ".claude/context-mode/sessions"
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "a.db") as db:
        db.execute("create table t (x)")
    db.close()
    assert set_up("claude-code").exit_code == 1
    assert set_up("claude-code", replace=True).exit_code == 0
    assert (home / ".claude/context-mode.replaced/sessions/a.db").exists()
    assert not (home / ".claude/context-mode").exists()


def test_a_program_of_our_name_from_another_package_manager(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "context-mode").write_text("#!/usr/bin/env node\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = set_up("claude-code")
    assert found.exit_code == 1
    assert found.data["findings"][0]["fix"].startswith("npm uninstall -g context-mode")
    assert not any(line.endswith("added") for line in found.messages), "nothing was"
    assert tree(home) == {}
    for grants in ({"replace": True}, {}):
        done = set_up("claude-code", **grants)
        assert done.exit_code == 0
        assert [line for line in done.messages if "it stays until you run: npm uninstall" in line]
    (row,) = doctor.run(doctor.Options(agents=("claude-code",), only=("D4",), offline=True)).data["checks"]
    assert (row["status"], row["fix"]) == ("WARN", "npm uninstall -g context-mode")


@pytest.mark.parametrize("dry_run", [True, False])
def test_data_that_another_agent_works_with_is_not_deleted(home: Path, dry_run: bool) -> None:
    fill(home, "bare")
    set_up()
    before = tree(home)
    with pytest.raises(UserError, match=r"--data .* claude-code; .*: context-mode setup --remove --data") as caught:
        run(Options(agents=("codex",), remove=True, data=True, dry_run=dry_run))
    assert caught.value.exit_code == 2
    assert tree(home) == before
    done = run(Options(agents=("codex",), remove=True))
    assert not any("--data" in line for line in done.messages)
    done = run(Options(agents=("claude-code",), remove=True))
    assert done.messages[-1] == "  context-mode setup --remove --data"
    run(Options(remove=True, data=True))
    assert not (home / ".context-mode").exists()


def test_a_damaged_receipt_is_named(home: Path) -> None:
    set_up("claude-code")
    (home / ".context-mode/receipt.json").write_text("{")
    before = tree(home)
    with pytest.raises(UserError, match=r"~/.context-mode/receipt.json .*; move it away and run setup again"):
        run(Options(remove=True))
    assert tree(home) == before


def test_project_scope_is_refused_with_the_reason(home: Path, project: Path) -> None:
    with pytest.raises(UserError, match="no private project file"):
        set_up("codex", scope="project", project=project)
    assert os.listdir(home) == []


def test_one_scope_at_a_time(home: Path, project: Path) -> None:
    """F06: entries for the user and for a project would run each hook twice."""
    set_up("claude-code")
    found = set_up("claude-code", scope="project", project=project)
    assert found.exit_code == 1
    assert found.data["findings"][0]["fix"] == "context-mode setup --remove --agents claude-code"
    run(Options(remove=True))
    assert set_up("claude-code", scope="project", project=project).exit_code == 0


def test_a_hook_that_does_not_answer_is_rolled_back(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F61: the message names the probe, the files are as before."""
    fill(home, "neighbours")
    before = tree(home)
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 9\n")
    broken.chmod(0o755)
    use = launchers.this_interpreter()._replace(python=str(broken))
    monkeypatch.setattr(launchers, "this_interpreter", lambda: use)
    with pytest.raises(UserError, match=r"the hook does not answer.*as it was before"):
        set_up()
    assert tree(home) == before


USAGE = [
    (Options(undo="newest"), "there is no setup yet to go back from"),
    (Options(undo="x"), "there is no setup x to go back from; see: context-mode setup --history"),
    (Options(remove=True, history=True), "--remove and --history don't go together"),
    (Options(data=True), "--data goes with --remove only"),
    (Options(agents=("claud-code",)), "unknown agent 'claud-code'.*claude-code"),
    (Options(project=Path("/nowhere")), "--project goes with --scope project only"),
    (Options(scope="project", project=Path("/nowhere")), "there is no such folder"),
]


@pytest.mark.parametrize(("options", "words"), USAGE)
def test_wrong_usage_is_one_line(home: Path, options: Options, words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        run(options)
    assert caught.value.exit_code == 2
    assert os.listdir(home) == []


@pytest.mark.parametrize(
    "text", ["{", '{"mcpServers": {"context-mode": {"command": "npx"}}}'], ids=["broken", "foreign"]
)
def test_a_first_setup_that_can_not_be_done_makes_no_folder(home: Path, text: str) -> None:
    (home / ".claude.json").write_text(text, "utf-8")
    before = tree(home)
    with contextlib.suppress(UserError):
        assert set_up("claude-code").exit_code == 1
    assert tree(home) == before
    assert os.listdir(home) == [".claude.json"]
