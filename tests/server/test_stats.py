"""ctx_stats over the real transport: what it counts, once, and what it takes off (F67)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard import made

from context_mode_runtime import notes
from context_mode_runtime.project import find_project
from context_mode_runtime.store import ledger
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.sources import add_source

FIRST = r"ctx_stats: (\d+\.\d)% kept out all-time, (\d+\.\d)% this session\."
REPORT_MAX = 4_096
META = {"claudecode/toolUseId": "toolu_1"}


def _add(folder: Path, *rows: tuple[str, int, int, str]) -> None:
    found = find_project(str(folder))
    assert found
    with Store.open(found.key(), name=found.name) as store:
        for row in rows:
            ledger.add_call(store, *row)


def _known(conversation: str = "c-1") -> dict[str, str]:
    notes.note_call("claude-code", META["claudecode/toolUseId"], notes.CallNote(conversation, "", "/"))
    return META


def _row(text: str, name: str) -> list[int]:
    """The numbers of one scope: produced, saved, fetched back, own cost, net."""
    lines = text.split("\n")
    titles = next(line for line in lines if line.startswith("Measured, in bytes"))
    column = [re.sub(r" \(\d+\)", "", title) for title in re.split(r"  +", titles)].index(name)
    rows = {re.split(r"  +", line)[0]: re.split(r"  +", line) for line in lines}
    names = ("produced", "saved", "fetched back", "own cost", "net")
    return [int(rows[row][column].replace(",", "")) for row in names]


def test_nothing_yet(serve: Any, home: Path) -> None:
    text, failed = serve().call("ctx_stats", {})
    assert not failed
    assert text.startswith("ctx_stats: 0.0% kept out all-time, 0.0% this session.\n")
    assert not list((home / ".context-mode").glob("projects/*"))


def test_saved_is_what_was_produced_less_what_was_returned_the_same_everywhere(serve: Any, project: Path) -> None:
    _add(project, ("Bash", 10_001, 725, "claude-code:c-1"))
    text, _ = serve("claude-code").call("ctx_stats", {}, _known())
    for name in ("this conversation", "this project", "all projects"):
        assert _row(text, name)[:3] == [10_001, 9_276, 0]
    assert re.search(r"^Bash +1 +10,001 +9,276$", text, re.MULTILINE)
    assert "9,276" in text


def test_only_calls_that_replaced_something_save_and_what_was_indexed_is_not_saved(serve: Any, project: Path) -> None:
    _add(
        project,
        ("ctx_execute", 100_000, 4_000, "claude-code:c-1"),
        ("ctx_execute", 6, 19, "claude-code:c-1"),
        ("ctx_index", 50_000, 70, "claude-code:c-1"),
        ("ctx_search", 0, 1_500, "claude-code:c-1"),
    )
    text, _ = serve("claude-code").call("ctx_stats", {}, _known())
    produced, saved, fetched, cost, net = _row(text, "this conversation")
    assert (produced, saved, fetched) == (100_006, 96_000, 1_500)
    assert net == saved - fetched - cost
    assert re.search(r"^indexed, not saved +50,000 +50,000 +50,000$", text, re.MULTILINE)
    first = re.match(FIRST, text)
    assert first
    assert first.group(2) == f"{100 * net / produced:.1f}"


def test_a_conversation_is_part_of_its_project_and_that_of_all(serve: Any, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    _add(project, ("Bash", 20_000, 2_000, "claude-code:c-1"), ("Bash", 30_000, 3_000, "claude-code:c-2"))
    _add(other, ("Bash", 40_000, 4_000, "claude-code:c-3"))
    text, _ = serve("claude-code").call("ctx_stats", {}, _known())
    rows = [_row(text, name) for name in ("this conversation", "this project", "all projects")]
    assert [row[:2] for row in rows] == [[20_000, 18_000], [50_000, 45_000], [90_000, 81_000]]
    fixed = rows[0][3]
    assert [row[3] for row in rows] == [fixed, 2 * fixed, 3 * fixed]
    assert "all projects (2)" in text


def test_our_fixed_cost_is_what_hosts_get(serve: Any, project: Path) -> None:
    host = serve("claude-code")
    _add(project, ("Bash", 200_000, 725, "claude-code:c-1"))
    told = host.handshake()["instructions"]
    host.ask("tools/list")
    listed = next(line for line in host.lines if b'"tools":[' in line)
    text, _ = host.call("ctx_stats", {}, _known())
    cost = re.search(
        r"conversation, claude-code: tool list ([\d,]+) B, instructions ([\d,]+) B, start text at most 600 B",
        text,
    )
    assert cost
    assert int(cost.group(2).replace(",", "")) == len(told.encode())
    assert 0 <= len(listed) - int(cost.group(1).replace(",", "")) < 60


@pytest.mark.parametrize(
    "name", ["mcp__server{n}__tool_with_a_long_name", "{n}" + "\u6771\u4eac" * 40, "{n}\n\x1b[31m<b>"]
)
def test_the_report_is_short_without_prices_and_tells_measured_from_estimated(
    serve: Any, project: Path, name: str
) -> None:
    long, days = "make \u6771" * 200, range(40)
    made.add_calls(project, tuple((n, f"codex:c-{n}", name.format(n=n), 10**12, 500) for n in days))
    with made.open_store(project) as store:
        for n in range(9):
            add_source(store, f"text {n}", label=f"{n} {long}", kind="log", tool="Bash")
    text, _ = serve().call("ctx_stats", {})
    assert re.match(FIRST, text)
    assert len(text.encode()) <= REPORT_MAX
    assert all(char.isprintable() for char in text.replace("\n", ""))
    assert "\nMeasured, in bytes " in text
    assert "\nnet, estimated in tokens " in text
    assert "a token = 4 B" in text
    assert not re.search(r"[$\u20ac\u00a3]|USD|cent", text)


def test_a_project_that_can_not_be_read_is_said(serve: Any, home: Path, project: Path) -> None:
    _add(project, ("Bash", 20_000, 2_000, "c"))
    broken = home / ".context-mode" / "projects" / "broken-1"
    broken.mkdir()
    (broken / "context.db").write_bytes(b"no database " * 100)
    text, failed = serve().call("ctx_stats", {})
    assert not failed
    assert "1 project(s) could not be read." in text
    assert (broken / "context.db").read_bytes() == b"no database " * 100


def test_it_does_not_count_itself(serve: Any, project: Path) -> None:
    _add(project, ("Bash", 20_000, 2_000, "c"))
    host = serve()
    assert host.call("ctx_stats", {}) == host.call("ctx_stats", {})
