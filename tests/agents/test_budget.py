"""The search budget counts each conversation by itself: sub-agents are no burden on one another.

First which identity each call carried through the real pipe, then what was refused.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections import defaultdict
from pathlib import Path

import pytest
from tests.agents.hostrun import HostRun, Played
from tests.agents.models.base import Step
from tests.agents.tap import Heard, Tap

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


def carried(run: HostRun, played: Played, calls: list[Heard]) -> dict[str, set[str]]:
    """Per caller, as its query says, the conversations that its calls carried."""
    found: dict[str, set[str]] = defaultdict(set)
    for call in calls:
        found[call.params["arguments"]["queries"][0].split()[0]].add(run.host.carried(call, played))
    return found


def counted(home: Path) -> list[int]:
    """Search calls in the window, by conversation, as the server counted them in the project's database."""
    [database] = (home / ".context-mode" / "projects").glob("*/context.db")
    with contextlib.closing(sqlite3.connect(database)) as db:
        return sorted(len(calls.split()) for (calls,) in db.execute("SELECT calls FROM search_calls"))


def five_searches_each(run: HostRun, tmp_path: Path) -> tuple[dict[str, set[str]], list[Heard]]:
    """Two sub-agents and the main conversation search five times each: what each caller's calls carried."""
    tap = Tap(run.host, run.home, tmp_path)
    script = run.host.delegate((ONE, TWO), MAIN)
    script += [search(run, who, n) for who in (ONE, TWO, MAIN) for n in range(1, 6)]
    script += [{"text": "over", "if": who, "unless": MAIN} for who in (ONE, TWO)]
    played = run.play(script, f"{MAIN}: answer five questions")
    assert played.exit_code == 0, played.log
    calls = tap.calls("ctx_search")
    assert len(calls) == 15
    assert len(played.of("ctx_search")) == 15
    identities = carried(run, played, calls)
    assert {who: len(found) for who, found in identities.items()} == {MAIN: 1, ONE: 1, TWO: 1}
    return identities, calls


def test_two_subagents_and_the_main_conversation_search_five_times_each(run: HostRun, tmp_path: Path) -> None:
    if "delegate" not in run.host.can:
        assert run.host.cannot["delegate"]
        return
    identities, calls = five_searches_each(run, tmp_path)
    [main], [one], [two] = (identities[who] for who in (MAIN, ONE, TWO))
    if "subagents" in run.host.can:
        assert len({main, one, two}) == 3
        assert counted(run.home) == [5, 5, 5]
        assert [call.text for call in calls if call.is_error] == []
    else:
        assert main == one == two, run.host.cannot["subagents"]
        assert counted(run.home) == [8]
        assert sum(call.is_error for call in calls) == 7


def test_the_ninth_search_of_one_conversation_is_refused(run: HostRun, tmp_path: Path) -> None:
    tap = Tap(run.host, run.home, tmp_path)
    played = run.play([search(run, MAIN, n) for n in range(1, 10)], f"{MAIN}: answer nine questions")
    assert played.exit_code == 0, played.log

    calls = tap.calls("ctx_search")
    assert len(calls) == 9
    if "budget" not in run.host.can:
        assert not any(call.is_error for call in calls), run.host.cannot["budget"]
        return
    assert [len(found) for found in carried(run, played, calls).values()] == [1]
    assert counted(run.home) == [8]

    assert [call.is_error for call in calls] == [False] * 8 + [True]
    assert REFUSED.search(calls[-1].text), calls[-1].text
    assert REFUSED.search(played.of("ctx_search")[-1].text)
