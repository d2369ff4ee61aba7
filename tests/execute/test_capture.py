"""What is kept of an output and what is only counted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from context_mode_runtime.execute import capture
from context_mode_runtime.execute.capture import Capture


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "HEAD_KEPT", 1_000)
    monkeypatch.setattr(capture, "TAIL_KEPT", 1_000)


def captured(tmp_path: Path, data: bytes, *, at_once: int = 130) -> tuple[str, int, int]:
    one = Capture(str(tmp_path / "output"))
    for start in range(0, len(data), at_once):
        os.write(one.writer, data[start : start + at_once])
    one.release()
    assert one.settle(10)
    text, cut = one.text()
    one.close()
    return text, cut, one.printed


def lines(first: int, last: int) -> str:
    return "".join(f"line {n:04}\n" for n in range(first, last + 1))


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 150, 200])
def test_up_to_head_and_tail_all_is_kept(count: int, tmp_path: Path) -> None:
    assert captured(tmp_path, lines(1, count).encode()) == (lines(1, count), 0, count * 10)


@pytest.mark.parametrize("at_once", [1, 7, 130, 60_000])
def test_of_more_the_middle_is_counted(at_once: int, tmp_path: Path) -> None:
    text, cut, printed = captured(tmp_path, lines(1, 5_000).encode(), at_once=at_once)
    assert printed == 50_000
    assert text == lines(1, 100) + f"[... {cut:,} B not kept ...]\n" + lines(4_902, 5_000)
    assert len(text.encode()) - len(f"[... {cut:,} B not kept ...]\n") + cut == printed


def test_wide_characters_get_half_the_room(tmp_path: Path) -> None:
    data = "".join(f"🚀 {n:04}\n" for n in range(1, 5_000))
    text, cut, printed = captured(tmp_path, data.encode())
    shown = text.split("\n")
    assert shown[0] == "🚀 0001"
    assert shown[-2] == "🚀 4999"
    assert len(text.encode()) <= 1_050
    assert printed == len(data.encode())
    assert cut == printed - len(text.encode()) + len(f"[... {cut:,} B not kept ...]\n")


def test_one_endless_line_is_cut_where_it_must(tmp_path: Path) -> None:
    text, cut, _ = captured(tmp_path, b"x" * 50_000)
    assert text == "x" * 1_000 + f"\n[... {cut:,} B not kept ...]\n" + "x" * 1_000
    assert cut == 48_000


def test_after_close_bytes_are_counted_and_dropped(tmp_path: Path) -> None:
    one = Capture(str(tmp_path / "output"))
    os.write(one.writer, b"before\n")
    while one.printed < 7:
        one.settle(0.1)
    one.close()
    os.write(one.writer, b"after\n")
    one.release()
    assert one.settle(10)
    assert (one.text()[0], one.printed) == ("", 13)


def test_the_last_line_is_the_last_that_is_not_blank(tmp_path: Path) -> None:
    one = Capture(str(tmp_path / "output"))
    assert one.last_line() == ""
    os.write(one.writer, b"a\n\x1b[32m50%\r100%\x1b[0m\n\n")
    one.release()
    assert one.settle(10)
    assert one.last_line() == "100%"
    one.close()
