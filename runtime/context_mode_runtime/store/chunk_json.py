"""JSON by key path: values that fit stay whole, small neighbours share a chunk, big ones are opened."""

from __future__ import annotations

from context_mode_runtime import jsonio, limits
from context_mode_runtime.store import cuts
from context_mode_runtime.store.chunks import joined_heading

_TARGET = 1_200
_OPEN = 2_000
_DEPTH = 12
_NAMED = 8
_NAMES = ("name", "title", "id", "path", "filename", "file", "key", "label", "slug", "code", "url", "message")
_WHITE = " \t\r\n"


class _Member:
    """A value of an object or array with what stands before it: its name and where its text lies."""

    __slots__ = ("end", "name", "start", "value", "value_start")

    def __init__(self, name: str, start: int, value_start: int, end: int, value: object) -> None:
        self.name = name
        self.start = start
        self.value_start = value_start
        self.end = end
        self.value = value


def parts(text: str) -> list[tuple[str, int, int]] | None:
    """(key path, start, end) of each chunk, or None when `text` is not one JSON value."""
    try:
        jsonio.loads(text)
        out: list[tuple[str, int, int]] = []
        _value(text, (0, _skip(text, 0), len(text)), [], out)
    except (ValueError, RecursionError):
        return None
    return out


def _value(text: str, span: tuple[int, int, int], path: list[str], out: list[tuple[str, int, int]]) -> None:
    """Adds the chunks of a span (start, where its one value begins, end), which may hold a key and marks around it."""
    start, at, end = span
    if cuts.size_of(text[start:end]) <= (_OPEN if path else _TARGET):
        out.append((joined_heading(path), start, end))
        return
    members = _members(text, at) if len(path) < _DEPTH and text[at] in "{[" else []
    if not members:
        lines = cuts.line_spans(text, start, end)
        out += [(joined_heading(path), *span) for span in cuts.pack(text, lines, limits.MAX_CHUNK_BYTES)]
        return
    members[0].start = start
    members[-1].end = end
    _groups(text, members, path, out)


def _groups(text: str, members: list[_Member], path: list[str], out: list[tuple[str, int, int]]) -> None:
    group: list[_Member] = []
    filled = 0
    for member in members:
        size = cuts.size_of(text[member.start : member.end])
        if group and (filled + size > _TARGET):
            _close(group, path, out)
            group, filled = [], 0
        if size > _OPEN:
            _value(text, (member.start, member.value_start, member.end), [*path, _titled(member)], out)
            continue
        group.append(member)
        filled += size
    if group:
        _close(group, path, out)


def _close(group: list[_Member], path: list[str], out: list[tuple[str, int, int]]) -> None:
    if len(group) == 1:
        name = _titled(group[0])
    elif group[0].name.isdigit():
        name = f"{group[0].name}-{group[-1].name}"
    else:
        name = ", ".join(member.name for member in group[:_NAMED]) + (", ..." if len(group) > _NAMED else "")
    out.append((joined_heading([*path, name]), group[0].start, group[-1].end))


def _titled(member: _Member) -> str:
    """The member's name; for an array's object with the value of the key that names it."""
    if member.name.isdigit() and isinstance(member.value, dict):
        for key in _NAMES:
            title = member.value.get(key)
            if isinstance(title, (str, int)) and not isinstance(title, bool) and title != "":
                return f"{member.name} {title}"
    return member.name


def _members(text: str, at: int) -> list[_Member]:
    """The members of the container that begins at `at`, their spans side by side."""
    closing = "}" if text[at] == "{" else "]"
    members: list[_Member] = []
    at = _skip(text, at + 1)
    while text[at] != closing:
        begin, name = at, str(len(members))
        if closing == "}":
            key, at = jsonio.first_value(text, at)
            name = str(key)
            at = _skip(text, at) + 1
        value_start = _skip(text, at)
        value, at = jsonio.first_value(text, value_start)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        members.append(_Member(name, begin, value_start, at, value if isinstance(value, dict) else None))
    return members


def _skip(text: str, at: int) -> int:
    size = len(text)
    while at < size and text[at] in _WHITE:
        at += 1
    return at
