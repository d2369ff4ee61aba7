"""Members put into and taken out of a bracketed list or table, the text around them untouched.

JSON objects and arrays, TOML arrays and inline tables and YAML flow collections differ in their comments only. Taking
out what was put in gives the earlier text back, trailing commas and comments behind members included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    Render = Callable[[str | None], str]
    """Writes a member: with the indent of its own line, or on one line for None."""

"Callable[[str | None], str]"
"""Writes a member: with the indent of its own line, or on one line for None."""


class Box(NamedTuple):
    """A bracketed value: `start` of the opening sign, `end` behind the closing one, spans of its members."""

    start: int
    end: int
    members: tuple[tuple[int, int], ...]


class Style(NamedTuple):
    """How a file is written. `gap` matches white space and comments, `tail` what may follow a member on its line."""

    gap: re.Pattern[str]
    tail: re.Pattern[str]
    newline: str
    unit: str
    one_line: bool
    between: str = " "

    def skip(self, text: str, at: int) -> int:
        """The place of the first sign from `at` on that is no white space and no comment."""
        found = self.gap.match(text, at)
        return found.end() if found else at

    def line_tail(self, text: str, at: int) -> int:
        """The end of the comments that follow `at` on its line; `at` itself when there are none."""
        found = self.tail.match(text, at)
        return found.end() if found and found.group().strip() else at


def indent_of(text: str, at: int) -> str:
    """The white space at the start of the line of `at`."""
    start = text.rfind("\n", 0, at) + 1
    end = start
    while end < at and text[end] in " \t":
        end += 1
    return text[start:end]


def inserted(text: str, box: Box, render: Render, style: Style) -> str:
    """`text` with one more member behind the last one of `box`."""
    if not box.members:
        return _first_member(text, box, render, style)
    first, last = box.members[0][0], box.members[-1][1]
    comma = style.skip(text, last)
    trailing = text[comma] == ","
    place = comma + 1 if trailing else last
    if "\n" in text[box.start : first]:
        place = style.line_tail(text, place)
        indent = indent_of(text, first)
        entry = style.newline + indent + render(indent)
    else:
        entry = style.between + render(None)
    head = text[:last] + ("" if trailing else ",") + text[last:place]
    return head + entry + ("," if trailing else "") + text[place:]


def _first_member(text: str, box: Box, render: Render, style: Style) -> str:
    inner = text[box.start + 1 : box.end - 1]
    base = indent_of(text, box.start)
    if style.one_line:
        return text[: box.start + 1] + render(None) + text[box.end - 1 :]
    entry = style.newline + base + style.unit + render(base + style.unit)
    if inner.strip():
        place = box.start + 1 + len(inner.rstrip())
        return text[:place] + entry + text[place:]
    return text[: box.start + 1] + entry + style.newline + base + text[box.end - 1 :]


def removed(text: str, box: Box, index: int, style: Style, blank: str = "") -> str:
    """`text` without one member of `box`. `blank` is what stays inside when nothing but white space would."""
    start, end = box.members[index]
    comma = style.skip(text, end)
    has_comma = text[comma] == ","
    if len(box.members) == 1:
        around = text[box.start + 1 : start] + text[end : comma + has_comma] + text[comma + has_comma : box.end - 1]
        if not around.replace(",", "").strip():
            return text[: box.start + 1] + blank + text[box.end - 1 :]
    after = comma + 1 if has_comma else end
    run = _run_start(text, start, box, index)
    has_remark = text[run] in "\r\n" and style.line_tail(text, after) > after
    cuts = [(start if has_remark else run, end)]
    if has_comma:
        alone = has_remark or (index == 0 and run == start)
        cuts.append((comma, _blanks_end(text, after) if alone else after))
    elif index:
        comma = style.skip(text, box.members[index - 1][1])
        cuts += [(comma, comma + 1), (end, _blanks_end(text, end) if has_remark else end)]
    return cut(text, cuts)


def cut(text: str, spans: list[tuple[int, int]]) -> str:
    """`text` without the spans, which don't overlap."""
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def _run_start(text: str, start: int, box: Box, index: int) -> int:
    """Where the white space of a member begins: its line break and indent, or the blanks before it."""
    at = start
    while text[at - 1] in " \t":
        at -= 1
    if text[at - 1] == "\n":
        return at - 2 if text[at - 2] == "\r" else at - 1
    return start if index == 0 or at == box.start + 1 else at


def _blanks_end(text: str, at: int) -> int:
    while text[at] in " \t":
        at += 1
    return at
