"""Source code by blocks: a chunk begins where a definition begins; the heading names it and what it stands in."""

from __future__ import annotations

import re

from context_mode_runtime import limits
from context_mode_runtime.redact import places
from context_mode_runtime.store import cuts
from context_mode_runtime.store.chunks import joined_heading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SMALL = 700
_SMALL_CLASS = 1_000
_LINE_MAX = 400
_BEFORE = r"(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe|"
_DEFINITION = re.compile(
    rf"^([ \t]*+)(?:{_BEFORE}inline|virtual|override|sealed|partial|extern|open|data)[ \t]++)*+"
    r"(?:(?:def|class|function\*?|func|fn|fun|interface|trait|enum|struct|impl|module|namespace|package|record|object|"
    r"defmodule|defp?|type|sub|protocol|extension|"
    r"CREATE[ \t]+(?:(?:OR[ \t]+REPLACE|UNIQUE|TEMPORARY|TEMP|UNLOGGED|"
    r"MATERIALIZED|VIRTUAL)[ \t]+)*+[A-Z]+(?:[ \t]+IF[ \t]+NOT[ \t]+EXISTS)?)[ \t]+"
    r"(?:\([^)\n]{0,80}\)[ \t]*)?[\"`\[]?([A-Za-z_$][\w$.:!?<>]*)"
    r"|(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[ \t]*=[ \t]*(?:async[ \t]*)?"
    r"(?:function|\([^()\n]{0,200}\)[ \t]*=>|\w+[ \t]*=>)"
    r"|([A-Za-z_]\w*)[ \t]*\(\)[ \t]*\{)",
    re.MULTILINE,
)
_INSERT = re.compile(
    r"^(?:INSERT[ \t]+INTO[ \t]+|COPY[ \t]+(?=[^\n]*[ \t]FROM[ \t]+stdin))"
    r"([\w.$\"`\[\]]{1,120})[ \t]*(\([^()\n]{1,4000}\))?",
    re.MULTILINE,
)
"""Rows for a table: its name, its columns."""
_INSERTS_MIN = 3
_OPENING = frozenset(("message", "service", "input", "resource", "data", "variable", "output"))
"""What defines the name behind it where a brace ends the line: in protocol buffers, GraphQL, Terraform."""
_NAMES_MAX = 2
_HEAD = 16_384
_SIGNATURE_MAX = 800
_SIGNATURE_LINES = 24
_SIGNATURE = re.compile(
    r"([ \t]*+)(?![@:,&|*])(?:[\w$<>\[\],.?*&:~@]++[ \t]++[*&]*+)*?(~?[A-Za-z_$][\w$:~]*+)(?:<[^<>()]{0,80}>)?[ \t]*+"
    r"\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)(?!,)[^;=(){}]*+\Z"
)
_NO_NAMES = frozenset(
    (
        "if", "for", "foreach", "while", "until", "do", "else", "elif", "elsif", "elseif", "unless", "switch", "case",
        "match", "when", "select", "guard", "try", "catch", "defer", "return", "throw", "new", "with", "using", "lock",
        "fixed", "synchronized", "assert", "sizeof", "typeof", "await", "yield", "and", "or", "not", "in",
        "func", "function", "fn",
    )
)  # fmt: skip
"""What stands before parentheses and a brace and is no name; with a word for functions the name is found by that."""
_LEAD = ("@", "#", "//", "/*", "*", "--", ";;")


class _Block:
    """Lines from one definition to the next: `path` of names, its span."""

    __slots__ = ("end", "path", "start")

    def __init__(self, path: list[str], start: int) -> None:
        self.path = path
        self.start = start
        self.end = start


def parts(text: str) -> Iterator[tuple[str, int, int]]:
    """(heading, start, end) of each chunk; small neighbours of one parent, or a class and its first parts, share it."""
    for group in _grouped(text):
        heading = joined_heading(_heading(group))
        spans = [(group[0].start, group[-1].end)]
        if cuts.size_of(text[spans[0][0] : spans[0][1]]) > limits.MAX_CHUNK_BYTES:
            spans = list(cuts.pack(text, cuts.paragraphs(text, *spans[0]), 2_400))
        for start, end in spans:
            yield heading, start, end


def _heading(group: list[_Block]) -> list[str]:
    first, *others = group
    if others and all(_is_inside(block, first) for block in others):
        return [*first.path, ", ".join(block.path[-1] for block in others)]
    return [*first.path[:-1], ", ".join(block.path[-1] for block in group if block.path)]


def _grouped(text: str) -> Iterator[list[_Block]]:
    group: list[_Block] = []
    for block in _blocks(text):
        if group and _belongs(block, group, cuts.size_of(text[group[0].start : block.end])):
            group.append(block)
            continue
        if group:
            yield group
        group = [block]
    if group:
        yield group


