"""Starts, prompts, compactions: what is kept, and what goes back to the conversation, once and within its limits."""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime import notes
from context_mode_runtime.agents import known_agents, load_agent
from context_mode_runtime.hooks.call import Call
from context_mode_runtime.hooks.turns import how_to
from context_mode_runtime.server.tools import registry
from context_mode_runtime.store.journal import rows as journal_rows

from .conftest import Caller, reply_of
from .test_after import store_of
from .test_before import validate

AGENTS = ("claude-code", "codex")


def text_of(agent: str, event: str, reply: dict[str, Any] | None) -> str:
    if reply is None:
        return ""
    validate(agent, event, reply)
    text: str = reply["hookSpecificOutput"]["additionalContext"]
    return text


@pytest.mark.parametrize("agent", AGENTS)
def test_a_start_tells_how_to_in_600_bytes_with_this_hosts_names(agent: str, call: Caller) -> None:
    text = text_of(agent, "SessionStart", call(agent, "SessionStart", "SessionStart"))
    assert 0 < len(text.encode()) <= 600
    assert ("mcp__context-mode__ctx_execute" if agent == "claude-code" else "mcp__context_mode__ctx_execute") in text


def test_the_how_to_follows_the_routes_and_can_be_off(call: Caller, project: Path) -> None:
    folder = project / ".context-mode"
    folder.mkdir()
    off = '{"version": 1, "routes": {"webfetch": "off", "read": "off"}}'
    (folder / "policy.json").write_text(off)
    assert "pages" not in text_of("codex", "SessionStart", call("codex", "SessionStart", "SessionStart"))
    (folder / "policy.json").write_text('{"version": 1, "inject": "off"}')
    assert call("codex", "SessionStart", "SessionStart") is None


@pytest.mark.parametrize("agent", AGENTS)
def test_after_a_compaction_the_state_comes_exactly_once(agent: str, call: Caller) -> None:
    call(agent, "UserPromptSubmit", "UserPromptSubmit", {"prompt": "fix the login form"})
    edit = {"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch\n*** Update File: a.py\n"}}
    if agent == "claude-code":
        edit = {"tool_name": "Edit", "tool_input": {"file_path": "$PROJECT/a.py"}, "tool_response": {}}
    call(agent, "PostToolUse", "PostToolUse-Bash", edit)
    if agent == "claude-code":
        failing = {"tool_input": {"command": "pytest -q"}, "error": "Exit code 1\ntest_login failed"}
        call(agent, "PostToolUseFailure", "PostToolUseFailure-Bash", failing)
    call(agent, "PreCompact", "PreCompact-auto")
    first = text_of(agent, "SessionStart", call(agent, "SessionStart", "SessionStart-compact"))
    assert first.startswith("<context_mode_state session=")
    assert first.endswith("</context_mode_state>")
    assert len(first.encode()) <= 2_048
    assert "fix the login form" in first
    assert "a.py" in first
    if agent == "claude-code":
        assert "pytest -q" in first
    second = text_of(agent, "SessionStart", call(agent, "SessionStart", "SessionStart-compact"))
    assert "<context_mode_state" not in second


def test_the_prompt_after_a_compaction_brings_back_rows_that_match_it(call: Caller) -> None:
    call("claude-code", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "the payment gateway times out"})
    other = {"session_id": "another", "prompt": "the payment gateway of somebody else"}
    call("claude-code", "UserPromptSubmit", "UserPromptSubmit", other)
    call("claude-code", "PreCompact", "PreCompact-auto")
    call("claude-code", "SessionStart", "SessionStart-compact")
    reply = call(
        "claude-code", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "why does the payment gateway fail?"}
    )
    text = text_of("claude-code", "UserPromptSubmit", reply)
    assert "<context_mode_match" in text
    assert "times out" in text
    assert "somebody else" not in text
    assert len(text.encode()) <= 2_048
    again = call("claude-code", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "and the payment gateway again?"})
    assert again is None


def test_prompts_that_are_not_the_users_are_not_kept(call: Caller, home: Path) -> None:
    assert call("claude-code", "UserPromptSubmit", "UserPromptSubmit-task-notification") is None
    assert not (home / ".context-mode").exists()


def test_a_resumed_conversation_is_told_of_its_earlier_work(call: Caller) -> None:
    assert "earlier work" not in text_of(
        "claude-code", "SessionStart", call("claude-code", "SessionStart", "SessionStart-resume")
    )
    call("claude-code", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "start the migration"})
    text = text_of("claude-code", "SessionStart", call("claude-code", "SessionStart", "SessionStart-resume"))
    assert 'ctx_search({"queries":[],"scope":"session"})' in text


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("event", ["PreCompact", "Stop", "SessionEnd", "SubagentStart", "SubagentStop"])
def test_events_that_take_no_text_get_the_hosts_pass(agent: str, event: str, call: Caller) -> None:
    name = {"PreCompact": "PreCompact-auto"}.get(event, event)
    assert call(agent, event, name) is None


def test_a_call_of_our_tool_is_noted_for_the_server(call: Caller, project: Path) -> None:
    call("claude-code", "PreToolUse", "PreToolUse-mcp")
    note = notes.call_note("claude-code", "toolu_fake0007")
    assert note
    assert (note.conversation, note.subagent) == ("00000000-0000-4000-8000-000000000001", "")
    assert note.folder == str(project)


def store_rows(project: Path, key: str) -> list[tuple[str, str, str | None]]:
    with store_of(project) as store:
        return [(row.kind, row.text, row.detail) for row in journal_rows(store, key)]


MAIN = "00000000-0000-4000-8000-000000000001"


