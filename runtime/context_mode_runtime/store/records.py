"""Records in plain text: stanzas of one form, one below the other, as `git log` and `kubectl describe` print them."""

from __future__ import annotations

from itertools import pairwise

from context_mode_runtime import limits
from context_mode_runtime.store.cuts import line_spans, packed, size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Part = tuple[str, int, int]
    """Title of the record, empty for several; start, end."""

TARGET = 1_600
"""Characters of a part of plain text."""
_TOGETHER = 2_000
"""Characters up to which short records stand in one part."""
_BEGINNING = 2_048
_SAMPLE = 65_536
_ENOUGH = 8_192
_FIRST = 4
_FIRST_LINES = 30
_MANY = 3
_LINES_MIN = 4
_COMPANIONS = 3
_SHARE = 0.6
_KEY_MAX = 40
_LINE_MAX = 240
_HEAD_LINES = 24
_HASH_MIN = 7
_HEX = frozenset("0123456789abcdef")
_COMMIT = "commit "
_BRACKET = "["
_DOCUMENT = "---"
"""What stands above each document of a YAML stream (YAML 1.2, 9.1.4)."""
_KEY_MARKS = str.maketrans("", "", " \t_-./")
_NAMES = frozenset(("subject", "name", "title", "id"))


def key_of(text: str) -> str | None:
    """What each record's first line begins with, empty where a text holds none, None while it is too short to tell.

    It begins one of the first lines and stands _MANY times at the margin, on average _LINES_MIN lines apart or more;
    one of the lines behind it comes with _SHARE of the records, none of those above it does. Or it is the bracket of
    a configuration's sections (`[server]`), of which there are _MANY, or the mark of two YAML documents and more, the
    last of which begins with the same key as the text.
    """
    documents = starts_of(text, _DOCUMENT, 0, min(len(text), _SAMPLE))
    if documents[1:] and _first_key(text, documents[-1]) == _first_key(text, 0) != "":
        return _DOCUMENT
    if text.find("\n" + _BRACKET, 0, _ENOUGH) >= 0 or text.startswith(_BRACKET):
        sections = starts_of(text, _BRACKET, 0, min(len(text), _SAMPLE))
        if len(sections) >= _MANY and sections[0] < _ENOUGH:
            return _BRACKET
    lines = [line.rstrip() for line in text[:_BEGINNING].split("\n", _FIRST_LINES) if line.strip()]
    for number, line in enumerate(lines[:_FIRST]):
        key = _key(line)
        count = _count(text, key) if key else 0
        if count < _MANY or text.count("\n", 0, _SAMPLE) < count * _LINES_MIN:
            continue
        least = _SHARE * count
        before = (above.split(None, 1)[0] for above in lines[:number])
        behind = (_lead(below) for below in lines[number + 1 : number + 1 + _COMPANIONS])
        if any(_count(text, word) >= least for word in before):
            return ""
        if any(lead not in ("", key) and _count(text, lead) >= least for lead in behind):
            return key
    return None if len(text) < _ENOUGH else ""


def _first_key(text: str, start: int) -> str:
    """The key of the first line from `start` on that is no mark, comment or blank; empty without one."""
    lines = (line.rstrip() for line in text[start : start + _BEGINNING].split("\n"))
    key = _key(next((line for line in lines if line not in ("", _DOCUMENT) and line[0] != "#"), ""))
    return key if key.endswith(":") else ""


def _count(text: str, begin: str) -> int:
    return text.startswith(begin) + text.count("\n" + begin, 0, _SAMPLE)


def _key(line: str) -> str:
    """A line's key with its colon (`Name:`), `commit `, or the bracket of `[name]`; empty for any other line."""
    if line.startswith(_BRACKET):
        head = line.partition("#")[0].partition(";")[0].rstrip()
        name = head.strip("[] \t")
        return _BRACKET if head.endswith("]") and name[:1].isalpha() and "," not in name else ""
    if line.startswith(_COMMIT):
        word = line[len(_COMMIT) :].partition(" ")[0]
        return _COMMIT if len(word) >= _HASH_MIN and _HEX.issuperset(word) else ""
    key, colon, value = line[:_KEY_MAX].partition(":")
    told = colon and (not value or value[0].isspace()) and key[:1].isalpha()
    return key + colon if told and key.translate(_KEY_MARKS).isalpha() else ""


