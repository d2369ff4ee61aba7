"""What the dashboard reads: by the rules of each project, as it is now, and without a trace."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard import made

from context_mode_runtime.project import find_project
from context_mode_runtime.server.browsing import Browser, UnknownError
from context_mode_runtime.store.errors import StoreError
from context_mode_runtime.store.live import open_live
from context_mode_runtime.store.sources import Placed, add_source


@pytest.fixture
def browser(project: Path) -> Browser:
    made.add_texts(project)
    return Browser(str(project))


def blocks(browser: Browser, project: str, query: str) -> list[str]:
    results = browser.search(project, query)["results"]
    assert isinstance(results, list)
    return [block for one in results for block in one["blocks"]]


def rule(folder: Path, text: str) -> None:
    (folder / ".context-mode").mkdir(exist_ok=True)
    (folder / ".context-mode" / "policy.json").write_text(f'{{"version": 1, {text}}}', encoding="utf-8")


def add_file(folder: Path) -> str:
    """Stores a file of the project; the project's key."""
    (folder / "a.txt").write_text("a wombat in a file\n", encoding="utf-8")
    found = find_project(str(folder))
    assert found
    with made.open_store(folder) as store:
        add_source(store, "a wombat in a file\n", label="a.txt", kind="log", origin=str(folder / "a.txt"),
                   worktree=found.worktree, tool="ctx_index")  # fmt: skip
    return found.key()


@pytest.mark.parametrize("here", [True, False])
def test_what_a_rule_forbids_to_read_is_left_out(here: bool, project: Path, tmp_path: Path) -> None:
    """The rules of a project count from elsewhere, too: its sources say where it lies."""
    key = add_file(project)
    browser = Browser(str(project if here else tmp_path))
    assert blocks(browser, key, "wombat") == ["a.txt #1: line 1\n  a wombat in a file"]
    rule(project, '"deny": ["Read(./a.txt)"]')
    [block] = blocks(browser, key, "wombat")
    assert block.startswith("  left out: a.txt: denied by rule Read(./a.txt)")
    with pytest.raises(UnknownError, match=r"denied by rule Read\(\./a\.txt\)"):
        browser.source(key, "s1")


def test_no_more_hits_than_a_first_call_gets_by_the_policy(browser: Browser, home: Path, project: Path) -> None:
    key = made.key_of(project)
    assert len(blocks(browser, key, "numbat retries")) == 2
    rule(home, '"searchBudget": {"fullHits": 1}')
    assert len(blocks(browser, key, "numbat retries")) == 1


def test_what_is_written_shows_at_the_next_look(browser: Browser, project: Path) -> None:
    key = made.key_of(project)
    before, stamp = browser.stats(key), browser.stamp()
    assert browser.stats(key) == before
    assert browser.stamp() == stamp
    made.add_calls(project, made.CALLS)
    assert browser.stamp() != stamp
    assert browser.stats(key) != before


def test_an_output_that_waits_for_its_index_is_said(browser: Browser, project: Path) -> None:
    with made.open_store(project) as store:
        live = open_live(store, Placed("make", None, None, "Bash", None))
        live.append(store, "a wombat\n" * 70_000)
        live.flush(store)
    found: Any = browser.search(made.key_of(project), "wombat")
    [result] = found["results"]
    [line] = result["waits"]
    assert line.startswith("s4 is still being indexed, 0 of ")
    assert line.endswith("reading in order has all of it")


def test_what_is_not_there(browser: Browser, project: Path, home: Path) -> None:
    key = made.key_of(project)
    for asked in (partial(browser.sources, "nothing"), partial(browser.conversation, key, "x"),
                  partial(browser.source, key, "s99")):  # fmt: skip
        with pytest.raises(UnknownError):
            asked()
    (home / ".context-mode" / "projects" / key / "context.db").write_bytes(b"no database " * 99)
    for read in (browser.stats, browser.sources, browser.conversations):
        with pytest.raises(StoreError, match="not a database"):
            read(key)
        assert read("")


def test_a_source_is_read_to_its_end(browser: Browser, project: Path) -> None:
    key = made.key_of(project)
    parts = [browser.source(key, "s1")]
    while parts[-1]["next"]:
        parts.append(browser.source(key, "s1", str(parts[-1]["next"])))
    assert {part["label"] for part in parts} == {"pytest -q"}
    text = "".join(str(part["text"]) for part in parts)
    assert all(f"request {n}\n" in text for n in range(600))


def test_health_names_findings_and_the_last_lines_of_the_log(browser: Browser, home: Path) -> None:
    (home / ".context-mode" / "hook-errors.log").write_text("".join(f"line {n}\n" for n in range(40)))
    found = browser.health()
    assert found["log"] == [f"line {n}" for n in range(39, 27, -1)]
    rule(home, '"deny": 7')
    again: Any = browser.health()
    statuses = {row["check"]: row["status"] for row in again["checks"]}
    assert statuses["D9 policy"] == "FAIL"
