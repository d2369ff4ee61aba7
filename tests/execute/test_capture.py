"""What is kept of an output and what is only counted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from context_mode_runtime.execute import capture
from context_mode_runtime.execute.capture import Capture
from context_mode_runtime.execute.output import Output


def captured(tmp_path: Path, data: bytes, *, keep: int = 2_000, at_once: int = 130) -> Capture:
    one = Capture(str(tmp_path / "output"), keep)
    for start in range(0, len(data), at_once):
        os.write(one.writer, data[start : start + at_once])
    one.release()
    assert one.settle(10)
    return one


def whole(one: Capture) -> tuple[str, int, int]:
    output = Output(one, lambda: None)
    text = "".join(output.rest())
    found = (text, output.cut, output.printed)
    output.close()
    return found


def lines(first: int, last: int) -> str:
    return "".join(f"line {n:04}\n" for n in range(first, last + 1))


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 150, 200])
def test_up_to_the_limit_all_is_kept(count: int, tmp_path: Path) -> None:
    assert whole(captured(tmp_path, lines(1, count).encode())) == (lines(1, count), 0, count * 10)


@pytest.mark.parametrize("at_once", [1, 7, 130, 60_000])
def test_of_more_the_middle_is_counted(at_once: int, tmp_path: Path) -> None:
    text, cut, printed = whole(captured(tmp_path, lines(1, 5_000).encode(), at_once=at_once))
    assert printed == 50_000
    assert text == lines(1, 100) + f"[... {cut:,} B not kept ...]\n" + lines(4_902, 5_000)
    assert len(text.encode()) - len(f"[... {cut:,} B not kept ...]\n") + cut == printed


def test_one_endless_line_is_cut_where_it_must(tmp_path: Path) -> None:
    text, cut, _ = whole(captured(tmp_path, b"x" * 50_000))
    assert text == "x" * 1_000 + f"\n[... {cut:,} B not kept ...]\n" + "x" * 1_000
    assert cut == 48_000


def test_every_look_brings_what_is_new(tmp_path: Path) -> None:
    one = Capture(str(tmp_path / "output"), 2_000)
    output = Output(one, lambda: None)
    seen = []
    for first in range(1, 500, 50):
        os.write(one.writer, lines(first, first + 49).encode())
        while one.printed < (first + 49) * 10:
            one.settle(0.1)
        seen.append("".join(output.more()))
    one.release()
    assert one.settle(10)
    rest = "".join(output.rest())
    output.close()
    assert seen == [lines(1, 50), lines(51, 100), *[""] * 8]
    assert rest == "[... 3,010 B not kept ...]\n" + lines(402, 500)


def test_the_end_can_be_seen_before_the_middle_is_read(tmp_path: Path) -> None:
    one = captured(tmp_path, lines(1, 5_000).encode(), keep=1_000_000)
    output = Output(one, lambda: None)
    assert output.ahead(25) == (4_998, 49_980, lines(4_999, 5_000))
    assert "".join(output.rest()) == lines(1, 5_000)
    assert output.ahead(25) == (0, 0, "")
    output.close()


@pytest.mark.parametrize(("character", "share"), [("x", 1), ("🚀", 2)])
def test_what_is_too_long_for_memory_is_shown_by_its_ends(
    character: str, share: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "IN_MEMORY", 4_000)
    monkeypatch.setattr(capture, "_ENDS", 100)
    most = "".join(f"{character} {n:05}\n" for n in range(4_000 // share // len(f"{character} 00000\n".encode())))
    one = captured(tmp_path, most.encode(), keep=1_000_000)
    assert one.text() == (most, True)
    one.close()
    one = captured(tmp_path, most.encode() + most.encode(), keep=1_000_000)
    text, fits = one.text()
    one.close()
    assert not fits
    assert text.startswith(f"{character} 00000\n")
    assert text.endswith(most[-40:])
    assert " B in between ...]\n" in text
    assert len(text.encode()) < 250


def test_after_close_bytes_are_counted_and_dropped(tmp_path: Path) -> None:
    one = Capture(str(tmp_path / "output"))
    os.write(one.writer, b"before\n")
    while one.printed < 7:
        one.settle(0.1)
    one.close()
    os.write(one.writer, b"after\n")
    one.release()
    assert one.settle(10)
    assert (one.read(0, 13), one.printed) == (b"", 13)


def test_the_last_line_is_the_last_that_is_not_blank(tmp_path: Path) -> None:
    one = Capture(str(tmp_path / "output"))
    assert one.last_line() == ""
    os.write(one.writer, b"a\n\x1b[32m50%\r100%\x1b[0m\n\n")
    one.release()
    assert one.settle(10)
    assert one.last_line() == "100%"
    one.close()
