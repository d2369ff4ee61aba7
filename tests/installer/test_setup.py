"""Setup, setup again, remove: the files of a home before, in between and afterwards."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import tomllib
from functools import partial
from pathlib import Path

import pytest
from tests.installer.homefiles import BOTH, HOMES, NAMES, agents_of, fill, ours, set_up, tree

from context_mode_installer import launchers
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.transaction import recover


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


def test_undo_says_whose_later_changes_it_gives_up(home: Path) -> None:
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "a": 1\n}\n')
    set_up("claude-code")
    settings.write_text(settings.read_text().replace('"a": 1', '"a": 1, "mine": 2'))
    planned = run(Options(undo="newest", dry_run=True)).messages
    at = planned.index("  to restore  ~/.claude/settings.json")
    assert planned[at + 1] == "    it was changed since: that goes, too"
    done = run(Options(undo="newest")).messages
    assert done[done.index("  restored  ~/.claude/settings.json") + 1] == "    it had been changed since"
    assert sum("changed since" in line for line in done) == 1
    assert settings.read_text() == '{\n  "a": 1\n}\n'
    again = run(Options(undo="newest")).messages
    assert not any("changed since" in line for line in again)
    assert '"mine": 2' in settings.read_text()


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
    for step in (partial(set_up, "claude-code"), partial(set_up, "claude-code"), partial(run, Options(remove=True))):
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
    said: dict[str, object] = {
        "event": "PreToolUse", "event_snake": "pre_tool_use", "matcher": None, "command": "echo hi", "timeout": 600,
    }  # fmt: skip
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


def test_without_approval_nothing_is_granted(home: Path) -> None:
    fill(home, "bare")
    set_up(approve=False)
    assert "permissions" not in json.loads((home / ".claude/settings.json").read_text())
    config = (home / ".codex/config.toml").read_text()
    assert "approve" not in config
    assert "trusted_hash" not in config


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


def test_remove_with_data_leaves_the_users_own_files(home: Path) -> None:
    fill(home, "bare")
    set_up()
    (home / ".context-mode/policy.json").write_text('{"version": 1}')
    done = run(Options(remove=True, data=True))
    assert os.listdir(home / ".context-mode") == ["policy.json"]
    assert "Restart the agents." in done.messages[-2] + done.messages[-1]


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