def _belongs(block: _Block, group: list[_Block], size: int) -> bool:
    """Whether a block goes with a group that would then have `size` bytes."""
    first = group[0]
    if not block.path or not first.path:
        return False
    if all(_is_inside(other, first) for other in (*group[1:], block)):
        return size <= _SMALL_CLASS
    return size <= _SMALL and all(other.path[:-1] == first.path[:-1] for other in (*group[1:], block))


def _is_inside(block: _Block, outer: _Block) -> bool:
    return block.path[:-1] == outer.path


def _blocks(text: str) -> Iterator[_Block]:
    block = _Block([], 0)
    stack: list[tuple[int, str]] = []
    for start, indent, name in _definitions(text):
        begin = _lead(text, start, block.start)
        if begin > block.start:
            block.end = begin
            yield block
        stack = [item for item in stack if item[0] < indent] + [(indent, name)]
        block = _Block([name for _, name in stack], begin)
    block.end = len(text)
    if block.end > block.start:
        yield block


def _definitions(text: str) -> Iterator[tuple[int, int, str]]:
    """(start of its line, indent, name) of each definition, in order."""
    named = {found.start(): _named(found) for found in _DEFINITION.finditer(text)}
    rows = _inserts(text) if "INSERT INTO" in text[:_HEAD] or "CREATE TABLE" in text[:_HEAD] else ()
    named = {**dict(_braced(text)), **dict(rows), **named}
    for start in sorted(named):
        yield (start, *named[start])


def _inserts(text: str) -> Iterator[tuple[int, tuple[int, str]]]:
    """The first of each run of statements that fill a table, where a text has some: its name with its columns."""
    found = list(_INSERT.finditer(text))
    last = ""
    for insert in found if len(found) >= _INSERTS_MIN else ():
        name = insert.group(1).strip('"`[]')
        if name != last:
            yield insert.start(), (0, f"{name} {insert.group(2) or ''}".strip())
        last = name


def _named(found: re.Match[str]) -> tuple[int, str]:
    name = str(found.group(2) or found.group(3) or found.group(4)).rstrip(".:!?<")
    return len(found.group(1).expandtabs(4)), name


def _braced(text: str) -> Iterator[tuple[int, tuple[int, str]]]:
    """Those that a `{` at the end of a line tells: a word of _OPENING and a name, or a name with its parameters."""
    for at in sorted(at for end in ("{\n", "{\r\n") for at in places(text, end)):
        begin = text.rfind("\n", max(at - _LINE_MAX, 0), at) + 1
        if opened := _opened(text[begin:at].expandtabs(4)):
            yield begin, opened
            continue
        start, end = _signature_lines(text, at)
        found = _SIGNATURE.match(text, start, end) if end - start <= _SIGNATURE_MAX else None
        if found and _is_name(found.group(2), found.group(0)):
            yield start, (len(found.group(1).expandtabs(4)), found.group(2))


def _opened(line: str) -> tuple[int, str] | None:
    """(indent, name) of a line such as `message Order` or `resource "host" "web"`."""
    kind, *names = [word.strip('"') for word in line.split()] or [""]
    if kind not in _OPENING or not 1 <= len(names) <= _NAMES_MAX or not names[0].replace("-", "_").isidentifier():
        return None
    return len(line) - len(line.lstrip()), ".".join(names)


def _is_name(name: str, line: str) -> bool:
    words = {name, line.split(None, 1)[0].partition("(")[0]}
    return not _NO_NAMES.intersection(words) and ":" not in name.replace("::", "")


def _goes_on(text: str, start: int) -> bool:
    """Whether the line at `start` is the middle of something that began above it."""
    above = text[max(start - _SIGNATURE_MAX, 0) : start].rstrip()
    return above.endswith(("||", "&&", ",", "("))


def _signature_lines(text: str, at: int) -> tuple[int, int]:
    """Where the line begins on which the parameters open that a brace at `at` follows, and where they end.

    A C++ constructor's initializers, from a line that begins with `:` or `,`, are no part of them. Looks at most
    _SIGNATURE_LINES up, and not beyond the end of another statement.
    """
    start, end, depth = at, at, 0
    for _ in range(_SIGNATURE_LINES):
        below, start = start, text.rfind("\n", max(start - _SIGNATURE_MAX, 0), max(start - 1, 0)) + 1
        line = text[start:below].strip()
        if below != at and line.endswith(("{", "}", ";")):
            return below, end
        depth += line.count(")") - line.count("(")
        if depth > 0 or not line:
            continue
        if not line.startswith((":", ",")) and not _goes_on(text, start):
            break
        end = start
    return start, end


def _lead(text: str, start: int, floor: int) -> int:
    """Where the comment or decorator lines begin that stand right above the line at `start`, not before `floor`."""
    while start > floor:
        above = text.rfind("\n", floor, start - 1) + 1 or floor
        if not text[above : above + _LINE_MAX].lstrip(" \t").startswith(_LEAD):
            break
        start = above
    return start
