"""ctx_batch over the real transport."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime import notes

CASES = YAML(typ="safe").load((Path(__file__).parent / "cases" / "batch.yaml").read_text(encoding="utf-8"))
OUTPUT_CAP = 16_384


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_replies(serve: Any, home: Path, project: Path, case: dict[str, Any]) -> None:
    if "policy" in case:
        (home / ".context-mode").mkdir(mode=0o700)
        (home / ".context-mode" / "policy.json").write_text(json.dumps(case["policy"]), encoding="utf-8")
    host = serve()
    for call in case.get("before", []):
        assert not host.call(call["tool"], call["arguments"])[1]
    text, failed = host.call("ctx_batch", case["arguments"])
    assert failed == ("error" in case), text
    assert text.startswith(case.get("error", ""))
    assert text == case.get("text", text)
    assert all(part in text for part in case.get("holds", [])), text
    assert not any(part in text for part in case.get("lacks", [])), text
    assert not (project / "made").exists()


def test_commands_run_side_by_side(serve: Any, project: Path) -> None:
    """Each waits for the other: one after the other they would wait for ever."""
    for name in ("a", "b"):
        os.mkfifo(project / name)
    commands = ["echo x > a; cat b", "cat a; echo y > b"]
    text, failed = serve().call("ctx_batch", {"commands": commands, "queries": [], "concurrency": 2})
    assert not failed
    assert re.search(r"^echo x > a; cat b: exit 0 · 2 B · s\d$", text, re.MULTILINE)
    assert re.search(r"^cat a; echo y > b: exit 0 · 2 B · s\d$", text, re.MULTILINE)


def test_in_order_without_a_concurrency(serve: Any) -> None:
    commands = ["echo made > file", "cat file; rm file", {"label": "gone", "command": "cat file"}]
    text, _ = serve().call("ctx_batch", {"commands": commands, "queries": []})
    assert "cat file; rm file: exit 0 · 5 B · s1\ngone: exit 1 · " in text


def test_the_whole_reply_keeps_its_cap(serve: Any) -> None:
    commands = [f"for i in $(seq 400); do echo wallaby {n} line $i of the long report; done" for n in range(50)]
    queries = [f"wallaby {n} report {'é' * 300}" for n in range(50)]
    text, failed = serve().call("ctx_batch", {"commands": commands, "queries": queries, "concurrency": 8})
    assert not failed
    assert len(text.encode()) <= OUTPUT_CAP
    assert text.count("\n## wallaby") == len(queries)
    assert sum(1 for line in text.split("\n") if ": exit 0 · " in line or "…" in line) >= len(commands)
    assert "left out: the reply is full" in text


@pytest.mark.parametrize(("name", "count"), [("commands", 51), ("queries", 51)])
def test_too_many_are_an_error(serve: Any, name: str, count: int) -> None:
    arguments: dict[str, Any] = {"commands": ["true"], "queries": ["x"]}
    text, failed = serve().call("ctx_batch", {**arguments, name: ["true"] * count})
    assert failed
    assert "at most 50" in text


def test_the_search_budget_is_not_spent(serve: Any) -> None:
    host = serve("claude-code")
    for n in range(12):
        notes.note_call("claude-code", f"toolu_{n}", notes.CallNote("c-1", "", "/"))
        meta = {"claudecode/toolUseId": f"toolu_{n}"}
        text, failed = host.call("ctx_batch", {"commands": ["echo koala"], "queries": ["koala"]}, meta)
        assert not failed
        assert "## koala\necho koala #1: " in text
    notes.note_call("claude-code", "toolu_99", notes.CallNote("c-1", "", "/"))
    assert not host.call("ctx_search", {"queries": ["koala"]}, {"claudecode/toolUseId": "toolu_99"})[1]


def test_a_cancel_ends_what_runs_and_starts_nothing_more(serve: Any, project: Path) -> None:
    host = serve()
    os.mkfifo(project / "pid")
    commands = ["echo $$ > pid; exec sleep 600", "touch made"]
    params = {"name": "ctx_batch", "arguments": {"commands": commands, "queries": []}}
    host.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
    pid = int((project / "pid").read_text())
    host.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    assert host.close() == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not (project / "made").exists()


def test_without_a_usable_store_the_outputs_come_back(serve: Any, home: Path) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode" / "projects").write_text("in the way", encoding="utf-8")
    text, failed = serve().call("ctx_batch", {"commands": ["echo hello", "seq 1 9999"], "queries": ["hello"]})
    assert not failed
    assert "echo hello: exit 0 · 6 B (not stored: ~/.context-mode/projects" in text
    assert "echo hello:\nhello\n" in text
    assert "the store can't be read" in text
    assert len(text.encode()) <= OUTPUT_CAP