@pytest.mark.parametrize("agent", AGENTS)
def test_what_a_sub_agent_is_asked_is_not_the_users_request(agent: str, call: Caller, project: Path) -> None:
    call(agent, "UserPromptSubmit", "UserPromptSubmit", {"session_id": MAIN, "prompt": "paint the shed"})
    inner = {"session_id": MAIN, "agent_id": "a7", "agent_type": "worker", "prompt": "count the nails"}
    call(agent, "UserPromptSubmit", "UserPromptSubmit", inner)
    call(agent, "SubagentStart", "SubagentStart", {"session_id": MAIN, "agent_id": "a7"})
    call(
        agent,
        "PostToolUse",
        "PostToolUse-Bash",
        {"session_id": MAIN, "agent_id": "a7", "tool_input": {"command": "ls"}},
    )
    call(agent, "SubagentStop", "SubagentStop", {"session_id": MAIN, "agent_id": "a7", "last_assistant_message": "9"})
    call(agent, "PreCompact", "PreCompact-auto", {"session_id": MAIN})
    main = store_rows(project, f"{agent}:{MAIN}")
    assert [row[0] for row in main] == ["prompt", "subagent", "subagent"]
    block = text_of(agent, "SessionStart", call(agent, "SessionStart", "SessionStart-compact", {"session_id": MAIN}))
    assert "request #1: paint the shed" in block
    assert "nails" not in block


@pytest.mark.parametrize("agent", AGENTS)
def test_of_events_side_by_side_one_gets_the_state(agent: str, call: Caller) -> None:
    call(agent, "UserPromptSubmit", "UserPromptSubmit", {"prompt": "fix the login form"})
    for _ in range(2):
        call(agent, "PreCompact", "PreCompact-auto")
        with ThreadPoolExecutor(6) as pool:
            replies = list(pool.map(lambda _: call(agent, "SessionStart", "SessionStart-compact"), range(6)))
        texts = [text_of(agent, "SessionStart", reply) for reply in replies]
        assert sum("<context_mode_state" in text for text in texts) == 1


def test_a_state_that_a_call_beside_this_one_took_is_no_fault(home: Path) -> None:
    notes.note_state("vscode", "1", waits=True)
    for _ in range(2):
        notes.note_state("vscode", "1", waits=False)
    assert not notes.state_waits("vscode", "1")
    with ThreadPoolExecutor(6) as pool:
        for _ in range(50):
            notes.note_state("vscode", "1", waits=True)
            list(pool.map(lambda _: notes.note_state("vscode", "1", waits=False), range(6)))


def test_the_state_goes_out_also_without_other_texts(call: Caller, home: Path) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode/policy.json").write_text('{"version": 1, "inject": "off"}')
    call("codex", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "fix the login form"})
    call("codex", "PreCompact", "PreCompact-auto")
    assert "<context_mode_state" in text_of(
        "codex", "SessionStart", call("codex", "SessionStart", "SessionStart-compact")
    )
    assert call("codex", "SessionStart", "SessionStart-compact") is None


HOW_TO = YAML(typ="safe").load(Path(__file__).with_name("how_to.yaml").read_text("utf-8"))
CANNOT_REPLACE = {"kiro", "vscode", "zcode"}
"""Hosts that take no changed output: there nothing may be said of one."""


@pytest.mark.parametrize("case", HOW_TO, ids=lambda case: case["name"])
@pytest.mark.parametrize("agent", known_agents())
def test_the_how_to_says_what_is_so(agent: str, case: dict[str, Any], project: Path, home: Path) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode/policy.json").write_text(json.dumps({"version": 1, **case["policy"]}))
    table = load_agent(agent)
    text = how_to(Call(table, "session_start", "SessionStart", {"cwd": str(project)}, assume_server=True))
    assert len(text.encode()) <= 600
    spelled = table["server"]["tool_name"]
    assert set(re.findall(r"\S*ctx_\w+", text)) <= {spelled.replace("{tool}", tool.name) for tool in registry.TOOLS}
    silent = {*case.get("silent", []), *(["stored"] if agent in CANNOT_REPLACE else [])}
    assert [word for word in case.get("says", []) if word not in text and word not in silent] == []
    assert [word for word in silent if word in text] == []
    spoken = case.get("any", True)
    assert bool(text) == (agent not in CANNOT_REPLACE if spoken == "replaced" else spoken)


def test_a_host_without_replacements_or_a_word_on_resuming_is_told_what_is_so(made_up: None, project: Path) -> None:
    payload = {"hook_event_name": "spawn", "session_id": "s", "sessionId": "s", "cwd": str(project)}
    text = reply_of("heron", "spawn", payload).text
    assert "@context-mode/ctx_search" in text
    assert not (Path(os.environ["HOME"]) / ".context-mode/hook-errors.log").exists()


TASKS = YAML(typ="safe").load(Path(__file__).with_name("tasks.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", TASKS, ids=lambda case: case["name"])
def test_tasks_that_are_open_stand_in_the_state(case: dict[str, Any], call: Caller) -> None:
    for tool, given, *told in case["calls"]:
        changes: dict[str, Any] = {"tool_name": tool, "tool_input": {"command": None, "description": None, **given}}
        if told:
            changes["tool_response"] = told[0]
        call(case["agent"], "PostToolUse", "PostToolUse-Bash", changes)
    call(case["agent"], "PreCompact", "PreCompact-auto")
    block = text_of(case["agent"], "SessionStart", call(case["agent"], "SessionStart", "SessionStart-compact"))
    assert [line.partition(": ")[2] for line in block.splitlines() if line.startswith("task")] == case["open"]
