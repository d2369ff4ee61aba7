"""Outputs, logs and other plain text: sections by titles in rules and files of a patch; in them, records stay whole."""

from __future__ import annotations

from context_mode_runtime.store import cuts
from context_mode_runtime.store.chunks import HEADING_PART, heading_part, joined_heading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Part = tuple[str, int, int]

_TARGET = 1_600
_COARSE = 4_000
_LINE_MAX = 240
_RULES = tuple(mark * 3 for mark in "=-_*#─━⎯")
_DIFF = "diff --git "
_SAMPLE = 8_192
_ROWS_MIN = 2
_DELIMITERS = ("\t", ";", "|", ",")
_COLUMNS_MIN = 3
_STARS = ("*****\n", "*****\r\n")


class Outline:
    """Where a plain text stands: below ruled titles, or in a table with columns. One for all pieces of a text."""

    __slots__ = ("_columns", "_marks", "_path")

    def __init__(self) -> None:
        self._columns: str | None = None
        self._marks: list[str] = []
        self._path: list[tuple[int, str]] = []

    def copy(self) -> Outline:
        """Another one at the same place, for a piece that may have to be read again."""
        other = Outline()
        other._columns, other._marks, other._path = self._columns, [*self._marks], [*self._path]
        return other

    def parts(self, text: str, kind: str) -> Iterator[Part]:
        """(heading, start, end) of each chunk of the next piece."""
        if self._columns is None:
            self._columns = _columns(text)
        for titles, start, end in self._sections(text):
            above: list[tuple[int, str]] = []
            for begin, stop in cuts.packed(text, start, end, _TARGET):
                inner = [] if kind == "log" else _outlined(above, text[begin:stop])
                heading = joined_heading([*titles, *inner]) or heading_part(self._columns or "")
                yield "" if self._columns and text.startswith(self._columns, begin) else heading, begin, stop

    def _sections(self, text: str) -> Iterator[tuple[list[str], int, int]]:
        """(titles, start, end); a title with nothing below it goes with the section behind it."""
        begin = body = 0
        for start, end, mark, title in _ruled_titles(text):
            if not text[body:start].isspace() and _has_word(text[body:start]):
                yield self._titles(), begin, start
                begin = start
            self._enter(mark, title)
            body = end
        if begin < len(text):
            yield self._titles(), begin, len(text)

    def _enter(self, mark: str, title: str) -> None:
        """The first kind of title that a text has is its outermost, as in reStructuredText."""
        if mark not in self._marks:
            self._marks.append(mark)
        level = self._marks.index(mark)
        self._path = [item for item in self._path if item[0] < level] + [(level, heading_part(title))]

    def _titles(self) -> list[str]:
        return [title for _, title in self._path]


def _columns(text: str) -> str | None:
    """The first line where it names the columns of a table, empty where it doesn't, None for less than three lines."""
    names, *rows = text[:_SAMPLE].split("\n", 3)[:3]
    if len(rows) < _ROWS_MIN:
        return None
    if any(_delimits(mark, names, rows) for mark in _DELIMITERS):
        return names
    return names if names.isupper() and len(names.split()) >= _COLUMNS_MIN else ""


def _delimits(mark: str, names: str, rows: list[str]) -> bool:
    """Whether `mark` stands between the names of columns, three or more, and as often in the rows."""
    count = names.count(mark)
    named = all(cell.strip(" \t\r\"'#_")[:1].isalpha() for cell in names.split(mark))
    alike = all(row.count(mark) == count or (row.count(mark) > count and '"' in row) for row in rows)
    return count + 1 >= _COLUMNS_MIN and named and alike


def coarse(text: str, start: int = 0) -> Iterator[Part]:
    """(heading, start, end) of parts as long as they may be, for the rest of a text that has very many."""
    for begin, stop in cuts.packed(text, start, len(text), _COARSE):
        yield "", begin, stop


def _ruled_titles(text: str) -> Iterator[tuple[int, int, str, str]]:
    """(start, end, rule, title) of each title, in order."""
    begins = [f"\n{begin}" for begin in (*_RULES, _DIFF)]
    starts = {0, *(at + 1 for begin in begins for at in cuts.places(text, begin))}
    starts |= {text.rfind("\n", 0, at) + 1 for end in _STARS for at in cuts.places(text, end)}
    after = 0
    for start in sorted(starts):
        if start >= after and (title := _title(text, start)):
            after = title[0]
            yield start, *title


def _title(text: str, start: int) -> tuple[int, str, str] | None:
    """(end, rule, title) when the line at `start` is a title, or the rule above one with another rule below."""
    line, end = _line(text, start)
    if line.startswith(_DIFF):
        return end, _DIFF, line.rpartition(" b/")[2]
    if not line.endswith(_RULES):
        return None
    mark, rule = line[0], line[-1]
    title = line.strip(rule)
    if _has_word(title):
        return (end, rule, title) if rule in (mark, "*") else None
    title, below = _line(text, end)
    closing, after = _line(text, below)
    ruled = closing.endswith(_RULES) and not closing.strip(closing[-1])
    return (after, mark, title) if ruled and _has_word(title) and not title.startswith(_RULES) else None


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _line(text: str, start: int) -> tuple[str, int]:
    """The line at `start` without white space at its end, and where the next one begins; empty when it is long."""
    feed = text.find("\n", start, start + _LINE_MAX)
    return (text[start:feed].rstrip(), feed + 1) if feed >= 0 else ("", start)


def _outlined(above: list[tuple[int, str]], part: str) -> list[str]:
    """The lines above under which the first line of `part` is indented, in manuals the name described.

    `above`: indent and text of those lines, the outer first; left as it is behind `part`.
    """
    heading: list[str] | None = None
    for line in part.split("\n"):
        bare = line.lstrip()
        if not bare:
            continue
        indent = len(line) - len(bare)
        while above and above[-1][0] >= indent:
            above.pop()
        if heading is None:
            heading = [outer for _, outer in above]
        above.append((indent, bare[:HEADING_PART]))
    return heading or []
