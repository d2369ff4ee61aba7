"""Printed bytes are cleaned piece by piece as they would be as a whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_mode_runtime.execute import stream
from context_mode_runtime.execute.clean import clean_bytes
from context_mode_runtime.execute.stream import Cleaner

PRINTED = st.lists(
    st.sampled_from(
        [
            *(b"\r\n", b"\n", b"10%\r", b"abc", b"\x1b[31mred\x1b[0m", "é🚀".encode(), b"\xff", b"\b", b"\r", b"\x00"),
            *(b"\x1b]0;title\x07", b"\x1b[2K", b"\x1b]without an end", b"x" * 30),
        ]
    ),
    max_size=60,
).map(b"".join)


def cleaned(data: bytes, sizes: list[int]) -> str:
    cleaner = Cleaner()
    out = []
    for size in sizes:
        out.append(cleaner.feed(data[:size]))
        data = data[size:]
    return "".join([*out, cleaner.feed(data), cleaner.end()])


@given(PRINTED, st.lists(st.integers(1, 40), max_size=40))
def test_pieces_give_what_the_whole_gives(data: bytes, sizes: list[int]) -> None:
    assert cleaned(data, sizes) == clean_bytes(data)


@pytest.mark.parametrize(
    ("data", "want"),
    [
        (b"x" * 1_000_000 + b"\nend\n", "x" * 1_000_000 + "\nend\n"),
        (b"".join(b"\r%d of 90000" % n for n in range(90_000)) + b"\nend\n", "89999 of 90000\nend\n"),
        (b"\x1b[32mok \x1b[0m" * 60_000, "ok " * 60_000),
        (b"a\b" * 400_000 + b"end\n", "a" * 400_000 + "end\n"),
        ("🚀".encode() * 200_000, "🚀" * 200_000),
    ],
    ids=["one line", "progress without an end", "colours", "backspaces", "wide"],
)
def test_very_long_lines(data: bytes, want: str) -> None:
    assert cleaned(data, [10_007] * (len(data) // 10_007)) == want


def test_of_a_line_without_an_end_little_is_held() -> None:
    cleaner = Cleaner()
    for _ in range(200):
        cleaner.feed(b"\r50% " * 10_000)
        assert len(cleaner._held) <= stream.HELD_MAX + 50_000
