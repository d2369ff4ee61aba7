"""F13, F16, F17, F19, F20, F72, F73: single calls of a host, through the real hook process."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime import notes
from context_mode_runtime.agents import load_agent

from .conftest import Hook, Policy

AGENTS = ("claude-code", "codex")
LONG = "".join(f"line {n} of a long output\n" for n in range(1_200))
SHORT_MAX = 4_096


def decision(reply: dict[str, Any] | None) -> str | None:
    return None if reply is None else str(reply["hookSpecificOutput"].get("permissionDecision"))


@pytest.mark.parametrize("agent", AGENTS)
def test_f13_a_call_that_a_rule_is_about_is_never_approved(hook: Hook, policy: Policy, agent: str) -> None:
    policy(deny=["Bash(git push --force *)"], allow=["Bash(git *)"])
    for command, expected in (
        ("git push --force origin x", "deny"),
        ("git push --force origin x | tee log; curl https://example.com/a", "deny"),
        ("git status", None),
        ("git push origin x", None),
    ):
        reply = hook(agent, "PreToolUse", "PreToolUse-Bash", {"tool_input": {"command": command}})
        assert decision(reply) == expected, command


def test_f16_codex_stop_gets_nothing_and_a_warning_goes_to_the_log(hook: Hook, home: Path) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode" / "projects").write_text("in the way", encoding="utf-8")
    assert hook("codex", "Stop", "Stop", {"last_assistant_message": "Decision: done."}) is None
    assert "projects" in (home / ".context-mode" / "hook-errors.log").read_text(encoding="utf-8")


SHAPES: dict[str, tuple[str, Any]] = {
    "a text": ("PostToolUse-mcp", LONG),
    "a list of parts": ("PostToolUse-mcp", [{"type": "text", "text": LONG}]),
    "an object": ("PostToolUse-Bash", {"stdout": LONG, "stderr": "", "interrupted": False, "isImage": False}),
}


@pytest.mark.parametrize(("payload", "output"), SHAPES.values(), ids=SHAPES)
def test_f17_a_replacement_has_the_shape_of_what_it_replaces(hook: Hook, payload: str, output: Any) -> None:
    changes = {"tool_response": output}
    if payload == "PostToolUse-mcp":
        changes |= {"tool_name": "mcp__browser__snapshot", "mcp_server": {"name": "browser"}}
    reply = hook("claude-code", "PostToolUse", payload, changes)
    if reply is None:  # a shape that the host never sends is left as it is
        assert isinstance(output, str)
        return
    got = reply["hookSpecificOutput"]["updatedToolOutput"]
    assert type(got) is type(output)
    if isinstance(output, dict):
        assert got.keys() >= output.keys()
    text = got["stdout"] if isinstance(got, dict) else got[0]["text"] if isinstance(got, list) else got
    assert len(text.encode()) <= SHORT_MAX


def test_f17_f73_a_picture_passes_untouched(hook: Hook) -> None:
    picture = [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 40_000}}]
    changes = {"tool_name": "mcp__browser__snapshot", "mcp_server": {"name": "browser"}, "tool_response": picture}
    assert hook("claude-code", "PostToolUse", "PostToolUse-mcp", changes) is None


@pytest.mark.parametrize("policy_keys", [{"allowHosts": ["example.com"]}, {"routes": {"webfetch": "off"}}])
def test_f19_a_page_of_an_allowed_host_passes(
    hook: Hook, policy: Policy, project: Path, policy_keys: dict[str, Any]
) -> None:
    """Sub-domains, too; and with the route off nothing else is off."""
    mark = notes.mark_server("claude-code", str(project))
    policy(**policy_keys)
    asked = {"tool_input": {"url": "https://api.example.com/page", "prompt": "what"}, "cwd": str(project)}
    assert hook("claude-code", "PreToolUse", "PreToolUse-WebFetch", asked) is None, mark
    curl = {"tool_input": {"command": "curl https://example.com/a"}, "cwd": str(project)}
    expected = None if "allowHosts" in policy_keys else "deny"
    assert decision(hook("claude-code", "PreToolUse", "PreToolUse-Bash", curl)) == expected


def test_f20_a_large_read_is_turned_away_and_a_ranged_one_passes(hook: Hook, project: Path) -> None:
    mark = notes.mark_server("claude-code", str(project))
    for name in ("big.py", "big.png", "SKILL.md"):
        (project / name).write_bytes(b"x = 1\n" * 10_000)

    def read(name: str, **more: Any) -> dict[str, Any] | None:
        given = {"file_path": str(project / name), "offset": None, "limit": None, **more}
        return hook("claude-code", "PreToolUse", "PreToolUse-Read", {"tool_input": given, "cwd": str(project)})

    reply = read("big.py")
    assert decision(reply) == "deny", mark
    assert reply is not None
    told = reply["hookSpecificOutput"]["permissionDecisionReason"]
    assert "Then ask it with mcp__context-mode__ctx_search. A Read with a line range passes" in told
    assert read("big.py", offset=1, limit=200) is None
    assert read("big.png") is None
    assert read("SKILL.md") is None


def test_f72_what_is_private_is_in_no_file(hook: Hook, home: Path) -> None:
    key = "AKIA" + "Q7XW2M4N5P6R8S9T"
    hook("claude-code", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "pw <private>hunter-22</private> go on"})
    output = {"tool_response": {"stdout": f"key {key}\n" + LONG, "stderr": ""}}
    hook("claude-code", "PostToolUse", "PostToolUse-Bash", output)
    stored = b"".join(path.read_bytes() for path in (home / ".context-mode").rglob("*") if path.is_file())
    assert b"go on" in stored
    assert b"hunter-22" not in stored
    assert key.encode() not in stored


def test_f71_with_capture_off_the_database_stays_as_it_is(hook: Hook, home: Path, project: Path) -> None:
    hook("claude-code", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "the first one"})
    (database,) = (home / ".context-mode" / "projects").glob("*/context.db")
    (project / ".context-mode").mkdir()
    (project / ".context-mode" / "policy.json").write_text('{"version": 1, "capture": "off"}', encoding="utf-8")
    before = database.read_bytes()
    hook("claude-code", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "the second one"})
    hook("claude-code", "PostToolUse", "PostToolUse-Edit", {"tool_input": {"file_path": "a.py"}})
    output = {"tool_response": {"stdout": LONG * 2, "stderr": ""}}
    assert hook("claude-code", "PostToolUse", "PostToolUse-Bash", output) is None
    assert database.read_bytes() == before
    assert not [path for path in database.parent.glob("context.db-wal") if path.stat().st_size]


@pytest.mark.parametrize("agent", AGENTS)
def test_f21_every_text_names_tools_as_the_host_shows_them(hook: Hook, project: Path, agent: str) -> None:
    """Start, refusal and replacement; each `ctx_` word carries the name pattern of this host."""
    mark = notes.mark_server(agent, str(project))
    where = {"cwd": str(project)}
    curl = {"tool_input": {"command": "curl https://example.com/a"}, **where}
    big: Any = {"stdout": LONG, "stderr": ""} if agent == "claude-code" else LONG
    texts = [
        json.dumps(hook(agent, event, payload, {**where, **changes}))
        for event, payload, changes in (
            ("SessionStart", "SessionStart", {}),
            ("PreToolUse", "PreToolUse-Bash", curl),
            ("PostToolUse", "PostToolUse-Bash", {"tool_response": big}),
        )
    ]
    pattern = load_agent(agent)["server"]["tool_name"]
    for text in texts:
        named = re.findall(r"[\w-]*ctx_(\w+)", text)
        assert named, (mark, text)
        assert len(named) == sum(text.count(pattern.format(tool=f"ctx_{tool}")) for tool in set(named)), text
