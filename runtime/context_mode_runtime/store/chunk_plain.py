"""Outputs, logs and other plain text: sections by titles in rules and files of a patch; in them, records stay whole."""

from __future__ import annotations

from context_mode_runtime.redact import places
from context_mode_runtime.store import cuts, records
from context_mode_runtime.store.chunks import HEADING_PART, heading_part, joined_heading
from context_mode_runtime.store.columns import columns_of, has_blank_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Part = tuple[str, int, int]
    Title = tuple[int, str, str]
    """Where it ends, its kind (a rule's mark, _DIFF or _COMMIT), its text."""

_COARSE = 4_000
_LINE_MAX = 240
_RULES = tuple(mark * 3 for mark in "=-_*#─━⎯")
_FRAME_MIN = 5
_STARS = ("*****\n", "*****\r\n")
_DIFF = "diff --"
_COMMIT = "commit "
_HASH_MIN = 7
_HEX = frozenset("0123456789abcdef")


class Outline:
    """Where a plain text stands: below ruled titles, in a patch's file, in a table. One for all pieces of a text."""

    __slots__ = ("_columns", "_file", "_key", "_marks", "_path", "_record")

    def __init__(self) -> None:
        self._columns: str | None = None
        self._key: str | None = None
        self._record = ""
        self._file = ""
        self._marks: list[str] = []
        self._path: list[tuple[int, str]] = []

    def copy(self) -> Outline:
        """Another one at the same place, for a piece that may have to be read again."""
        other = Outline()
        other._columns, other._file = self._columns, self._file
        other._key, other._record = self._key, self._record
        other._marks, other._path = [*self._marks], [*self._path]
        return other

    def parts(self, text: str, kind: str) -> Iterator[Part]:
        """(heading, start, end) of each chunk of the next piece."""
        if self._columns is None:
            self._columns = columns_of(text)
        if self._key is None:
            self._key = records.key_of(text)
        for titles, start, end in self._sections(text):
            above: list[tuple[int, str]] = []
            for record, begin, stop in self._cut(text, start, end):
                inner = [] if kind == "log" or record else _outlined(above, text[begin:stop])
                path = [record, *titles, *inner] if record else [*titles, *inner]
                yield joined_heading(path) or self._in_table(text[begin:stop]), begin, stop

    def _cut(self, text: str, start: int, end: int) -> Iterator[Part]:
        """(title of the record, start, end) of each part of a section; titles between rules make no records."""
        if not self._key or self._path:
            for begin, stop in cuts.packed(text, start, end, records.TARGET):
                yield "", begin, stop
            return
        starts = records.starts_of(text, self._key, start, end)
        yield from records.cut(text, starts, start, end, self._record)
        if starts:
            self._record = records.title_of(text, starts[-1], end)

    def _in_table(self, part: str) -> str:
        """The columns as a heading; a blank line ends the table."""
        columns = self._columns
        if not columns:
            return ""
        if has_blank_line(part):
            self._columns = ""
        return heading_part(columns)

    def _sections(self, text: str) -> Iterator[tuple[list[str], int, int]]:
        """(titles, start, end); a title with nothing below it goes with the section behind it."""
        begin = body = 0
        for start, end, kind, title in _all_titles(text):
            if kind == _COMMIT and not self._file:
                continue
            if not text[body:start].isspace() and _has_word(text[body:start]):
                yield self._titles(), begin, start
                begin = start
            self._enter(kind, title)
            body = end
        if begin < len(text):
            yield self._titles(), begin, len(text)

    def _enter(self, kind: str, title: str) -> None:
        """The first kind of rule that a text uses is its outermost, as in reStructuredText. A file is the innermost."""
        self._file = title if kind == _DIFF else ""
        if kind in (_DIFF, _COMMIT):
            return
        if kind not in self._marks:
            self._marks.append(kind)
        level = self._marks.index(kind)
        self._path = [item for item in self._path if item[0] < level] + [(level, heading_part(title))]

    def _titles(self) -> list[str]:
        return [*(title for _, title in self._path), self._file]


def coarse(text: str, start: int = 0) -> Iterator[Part]:
    """(heading, start, end) of parts as long as they may be, for the rest of a text that has very many."""
    for begin, stop in cuts.packed(text, start, len(text), _COARSE):
        yield "", begin, stop


def _all_titles(text: str) -> Iterator[tuple[int, int, str, str]]:
    """(start, end, kind, text) of each title, in order."""
    begins = [f"\n{begin}" for begin in (*_RULES, _DIFF, _COMMIT)]
    starts = {0, *(at + 1 for begin in begins for at in places(text, begin))}
    starts |= {text.rfind("\n", 0, at) + 1 for end in _STARS for at in places(text, end)}
    after = 0
    for start in sorted(starts):
        if start >= after and (title := _title(text, start)):
            after = title[0]
            yield start, *title


def _title(text: str, start: int) -> Title | None:
    line, end = _line(text, start)
    if line.startswith(_DIFF):
        return end, _DIFF, _file_of(line)
    if line.startswith(_COMMIT):
        first = line[len(_COMMIT) :].split(" ", 1)[0]
        return (end, _COMMIT, "") if len(first) >= _HASH_MIN and _HEX.issuperset(first) else None
    if not line.endswith(_RULES):
        return None
    rule, title = line[-1], line.strip(line[-1])
    if not _has_word(title):
        return _framed(text, line, end)
    return (end, rule, title) if line[0] == rule or (rule == "*" and _is_loud(title)) else None


def _is_loud(title: str) -> bool:
    """Whether a title that only ends in a rule is one: `TASK [install] ****`; a masked value is none."""
    return title.split(None, 1)[0].isupper() and not title.rstrip().endswith((":", "="))


def _framed(text: str, above: str, start: int) -> Title | None:
    """A title with a rule above and below; below `=` it may have a second line, as unittest prints docstrings."""
    title, end = _line(text, start)
    closing, after = _line(text, end)
    if above[0] == "=" and closing and not _is_rule(closing):
        closing, after = _line(text, after)
    if len(above) < _FRAME_MIN or not _is_rule(closing) or title.startswith(_RULES) or not _has_word(title):
        return None
    return after, above[0], title


def _is_rule(line: str) -> bool:
    return len(line) >= _FRAME_MIN and line.endswith(_RULES) and not line.strip(line[-1])


def _file_of(line: str) -> str:
    """The file that a line `diff --git a/FILE b/FILE` (also with other marks, or none) or `diff --cc FILE` begins."""
    _, _, names = line.partition(" ")[2].partition(" ")
    middle = len(names) // 2
    twice = names[:middle].partition("/")[2] == names[middle + 1 :].partition("/")[2]
    second = names[middle + 1 :] if twice and names[middle : middle + 1] == " " else names.rpartition(" b/")[2]
    return second[2:] if second[1:2] == "/" else second


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
    lines = part.split("\n")
    first = next((line for line in lines if line and not line.isspace()), "")
    if not first:
        return []
    indent = len(first) - len(first.lstrip())
    heading = [outer for outside, outer in above if outside < indent]
    inside: list[tuple[int, str]] = []
    lowest = len(part)
    for line in reversed(lines):
        if not line or line[:lowest].isspace():
            continue
        bare = line.lstrip()
        lowest = len(line) - len(bare)
        inside.append((lowest, bare[:HEADING_PART]))
        if lowest == 0:
            break
    above[:] = [outer for outer in above if outer[0] < lowest] + inside[::-1]
    return heading
