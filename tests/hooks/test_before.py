"""The table of `before.yaml`, over real payloads of both agents, each reply checked against the host's schema."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from context_mode_runtime.server.tools import registry

from .conftest import Caller

ROOT = Path(__file__).parent.parent.parent
TABLE: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("before.yaml").read_text("utf-8"))
CASES = [(agent, case) for case in TABLE for agent in case["agents"]]
TOOL_NAMES = {"claude-code": "mcp__context-mode__", "codex": "mcp__context_mode__"}


def validate(agent: str, event: str, reply: dict[str, Any]) -> None:
    schema = json.loads((ROOT / "schemas/replies" / f"{agent}.schema.json").read_text("utf-8"))
    Draft202012Validator({**schema, "$ref": f"#/$defs/{event}"}).validate(reply)


def arranged(case: dict[str, Any], project: Path, home: Path) -> dict[str, Any]:
    for name, size in case.get("files", {}).items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes(b"x" * size)
    if "policy" in case:
        folder = home / ".context-mode"
        folder.mkdir()
        (folder / "policy.json").write_text(json.dumps({"version": 1, **case["policy"]}))
    for name, target in case.get("links", {}).items():
        (project / name).symlink_to(target)
    for name, text in case.get("home", {}).items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    given = filled(case.get("input", {}), project)
    for _ in range(case.get("deep", 0)):
        given = {"x": given}
    cwd = home if case.get("cwd") == "~" else project / case.get("cwd", "")
    cwd.mkdir(exist_ok=True)
    return {"tool_name": case["tool"], "tool_input": given, "cwd": str(cwd), **case.get("extra", {})}


def filled(value: Any, project: Path) -> Any:
    text = json.dumps(value).replace("$PROJECT", str(project)).replace("$LONG", "x" * 3000)
    return json.loads(text)


@pytest.mark.parametrize(("agent", "case"), CASES, ids=[f"{agent}: {case['name']}" for agent, case in CASES])
def test_before(agent: str, case: dict[str, Any], call: Caller, project: Path, home: Path) -> None:
    changes = arranged(case, project, home)
    reply = call(agent, "PreToolUse", "PreToolUse-Bash", changes, server=case.get("server", True))
    if case.get("expect") == "pass":
        assert reply is None
        return
    assert reply
    validate(agent, "PreToolUse", reply)
    answer = reply["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    reason = answer["permissionDecisionReason"]
    assert len(reason.encode()) <= 2_000
    if "call" in case:
        check_route(agent, filled(case, project), reason, changes["tool_input"])
    else:
        assert case["expect"] in reason


def check_route(agent: str, case: dict[str, Any], reason: str, given: dict[str, Any]) -> None:
    assert not re.search("blocked|forbidden", reason)
    assert set(re.findall(r"\S*ctx_\w+", reason)) <= {TOOL_NAMES[agent] + tool.name for tool in registry.TOOLS}
    (line,) = [line for line in reason.splitlines() if line.startswith(TOOL_NAMES[agent] + case["call"])]
    arguments = json.loads(line.removeprefix(TOOL_NAMES[agent] + case["call"])[1:-1])
    wanted = {"code": given.get("command"), "path": given.get("file_path"), "url": given.get("url")}
    wanted |= {key: case[key] for key in ("code", "path") if key in case}
    assert {key: arguments[key] for key in wanted if key in arguments} == {
        key: wanted[key] for key in wanted if key in arguments
    }
    assert set(arguments) & set(wanted)


def test_an_ask_rule_asks_where_the_host_can_and_denies_elsewhere(call: Caller, home: Path) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode/policy.json").write_text(json.dumps({"version": 1, "ask": ["Bash(git push *)"]}))
    changes = {"tool_input": {"command": "git push origin main"}}
    asked = call("claude-code", "PreToolUse", "PreToolUse-Bash", changes)
    denied = call("codex", "PreToolUse", "PreToolUse-Bash", changes)
    assert asked
    assert asked["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert denied
    assert denied["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_what_cant_be_read_is_asked_about_where_the_host_can_and_passes_elsewhere(call: Caller, home: Path) -> None:
    (home / ".context-mode").mkdir()
    policy = home / ".context-mode/policy.json"
    changes = {"tool_input": {"command": "make-script | sh"}}
    policy.write_text(json.dumps({"version": 1, "deny": ["Bash(rm *)"]}))
    asked = call("claude-code", "PreToolUse", "PreToolUse-Bash", changes)
    assert asked
    assert asked["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert call("codex", "PreToolUse", "PreToolUse-Bash", changes) is None
    policy.write_text(json.dumps({"version": 1, "deny": ["Read(./secret.env)"]}))
    assert call("claude-code", "PreToolUse", "PreToolUse-Bash", changes) is None


@pytest.mark.parametrize(
    ("agent", "tool"), [("claude-code", "mcp__context-mode__ctx_search"), ("codex", "mcp__context_mode__ctx_search")]
)
def test_a_call_of_our_own_tool_passes(agent: str, tool: str, call: Caller) -> None:
    assert call(agent, "PreToolUse", "PreToolUse-Bash", {"tool_name": tool, "tool_input": {"queries": ["x"]}}) is None


def test_what_is_no_plain_file_is_not_opened(call: Caller, project: Path) -> None:
    """A pipe that nobody writes to would hold the hook until its time is over."""
    os.mkfifo(project / "pipe")
    lines = {"filePath": str(project / "pipe"), "startLine": 1, "endLine": 9}
    assert call("vscode", "preToolUse", "PreToolUse-read_file", {"tool_input": lines}) is None
