"""Which conversation a request belongs to, by captured requests of the real hosts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime import notes
from context_mode_runtime.agents import load_agent
from context_mode_runtime.server.session import Connection

HERE = Path(__file__).parent
PAYLOADS = HERE.parent / "payloads"
CASES = YAML(typ="safe").load((HERE / "cases" / "identity.yaml").read_text(encoding="utf-8"))


def _params(agent: str, name: str) -> dict[str, Any]:
    payload = json.loads((PAYLOADS / agent / f"{name}.json").read_text(encoding="utf-8"))
    params: dict[str, Any] = payload.get("params", payload)
    return params


def _connection(agent: str | None) -> Connection:
    return Connection(agent, load_agent(agent) if agent else None, "/")


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_the_caller_is_who_the_host_says(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in case.get("env", {}).items():
        monkeypatch.setenv(name, value)
    for call in case["calls"]:
        noted = notes.CallNote(call["conversation"], call["subagent"], "/somewhere")
        notes.note_call(case.get("noted_by", case["agent"]), call["id"], noted)
    caller = _connection(case["agent"]).caller(_params(case["agent"] or "claude-code", case["payload"]))
    assert caller.key == case["key"]


def test_two_connections_of_unknown_callers_are_two_sessions() -> None:
    assert _connection(None).key != _connection(None).key


VSCODE = "11111111-2222-4333-8444-555555555555"
WAYS: list[tuple[dict[str, Any], str, str]] = [
    ({"way": "argument", "conversation": [["arguments", "_ctx_session"]]}, "opencode", "host:ses_0001"),
    ({"way": "added_meta", "conversation": [["_meta", "ctx/session"]]}, "copilot-cli", "host:SUBID"),
    ({"way": "meta", "conversation": [["_meta", "vscode.conversationId"]]}, "vscode", f"host:{VSCODE}"),
    ({"way": "variable", "variable": "HOST_CONVERSATION"}, "gemini-cli", "host:from-variable"),
]  # fmt: skip


@pytest.mark.parametrize(("way", "agent", "key"), WAYS, ids=[way["way"] for way, _, _ in WAYS])
def test_every_way_of_the_spec_language(
    way: dict[str, Any], agent: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOST_CONVERSATION", "from-variable")
    file = {"opencode": "mcp-tools-call-session_injected_by_hook", "copilot-cli": "mcp-tools-call-with-hook-meta"}
    params = _params(agent, file.get(agent, "mcp-tools-call"))
    connection = Connection("host", {"identity": {"request": [{"way": "unheard-of"}, way]}}, "/")
    assert connection.caller(params).key == key
    added = {"_ctx_session"} if way["way"] == "argument" else set()
    assert connection.without_identity(params["arguments"]).keys() == params["arguments"].keys() - added


def test_a_call_that_two_callers_made_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = Connection("host", {"identity": {"request": [{"way": "match"}]}}, "/")
    params: dict[str, object] = {"name": "ctx_search", "arguments": {"queries": ["a"], "limit": 1}}
    same = {"limit": 1, "queries": ["a"]}
    notes.note_match("host", notes.host_process(), "ctx_search", same, notes.CallNote("c-1", "", "/x"))
    assert connection.caller(params).key == "host:c-1"
    assert connection.caller({**params, "arguments": {"queries": ["b"]}}).key is None
    notes.note_match("host", notes.host_process(), "ctx_search", same, notes.CallNote("c-2", "", "/x"))
    assert connection.caller(params).key is None
