"""F41 to F45: what goes in is found again, whatever it is and however it is asked for."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

CHUNK_MAX = 4_096

HUGE = {
    "one line": "x" * 5_000_000,
    "ten lines": ("y" * 1_000_000 + "\n") * 10,
    "a paragraph": "# A\n\n" + "wörter " * 300_000,
    "a fence": "# A\n\n```js\n" + "var a=1;" * 200_000 + "\n```\n",
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE)
def test_f41_no_chunk_is_large(serve: Any, home: Path, project: Path, text: str) -> None:
    (project / "bundle.md").write_text(text + "\nnumbat at the end\n", encoding="utf-8")
    host = serve()
    answer, failed = host.call("ctx_index", {"path": "bundle.md"})
    assert not failed, answer
    assert "numbat at the end" in host.call("ctx_search", {"queries": ["numbat"]})[0]
    host.close()
    (file,) = (home / ".context-mode" / "projects").glob("*/context.db")
    with sqlite3.connect(file) as db:
        assert db.execute("SELECT max(length(CAST(text AS BLOB))) FROM chunks").fetchone()[0] <= CHUNK_MAX
    db.close()


QUERIES = [
    "retry-budget", "38.101", "@acme", "C++", "a=b", "src/auth/login.ts", "don't", "AND", "NEAR(", "col:val", "^x",
    "50%", "why?", "user login",
]  # fmt: skip
WORDLESS = ['"', "*"]


def test_f42_ordinary_text_is_a_query(serve: Any) -> None:
    """Each finds its own text; two words need not stand side by side; a sign alone is told, not an error."""
    host = serve()
    for number, query in enumerate(QUERIES):
        text = query.replace(" ", " tries to ")
        host.call("ctx_index", {"text": f"filler {number}\nhere is {text} in a line\n", "label": f"t{number}"})
    for start in range(0, len(QUERIES), 7):
        answer, failed = host.call("ctx_search", {"queries": QUERIES[start : start + 7]})
        assert not failed
        for part in answer.split("Query ")[1:]:
            query = part.partition('":')[0].removeprefix('"')
            number = QUERIES.index(query)
            assert f"t{number} #1: " in part, part
    answer, failed = host.call("ctx_search", {"queries": WORDLESS})
    assert not failed
    assert answer.count("no word") == len(WORDLESS)


@pytest.mark.parametrize("query", ["认证", "令牌登", "승인"])
def test_f43_a_word_inside_an_unspaced_sentence_is_found(serve: Any, query: str) -> None:
    host = serve()
    host.call("ctx_index", {"text": "用户认证系统使用令牌登录", "label": "zh"})
    host.call("ctx_index", {"text": "초과근무 승인 규칙", "label": "ko"})
    found = host.call("ctx_search", {"queries": [query]})[0].partition("\n")[2]
    assert query in found


def test_f44_four_reasons_for_nothing(serve: Any, home: Path) -> None:
    host = serve("claude-code")
    empty = host.call("ctx_search", {"queries": ["walrus"]})
    host.call("ctx_index", {"text": "the walrus sleeps", "label": "zoo"})
    no_match = host.call("ctx_search", {"queries": ["xylophone"]})
    elsewhere = serve("claude-code").call("ctx_search", {"queries": ["walrus"], "scope": "session"})
    host.close()
    (store,) = (home / ".context-mode" / "projects").glob("*/context.db")
    for path in store.parent.glob("context.db*"):
        path.unlink()
    store.mkdir()
    unreadable = serve().call("ctx_search", {"queries": ["walrus"]})
    assert empty == ('Query "walrus":\n  nothing is indexed in this project yet', False)
    assert "nothing is indexed" not in no_match[0]
    assert "elsewhere" in elsewhere[0]
    assert "1" in elsewhere[0].partition("\n")[2]
    assert unreadable[1]
    assert unreadable[0].startswith("the store can't be read: ")


def test_f44_a_word_from_the_middle_of_an_output_is_found(serve: Any) -> None:
    host = serve()
    code = "for n in range(150): print(f'row {n} of plain words and more ' + ('quo' + 'kka' if n == 75 else 'filler'))"
    text, _ = host.call("ctx_execute", {"language": "python", "code": code})
    assert 5_000 < len(text.encode()) < 8_000
    assert "row 75 of plain words and more quokka" in host.call("ctx_search", {"queries": ["quokka"]})[0]


PAGES = {
    "an empty table": "<p>before</p><table></table><p>after numbat</p>",
    "an empty row": "<p>before</p><table><tr></tr></table><p>after numbat</p>",
    "unclosed tags": "<div><p>before<table><tr><td>cell<b>after numbat",
    "ten thousand levels": "<div>" * 10_000 + "before after numbat" + "</div>" * 10_000,
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
@pytest.mark.parametrize("packages", [False, True], ids=["own converter", "with packages"])
def test_f45_any_page_converts(serve: Any, project: Path, page: str, *, packages: bool) -> None:
    (project / "page.html").write_text(f"<html><body>{page}</body></html>", encoding="utf-8")
    host = serve(packages=packages)
    text, failed = host.call("ctx_index", {"path": "page.html"})
    assert not failed, text
    assert "after numbat" in host.call("ctx_search", {"queries": ["numbat"]})[0]
