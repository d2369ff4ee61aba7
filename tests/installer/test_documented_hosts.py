"""Hosts of which no binary can be had: setup, setup again, doctor, remove, in homes that look as theirs do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.installer.homefiles import Tree, fill, tree

from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.result import Result, UserError

Json = dict[str, object]


def set_up(agent: str, **options: Any) -> Result:
    return run(Options(agents=(agent,), **options))


def read(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return value


def rows(agent: str) -> dict[str, tuple[str, str]]:
    """Doctor's checks by id: status and detail."""
    found = doctor.run(doctor.Options(agents=(agent,), offline=True)).data["checks"]
    return {row["id"]: (row["status"], row["detail"]) for row in found}


@pytest.fixture
def nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home on a machine without any host's program."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return home


@pytest.mark.parametrize(("agent", "name"), [("zcode", "zcode"), ("zcode", "bare"), ("kiro", "kiro"), ("kiro", "bare")])
def test_setup_twice_doctor_remove(nothing: Path, agent: str, name: str) -> None:
    fill(nothing, name)
    before = tree(nothing)
    done = set_up(agent)
    assert done.exit_code == 0
    assert {one["id"]: one["checked"] for one in done.data["agents"]} == {agent: ["hook answers", "server answers"]}
    once = tree(nothing)
    assert set_up(agent).messages[-1] == "All is set up already; nothing was changed."
    assert tree(nothing) == once
    assert {id_: detail for id_, (status, detail) in rows(agent).items() if status == "FAIL"} == {}
    assert tree(nothing) == once
    assert set_up(agent, remove=True).exit_code == 0
    assert tree(nothing) == before


@pytest.mark.parametrize(("agent", "name"), [("zcode", "zcode"), ("kiro", "kiro")])
def test_undo_and_a_dry_run_leave_no_trace(nothing: Path, agent: str, name: str) -> None:
    fill(nothing, name)
    before = tree(nothing)
    dry = set_up(agent, dry_run=True)
    assert tree(nothing) == before
    assert [secret for secret in ("tok-CCC333", "tok-DDD444") if secret in dry.as_json()] == []
    set_up(agent)
    assert run(Options(undo="newest")).exit_code == 0
    assert tree(nothing) == before


def zcode(home: Path) -> Path:
    return home / ".zcode/cli/config.json"


def test_zcode_neighbours_stay_and_the_plan_says_who_feels_it(nothing: Path) -> None:
    fill(nothing, "zcode")
    done = set_up("zcode")
    config = read(zcode(nothing))
    entry = config["mcp"]["servers"]["context-mode"]
    assert list(entry) == ["type", "command", "args", "env", "enabled", "timeoutMs"]
    assert entry["timeoutMs"] == 660_000
    assert config["mcp"]["servers"]["files"]["command"] == "npx"
    hooks = config["hooks"]
    assert hooks["enabled"] is True
    events = {event: len(groups) for event, groups in hooks["events"].items()}
    assert events == {"Stop": 2, "PreToolUse": 2, "SessionStart": 1, "UserPromptSubmit": 1, "PostToolUse": 1,
                      "PostToolUseFailure": 1}  # fmt: skip
    ours = [group for groups in hooks["events"].values() for group in groups if "context-mode" in json.dumps(group)]
    assert [set(group["hooks"][0]) for group in ours] == [{"type", "command", "args", "timeoutMs"}] * 6
    said = "\n".join(done.messages)
    assert "hooks of yours in this file that sleep while hooks.enabled is off: they wake up" in said
    assert "servers of yours in ~/.agents/mcp.json" in said


def test_zcode_hooks_stay_on_while_others_are_there(nothing: Path) -> None:
    fill(nothing, "bare")
    set_up("zcode")
    config = read(zcode(nothing))
    config["hooks"]["events"]["Stop"].append({"hooks": [{"type": "command", "command": "mine"}]})
    zcode(nothing).write_text(json.dumps(config))
    set_up("zcode", remove=True)
    assert read(zcode(nothing)) == {
        "hooks": {"events": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}, "enabled": True}
    }


