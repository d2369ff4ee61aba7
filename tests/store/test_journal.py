"""The journal, the state block after a compaction, the match block, the ledger."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from context_mode_runtime.limits import STATE_BUDGET
from context_mode_runtime.store import accounts, ledger, migrations
from context_mode_runtime.store.accounts import DAY_MS
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.journal import KINDS, add_row, row, rows
from context_mode_runtime.store.match import match_block
from context_mode_runtime.store.reading import open_reading
from context_mode_runtime.store.state import hold_state, state_block, take_match, take_state

CASES = YAML(typ="safe").load(Path(__file__).with_name("states.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_state_blocks(store: Store, case: dict[str, list[list[str]]]) -> None:
    for conversation, kind, text, *detail in case["rows"]:
        add_row(store, conversation, kind, text, detail=detail[0] if detail else None)
    assert state_block(store, "c") == str(case["block"]).rstrip("\n")


WORDS = st.text(max_size=400) | st.sampled_from(
    [
        "</context_mode_state>",
        '<context_mode_state session="x" upto="9">',
        "a\nmore: evil()",
        "\u2028more:",
        "\u202e",
        "é" * 400,
    ]
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), WORDS, st.none() | WORDS), max_size=40), WORDS)
def test_any_rows_give_a_bounded_block_of_our_lines_only(
    store: Store, events: list[tuple[str, str, str | None]], conversation: str
) -> None:
    conversation = conversation.encode("utf-8", "replace").decode()
    for kind, text, detail in events:
        add_row(store, conversation, kind, text, detail=detail)
    block = state_block(store, conversation)
    assert block == state_block(store, conversation)
    assert len(block.encode()) <= STATE_BUDGET
    for part in (block, match_block(store, conversation, "the " + " ".join(text for _, text, _ in events))):
        assert len(part.encode()) <= STATE_BUDGET
        if part:
            inner = part.splitlines()[1:-1]
            assert part.splitlines()[0].startswith("<context_mode_")
            assert not any("<" in line for line in inner)
            assert sum(line.startswith("more: ") for line in inner) == part.startswith("<context_mode_state")


def test_after_a_compaction_the_state_comes_once_then_one_match(store: Store) -> None:
    add_row(store, "c", "prompt", "fix login")
    add_row(store, "c", "edit", "a.py")
    add_row(store, "c", "failure", "pytest -q", detail="exit 1")
    add_row(store, "c", "decision", "docs stay in one file")
    add_row(store, "other", "prompt", "docs of another conversation")
    assert take_state(store, "c") == ""
    assert hold_state(store, "c")
    upto = 4
    add_row(store, "c", "prompt", "now the docs")
    assert take_match(store, "c") == 0
    with Store.open("project-0123456789abcdef", name="project") as other:
        block = take_state(other, "c")
    assert [line.split(" #")[0] for line in block.splitlines()[1:-2]] == ["request", "failing", "editing", "decision"]
    assert take_state(store, "c") == ""
    assert take_match(store, "c") == upto
    assert match_block(store, "c", "now the docs", upto=upto) == (
        "<context_mode_match>\ndecision #4: docs stay in one file\n</context_mode_match>"
    )
    assert take_match(store, "c") == 0
    assert not hold_state(store, "nobody")


def test_without_identity_nothing_is_injected(store: Store) -> None:
    add_row(store, "c", "prompt", "fix login")
    assert (state_block(store, None), match_block(store, None, "login"), take_state(store, None)) == ("", "", "")
    assert not hold_state(store, None)


def test_rows_are_numbered_through_the_project_and_kept_whole(store: Store) -> None:
    long = "word " * 5_000
    assert [add_row(store, name, "prompt", long) for name in ("a", "b", "a")] == [1, 2, 3]
    assert [item.seq for item in rows(store, "a")] == [1, 3]
    assert [item.seq for item in rows(store, "a", after=1, kinds=("prompt",))] == [3]
    found = row(store, 2)
    assert found is not None
    assert (found.conversation, found.text) == ("b", long)
    assert row(store, 9) is None


def test_the_ledger_sums_by_tool_and_conversation(store: Store) -> None:
    ledger.add_call(store, "ctx_execute", 1_000, 100, "c")
    ledger.add_call(store, "ctx_execute", 3_000, 100)
    ledger.add_call(store, "ctx_search", 0, 50, "c")
    found = accounts.account(store)
    every = [(tool, one.calls, one.produced, one.returned, one.fetched) for tool, one in found.by_tool().items()]
    assert every == [("ctx_execute", 2, 4_000, 200, 0), ("ctx_search", 1, 0, 0, 50)]
    assert [one.calls for one in found.of("c").by_tool().values()] == [1, 1]
    assert (found.newest(), found.of("c").totals().saved, found.of("d").totals().calls) == ("c", 900, 0)


def test_an_account_reads_the_ledger_in_the_order_of_an_index(store: Store) -> None:
    """A sort of the whole ledger took most of the time of `stats`: 300,000 calls, 1 s."""
    asked: list[str] = []
    store.db.set_trace_callback(asked.append)
    accounts.account(store)
    store.db.set_trace_callback(None)
    plans = [row[3] for text in asked if "SELECT" in text for row in store.db.execute(f"EXPLAIN QUERY PLAN {text}")]
    assert plans
    assert [step for step in plans if "TEMP B-TREE" in step or (step.startswith("SCAN") and "INDEX" not in step)] == []


def test_a_conversation_lasts_from_its_first_event_to_its_last_in_ledger_and_journal(store: Store) -> None:
    with store.write() as db:
        for at, conversation, tool in (
            (50, "c", "Bash"),
            (DAY_MS + 7, "c", "Bash"),
            (60, None, "Bash"),
            (70, "d", "Read"),
        ):
            db.execute(
                "INSERT INTO ledger(at, conversation, tool, raw, returned) VALUES(?, ?, ?, 9, 2)",
                (at, conversation, tool),
            )
        for at, conversation in ((40, "c"), (60, "c"), (80, "d"), (5, "e")):
            db.execute(
                "INSERT INTO journal(conversation, kind, text, at) VALUES(?, 'prompt', 'x', ?)", (conversation, at)
            )
    found = accounts.account(store)
    assert found.conversations == {"c": (40, DAY_MS + 7), "d": (70, 80), "e": (5, 5)}
    assert [(day, totals.calls, totals.saved) for day, totals in found.by_day().items()] == [(0, 3, 21), (1, 1, 7)]


def test_a_ledger_of_an_older_form_comes_to_the_same(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:3])
        older.setattr(migrations, "LATEST", 3)
        with Store.open(place.parent.name, name="project") as store:
            for size in (1_000, 3_000):
                ledger.add_call(store, "Bash", size, 100, "c")
    with open_reading(str(place)) as store:
        unchanged = accounts.account(store)
    with Store.open(place.parent.name, name="project") as store:
        moved_on = accounts.account(store)
        assert store.db.execute("PRAGMA user_version").fetchone() == (migrations.LATEST,)
    for found in (unchanged, moved_on):
        assert (found.totals().calls, found.totals().saved, list(found.conversations)) == (2, 3_800, ["c"])
