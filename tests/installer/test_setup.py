"""Setup, setup again, remove: the files of a home before, in between and afterwards."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import signal
import stat
import sys
import tomllib
from pathlib import Path

import pytest

from context_mode_installer import launchers
from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.result import Result, UserError
from context_mode_installer.transaction import recover
from context_mode_runtime.agents import known_agents
from context_mode_runtime.version import VERSION

HOMES = Path(__file__).parent / "homes"
NAMES = sorted(folder.name for folder in HOMES.iterdir())
BOTH = ("claude-code", "codex")
Tree = dict[str, tuple[str, int, bytes]]


def fill(home: Path, name: str) -> None:
    """A copy of one of the homes, names with their dot, `{config}` filled in."""
    for source in sorted((HOMES / name).rglob("*")):
        target = home / ("." + str(source.relative_to(HOMES / name)))
        if source.is_dir():
            target.mkdir(parents=True)
        elif source.name != ".gitkeep":
            target.write_bytes(source.read_bytes().replace(b"{config}", str(home / ".codex").encode()))
    (home / ".codex").mkdir(exist_ok=True)


def tree(home: Path) -> Tree:
    """Every path of a home but our data, with its kind, mode and content."""
    out: Tree = {}
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if name.split("/", maxsplit=1)[0] != ".context-mode":
            kind = "link" if path.is_symlink() else "folder" if path.is_dir() else "file"
            content = path.read_bytes() if kind == "file" else os.fsencode(path.readlink()) if kind == "link" else b""
            out[name] = (kind, 0 if kind == "link" else stat.S_IMODE(path.stat().st_mode), content)
    return out


def ours(home: Path) -> list[str]:
    """The lines of a home's configs that name us."""
    return [f"{name}: {line}" for name, (_, _, data) in tree(home).items() for line in data.decode().splitlines()
            if "context-mode" in line]  # fmt: skip


def agents_of(name: str) -> tuple[str, ...]:
    """A home that is called as an agent is its own, the others are of both."""
    return (name,) if name in known_agents() else BOTH


