"""A folder with every kind of file, through a real server: what is found, what stays out, what is stale."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.fetch.test_convert import pdf

FILES: dict[str, tuple[str | bytes, str, str]] = {
    "docs/guide.md": ("# Guide\n\n## Burrows\n\nA wombat digs at night.\n", "wombat", "Guide > Burrows"),
    "docs/page.html": ("<title>Page</title><body><h1>Trees</h1><p>A koala sleeps.</p>", "koala", "Trees"),
    "docs/paper.pdf": (pdf("Numbat counts"), "numbat", "line 1"),
    "data/zoo.json": ('{"pens": [{"animal": "quokka", "fed": true}], "open": "daily"}\n', "quokka", "line 1"),
    "app.log": ("2026-11-29 10:00:00 start\n2026-11-29 10:00:01 bandicoot is out\n", "bandicoot", "lines 1-2"),
    "src/feeding.py": ("def feed_the_bilby(hay: int) -> int:\n    return hay - 1\n", "feed_the_bilby", ""),
    "latin.txt": ("caf\u00e9 potoroo\n".encode("latin-1"), "potoroo", "line 1"),
}
IGNORED = {
    "build/out.txt": "ignored dunnart\n",
    "x.tmp": "ignored dunnart\n",
    "docs/private.md": "ignored dunnart\n",
    ".git/notes": "ignored dunnart\n",
}


@pytest.fixture
def zoo(project: Path) -> Path:
    texts = {name: content for name, (content, _, _) in FILES.items()}
    rules = {".gitignore": "build/\n*.tmp\n", "docs/.gitignore": "/private.md\n"}
    for name, content in {**texts, **IGNORED, **rules, "pen.png": b"\x89PNG\r\n\x1a\n\0\0"}.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return project


def test_every_kind_of_file_is_found_and_ignored_ones_stay_out(serve: Any, zoo: Path) -> None:
    host = serve(packages=True)
    text, failed = host.call("ctx_index", {"path": "."})
    assert not failed
    assert re.match(r"Indexed 9 source\(s\), \d+ chunk\(s\) from s1-s9\. Label: \.", text), text
    assert "left out: 1 binary" in text
    for name, (_, word, heading) in FILES.items():
        found, _ = host.call("ctx_search", {"queries": [word], "limit": 1})
        assert re.search(rf"^{re.escape(name)} #1: {re.escape(heading)}", found, re.MULTILINE), found
        assert "stale" not in found
    assert "no match" in host.call("ctx_search", {"queries": ["dunnart"]})[0]


def test_the_same_folder_again_is_not_indexed_again(serve: Any, zoo: Path) -> None:
    host = serve(packages=True)
    host.call("ctx_index", {"path": "."})
    again, _ = host.call("ctx_index", {"path": str(zoo)})
    assert again.startswith("Indexed 0 source(s), 0 chunk(s): unchanged, s1-s9. Label: .")
    assert len(host.call("ctx_search", {"queries": []})[0].split("\n")) == 9


def test_what_changed_is_marked_until_the_folder_is_indexed_again(serve: Any, zoo: Path) -> None:
    """F70: marked with both times; a file that was only touched is not; one call mends it."""
    host = serve()
    host.call("ctx_index", {"path": ".", "exclude": ["*.pdf"]})
    with (zoo / "app.log").open("a", encoding="utf-8") as file:
        file.write("2026-11-29 10:00:02 bandicoot is back\n")
    os.utime(zoo / "latin.txt", (1_700_000_000, 1_700_000_000))
    (zoo / "docs" / "guide.md").unlink()
    time = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
    marked, _ = host.call("ctx_search", {"queries": ["bandicoot", "potoroo", "wombat"]})
    assert re.search(rf"^app\.log #1: .*\(stale: file changed {time}, indexed {time}\)$", marked, re.MULTILINE)
    assert re.search(r"^latin\.txt #1: line 1$", marked, re.MULTILINE)
    assert re.search(rf"^docs/guide\.md #1: .*\(stale: the file is gone, indexed {time}\)$", marked, re.MULTILINE)
    again, _ = host.call("ctx_index", {"path": ".", "exclude": ["*.pdf"], "refresh": True})
    assert again.startswith("Indexed 1 source(s), 1 chunk(s) from ")
    found, _ = host.call("ctx_search", {"queries": ["bandicoot is back"]})
    assert "bandicoot is back" in found
    assert "stale" not in found
