"""The search budget: 3 calls at 2 hits, 5 at 1, then none, in any 60 s of one conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime.limits import BUDGET_CONVERSATIONS
from context_mode_runtime.store.budget import UNLIMITED, BudgetRules, BudgetSpent, spend
from context_mode_runtime.store.db import Store

CASES = YAML(typ="safe").load(Path(__file__).with_name("budget.yaml").read_text(encoding="utf-8"))


def hits(store: Store, conversation: str | None, now: int, rules: BudgetRules | None = None) -> int:
    try:
        return spend(store, conversation, now, rules)
    except BudgetSpent:
        return 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_calls_in_the_window(store: Store, case: dict[str, Any]) -> None:
    rules = BudgetRules(**case["rules"]) if "rules" in case else None
    got = [hits(store, conversation, now, rules) for conversation, now in case["calls"]]
    assert got == case["hits"]


def test_an_unknown_conversation_is_never_blocked(store: Store) -> None:
    assert {spend(store, None, 5) for _ in range(50)} == {UNLIMITED}


def test_the_error_asks_for_one_call_and_says_when(store: Store) -> None:
    for now in range(8):
        spend(store, "c", now)
    with pytest.raises(BudgetSpent, match=r"all queries into one call .* wait 59992 ms"):
        spend(store, "c", 8)


def test_two_processes_of_one_conversation_share_it(store: Store) -> None:
    with Store.open("project-0123456789abcdef", name="project") as other:
        got = [hits((store, other)[now % 2], "c", now) for now in range(10)]
    assert got == [2, 2, 2, 1, 1, 1, 1, 1, 0, 0]


def test_the_conversation_used_longest_ago_goes_first(store: Store) -> None:
    with store.write():
        for number in range(BUDGET_CONVERSATIONS):
            spend(store, f"c{number}", number)
        for _ in range(7):
            spend(store, "c0", 5_000)
        for _ in range(3):
            spend(store, "new", 5_001)
    assert store.db.execute("SELECT count(*) FROM search_calls").fetchone() == (BUDGET_CONVERSATIONS,)
    assert hits(store, "c0", 5_002) == 0
    assert store.db.execute("SELECT count(*) FROM search_calls WHERE conversation = 'c1'").fetchone() == (0,)
