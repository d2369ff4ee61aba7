"""The bytes that a file would have if setup had never run, with what the user changed since.

Setup's own change is taken back as a patch, from the copies before and after it. Where the user's changes touch it,
there is no such patch, and the entries are taken out one by one instead.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CONTEXT = 3


class Step(NamedTuple):
    """One setup's change of a file: its bytes before (None: it wasn't there) and after."""

    before: bytes | None
    after: bytes | None


class Conflict(Exception):  # noqa: N818 - the word that people use for it
    """The file no longer holds what setup wrote there."""


def reverted(current: bytes, steps: Sequence[Step]) -> bytes | None:
    """`current` with the steps (oldest first) taken back; None when the file wasn't there before. Raises Conflict."""
    now: bytes | None = current
    for step in reversed(steps):
        if now is None:
            raise Conflict
        now = _taken_back(now, step)
    return now


def _taken_back(current: bytes, step: Step) -> bytes | None:
    if current == step.after:
        return step.before
    if step.before is None or step.after is None:
        raise Conflict
    lines = current.splitlines(keepends=True)
    start = 0
    for old, new in _hunks(step.before.splitlines(keepends=True), step.after.splitlines(keepends=True)):
        start = _replace(lines, new, old, start)
    return b"".join(lines)


class _Hunk(NamedTuple):
    lines: list[bytes]
    first: int
    last: int
    """The lines from `first` to `last` are the change, those around it are context."""

    def with_context(self, size: int) -> tuple[list[bytes], int]:
        """The change with up to `size` lines on both sides, and how many of them come before it."""
        start = max(0, self.first - size)
        return self.lines[start : self.last + size], self.first - start


def _hunks(before: list[bytes], after: list[bytes]) -> Iterator[tuple[_Hunk, _Hunk]]:
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    left, right = before[head : len(before) - tail], after[head : len(after) - tail]
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "equal":
            yield _Hunk(before, head + i1, head + i2), _Hunk(after, head + j1, head + j2)


def _replace(lines: list[bytes], new: _Hunk, old: _Hunk, start: int) -> int:
    """Puts the old lines in place of the new ones, where these stand exactly once from `start` on."""
    for size in range(_CONTEXT, 0, -1):
        block, lead = new.with_context(size)
        places = [at for at in range(start, len(lines) - len(block) + 1) if lines[at : at + len(block)] == block]
        if len(places) == 1:
            at = places[0] + lead
            lines[at : at + new.last - new.first] = old.lines[old.first : old.last]
            return at + old.last - old.first
        if places:
            break
    raise Conflict