def _lead(line: str) -> str:
    """A line's key with the white space before it, empty for a line without one."""
    bare = line.lstrip()
    key = _key(bare)
    return line[: len(line) - len(bare)] + key if key else ""


def starts_of(text: str, key: str, start: int, end: int) -> list[int]:
    """Where records begin in `text[start:end]`."""
    out = [start] if text.startswith(key, start, end) and _begins_record(text[start : start + _LINE_MAX], key) else []
    at = text.find("\n" + key, start, end)
    while at >= 0:
        if _begins_record(text[at + 1 : at + _LINE_MAX], key):
            out.append(at + 1)
        at = text.find("\n" + key, at + 1, end)
    return out


def _begins_record(head: str, key: str) -> bool:
    """Whether what begins with `key` is such a line: the same letters may stand at other places, too."""
    line, _, below = head.partition("\n")
    if key == _DOCUMENT:
        while below[:1] in ("#", "\n"):
            below = below.partition("\n")[2]
        return line.rstrip() == _DOCUMENT and bool(_key(below.partition("\n")[0]))
    return key not in (_COMMIT, _BRACKET) or bool(_key(line.rstrip()))


def title_of(text: str, start: int, end: int) -> str:
    """What a record is called: its first line, that of a commit with its subject.

    One that begins with a bare key (`Certificate:`, `[[package]]`) is called by the first line that names it
    (`Subject: CN = a`, `name = "a"`), a YAML document by its kind, too.
    """
    spans = line_spans(text, start, min(end, start + _HEAD_LINES * _LINE_MAX))
    lines = [text[begin:stop].strip() for (begin, stop), _ in zip(spans, range(_HEAD_LINES), strict=False)]
    first = lines[0]
    if first.startswith(_COMMIT):
        body = lines.index("") + 1 if "" in lines else len(lines)
        subject = next((line for line in lines[body:] if line), "")
        return " ".join([*first.split()[:2], subject])
    if first == _DOCUMENT:
        kind = next((line for line in lines if line.startswith("kind:")), "")
        return " ".join([kind, next((line for line in lines if _names(line)), "")]).strip()
    if not first.endswith((":", "]]")):
        return first
    return next((line for line in lines if _names(line)), first)


def _names(line: str) -> bool:
    return any(line.partition(mark)[0].strip().lower() in _NAMES for mark in ":=")


def cut(text: str, starts: list[int], start: int, end: int, above: str) -> Iterator[Part]:
    """The parts of `_by_records`, those that are over the chunk limit in bytes cut further."""
    for title, begin, stop in _by_records(text, starts, start, end, above):
        if size_of(text[begin:stop]) <= limits.MAX_CHUNK_BYTES:
            yield title, begin, stop
        else:
            for at, last in packed(text, begin, stop, TARGET // 2):
                yield title, at, last


def _by_records(text: str, starts: list[int], start: int, end: int, above: str) -> Iterator[Part]:
    """The parts of `text[start:end]`: short records together, a longer one alone, all its parts bear its title.

    `starts`: where records begin there; `above`: the title of the one that goes on at `start`.
    """
    begin = start
    if start not in starts and (above or not starts or starts[0] - start > TARGET):
        begin = starts[0] if starts else end
        for at, stop in packed(text, start, begin, TARGET):
            yield above, at, stop
    alone = False
    for first, last in pairwise([*starts, end]):
        if begin < first and last - begin > _TOGETHER:
            yield title_of(text, begin, first) if alone else "", begin, first
            begin = first
        alone = begin == first
        if last - begin > _TOGETHER:
            title = title_of(text, first, last)
            for at, stop in packed(text, begin, last, TARGET):
                yield title, at, stop
            begin = last
    if begin < end:
        yield title_of(text, begin, end) if alone else "", begin, end
