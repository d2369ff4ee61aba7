"""The columns of a table: of CSV and its like, of psql and MySQL, and of lists such as `ps` and `kubectl get` print."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SAMPLE = 8_192
_LINES = 3
_COLUMNS_MIN = 3
_NAMED = 0.8
_DELIMITERS = ("\t", ";", "|", ",")
_CELL_MAX = 40
_CELL_WORDS_MAX = 4
_NO_NAME = frozenset(":=[]{}/\\<>!?")
_RULE_MARKS = " \t\r-+|="


def columns_of(text: str) -> str | None:
    """The line that names the columns, empty where none does, None while a text that comes in pieces is too short.

    It is the first line but for blank ones and rules, and two rows of the same form stand below it.
    """
    lines = text[:_SAMPLE].lstrip("\ufeff").split("\n")
    written = [line for line in lines[:-1] if line.strip(_RULE_MARKS)]
    if len(written) >= _LINES and _is_list(written[0], written[1:_LINES]):
        return written[0].strip()
    told = _rows(written)
    if len(told) < _LINES:
        return None if len(text) < _SAMPLE else ""
    names, *rows = told
    if any(_delimits(mark, names, rows) for mark in _DELIMITERS):
        return names.strip()
    return ""


def _rows(lines: Iterable[str]) -> list[str]:
    """The first _LINES of the lines, those of a cell in quotes as one."""
    out: list[str] = []
    for line in lines:
        if out and out[-1].count('"') % 2:
            out[-1] += line
        elif len(out) == _LINES:
            break
        else:
            out.append(line)
    return out


def has_blank_line(text: str) -> bool:
    """Whether a table would end in `text`."""
    return "\n\n" in text or "\n\r\n" in text


def _delimits(mark: str, names: str, rows: list[str]) -> bool:
    """Whether `mark` stands between the names of columns, and as often in the rows."""
    if names.count(mark) + 1 < _COLUMNS_MIN:
        return False
    names, *rows = (line.strip().strip("|") if mark == "|" else line for line in (names, *rows))
    count = names.count(mark)
    alike = all(row.count(mark) == count or (row.count(mark) > count and '"' in row) for row in rows)
    named = sum(map(_is_name, names.split(mark)))
    return count + 1 >= _COLUMNS_MIN and alike and named >= max(_COLUMNS_MIN, _NAMED * (count + 1))


def _is_name(cell: str) -> bool:
    bare = cell.strip(" \t\r\"'#")
    short = len(bare) <= _CELL_MAX and len(bare.split()) <= _CELL_WORDS_MAX and not bare.endswith(".")
    return short and bare[:1].isalpha() and _NO_NAME.isdisjoint(bare)


def _is_list(names: str, rows: list[str]) -> bool:
    """Whether words in upper case stand above rows with as many fields or nearly so, which are not in upper case."""
    words = names.split()
    named = names.isupper() and all(word.lstrip("%(")[:1].isalpha() and _NO_NAME.isdisjoint(word) for word in words)
    return len(words) >= _COLUMNS_MIN and named and all(_is_row(row, len(words)) for row in rows)


def _is_row(row: str, columns: int) -> bool:
    return 2 * len(row.split()) >= columns and not row.isupper()
