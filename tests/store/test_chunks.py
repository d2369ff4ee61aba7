"""Cutting: joined chunks give the text back, none is too long, headings say where one is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from context_mode_runtime.limits import MAX_CHUNK_BYTES
from context_mode_runtime.store import chunks
from context_mode_runtime.store.chunks import KINDS, PLAIN, chunk

CASES = YAML(typ="safe").load(Path(__file__).with_name("chunks.yaml").read_text(encoding="utf-8"))
PIECES = st.sampled_from(
    ["# A\n", "## B", "\n", "\r\n", "```\n", "~~~", "---\n", "===\n", "def f():\n", "class A:\n    ", "{", "}", "[",
     "]", '"a":', ",", "1", '"é😀"', "text words ", "認証", "x" * 700, " " * 90, "\ud800", "\x00", "\u2028", "\u0301"]
)  # fmt: skip


def check(text: str, kind: str) -> None:
    chunks = chunk(text, kind)
    assert "".join(part.text for part in chunks) == text
    at = 0
    for part in chunks:
        assert (part.start, part.text) == (at, text[part.start : part.end])
        assert part.text
        assert len(part.text.encode("utf-8", "surrogatepass")) <= MAX_CHUNK_BYTES
        at = part.end


@given(st.lists(PIECES | st.text(max_size=20), max_size=60), st.sampled_from(KINDS))
def test_joined_chunks_are_the_text(pieces: list[str], kind: str) -> None:
    check("".join(pieces), kind)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=20), inner, max_size=8),
    max_leaves=60,
)


@settings(max_examples=50)
@given(JSON, st.sampled_from([None, 1, 4]))
def test_any_json_comes_back(value: object, indent: int | None) -> None:
    text = json.dumps([value] * 20, indent=indent, ensure_ascii=False)
    check(text, "json")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text",
    ["x" * 5_000_000, ("y" * 1_000_000 + "\n") * 4, "é" * 500_000, "😀" * 100_000, "```\n" + "code\n" * 20_000,
     "a)\n{\n" * 100_000, "}), {\n a: 1\n" * 80_000,
     "word " * 200_000, "[" * 100_000, '{"a":' * 50_000, "[1," * 300_000 + "1]", "\n" * 300_000, "#" * 300_000],
    ids=lambda text: f"{text[:6]!r}-{len(text)}",
)  # fmt: skip
def test_huge_and_hostile_texts(text: str, kind: str) -> None:
    check(text, kind)


@pytest.mark.parametrize("word", ["more of it", "もっと詳しく" * 8])
@pytest.mark.parametrize("above", [0, 20, 200])
@pytest.mark.parametrize("lines", [4, 30, 200])
def test_no_part_of_records_is_too_long(above: int, lines: int, word: str) -> None:
    record = f"a = {word} {word}\nb = 2\n" * lines
    text = f"; {word} {word}\n" * above + "".join(f"[section{n}]\n{record}" for n in range(5))
    for kind in ("text", "log"):
        check(text, kind)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_headings(case: dict[str, Any]) -> None:
    text = f"{case['text']}{case.get('tail', '') * case.get('times', 0)}"
    for number, lines in enumerate(case.get("lines", ())):
        text += case["each"].format(n=number) + f"  {'and more of it ' * 4}\n" * lines
    check(text, str(case["kind"]))
    assert [part.heading for part in chunk(text, str(case["kind"]))] == case["headings"]


def test_a_fence_that_fits_stays_whole() -> None:
    fence = "```python\n" + "\n\n".join(f"def f{n}(): ...  # {'x' * 60}" for n in range(40)) + "\n```\n"
    text = "# A\n\n" + "before\n\n" * 250 + fence + "\nafter\n" * 250
    assert any(fence in part.text for part in chunk(text, "markdown"))


def test_indented_text_has_the_lines_above_it_as_a_heading() -> None:
    manual = "FUNCTIONS\n    widen(edge)\n" + "".join(f"        Line {n} says more.\n\n" for n in range(300))
    first, *rest = chunk(manual + "    narrow(edge)\n        Less.\n", "text")
    assert first.heading == ""
    assert {part.heading for part in rest} == {"FUNCTIONS > widen(edge)"}


COMMIT = (
    "commit {0:040x}\nAuthor: A <a@b.example>\nDate:   today\n\n"
    "    subject {0}\n\n    why {0}\n\n src/f{0}.py | 2 +-\n\n"
)


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_plain_text_is_cut_where_a_record_begins(kind: str, end: str) -> None:
    log = "".join(COMMIT.format(number) for number in range(200)).replace("\n", end)
    assert all(part.text.startswith("commit ") for part in chunk(log, kind))
    traces = "".join(f"Error: {n}{end}" + f"    at f ({n}){end}" * 9 for n in range(200))
    assert all(part.text.startswith("Error: ") for part in chunk(traces, kind))


def test_behind_very_many_parts_the_rest_is_cut_into_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "STRUCTURED_MAX", 100)
    text = "# A\nb\n" * 10_000
    check(text, "markdown")
    assert len(chunk(text, "markdown")) < 130
