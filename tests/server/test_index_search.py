"""ctx_index and ctx_search over the real transport: the forms of their replies, scopes, budget, reasons for nothing."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard import made

from context_mode_runtime import notes
from context_mode_runtime.project import find_project
from context_mode_runtime.server import searching
from context_mode_runtime.server.direct import reading_call

GUIDE = """# How it works

Start here.

## Retry budget

A call is tried again at most 4 times; then the breaker opens for 30 seconds.

## Tokens

```python
def rotate_token(old: str) -> str:
    return old[::-1]
```
"""
OUTPUT_CAP = 16_384
SNIPPET_MAX = 800


@pytest.fixture
def guide(project: Path) -> Path:
    path = project / "how-it-works.md"
    path.write_text(GUIDE, encoding="utf-8")
    return path


def test_a_file(serve: Any, guide: Path) -> None:
    host = serve()
    text, failed = host.call("ctx_index", {"path": "how-it-works.md"})
    assert not failed
    assert re.fullmatch(r"Indexed 1 source\(s\), \d+ chunk\(s\) from s1\. Label: how-it-works\.md", text)
    text, failed = host.call("ctx_index", {"path": str(guide)})
    assert (text, failed) == ("Indexed 0 source(s), 0 chunk(s): unchanged, s1. Label: how-it-works.md", False)


def test_a_source_is_looked_up_once_for_all_queries_of_a_call(project: Path) -> None:
    made.add_texts(project)
    found = find_project(str(project))
    assert found
    queries = ["payment 7731", "numbat", "zebrafish"]
    with made.open_store(project) as store:
        replies = []
        for name in ("pytest -q", "pytest", "s1"):
            asked: list[str] = []
            store.db.set_trace_callback(asked.append)
            replies.append(searching.searched(reading_call("ctx_search", {"source": name}, found, store), queries))
            looked = [text for text in asked if re.search(r" used FROM sources WHERE (?:id = |substr\(label)", text)]
            assert len(looked) == 1
    assert replies[0] == replies[1] == replies[2]
    assert "pytest -q #" in replies[0]
    assert "no match in source s1; " in replies[0]


def test_a_file_that_changed_keeps_its_id(serve: Any, guide: Path) -> None:
    host = serve()
    host.call("ctx_index", {"path": "how-it-works.md"})
    guide.write_text(GUIDE.replace("4 times", "7 times"), encoding="utf-8")
    assert "stale" in host.call("ctx_search", {"queries": ["retry budget"]})[0].splitlines()[1]
    assert " from s1. " in host.call("ctx_index", {"path": "how-it-works.md"})[0]
    found = host.call("ctx_search", {"queries": ["retry budget"]})[0]
    assert "at most 7 times" in found
    assert "stale" not in found


def test_the_form_of_hits(serve: Any, guide: Path) -> None:
    host = serve()
    host.call("ctx_index", {"path": "how-it-works.md"})
    text, failed = host.call("ctx_search", {"queries": ["retry   budget", "rotate_token"]})
    assert not failed
    margin = [line for line in text.split("\n") if line and not line.startswith("  ")]
    assert margin[0] == 'Query "retry budget":'
    assert re.fullmatch(r"how-it-works\.md #\d+: How it works > Retry budget", margin[1])
    assert 'Query "rotate_token":' in margin
    hits = [line for line in margin if not line.startswith("Query ")]
    assert all(re.match(r"how-it-works\.md #\d+: ", line) for line in hits)
    assert "  A call is tried again at most 4 times; then the breaker opens for 30 seconds." in text
    assert all(len(part.encode()) <= SNIPPET_MAX * 2 for part in text.split("\nhow-it-works"))


CONTROLLED = (
    b"# Al\x1b[1marm\x07\r\n\r\n\x1b[31mred\x1b[0m zebra\x1b]0;title\x07\r\n"
    b"loaded 10%\rloaded 100% giraffe\r\n\x00rhino\x7f\n"
)
SHOWN = "log.md #1: Alarm\n  # Alarm\n\n  red zebra\n  loaded 100% giraffe\n  rhino"


@pytest.mark.parametrize("queries", [["zebra"], ["giraffe"], ["rhino"], []])
def test_control_sequences_are_stored_and_not_shown(
    serve: Any, run_cli: Any, project: Path, queries: list[str]
) -> None:
    host = serve()
    text = CONTROLLED.decode()
    assert host.call("ctx_index", {"text": text, "label": "log.md"})[1] is False
    shown, _ = host.call("ctx_search", {"queries": queries, "source": "s1"})
    assert shown == "".join(f'Query "{query}":\n' for query in queries) + SHOWN
    code = "import json; print(json.dumps(FILE_CONTENT))"
    whole, _ = host.call("ctx_execute", {"language": "python", "code": code, "file": "s1"})
    assert json.loads(whole.split("\n", 1)[1]) == text
    for query in queries:
        assert run_cli("search", query, "--source", "s1", cwd=project).stdout == f'Query "{query}":\n{SHOWN}\n'


def test_a_folder(serve: Any, project: Path) -> None:
    for name, text in {"a.md": "# A\n\nalpha\n", "sub/b.md": "# B\n\nbravo\n", "c.txt": "charlie\n"}.items():
        (project / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (project / "docs" / name).write_text(text, encoding="utf-8")
    (project / "docs" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    host = serve()
    text, failed = host.call("ctx_index", {"path": "docs", "include": ["*.md"]})
    assert not failed
    assert text == "Indexed 2 source(s), 2 chunk(s) from s1-s2. Label: docs"
    text, _ = host.call("ctx_index", {"path": "docs"})
    assert text.splitlines()[:2] == ["Indexed 1 source(s), 1 chunk(s) from s1-s3. Label: docs", "2 unchanged"]
    assert "docs/sub/b.md #1: B" in host.call("ctx_search", {"queries": ["bravo"]})[0]
    text, _ = host.call("ctx_index", {"path": "docs", "exclude": ["*"]})
    assert text.startswith("Indexed 0 source(s), 0 chunk(s): no files. Label: docs")


def test_a_text(serve: Any) -> None:
    host = serve()
    text, _ = host.call("ctx_index", {"text": "the meeting is at noon", "label": "notes"})
    assert text == "Indexed 1 source(s), 1 chunk(s) from s1. Label: notes"
    assert "notes #1: line 1\n  the meeting is at noon" in host.call("ctx_search", {"queries": ["meeting"]})[0]


@pytest.mark.parametrize("arguments", [{}, {"path": "a", "text": "b"}, {"label": "x"}])
def test_not_exactly_one_input_is_an_error(serve: Any, arguments: dict[str, Any]) -> None:
    text, failed = serve().call("ctx_index", arguments)
    assert failed
    assert "exactly one of path, text, url" in text


def test_what_can_not_be_had_is_an_error_that_names_it(serve: Any, project: Path) -> None:
    (project / "program").write_bytes(b"\x7fELF\x02\x01\x00\x00")
    host = serve()
    for path, words in (("nothing.md", "no such file"), ("program", "is an ELF program")):
        text, failed = host.call("ctx_index", {"path": path})
        assert failed
        assert path in text
        assert words in text


def test_a_denied_file_is_refused_alone_and_in_its_folder_and_nothing_of_it_is_found(
    serve: Any, home: Path, project: Path
) -> None:
    (home / ".context-mode").mkdir(mode=0o700)
    policy = {"version": 1, "deny": ["Read(./secret.env)"]}
    (home / ".context-mode" / "policy.json").write_text(json.dumps(policy), encoding="utf-8")
    (project / "secret.env").write_text("wombat=1\n", encoding="utf-8")
    (project / "link.env").symlink_to("secret.env")
    host = serve()
    for path in ("secret.env", "./sub/../secret.env", str(project / "secret.env"), "link.env"):
        text, failed = host.call("ctx_index", {"path": path})
        assert failed
        assert "denied by rule Read(./secret.env) of ~/.context-mode/policy.json" in text
    text, failed = host.call("ctx_index", {"path": "."})
    assert not failed
    assert "denied by rule" in text
    assert "wombat" not in host.call("ctx_search", {"queries": ["wombat"]})[0].replace('Query "wombat"', "")


def test_a_page_is_refused_where_the_address_is_private(serve: Any) -> None:
    text, failed = serve().call("ctx_index", {"url": "http://127.0.0.1:9/"})
    assert failed
    assert "127.0.0.1" in text


def test_reasons_for_nothing_are_told_apart(serve: Any, guide: Path) -> None:
    host = serve()
    reasons = [host.call("ctx_search", {"queries": ["breaker"]})[0]]
    host.call("ctx_index", {"path": "how-it-works.md"})
    reasons.append(host.call("ctx_search", {"queries": ["zebrafish"]})[0].replace("zebrafish", "breaker"))
    other = serve()
    reasons.append(other.call("ctx_search", {"queries": ["breaker"], "scope": "session"})[0])
    assert len(set(reasons)) == len(reasons)
    for reason in reasons:
        assert reason.startswith('Query "breaker":\n  ')
    missing, failed = host.call("ctx_search", {"queries": ["breaker"], "source": "how-it-wrks.md"})
    assert failed
    assert "how-it-works.md" in missing


def test_without_queries_sources_are_listed(serve: Any, guide: Path) -> None:
    host = serve()
    assert host.call("ctx_search", {})[0] == "  nothing is indexed in this project yet"
    host.call("ctx_index", {"path": "how-it-works.md"})
    host.call("ctx_index", {"text": "more", "label": "extra"})
    lines = host.call("ctx_search", {"queries": []})[0].split("\n")
    assert [line.split(" · ")[0] for line in lines] == ["  s2 extra", "  s1 how-it-works.md"]


def test_a_reply_has_a_cap_and_says_so(serve: Any) -> None:
    host = serve()
    for n in range(40):
        host.call("ctx_index", {"text": "\n".join([f"wallaby {n} " + "word " * 60] * 5), "label": f"t{n}"})
    queries = [f"wallaby {n} word" for n in range(20)]
    text, failed = host.call("ctx_search", {"queries": queries, "limit": 20})
    assert not failed
    assert len(text.encode()) <= OUTPUT_CAP
    assert "  left out: the reply is full" in text
    assert text.count("Query ") == len(queries)


def test_the_budget_counts_a_known_conversation_and_never_an_unknown_one(serve: Any, guide: Path) -> None:
    """Two hits in calls 1 to 3, one in 4 to 8, an error from 9 on; another conversation begins anew (F55)."""
    host = serve("claude-code")
    for n in range(6):
        host.call("ctx_index", {"text": f"koala report {n}\n", "label": f"k{n}"})
    first = time.monotonic()
    counted = [_hits(host, "c-1", n) for n in range(9)]
    assert time.monotonic() - first < 60
    assert counted == [2, 2, 2, 1, 1, 1, 1, 1, -1]
    assert _hits(host, "c-2", 100) == 2
    assert [_hits(host, "", n) for n in range(200, 212)] == [3] * 12


def _hits(host: Any, conversation: str, number: int) -> int:
    """How many hits a search of this conversation gets, -1 when it is refused."""
    call = f"toolu_{number}"
    if conversation:
        notes.note_call("claude-code", call, notes.CallNote(conversation, "", "/"))
    text, failed = host.call("ctx_search", {"queries": ["koala report"]}, {"claudecode/toolUseId": call})
    if failed:
        assert "put all queries into one call" in text
        return -1
    return sum(1 for line in text.split("\n") if re.match(r"k\d #", line))


def test_memory_files_of_every_agent_are_searched_too(serve: Any, home: Path, project: Path) -> None:
    (project / "CLAUDE.md").write_text("# Rules\n\nAlways run numbat before a commit.\n", encoding="utf-8")
    (home / ".codex").mkdir()
    (home / ".codex" / "AGENTS.md").write_text("# Mine\n\nPrefer the numbat formatter.\n", encoding="utf-8")
    host = serve()
    text, _ = host.call("ctx_search", {"queries": ["numbat"]})
    assert "\nmemory CLAUDE.md #1: Rules\n  # Rules" in text
    assert "\nmemory ~/.codex/AGENTS.md #1: Mine\n" in text
    (project / "CLAUDE.md").write_text("# Rules\n\nAlways run bilby before a commit.\n", encoding="utf-8")
    text, _ = host.call("ctx_search", {"queries": ["bilby"]})
    assert "memory CLAUDE.md #1: Rules\n" in text


ODD_QUERIES = [
    "retry-budget", "38.101", "@acme", "C++", "a=b", "src/auth/login.ts", "don't", '"', "*", "AND", "NEAR(", "col:val",
    "^x", "50%", "why?", "\0", "\ud800", "用户", "x" * 300_000, " ".join(f"w{n}" for n in range(5_000)),
]  # fmt: skip


def test_any_text_is_a_query(serve: Any, guide: Path) -> None:
    host = serve()
    host.call("ctx_index", {"path": "how-it-works.md"})
    text, failed = host.call("ctx_search", {"queries": ODD_QUERIES})
    assert not failed
    assert text.count("\nQuery ") + 1 == len(ODD_QUERIES)
    assert len(text.encode()) <= OUTPUT_CAP


def test_too_many_queries_are_an_error(serve: Any, guide: Path) -> None:
    text, failed = serve().call("ctx_search", {"queries": ["a"] * 51})
    assert failed
    assert "at most 50" in text


@pytest.mark.parametrize(
    "arguments", [{"path": "a\0b"}, {"path": "x" * 5_000}, {"path": "/dev/zero"}, {"path": "/dev"}]
)
def test_odd_paths(serve: Any, arguments: dict[str, Any]) -> None:
    text, _ = serve().call("ctx_index", arguments)
    assert len(text) <= 2_000
    assert "own fault" not in text


def test_a_memory_link_of_a_repository_leads_nowhere_outside_of_it(serve: Any, home: Path, project: Path) -> None:
    (home / "private.md").write_text("# Mine\n\nThe numbat code is 4711.\n", encoding="utf-8")
    (project / "CLAUDE.md").symlink_to(home / "private.md")
    (project / "notes.md").write_text("# Ours\n\nAlways feed the numbat.\n", encoding="utf-8")
    (project / "AGENTS.md").symlink_to("notes.md")
    (home / ".codex").mkdir()
    (home / "dotfiles.md").write_text("# Dots\n\nPrefer the numbat formatter.\n", encoding="utf-8")
    (home / ".codex" / "AGENTS.md").symlink_to(home / "dotfiles.md")
    text, _ = serve().call("ctx_search", {"queries": ["numbat"]})
    assert "4711" not in text
    assert "memory notes.md #1: Ours\n" in text
    assert "memory ~/dotfiles.md #1: Dots\n" in text


def test_memory_files_are_read_when_they_changed_and_never_against_a_rule(
    serve: Any, home: Path, project: Path
) -> None:
    memory = project / "CLAUDE.md"
    memory.write_text("# Rules\n\nAlways run numbat before a commit.\n", encoding="utf-8")
    host = serve()
    assert "memory CLAUDE.md #1" in host.call("ctx_search", {"queries": ["numbat"]})[0]
    as_it_was = memory.stat()
    memory.write_text("# Rules\n\nAlways run potoroo before a commit.\n"[: as_it_was.st_size], encoding="utf-8")
    other = serve()
    assert "memory CLAUDE.md #1" in other.call("ctx_search", {"queries": ["potoroo"]})[0]
    (home / ".context-mode" / "policy.json").write_text(
        json.dumps({"version": 1, "deny": ["Read(./CLAUDE.md)"]}), encoding="utf-8"
    )
    assert "memory CLAUDE.md" not in other.call("ctx_search", {"queries": ["potoroo"]})[0]
    other.close()
    host.close()
    stored = b"".join(path.read_bytes() for path in (home / ".context-mode").rglob("*") if path.is_file())
    assert b"potoroo" not in stored
