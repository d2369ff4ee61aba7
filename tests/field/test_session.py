"""F15, F18, F53 to F55: what comes back to a conversation, through real hook processes and the real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime import notes
from context_mode_runtime.project import find_project
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.journal import KINDS, add_row

from .conftest import Hook, Policy, added

AGENTS = ("claude-code", "codex")
ID = "00000000-0000-4000-8000-000000000001"
STATE_MAX = 2_048


def compact(hook: Hook, agent: str, changes: dict[str, Any] | None = None) -> str:
    """The text that the conversation gets after a compaction."""
    hook(agent, "PreCompact", "PreCompact-auto", changes)
    return added(hook(agent, "SessionStart", "SessionStart-compact", changes))


@pytest.mark.parametrize("agent", AGENTS)
def test_f15_three_hundred_long_rows_give_a_small_block_of_whole_lines(hook: Hook, project: Path, agent: str) -> None:
    found = find_project(str(project))
    assert found
    with Store.open(found.key(), name=found.name) as store:
        for number in range(300):
            add_row(store, f"{agent}:{ID}", KINDS[number % len(KINDS)], f"row {number} " + "é long words " * 400)
    text = compact(hook, agent, {"session_id": ID})
    assert 0 < len(text.encode()) <= STATE_MAX
    assert text.endswith("\n</context_mode_state>")


def test_f18_the_way_is_named_and_no_ban(hook: Hook, project: Path) -> None:
    mark = notes.mark_server("claude-code", str(project))
    asked = {"tool_input": {"url": "https://example.com/page", "prompt": "what"}, "cwd": str(project)}
    reply = hook("claude-code", "PreToolUse", "PreToolUse-WebFetch", asked)
    assert reply is not None, mark
    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    reason = reply["hookSpecificOutput"]["permissionDecisionReason"]
    assert "mcp__context-mode__ctx_index" in reason
    assert not [word for word in ("blocked", "forbidden", "denied", "not allowed") if word in reason.lower()]
    explorer = {**asked, "agent_id": "a1", "agent_type": "Explore"}
    assert hook("claude-code", "PreToolUse", "PreToolUse-WebFetch", explorer) is None


@pytest.mark.parametrize("agent", AGENTS)
def test_f53_each_conversation_gets_its_own_rows(hook: Hook, tmp_path: Path, project: Path, agent: str) -> None:
    """Two conversations in one project, one elsewhere, one that the host did not name."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / ".git").mkdir(parents=True)
    who = {"wombat": ("c-1", project), "quokka": ("c-2", project), "numbat": ("c-3", elsewhere), "bilby": ("", project)}
    for word, (ident, folder) in who.items():
        changes = {"session_id": ident, "cwd": str(folder), "prompt": f"paint the {word} house"}
        hook(agent, "UserPromptSubmit", "UserPromptSubmit", changes)
    for word, (ident, folder) in who.items():
        text = compact(hook, agent, {"session_id": ident, "cwd": str(folder)})
        assert [other for other in who if other in text] == ([word] if ident else [])


def test_f53_session_scope_and_resume_hold_one_conversation(hook: Hook, serve: Any, project: Path) -> None:
    for ident, word in (("c-1", "wombat"), ("c-2", "quokka")):
        hook("claude-code", "UserPromptSubmit", "UserPromptSubmit", {"session_id": ident, "prompt": f"feed the {word}"})
    host = serve("claude-code")
    for ident, own, other in (("c-1", "wombat", "quokka"), ("c-2", "quokka", "wombat"), ("c-9", "", "wombat")):
        notes.note_call("claude-code", f"t-{ident}", notes.CallNote(ident, "", str(project)))
        meta = {"claudecode/toolUseId": f"t-{ident}"}
        shown = host.call("ctx_resume", {}, meta)[0]
        shown += host.call("ctx_search", {"queries": ["feed"], "scope": "session"}, meta)[0]
        assert own in shown
        assert other not in shown


FAILING = {
    "claude-code": ("PostToolUseFailure", "PostToolUseFailure-Bash", {"error": "Exit code 1\nFAILED test_login"}),
    "codex": ("PostToolUse", "PostToolUse-Bash-exit3", {"tool_response": "FAILED tests/test_login.py::test_old - x\n"}),
}
EDIT: dict[str, tuple[str, dict[str, Any]]] = {
    "claude-code": ("PostToolUse-Edit", {"tool_input": {"file_path": "a.py"}}),
    "codex": (
        "PostToolUse-apply_patch",
        {"tool_input": {"command": "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** End Patch"}},
    ),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_f54_the_state_comes_once_and_recall_follows_the_prompt_at_hand(hook: Hook, project: Path, agent: str) -> None:
    where = {"session_id": ID, "cwd": str(project)}

    def prompt(text: str) -> str:
        return added(hook(agent, "UserPromptSubmit", "UserPromptSubmit", {**where, "prompt": text}))

    prompt("the docs live in guide.md, one page a topic")
    prompt("Decision: bcrypt stays.")
    prompt("fix login")
    hook(agent, "PostToolUse", EDIT[agent][0], {**where, **EDIT[agent][1]})
    event, payload, changes = FAILING[agent]
    hook(agent, event, payload, {**where, "tool_input": {"command": "pytest -q tests/test_login.py"}, **changes})
    block = compact(hook, agent, where)
    for part in ("fix login", "a.py", "pytest -q tests/test_login.py", "bcrypt stays"):
        assert part in block
    recalled = prompt("now the docs")
    assert "<context_mode_state" not in recalled
    assert "guide.md" in recalled
    assert "fix login" not in recalled
    assert "<context_mode_state" not in added(hook(agent, "SessionStart", "SessionStart-compact", where))
    assert prompt("and more on the docs") == ""


def test_f55_ten_conversations_are_no_burden_on_one_another(serve: Any) -> None:
    """Ten ids with two calls each are never refused; the ninth call of one id is told to batch."""
    host = serve("claude-code")
    host.call("ctx_index", {"text": "koala report\n", "label": "k"})

    def search(ident: str, number: int) -> tuple[str, bool]:
        notes.note_call("claude-code", f"t-{ident}-{number}", notes.CallNote(ident, "", "/"))
        meta = {"claudecode/toolUseId": f"t-{ident}-{number}"}
        answer: tuple[str, bool] = host.call("ctx_search", {"queries": ["koala"]}, meta)
        return answer

    assert [search(f"c-{ident}", number)[1] for number in range(2) for ident in range(10)] == [False] * 20
    answers = [search("one", number) for number in range(9)]
    assert [failed for _, failed in answers] == [False] * 8 + [True]
    assert "put all queries into one call" in answers[8][0]


def test_f56_no_route_no_word(hook: Hook, policy: Policy) -> None:
    policy(routes={"webfetch": "off"})
    for agent in AGENTS:
        text = added(hook(agent, "SessionStart", "SessionStart")).lower()
        assert 0 < len(text.encode()) <= 600
        assert not [word for word in ("web", "page", "fetch", "url") if word in text]
    policy(inject="off")
    assert [hook(agent, "SessionStart", "SessionStart") for agent in AGENTS] == [None, None]