def test_zcode_switched_off_again_is_a_fail(nothing: Path) -> None:
    fill(nothing, "bare")
    set_up("zcode")
    config = read(zcode(nothing))
    for box, words in ((config["hooks"], "hooks.enabled"), (config["mcp"]["servers"]["context-mode"], "our server")):
        on = zcode(nothing).read_bytes()
        box["enabled"] = False
        zcode(nothing).write_text(json.dumps(config))
        status, detail = rows("zcode")["D12"]
        assert (status, words in detail) == ("FAIL", True)
        zcode(nothing).write_bytes(on)
        box["enabled"] = True


def test_zcode_lost_entries_are_seen_after_the_app_wrote_its_own(nothing: Path) -> None:
    """The app may write its settings over an edit that was made while it ran."""
    fill(nothing, "zcode")
    before = zcode(nothing).read_bytes()
    set_up("zcode")
    zcode(nothing).write_bytes(before)
    found = rows("zcode")
    assert [found[id_][0] for id_ in ("D3", "D4")] == ["FAIL", "FAIL"]
    assert set_up("zcode").exit_code == 0
    assert {status for status, _ in rows("zcode").values()} <= {"PASS", "WARN", "SKIP"}


def test_zcode_knows_no_project(nothing: Path, project: Path) -> None:
    before: Tree = tree(nothing)
    with pytest.raises(UserError, match="ZCode does not run hooks of a project"):
        set_up("zcode", scope="project", project=project)
    assert tree(nothing) == before


