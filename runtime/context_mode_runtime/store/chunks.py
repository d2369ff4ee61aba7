"""Cuts a text into searchable chunks. Joined they give the text back; none is longer than MAX_CHUNK_BYTES."""

from __future__ import annotations

from context_mode_runtime.store import cuts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("markdown", "code", "json", "log", "text")
"""What `chunk` knows; everything else is cut as text."""

_TARGET = {"log": 1_600, "text": 2_000}
_HEADING_PART = 120
_HEADING = 400


class Chunk:
    """A part of a text: `heading` (`A > B`, may be empty), `text`, `start` and `end` in characters."""

    __slots__ = ("end", "heading", "start", "text")

    def __init__(self, heading: str, text: str, start: int, end: int) -> None:
        self.heading = heading
        self.text = text
        self.start = start
        self.end = end


def chunk(text: str, kind: str) -> list[Chunk]:
    """The chunks of `text` in order. A JSON text that isn't one is cut by lines. Linear in the size of `text`."""
    return list(chunked(text, kind))


def chunked(text: str, kind: str) -> Iterator[Chunk]:
    """The same one by one: of a long text no second copy stands in memory."""
    for heading, start, end in _parts(text, kind):
        yield Chunk(heading[:_HEADING], text[start:end], start, end)


def _parts(text: str, kind: str) -> Iterator[tuple[str, int, int]]:
    if kind == "markdown":
        from context_mode_runtime.store import chunk_markdown

        return chunk_markdown.parts(text)
    if kind == "code":
        from context_mode_runtime.store import chunk_code

        return chunk_code.parts(text)
    if kind == "json":
        from context_mode_runtime.store import chunk_json

        found = chunk_json.parts(text)
        return iter(found) if found is not None else plain(text, "log")
    if kind == "text":
        from context_mode_runtime.store import chunk_markdown

        if chunk_markdown.is_underlined(text):
            return chunk_markdown.parts(text, hashes=False)
    return plain(text, kind)


def plain(text: str, kind: str) -> Iterator[tuple[str, int, int]]:
    """(heading, start, end) of a text without structure: by lines for a log, else by paragraphs."""
    target = _TARGET.get(kind, _TARGET["text"])
    if kind == "log":
        for start, end in cuts.packed_lines(text, target):
            yield "", start, end
        return
    above: list[tuple[int, str]] = []
    for start, end in cuts.packed_paragraphs(text, target):
        yield _outlined(above, text[start:end]), start, end


def _outlined(above: list[tuple[int, str]], part: str) -> str:
    """A heading for `part`: the lines above under which its first line is indented, in manuals the name described.

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
        above.append((indent, bare[:_HEADING_PART]))
    return joined_heading(heading or [])


def joined_heading(parts: list[str]) -> str:
    """`A > B`: each part on one line and of bounded length, empty ones left out."""
    return " > ".join(part for part in map(heading_part, parts) if part)


def heading_part(text: str) -> str:
    """A heading on one line and of bounded length."""
    return " ".join(text.split())[:_HEADING_PART]
