"""Pi's bridge: what it hands to the hook and back, and that nothing the hook does harms the host (F25)."""

from __future__ import annotations

import json
import os
import shutil
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.bridges.conftest import LIMIT_MS, Bridged

from context_mode_installer.specs.catalog import find_spec
from context_mode_runtime.server.tools.registry import TOOLS

SERVE = Path(sysconfig.get_path("scripts")) / "context-mode"
HOOKS: list[dict[str, Any]] = YAML(typ="safe", pure=True).load(Path(__file__).with_name("hooks.yaml"))
ANSWERS: list[dict[str, Any]] = YAML(typ="safe", pure=True).load(Path(__file__).with_name("pi.yaml"))
CALL: dict[str, Any] = {
    "on": "tool_call",
    "event": {"toolName": "bash", "toolCallId": "c-1", "input": {"command": "ls"}},
}
RESULT: dict[str, Any] = {
    "on": "tool_result",
    "event": {**CALL["event"], "content": [{"type": "text", "text": "x"}]},
}
PROMPT: dict[str, Any] = {"on": "before_agent_start", "event": {"prompt": "count"}}
START: dict[str, Any] = {"on": "session_start", "event": {"reason": "startup"}}
END: dict[str, Any] = {"on": "agent_end", "event": {"messages": []}}
STEER: dict[str, Any] = {"on": "input", "event": {"text": "more", "streamingBehavior": "steer"}}
EVENTS = {step["on"]: step for step in (CALL, RESULT, START, PROMPT, END, STEER)}
ALL = [CALL, RESULT, START, PROMPT, END, {"on": "session_shutdown"}]
PASSED = {"returned": [], "input": CALL["event"]["input"]}
PASSES = [PASSED, PASSED, *[{"returned": []}] * 4]
KEEPS = 'cat > "$2.json"'
"""A hook that keeps what it was told, by event."""


@pytest.fixture
def pi(bridged: Callable[[str], Bridged]) -> Bridged:
    return bridged("pi")


