"""Many hooks at once, conversations without end, a very long journal: nothing is lost, and nothing grows."""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from tests.hooks.conftest import load_payload, merged

from context_mode_runtime import notes
from context_mode_runtime.hooks import run
from context_mode_runtime.store import place

from .conftest import AGENT, Figure, Hooks, Size, printed, store_of, texts_of

CONVERSATIONS = 10
ROUNDS = 6
ROUGH = 1.5
"""How much more memory the last rounds may take than the middle ones: the allocator's play, not growth."""


def test_hooks_at_the_same_time(hooks: Hooks, project: Path, size: Size, figure: Figure) -> None:
    """Each ends well with one reply; what was replaced is stored, once and whole."""
    count = int(size("hooks"))
    running = [hooks.printed(f"word{number}", f"c{number}") for number in range(count)]
    replies = [hooks.end(process) for process in running]
    replaced = {f"print word{number}" for number, reply in enumerate(replies) if reply}
    texts = texts_of(project)
    assert replaced == texts.keys()
    assert all(texts[label].strip() == printed(label.removeprefix("print ")).strip() for label in replaced)
    assert hooks.denies()
    figure(f"{count} hooks at once: {len(replaced)} outputs stored whole, {count - len(replaced)} passed, 0 failed")


def looked_at(pid: int) -> tuple[int, int, int]:
    """Open descriptors, children, kB of memory of a process."""
    folder = Path("/proc", str(pid))
    children = sum(len(_children(task)) for task in (folder / "task").iterdir())
    memory = next(line for line in (folder / "status").read_text().splitlines() if line.startswith("VmRSS"))
    return len(os.listdir(folder / "fd")), children, int(memory.split()[1])


def _children(thread: Path) -> list[str]:
    try:
        return (thread / "children").read_text().split()
    except FileNotFoundError:
        return []  # a thread that has ended since it was listed


def test_conversations_without_end(hooks: Hooks, serve: Any, project: Path, size: Size, figure: Figure) -> None:
    """Descriptors and processes are the same after each round; memory is, but for what the allocator keeps."""
    hosts = [serve(AGENT) for _ in range(CONVERSATIONS)]
    for number in range(CONVERSATIONS):
        notes.note_call(AGENT, f"toolu_c{number}", notes.CallNote(f"c{number}", "", str(project)))
    ends = time.monotonic() + 60 * size("minutes")
    seen: list[list[tuple[int, int, int]]] = []
    for turn in itertools.count():
        if turn >= ROUNDS and time.monotonic() >= ends:
            break
        for number, host in enumerate(hosts):
            converse(host, number, turn)
        assert hooks.stores(f"hook {turn % 50}", f"c{turn % CONVERSATIONS}")
        seen.append([looked_at(host.process.pid) for host in hosts])
    files = [[(descriptors, children) for descriptors, children, _ in row] for row in seen[1:]]
    assert files == files[:1] * len(files)
    memory = [sum(kilobytes for _, _, kilobytes in row) for row in seen]
    middle, last = max(memory[len(memory) // 3 : 2 * len(memory) // 3]), max(memory[2 * len(memory) // 3 :])
    assert last < middle * ROUGH
    figure(
        f"{CONVERSATIONS} conversations, {len(seen)} rounds of {CALLS} calls each: {files[0][0][0]} descriptors and"
        f" {files[0][0][1]} children each in every round; memory of all {memory[1]} kB, {middle} kB, {last} kB"
        " (second round, highest of the middle third, of the last)"
    )


CALLS = 6


def converse(host: Any, number: int, turn: int) -> None:
    """One round of a conversation: the tools that an agent uses, outputs of which most repeat after a while."""
    meta = {"claudecode/toolUseId": f"toolu_c{number}"}
    word = f"word{number}x{turn % 50}"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("ctx_execute", {"language": "sh", "code": f"seq 1 4000; echo {word}", "intent": word}),
        ("ctx_batch", {"commands": ["echo one", "echo two"], "queries": []}),
        ("ctx_index", {"text": printed(word), "label": word}),
        ("ctx_search", {"queries": [], "source": word}),
        ("ctx_resume", {}),
        ("ctx_stats", {}),
    ]
    assert len(calls) == CALLS
    for tool, arguments in calls:
        text, failed = host.call(tool, arguments, meta)
        assert not failed, text


EVENTS = (
    "PostToolUse-Bash",
    "UserPromptSubmit",
    "PostToolUse-Edit",
    "PreCompact-auto",
    "SessionStart-compact",
    "Stop",
)


MOST = 6_000
"""Hundreds of steps: what looking through all that a hook may look through takes."""


OUTPUTS = {"PostToolUse-Bash": {"tool_input": {"command": "print all"}, "tool_response": {"stdout": printed("all")}}}


class Steps:
    """Counts the steps of SQLite's virtual machine, in hundreds, on every connection that the store opens."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        connect = place.connect

        def counted(path: str) -> sqlite3.Connection:
            db = connect(path)
            db.set_progress_handler(self._one, 100)
            return db

        monkeypatch.setattr(place, "connect", counted)

    def _one(self) -> None:
        self.count += 1


def test_a_journal_of_many_rows(
    hooks: Hooks, serve: Any, project: Path, size: Size, figure: Figure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a hook does there is bounded, however many rows there are; its last prompt is far behind."""
    many = int(size("rows"))
    with store_of(project) as store:
        path = store.path
    steps = Steps(monkeypatch)
    counts: list[dict[str, int]] = []
    seconds: dict[str, float] = {}
    for rows in (many // 100, many):
        grow(path, rows)
        counts.append({})
        for name in (*EVENTS, "UserPromptSubmit"):
            event = name.partition("-")[0]
            changes = {"session_id": "long", "prompt": "the edit of file 7 in turn 9"} | OUTPUTS.get(name, {})
            payload = merged(load_payload(AGENT, name, project, hooks.home), changes)
            steps.count, began = 0, time.perf_counter()
            run.prepare(AGENT, event, assume_server=True).run(payload)
            key = f"{name} after a compaction" if name in counts[-1] else name
            counts[-1][key], seconds[key] = steps.count, time.perf_counter() - began
    few, lots = counts
    assert {name: count for name, count in lots.items() if count > few[name] + MOST} == {}
    text, failed = serve(AGENT).call("ctx_resume", {"seq": many // 2})
    assert not failed, text
    slowest = max(seconds, key=lambda name: seconds[name])
    figure(f"journal of {many} rows: steps of SQLite in hundreds {json.dumps(lots)}, with {many // 100} rows"
           f" {json.dumps(few)}; slowest {slowest}, {seconds[slowest] * 1000:.0f} ms here")  # fmt: skip


def grow(path: str, count: int) -> None:
    """Brings the journal to `count` rows, nine in ten of one long conversation."""
    db = sqlite3.connect(path)
    with db:
        have = db.execute("SELECT count(*) FROM journal").fetchone()[0]
        numbers = range(have, count)
        rows = [(f"{AGENT}:long" if n % 10 else f"c{n}", ("edit", "command", "note")[n % 3],
                 f"src/file{n % 997}.py turn {n}", n) for n in numbers]  # fmt: skip
        db.executemany("INSERT INTO journal(conversation, kind, text, at) VALUES(?, ?, ?, ?)", rows)
        db.execute("INSERT INTO journal_words(rowid, text) SELECT seq, text FROM journal WHERE seq NOT IN"
                   " (SELECT id FROM journal_words_docsize)")  # fmt: skip
    db.close()