@pytest.mark.parametrize("name", ["ZCODE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"])
def test_zcode_a_path_that_it_would_expand_is_refused(
    nothing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("CONTEXT_MODE_DATA_DIR", str(tmp_path / f"a ${{{name}}} b"))
    with pytest.raises(UserError, match=rf"ZCode would replace \${name} in the path"):
        set_up("zcode")


def test_zcode_a_comment_stops_setup(nothing: Path) -> None:
    zcode(nothing).parent.mkdir(parents=True)
    zcode(nothing).write_text('{\n  // mine\n  "hooks": {}\n}\n')
    with pytest.raises(UserError, match=r"~/.zcode/cli/config.json:2:3 a comment"):
        set_up("zcode")


def kiro_cli(home: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    """A program that says its version, and lists the servers as that version's documentation shows it."""
    folder = home.parent / "programs"
    folder.mkdir(exist_ok=True)
    program = folder / "kiro-cli"
    program.write_text(
        f'#!/bin/sh\n[ "$1" = mcp ] && echo "• context-mode  {home}/x serve" || echo "kiro-cli {version}"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_kiro_both_forms_are_written_where_no_program_tells_its_version(nothing: Path) -> None:
    fill(nothing, "kiro")
    kept = {name: what for name, what in tree(nothing).items() if "settings/mcp" not in name and "perm" not in name}
    done = set_up("kiro")
    assert [name for name, what in kept.items() if tree(nothing)[name] != what and what[0] == "file"] == []
    servers = read(nothing / ".kiro/settings/mcp.json")["mcpServers"]
    assert servers["files"]["autoApprove"] == ["read_file"]
    entry = servers["context-mode"]
    assert (entry["args"], entry["timeout"], entry["autoApprove"]) == (["--agent", "kiro"], 660_000, ["*"])
    rules = (nothing / ".kiro/settings/permissions.yaml").read_text()
    assert '    match: ["git status*", "make *"]   # safe ones\n' in rules
    assert rules.count("context-mode/*") == 1
    file = json.loads((nothing / ".kiro/hooks/context-mode.json").read_text())
    assert file["version"] == "v1"
    assert [(one["trigger"], one["timeout"], one["action"]["type"]) for one in file["hooks"]] == [
        (event, 10, "command") for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
    ]
    assert [one["name"] for one in file["hooks"] if "matcher" in one] == [
        "context-mode PreToolUse",
        "context-mode PostToolUse",
    ]
    agent = json.loads((nothing / ".kiro/agents/context-mode.json").read_text())
    assert (agent["tools"], agent["includeMcpJson"], agent["allowedTools"]) == (["*"], True, ["@context-mode"])
    assert {event: [set(one), one["timeout_ms"]] for event, (one,) in agent["hooks"].items()} == {
        event: [{"command", "timeout_ms"}, 10_000]
        for event in ("agentSpawn", "userPromptSubmit", "preToolUse", "postToolUse", "stop")
    }
    assert "kiro-cli --agent context-mode" in "\n".join(done.messages)
    assert rows("kiro")["D12"][0] == "PASS"


@pytest.mark.parametrize(("version", "said"), [("2.21.0", "WARN"), ("3.0.1", "PASS")])
def test_kiro_the_step_that_an_agent_file_needs(
    nothing: Path, monkeypatch: pytest.MonkeyPatch, version: str, said: str
) -> None:
    fill(nothing, "kiro")
    before = tree(nothing)
    kiro_cli(nothing, monkeypatch, version)
    set_up("kiro")
    found = rows("kiro")
    assert found["D12"][0] == said
    assert ("--agent context-mode" in found["D12"][1]) is (said == "WARN")
    assert {status for status, _ in found.values()} <= {"PASS", "WARN", "SKIP"}
    agent = json.loads((nothing / ".kiro/agents/context-mode.json").read_text())
    assert ("hooks" in agent) is (said == "WARN")
    assert len(json.loads((nothing / ".kiro/hooks/context-mode.json").read_text())["hooks"]) == 5
    set_up("kiro", remove=True)
    assert tree(nothing) == before


def test_kiro_an_update_of_the_host_takes_the_old_form_out(nothing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(nothing, "kiro")
    before = tree(nothing)
    kiro_cli(nothing, monkeypatch, "2.21.0")
    set_up("kiro")
    kiro_cli(nothing, monkeypatch, "3.0.1")
    status, detail = rows("kiro")["D4"]
    assert (status, "agentSpawn" in detail) == ("FAIL", True)
    set_up("kiro")
    assert "hooks" not in json.loads((nothing / ".kiro/agents/context-mode.json").read_text())
    assert rows("kiro")["D4"][0] == "PASS"
    set_up("kiro", remove=True)
    assert tree(nothing) == before


def test_kiro_without_approval_nothing_is_allowed(nothing: Path) -> None:
    fill(nothing, "kiro")
    rules = (nothing / ".kiro/settings/permissions.yaml").read_bytes()
    set_up("kiro", approve=False)
    assert (nothing / ".kiro/settings/permissions.yaml").read_bytes() == rules
    assert "autoApprove" not in read(nothing / ".kiro/settings/mcp.json")["mcpServers"]["context-mode"]
    assert "allowedTools" not in json.loads((nothing / ".kiro/agents/context-mode.json").read_text())
    assert rows("kiro")["D12"] == ("WARN", "our tools ask before each call: the approval was left out")


def test_kiro_a_switched_off_server_is_a_fail(nothing: Path) -> None:
    fill(nothing, "kiro")
    set_up("kiro")
    path = nothing / ".kiro/settings/mcp.json"
    path.write_text(
        path.read_text().replace('"disabled": false,\n      "timeout"', '"disabled": true,\n      "timeout"')
    )
    status, detail = rows("kiro")["D12"]
    assert (status, "our server is switched off" in detail) == ("FAIL", True)


def test_kiro_knows_no_private_project_file(nothing: Path, project: Path) -> None:
    before: Tree = tree(nothing)
    with pytest.raises(UserError, match="shared with everybody who works on it"):
        set_up("kiro", scope="project", project=project)
    assert tree(nothing) == before
