"""Secrets that lie across the borders of pieces are cut as in the whole text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_mode_runtime import redact_stream
from context_mode_runtime.redact import redact
from context_mode_runtime.redact_stream import Redactor

KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEabcd+/0123\n" * 3 + "-----END RSA PRIVATE KEY-----\n"
PARTS = [
    *("AKIA" + "QWERTYUIOPASDFGH", "password=hunter-2-secret99\n", "<private>\nthis is private\nreally</private>", KEY),
    *("ghp_" + "a1B2c3D4e5" * 4, "plain text here\n", "é🚀 wide\n", '"token": "abc123DEF456ghi"\n', "12345 ok\n", "\n"),
    *("https://u:" + "pw1234567@host/x\n", "x" * 50),
    *("<private>", "</private>", "`<private>` tells\n", 'password="a <private>b" c</private>\n', "\u0130"),
]
TEXT = st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from(["\n", " ", ""])), max_size=60).map(
    lambda parts: "".join(text + edge for text, edge in parts)
)


def redacted(text: str, sizes: list[int], *, flush: bool) -> tuple[str, int]:
    redactor = Redactor(["Pin"])
    out = []
    for size in sizes:
        out.append(redactor.feed(text[:size]))
        text = text[size:]
        if flush:
            out.append(redactor.flush())
    return "".join([*out, redactor.feed(text), redactor.end()]), redactor.cut


@given(TEXT, st.lists(st.integers(1, 200), max_size=30), st.booleans())
def test_pieces_give_what_the_whole_gives(text: str, sizes: list[int], flush: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redact_stream, "BLOCK", 200)
        patch.setattr(redact_stream, "_BEHIND", 300)
        patch.setattr(redact_stream, "_BEFORE", 60)
        patch.setattr(redact_stream, "_STEP", 50)
        assert redacted(text, sizes, flush=flush) == redact(text, ["pin"])


@pytest.mark.parametrize("at", range(0, 60, 7))
def test_a_secret_at_the_border_of_two_real_blocks(at: int) -> None:
    line = "a line of the log\n"
    before = line * ((redact_stream.BLOCK - at) // len(line))
    text = before + "pin=4711-4712 and ghp_" + "a1B2c3D4e5" * 4 + "\n" + line * 40_000
    got, cut = redacted(text, [262_144] * 6, flush=False)
    assert (got, cut) == redact(text, ["pin"])
    assert "4711" not in got
    assert "a1B2" not in got


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a\n<private>" + "hidden\n" * 300_000 + "</private>z\n", "a\n[private]z\n"),
        ("a\n" + KEY[:32] + "MIIEabcd0123+/ab\n" * 20_000, "a\n[redacted]"),
    ],
    ids=["closed far away", "a key without an end"],
)
def test_what_goes_on_for_megabytes_is_cut_whole(text: str, want: str) -> None:
    got, cut = redacted(text, [100_003] * (len(text) // 100_003), flush=False)
    assert got == want
    assert cut == len(text) - len(want) + len("[private]" if "private" in want else "[redacted]")


def test_a_tag_that_nothing_closes_hides_nothing_of_what_can_be_held() -> None:
    text = "a\n<private>" + "shown\n" * 100_000 + "é\n" * 100
    assert redacted(text, [100_003] * 6, flush=True) == (text, 0)


def test_what_can_not_be_held_back_is_taken_for_private() -> None:
    """Bytes that may be private are not given out, and memory is bounded."""
    text = "a\n<private>" + "hidden\n" * 300_000
    got, cut = redacted(text, [100_003] * (len(text) // 100_003), flush=False)
    assert (got, cut) == ("a\n[private]", len(text) - 2)
    redactor = Redactor()
    most = 0
    for _ in range(40):
        assert redactor.feed("<private>" + "hidden\n" * 10_000) in ("", "[private]")
        most = max(most, len(redactor._held))
    assert most < redact_stream.HELD + redact_stream._STEP + redact_stream.BLOCK


@pytest.mark.parametrize("lines", [1, 100_000])
def test_a_mention_of_the_tag_holds_nothing_back(lines: int) -> None:
    text = "the tag `<private>` " + "and so on " * lines + "\nshown\n" + "more lines\n" * 200_000
    redactor = Redactor()
    got = "".join(redactor.feed(text[at : at + 99_991]) for at in range(0, len(text), 99_991))
    assert len(got) > len(text) - redact_stream.BLOCK - redact_stream._BEHIND - 1
    assert got + redactor.end() == text


def test_the_rest_of_a_text_that_was_cut_off_is_private_where_a_part_is_open() -> None:
    redactor = Redactor()
    assert redactor.feed("one\n<private>two\n") + redactor.end(cut_off=True) == "one\n[private]"


def test_whole_lines_come_at_once_and_an_open_secret_waits() -> None:
    redactor = Redactor()
    redactor.feed("one\n<private>\ntwo\n")
    assert redactor.flush() == "one\n"
    redactor.feed("three\n</private> four\nfi")
    assert redactor.flush() == "[private] four\n"
    redactor.feed("ve\n")
    assert redactor.flush() + redactor.end() == "five\n"
