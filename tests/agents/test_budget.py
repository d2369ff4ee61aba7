"""The search budget counts each conversation by itself: sub-agents are no burden on one another.

First which identity each call carried through the real pipe, then what was refused.
"""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.agents.hostrun import HostRun, Played
from tests.agents.standin import Step
from tests.agents.tap import Heard, Tap

from context_mode_runtime import notes

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
MAIN, ONE, TWO = "MAIN-TASK", "SUB-ONE", "SUB-TWO"
REFUSED = re.compile(r"all queries into one call")


def search(run: HostRun, who: str, n: int) -> Step:
    """A search whose words say who makes it."""
    return {
        **run.host.call("ctx_search", queries=[f"{who} question {n}"]),
        "if": who,
        **({} if who == MAIN else {"unless": MAIN}),
    }


def claude_subagents() -> list[Step]:
    """Both sub-agents in one turn, in the foreground."""
    agents = [
        {
            "tool": "Agent",
            "args": {
                "description": who,
                "prompt": f"{who}: look it up",
                "subagent_type": "general-purpose",
                "run_in_background": False,
            },
        }
        for who in (ONE, TWO)
    ]
    return [{"tools": agents, "if": MAIN}]


def codex_subagents() -> list[Step]:
    """The agent tools are found by a tool search; then start both, then wait for each."""

    def wait(n: int) -> Callable[[list[str]], Step]:
        def step(results: list[str]) -> Step:
            ids = [json.loads(text)["agent_id"] for text in results if text.startswith('{"agent_id"')]
            return {"tool": "wait_agent", "args": {"targets": [ids[n]], "timeout_ms": 120_000}}

        return step

    spawn = [{"tool": "spawn_agent", "args": {"message": f"{who}: look it up"}} for who in (ONE, TWO)]
    steps: list[Step] = [{"tool": "tool_search", "args": {"query": "spawn agent wait", "limit": 8}}, {"tools": spawn}]
    return [{**step, "if": MAIN} for step in [*steps, {"then": wait(0)}, {"then": wait(1)}]]


SUBAGENTS = {"claude-code": claude_subagents, "codex": codex_subagents}


def carried(run: HostRun, played: Played, calls: list[Heard]) -> dict[str, set[str]]:
    """Per caller, as its query says, the conversations that its calls carried: by what the host sends with a call.

    One host sends its conversation; the other the id of the call, which our own note joins with the conversation.
    """
    found: dict[str, set[str]] = defaultdict(set)
    known = {result.call_id for result in played.of("ctx_search")}
    for call in calls:
        who = call.params["arguments"]["queries"][0].split()[0]
        if run.host.agent == "codex":
            assert call.meta["callId"] in known
            found[who].add(f"{call.meta['sessionId']}/{call.meta['threadId']}")
        else:
            assert call.meta["claudecode/toolUseId"] in known
            found[who].add(noted(call.meta["claudecode/toolUseId"]))
    return found


def counted(home: Path) -> list[int]:
    """Search calls in the window, by conversation, as the server counted them in the project's database."""
    [database] = (home / ".context-mode" / "projects").glob("*/context.db")
    with contextlib.closing(sqlite3.connect(database)) as db:
        return sorted(len(calls.split()) for (calls,) in db.execute("SELECT calls FROM search_calls"))


def noted(call_id: str) -> str:
    """Conversation and sub-agent as our hook noted them for a call (the server joins by the same note)."""
    note = notes.call_note("claude-code", call_id)
    assert note is not None
    return f"{note.conversation}/{note.subagent}"


def test_two_subagents_and_the_main_conversation_search_five_times_each(run: HostRun, tmp_path: Path) -> None:
    tap = Tap(run.host.agent, run.home, tmp_path)
    script = SUBAGENTS[run.host.agent]()
    script += [search(run, who, n) for who in (ONE, TWO, MAIN) for n in range(1, 6)]
    script += [{"text": "over", "if": who, "unless": MAIN} for who in (ONE, TWO)]
    played = run.play(script, f"{MAIN}: answer five questions")
    assert played.exit_code == 0, played.log

    calls = tap.calls("ctx_search")
    assert len(calls) == 15
    identities = carried(run, played, calls)
    assert {who: len(found) for who, found in identities.items()} == {MAIN: 1, ONE: 1, TWO: 1}
    [main], [one], [two] = (identities[who] for who in (MAIN, ONE, TWO))
    assert len({main, one, two}) == 3
    assert main.split("/")[0] == one.split("/")[0] == two.split("/")[0]
    assert counted(run.home) == [5, 5, 5]

    assert [call.text for call in calls if call.is_error] == []
    assert len(played.of("ctx_search")) == 15


def test_the_ninth_search_of_one_conversation_is_refused(run: HostRun, tmp_path: Path) -> None:
    tap = Tap(run.host.agent, run.home, tmp_path)
    played = run.play([search(run, MAIN, n) for n in range(1, 10)], f"{MAIN}: answer nine questions")
    assert played.exit_code == 0, played.log

    calls = tap.calls("ctx_search")
    assert len(calls) == 9
    assert [len(found) for found in carried(run, played, calls).values()] == [1]
    assert counted(run.home) == [8]

    assert [call.is_error for call in calls] == [False] * 8 + [True]
    assert REFUSED.search(calls[-1].text), calls[-1].text
    assert REFUSED.search(played.of("ctx_search")[-1].text)
