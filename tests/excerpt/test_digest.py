"""The reply to a text that is too long for memory still shows the line that matters, and counts what it leaves out."""

from __future__ import annotations

import re

import pytest

from context_mode_runtime.excerpt import Condensed, excerpt, short_reply, size
from context_mode_runtime.excerpt_digest import Digest

LINE = "{} INFO all is well with worker {} of the queue\n"
COUNT = 120_000


def lines(**special: str) -> list[str]:
    out = [LINE.format(n, n % 7) for n in range(COUNT)]
    for place, text in special.items():
        out[int(place[1:])] = text
    return out


def digest(text: str, intent: str = "", piece: int = 100_000) -> Condensed:
    taken = Digest(intent)
    for part in re.findall(rf"(?s).{{1,{piece}}}\n|.{{1,{piece}}}", text):
        taken.feed(part)
    return taken.condensed()


def counted(shown: str) -> int:
    """Lines of the whole that an excerpt stands for."""
    gaps = [re.match(r"\[\.\.\. (\d+) line", line) for line in shown.split("\n")]
    return sum(int(gap.group(1)) if gap else 1 for gap in gaps)


@pytest.mark.parametrize(
    ("place", "text", "intent", "failed"),
    [
        (60_000, "ERROR: disk is full on node7\n", "", False),
        (60_000, "ERROR: disk is full on node7\n", "", True),
        (119_000, "FAILED tests/test_pump.py::test_flow - AssertionError\n", "which tests fail", True),
        (30_000, "the zebra has 42 stripes\n", "how many stripes", False),
        (90_000, "fatal: no space left\n", "how many stripes", True),
    ],
)
def test_one_line_in_the_middle_survives(place: int, text: str, intent: str, failed: bool) -> None:
    whole = lines(**{f"n{place}": text})
    part = excerpt(digest("".join(whole), intent), budget=3_800, intent=intent, failed=failed)
    shown = part.text.split("\n")
    assert text.strip() in shown
    assert set(shown) - {line.strip() for line in whole} == {line for line in shown if line.startswith("[... ")}
    assert counted(part.text) == COUNT
    kept = sum(len(line) + 1 for line in shown if not line.startswith("[... "))
    assert kept + part.left_out_bytes == size("".join(whole))


def test_of_very_many_errors_the_first_is_shown() -> None:
    whole = [f"ERROR: pump {n} broke\n" for n in range(COUNT)]
    shown = excerpt(digest("".join(whole)), budget=3_800, failed=True).text
    assert "ERROR: pump 0 broke\n" in shown
    assert counted(shown) == COUNT


def test_of_one_endless_line_the_stretch_with_the_error_is_shown() -> None:
    text = "x" * 1_500_000 + " error: boom here " + "y" * 1_500_000
    reply = short_reply("exit 1", digest(text), pointer="p", failed=True)
    assert "error: boom here" in reply
    assert len(reply) <= 4_096


def test_what_was_not_read_yet_is_counted_and_its_end_shown() -> None:
    whole = lines()
    taken = Digest("")
    for first in range(0, 50_000, 1_000):
        taken.feed("".join(whole[first : first + 1_000]))
    rest = "".join(whole[50_000:-100])
    parts = taken.condensed((rest.count("\n"), size(rest), "".join(whole[-100:])))
    shown = excerpt(parts, budget=3_800).text
    assert shown.endswith(whole[-1].strip())
    assert counted(shown) == COUNT


def test_what_is_held_stays_small() -> None:
    taken = Digest("pump")
    for n in range(200):
        taken.feed(f"ERROR: pump {n} {'🚀' * 100} broke\n" * 1_000)
    assert len(taken.condensed().text) < 900_000