def set_up(*agents: str, **options: object) -> Result:
    return run(Options(agents=agents or BOTH, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_setup_twice_then_remove_gives_every_byte_back(home: Path, name: str) -> None:
    fill(home, name)
    before = tree(home)
    assert set_up(*agents_of(name)).exit_code == 0
    once = tree(home)
    assert once != before
    assert set_up(*agents_of(name)).messages[-1] == "All is set up already; nothing was changed."
    assert tree(home) == once
    assert len(run(Options(history=True)).data["history"]) == 1
    assert run(Options(remove=True)).exit_code == 0
    if name == "trust":  # old entries of ours were there: they don't come back
        assert not [line for line in ours(home) if "mcp__" not in line]
    else:
        assert tree(home) == before
    assert run(Options(remove=True)).messages == ("Nothing of ours is there.",)


@pytest.mark.parametrize("name", NAMES)
def test_undo_gives_every_byte_back(home: Path, name: str) -> None:
    fill(home, name)
    before = tree(home)
    for agent in agents_of(name):
        set_up(agent)
    first = run(Options(history=True)).data["history"][-1]["id"]
    assert run(Options(undo=first)).exit_code == 0
    assert tree(home) == before


def test_each_hook_event_is_declared_once_and_neighbours_stay(home: Path) -> None:
    fill(home, "neighbours")
    set_up()
    hooks = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    commands = {event: [one["command"].rsplit("/", 1)[-1] for group in groups for one in group["hooks"]]
                for event, groups in hooks.items()}  # fmt: skip
    assert commands["SessionStart"] == ["notify-me start", "context-mode-hook"]
    assert commands["Stop"] == ["say done", "context-mode-hook"]
    assert all(names.count("context-mode-hook") == 1 for names in commands.values())


def test_neighbours_in_our_old_group_stay(home: Path) -> None:
    """F01: a stranger's hook in the group that held ours is there after each step, once."""
    (home / ".claude").mkdir()
    group = '{"matcher":"startup","hooks":[{"type":"command","command":"context-mode hook claude-code SessionStart"},'
    group += '{"type":"command","command":"notify-me start"}]}'
    path = home / ".claude/settings.json"
    path.write_text('{"hooks":{"SessionStart":[' + group + "]}}")
    for step in (lambda: set_up("claude-code"), lambda: set_up("claude-code"), lambda: run(Options(remove=True))):
        step()
        assert path.read_text().count("notify-me start") == 1
    assert json.loads(path.read_text())["hooks"]["SessionStart"] == [
        {"matcher": "startup", "hooks": [{"type": "command", "command": "notify-me start"}]}
    ]


def test_trust_keys_follow_the_hooks_that_move(home: Path) -> None:
    fill(home, "trust")
    set_up("codex")
    config = home / ".codex/config.toml"
    key = f"{home}/.codex/hooks.json:pre_tool_use"

    def state() -> dict[str, str]:
        found = tomllib.loads(config.read_text())["hooks"]["state"]
        return {name.removeprefix(key): one["trusted_hash"] for name, one in found.items() if "pre_tool" in name}

    with_ours = state()
    mine = with_ours.pop(":1:0")
    assert mine.startswith("sha256:")
    assert with_ours == {
        ":0:0": "sha256:first-of-mine",
        ":2:0": "sha256:second-of-mine",
        "/somewhere/else/hooks.json:pre_tool_use:2:0": "sha256:other",
    }
    run(Options(remove=True))
    assert state() == with_ours | {":1:0": with_ours.pop(":2:0")}


def test_removing_ours_moves_the_keys_of_those_behind(home: Path) -> None:
    (home / ".codex").mkdir()
    set_up("codex")
    hooks, config = home / ".codex/hooks.json", home / ".codex/config.toml"
    value = json.loads(hooks.read_text())
    value["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "mine"}]})
    hooks.write_text(json.dumps(value))
    with config.open("a") as file:
        file.write(f'\n[hooks.state."{hooks}:stop:1:0"]\ntrusted_hash = "sha256:mine"\n')
    run(Options(remove=True))
    assert json.loads(hooks.read_text()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}
    assert config.read_text() == f'\n[hooks.state."{hooks}:stop:0:0"]\ntrusted_hash = "sha256:mine"\n'


def test_the_known_trust_hash() -> None:
    """Seen with the real host: no matcher, `echo hi`, no limit of its own."""
    from context_mode_installer.plan.trust import hash_of
    from context_mode_installer.specs.catalog import find_spec

    trust = find_spec("codex").trust
    assert trust is not None
    said = {"event": "PreToolUse", "event_snake": "pre_tool_use", "matcher": None, "command": "echo hi", "timeout": 600}
    assert hash_of(trust, said) == "sha256:c2ab198fe0750494126041254c4d031ad06f4b267edca02168d8a6745e4141c5"


def test_an_approval_that_is_left_out_later_is_still_ours(home: Path) -> None:
    fill(home, "neighbours")
    before = tree(home)
    set_up()
    once = tree(home)
    assert set_up(approve=False).messages[-1] == "All is set up already; nothing was changed."
    assert tree(home) == once
    run(Options(remove=True))
    assert tree(home) == before


def test_what_the_user_changed_in_between_stays(home: Path) -> None:
    fill(home, "neighbours")
    set_up()
    settings, config = home / ".claude/settings.json", home / ".codex/config.toml"
    settings.write_text(settings.read_text().replace('"opus"', '"sonnet"').replace('"Bash(ls *)"', '"Bash(cat *)"'))
    config.write_text(config.read_text().replace("# fast", "# slow") + '\n[tui]\ntheme = "x"\n')
    expected = {
        path: path.read_text() for path in ()
    } | {
        settings: (HOMES / "neighbours/claude/settings.json").read_text().replace('"opus"', '"sonnet"')
        .replace('"Bash(ls *)"', '"Bash(cat *)"'),
        config: (HOMES / "neighbours/codex/config.toml").read_text().replace("# fast", "# slow")
        + '\n[tui]\ntheme = "x"\n',
    }  # fmt: skip
    run(Options(remove=True))
    assert {path: path.read_text() for path in expected} == expected


def test_a_config_that_its_host_wrote_anew_loses_ours_only(home: Path) -> None:
    fill(home, "minified")
    set_up("claude-code")
    for name in (".claude.json", ".claude/settings.json"):
        path = home / name
        path.write_text(json.dumps(json.loads(path.read_text()) | {"new": 1}, indent=4, sort_keys=True))
    run(Options(remove=True))
    assert json.loads((home / ".claude.json").read_text()) == {
        **json.loads((HOMES / "minified/claude.json").read_text()), "new": 1,
    }  # fmt: skip
    # the permission was the user's own before setup
    settings = json.loads((home / ".claude/settings.json").read_text())
    assert settings == {"permissions": {"allow": ["mcp__context-mode"]}, "hooks": {}, "new": 1}


def test_the_users_changes_inside_our_entries_stay(home: Path) -> None:
    fill(home, "bare")
    set_up()
    state, config = home / ".claude.json", home / ".codex/config.toml"
    entry = json.loads(state.read_text())
    entry["mcpServers"]["context-mode"] |= {"timeout": 900_000, "env": {"MINE": "1"}}
    del entry["mcpServers"]["context-mode"]["alwaysLoad"]
    state.write_text(json.dumps(entry))
    config.write_text(config.read_text().replace("tool_timeout_sec = 660", 'tool_timeout_sec = 900\nenv = { A = "b" }'))
    before = tree(home)
    assert "nothing was changed" in set_up().messages[-1]
    assert tree(home) == before
    entry["mcpServers"]["context-mode"]["command"] = "/old/place/context-mode-serve"
    state.write_text(json.dumps(entry))
    assert set_up().exit_code == 0
    mended = json.loads(state.read_text())["mcpServers"]["context-mode"]
    assert mended["command"] == str(home / ".context-mode/bin/context-mode-serve")
    assert (mended["timeout"], mended["env"]) == (900_000, {"MINE": "1"})
    run(Options(remove=True))
    assert ours(home) == []


def test_duplicates_and_entries_under_other_names_go(home: Path) -> None:
    fill(home, "bare")
    set_up()
    state, hooks = home / ".claude.json", home / ".codex/hooks.json"
    value = json.loads(state.read_text())
    value["mcpServers"]["ctx"] = value["mcpServers"]["context-mode"]
    state.write_text(json.dumps(value))
    twice = json.loads(hooks.read_text())
    twice["hooks"]["Stop"] *= 2
    hooks.write_text(json.dumps(twice))
    set_up()
    assert list(json.loads(state.read_text())["mcpServers"]) == ["context-mode"]
    assert len(json.loads(hooks.read_text())["hooks"]["Stop"]) == 1


def test_links_stay_links(home: Path) -> None:
    fill(home, "neighbours")
    (home / "dots").mkdir()
    shutil.move(home / ".claude/settings.json", home / "dots/claude.json")
    (home / ".claude/settings.json").symlink_to("../dots/claude.json")
    (home / "dots/claude.json").chmod(0o640)
    before = tree(home)
    set_up()
    assert (home / ".claude/settings.json").is_symlink()
    assert "context-mode-hook" in (home / "dots/claude.json").read_text()
    run(Options(remove=True))
    assert tree(home) == before


BROKEN = [
    (".claude/settings.json", b'{"theme":"dark", "hooks": {', r"~/.claude/settings.json:1:28 the file ends here"),
    (".claude/settings.json", b'{\n  "a": 1\n  "b": 2\n}', r"~/.claude/settings.json:3:3 a \",\" or"),
    (".claude/settings.json", b'{"hooks": []}', r"~/.claude/settings.json:1:11 hooks is no table"),
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


def test_without_approval_nothing_is_granted(home: Path) -> None:
    fill(home, "bare")
    set_up(approve=False)
    assert "permissions" not in json.loads((home / ".claude/settings.json").read_text())
    config = (home / ".codex/config.toml").read_text()
    assert "approve" not in config
    assert "trusted_hash" not in config


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
    assert f"  profile: {home}/work/claude (CLAUDE_CONFIG_DIR)" in done.messages
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


def test_a_damaged_receipt_is_named(home: Path) -> None:
    set_up("claude-code")
    (home / ".context-mode/receipt.json").write_text("{")
    before = tree(home)
    with pytest.raises(UserError, match=r"~/.context-mode/receipt.json .*; move it away and run setup again"):
        run(Options(remove=True))
    assert tree(home) == before


def test_without_a_receipt_ours_is_found_by_what_it_runs(home: Path) -> None:
    fill(home, "neighbours")
    set_up()
    (home / ".context-mode/receipt.json").unlink()
    assert set_up().exit_code == 0
    (home / ".context-mode/receipt.json").unlink()
    run(Options(remove=True))
    # what else the user may have allowed himself stays
    assert [line.strip() for line in ours(home)] == [
        '.claude/settings.json:         "allow": ["Bash(ls *)", "mcp__context-mode"],'
    ]


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


def test_switched_off_hooks_are_told(home: Path) -> None:
    fill(home, "bare")
    (home / ".claude/settings.json").write_text('{"disableAllHooks": true}')
    done = set_up("claude-code")
    line = "  attention: all hooks are switched off (~/.claude/settings.json: disableAllHooks)"
    assert line in done.messages


def test_no_secret_of_a_config_is_shown(home: Path) -> None:
    """F68: neighbours of our entries stand in the diff, and whole configs on one line."""
    fill(home, "minified")
    (home / ".codex/config.toml").write_text('[mcp_servers.x]\ncommand = "c"\nbearer_token = "tok-BBB222"\n')
    assert "tok-BBB222" not in set_up(dry_run=True).as_json()


def test_a_second_setup_waits_for_the_first(home: Path) -> None:
    fill(home, "bare")
    children = []
    for agent in BOTH:
        child = os.fork()
        if child == 0:
            os._exit(set_up(agent).exit_code)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    assert "nothing was changed" in set_up().messages[-1]


def test_a_dry_run_writes_nothing_and_shows_all(home: Path, snapshot: object, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(home, "neighbours")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    use = launchers.Interpreter(
        "/opt/python/bin/python3", "/opt/site/context_mode_runtime/launch.py", None, isolated=True
    )
    monkeypatch.setattr(launchers, "this_interpreter", lambda: use)
    before = tree(home)
    done = set_up(dry_run=True)
    assert tree(home) == before
    assert not (home / ".context-mode").exists()
    text = "\n".join(done.messages).replace(str(home), "HOME")
    text = re.sub(r"\(\d+ characters", "(N characters", text)
    assert re.sub(r"sha256:[0-9a-f]{64}", "sha256:...", text) == snapshot
    assert "tok-AAA111" not in done.as_json()


def test_no_path_holds_a_version(home: Path) -> None:
    """F60: what stands in a config outlives an upgrade."""
    fill(home, "bare")
    set_up()
    text = "".join(data.decode() for _, _, data in tree(home).values())
    assert VERSION not in text
    assert "site-packages" not in text
    assert sys.prefix not in text


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


def test_remove_with_data_leaves_the_users_own_files(home: Path) -> None:
    fill(home, "bare")
    set_up()
    (home / ".context-mode/policy.json").write_text('{"version": 1}')
    done = run(Options(remove=True, data=True))
    assert os.listdir(home / ".context-mode") == ["policy.json"]
    assert "Restart the agents." in done.messages[-2] + done.messages[-1]


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


def test_killed_at_any_time_leaves_old_or_new(home: Path) -> None:
    fill(home, "neighbours")
    old = tree(home)
    set_up()
    new = tree(home)
    run(Options(remove=True))
    for number in range(8):
        child = os.fork()
        if child == 0:
            os.setsid()
            set_up()
            os._exit(0)
        select.select([], [], [], 0.1 + number * 0.1)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        recover()
        assert tree(home) in (old, new)
        run(Options(remove=True))
        assert tree(home) == old


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


def test_a_removal_says_what_stays_and_how_it_goes(home: Path) -> None:
    fill(home, "bare")
    set_up()
    dry = set_up(remove=True, data=True, dry_run=True).messages
    assert dry[-2:] == ("Data and launchers in ~/.context-mode would be deleted.", "Nothing was written.")
    said = set_up(remove=True).messages
    assert said[-2:] == (
        "Data and launchers stay in ~/.context-mode. To delete them, too:", "  context-mode setup --remove --data",
    )  # fmt: skip
    assert any("lines: trust for 9 hooks of ours taken out" in line for line in said)
    assert any("lines: 10 hooks taken out" in line for line in said)
    set_up()
    assert not any("--undo" in line for line in set_up(remove=True, data=True).messages)