def answering(pi: Bridged, answer: dict[str, Any]) -> Path:
    """A hook that gives one answer to everything."""
    (pi.folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    return pi.script("hook", f"{KEEPS}\ncat answer.json")


def kept(pi: Bridged, event: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((pi.folder / f"{event}.json").read_text("utf-8"))
    return told


def ended(pid: int) -> bool:
    """Whether a process is gone, within a moment."""
    for _ in range(500):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        state = Path("/proc", str(pid), "stat")
        if state.exists() and ") Z " in state.read_text():
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("case", HOOKS, ids=lambda case: case["case"])
def test_a_hook_that_fails_is_a_pass(pi: Bridged, case: dict[str, Any]) -> None:
    hook = pi.script("hook", case["hook"]) if case["hook"] else pi.folder / "no-such-hook"
    if "mode" in case:
        hook.chmod(case["mode"])
    plan = ALL[:2] if "limit_ms" in case else ALL
    done = pi.run(plan, hook, limit_ms=case.get("limit_ms", LIMIT_MS))
    assert done.printed == ""
    assert done.results[:-1] == PASSES[: len(plan)]
    assert done.results[-1]["sent"] == []
    pids = pi.folder / "pids"
    assert pids.exists() == ("limit_ms" in case)
    assert not pids.exists() or all(ended(int(pid)) for pid in pids.read_text().split())


def test_what_the_hook_is_told(pi: Bridged) -> None:
    image = {"type": "image", "mimeType": "image/png", "data": "x" * 1_000_000}
    plan = [
        {**START, "ctx": {"cwd": "/work", "entries": [{"type": "message"}, {"type": "model_change"}]}},
        {"on": "before_agent_start", "event": {"prompt": "count", "systemPrompt": "x" * 9_000, "images": [image]}},
        {**RESULT, "event": {**RESULT["event"], "content": [image], "details": {"fullOutputPath": "/tmp/a"}}},
        {"on": "session_before_compact", "event": {"reason": "manual", "preparation": {"messages": []}, "signal": {}}},
        {"on": "agent_end", "event": {"messages": [
            {"role": "user", "content": "count"}, {"role": "assistant", "content": [{"type": "text", "text": "three"}]},
            {"role": "toolResult", "content": "x" * 9_000}]}},
    ]  # fmt: skip
    done = pi.run(plan, answering(pi, {}))
    assert done.printed == ""
    who = {"mode": "json", "hasUI": False, "sessionId": "s-1", "sessionFile": "/s-1.jsonl"}
    begun = {"type": "session_start", "reason": "startup", "earlier": 1}
    assert kept(pi, "session_start") == {"event": begun, "ctx": {"cwd": "/work", **who}}
    assert kept(pi, "before_agent_start")["event"] == {"type": "before_agent_start", "prompt": "count"}
    assert kept(pi, "tool_result")["event"]["content"] == [{"type": "image", "mimeType": "image/png"}]
    assert kept(pi, "tool_result")["event"]["details"] == {"fullOutputPath": "/tmp/a"}
    assert kept(pi, "session_before_compact")["event"] == {"type": "session_before_compact", "reason": "manual"}
    words = [{"role": "assistant", "content": [{"type": "text", "text": "three"}]}]
    assert kept(pi, "agent_end")["event"] == {"type": "agent_end", "messages": words}


def test_each_event_of_the_spec_is_registered_and_no_other(pi: Bridged) -> None:
    named = {host.name for event in find_spec("pi").events for host in event.hosts}
    assert set(pi.run([], answering(pi, {})).results[-1]["events"]) == named


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: case["case"])
def test_an_answer_becomes_what_pi_takes(pi: Bridged, case: dict[str, Any]) -> None:
    step = {**EVENTS[case["on"]], "ctx": case.get("ctx", {})}
    done = pi.run([step], answering(pi, case["answer"]))
    assert done.results[0]["returned"] == case["returned"]
    assert done.printed == ""


def test_an_input_gets_a_field_more(pi: Bridged) -> None:
    done = pi.run([CALL], answering(pi, {"set_input": {"command": "ls", "_ctx_session": "s-1"}}))
    assert done.results[0] == {"returned": [], "input": {"command": "ls", "_ctx_session": "s-1"}}


@pytest.mark.parametrize("event", ["session_start", "session_compact"])
def test_words_at_a_start_are_sent_without_a_turn_of_their_own(pi: Bridged, event: str) -> None:
    message = {"customType": "context-mode", "content": "words", "display": False}
    done = pi.run([{"on": event, "event": {}}], answering(pi, {"message": message}))
    assert done.results[-1]["sent"] == [{"message": message, "options": {"deliverAs": "steer"}}]


@pytest.mark.parametrize("tool", ["read", "grep", "mcp__context_mode__ctx_search"])
def test_results_of_no_use_start_nothing(pi: Bridged, tool: str) -> None:
    pi.run([{**RESULT, "event": {**RESULT["event"], "toolName": tool}}], answering(pi, {}))
    assert not (pi.folder / "tool_result.json").exists()


def test_words_to_an_idle_pi_come_by_its_other_event(pi: Bridged) -> None:
    pi.run([{"on": "input", "event": {"text": "count"}}], answering(pi, {}))
    assert not (pi.folder / "input.json").exists()


def test_results_that_the_spec_replaces_or_notes_are_told(pi: Bridged) -> None:
    classes = ("shell", "edit", "mcp")
    tools = [name.replace("*", "x") for tool in find_spec("pi").tools if tool.class_ in classes for name in tool.names]
    for tool in tools:
        pi.run([{**RESULT, "event": {**RESULT["event"], "toolName": tool}}], answering(pi, {}))
        assert kept(pi, "tool_result")["event"]["toolName"] == tool
        (pi.folder / "tool_result.json").unlink()


@pytest.mark.parametrize(
    "step", [{**CALL, "endless": True}, {**CALL, "ctx": {"broken": True}}], ids=["endless", "broken"]
)
def test_what_cannot_be_told_is_a_pass(pi: Bridged, step: dict[str, Any]) -> None:
    done = pi.run([step], answering(pi, {"block": True, "reason": "why"}))
    assert done.results[0]["returned"] == []
    assert done.printed == ""


def test_of_two_bridges_in_one_pi_one_carries(pi: Bridged) -> None:
    """For the user and for a project, say: the next session may have the other one."""
    hook = pi.script("hook", 'cat > /dev/null; echo "$2" >> events; echo "{}"')
    done = pi.run([{**START, "twice": True}, CALL, RESULT, {"on": "session_shutdown"}, START, CALL], hook)
    told = (pi.folder / "events").read_text().split()
    assert told == ["session_start", "tool_call", "tool_result", "session_shutdown", "session_start", "tool_call"]
    assert done.printed == ""


def test_a_program_below_the_home(pi: Bridged) -> None:
    home = Path(os.environ["HOME"])
    (home / "bin").mkdir()
    shutil.copy(answering(pi, {"block": True, "reason": "why"}), home / "bin" / "hook")
    assert pi.run([CALL], "~/bin/hook").results[0]["returned"] == [{"block": True, "reason": "why"}]


def test_f25_loading_starts_nothing(pi: Bridged) -> None:
    mark = pi.script("hook", 'touch "started-$1"')
    pi.script("pi", "touch host-started")
    done = pi.run([], mark)
    assert done.results[-1]["tools"] == []
    pi.run(ALL, answering(pi, {}), pi.script("serve", "exit 1"))
    assert not list(pi.folder.glob("*started*"))


def test_a_pi_with_mcp_gets_no_tools_from_the_bridge(pi: Bridged) -> None:
    serve = pi.script("serve", "touch started")
    done = pi.run([{**START, "mcp": True}, PROMPT], answering(pi, {}), serve)
    assert (done.results[-1]["tools"], done.results[-1]["servers"]) == ([], [])
    assert not (pi.folder / "started").exists()


def test_f25_tools_that_failed_are_offered_at_the_next_prompt_and_called(pi: Bridged) -> None:
    serve = pi.script(
        "serve", f"[ -e tried ] || {{ touch tried; exit 1; }}\necho $$ >> pids\nexec '{SERVE}' serve \"$@\""
    )
    stopped = {"call": "mcp__context_mode__ctx_search", "args": {"queries": []}}
    code = {"language": "shell", "code": "echo heron", "_ctx_session": "s-1"}
    called = {"call": "mcp__context_mode__ctx_execute", "args": code}
    wrong = {"call": "mcp__context_mode__ctx_index", "args": {"path": "no-such-file"}}
    done = pi.run([START, stopped, PROMPT, called, wrong, {"on": "session_shutdown"}], answering(pi, {}), serve)
    assert done.printed == ""
    _, early, _, answer, failed, _, last = done.results
    assert early == {"error": "no tool"}
    assert last["tools"] == sorted(f"mcp__context_mode__{tool.name}" for tool in TOOLS)
    assert answer["result"]["content"][0]["text"] == "exit 0 · 6 B\nheron"
    assert "no-such-file" in failed["error"]
    assert all(ended(int(pid)) for pid in (pi.folder / "pids").read_text().split())


def test_f25_a_server_that_ended_is_started_again(pi: Bridged) -> None:
    serve = pi.script("serve", f"echo $$ >> pids\nexec '{SERVE}' serve \"$@\"")
    end = {"call": "mcp__context_mode__ctx_execute", "args": {"language": "shell", "code": "kill -9 $PPID"}}
    again = {"call": "mcp__context_mode__ctx_execute", "args": {"language": "shell", "code": "echo heron"}}
    done = pi.run([START, end, again, {"on": "session_shutdown"}], answering(pi, {}), serve)
    assert done.results[1] == {"error": "context-mode: the server has ended"}
    assert done.results[2]["result"]["content"][0]["text"] == "exit 0 · 6 B\nheron"
    assert len((pi.folder / "pids").read_text().split()) == 2


def test_a_package_offers_its_server_to_a_pi_with_mcp(pi: Bridged) -> None:
    done = pi.run([{**START, "mcp": True}], answering(pi, {}), "./bin/serve")
    [server] = done.results[-1]["servers"]
    assert server["name"] == "context-mode"
    config = server["config"]
    assert (config["command"], config["args"]) == (str(pi.folder / "bin" / "serve"), ["--agent", "pi"])
    assert (config["exposure"], config["timeout"]) == ("direct", 660)
