"""Source code by blocks: a chunk begins where a definition begins; the heading names it and what it stands in."""

from __future__ import annotations

import re

from context_mode_runtime import limits
from context_mode_runtime.store import cuts
from context_mode_runtime.store.chunks import joined_heading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SMALL = 700
_LINE_MAX = 400
_BEFORE = r"(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe|"
_DEFINITION = re.compile(
    rf"([ \t]*)(?:{_BEFORE}inline|virtual|override|sealed|partial|extern|open|data)[ \t]+)*"
    r"(?:(?:def|class|function\*?|func|fn|fun|interface|trait|enum|struct|impl|module|namespace|package|record|object|"
    r"defmodule|defp?|type|sub|protocol|extension|CREATE[ \t]+(?:OR[ \t]+REPLACE[ \t]+)?[A-Z]+)[ \t]+"
    r"(?:\([^)\n]{0,80}\)[ \t]*)?([A-Za-z_$][\w$.:!?<>]*)"
    r"|(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)[ \t]*=[ \t]*(?:async[ \t]*)?"
    r"(?:function|\([^()\n]{0,200}\)[ \t]*=>|\w+[ \t]*=>)"
    r"|([A-Za-z_]\w*)[ \t]*\(\)[ \t]*\{)"
)
_LEAD = ("@", "#", "//", "/*", "*", "--", ";;")


class _Block:
    """Lines from one definition to the next: `path` of names, `indent` of the definition, its span."""

    __slots__ = ("end", "indent", "path", "start")

    def __init__(self, path: list[str], indent: int, start: int) -> None:
        self.path = path
        self.indent = indent
        self.start = start
        self.end = start


def parts(text: str) -> Iterator[tuple[str, int, int]]:
    """(heading, start, end) of each chunk; small neighbours of one parent share a chunk and a heading."""
    for group in _grouped(text):
        parent = group[0].path[:-1]
        names = [block.path[-1] for block in group if block.path]
        heading = joined_heading([*parent, ", ".join(names)])
        spans = [(group[0].start, group[-1].end)]
        if cuts.size_of(text[spans[0][0] : spans[0][1]]) > limits.MAX_CHUNK_BYTES:
            spans = list(cuts.pack(text, cuts.paragraphs(text, *spans[0]), 2_400))
        for start, end in spans:
            yield heading, start, end


def _grouped(text: str) -> Iterator[list[_Block]]:
    group: list[_Block] = []
    for block in _blocks(text):
        joins = group and block.path[:-1] == group[0].path[:-1] and block.path and group[0].path
        if joins and cuts.size_of(text[group[0].start : block.end]) <= _SMALL:
            group.append(block)
            continue
        if group:
            yield group
        group = [block]
    if group:
        yield group


def _blocks(text: str) -> Iterator[_Block]:
    block, lead = _Block([], -1, 0), -1
    stack: list[tuple[int, str]] = []
    for start, end in cuts.line_spans(text, 0, len(text)):
        line = text[start:end] if end - start <= _LINE_MAX else ""
        found = _DEFINITION.match(line)
        if not found:
            lead = _lead(line, start, lead)
            continue
        begin = lead if lead >= 0 else start
        if begin > block.start:
            block.end = begin
            yield block
        indent = len(found.group(1).expandtabs(4))
        name = str(found.group(2) or found.group(3) or found.group(4)).rstrip(".:!?<")
        stack = [item for item in stack if item[0] < indent] + [(indent, name)]
        block, lead = _Block([name for _, name in stack], indent, begin), -1
    block.end = len(text)
    if block.end > block.start:
        yield block


def _lead(line: str, start: int, lead: int) -> int:
    """Where the comment or decorator lines begin that stand right above the next line, or -1."""
    if line.lstrip(" \t").startswith(_LEAD):
        return lead if lead >= 0 else start
    return -1
