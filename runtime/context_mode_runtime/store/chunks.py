"""Cuts a text into searchable chunks. Joined they give the text back; none is longer than MAX_CHUNK_BYTES."""

from __future__ import annotations

from itertools import islice

from context_mode_runtime import jsonio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("markdown", "code", "json", "log", "text")
"""What `chunk` knows; everything else is cut as text."""

PLAIN = ("log", "text")
"""Those without headings of their own; they may hold records, such as the commits of a log."""
STRUCTURED_MAX = 100_000
"""Chunks of a text that are cut by its structure; what stands behind them is cut into few long ones."""
HEADING_PART = 120
_HEADING = 400


def kind_of_output(text: str) -> str:
    """The kind of what a command printed: `json` for what looks like one value, else `log`."""
    return "json" if jsonio.is_likely(text) else "log"


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
    at = 0
    for heading, start, at in islice(_parts(text, kind), STRUCTURED_MAX):
        yield Chunk(heading[:_HEADING], text[start:at], start, at)
    if at < len(text):
        from context_mode_runtime.store import chunk_plain

        for heading, start, end in chunk_plain.coarse(text, at):
            yield Chunk(heading, text[start:end], start, end)


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
        if found is not None:
            return iter(found)
    if kind == "text":
        from context_mode_runtime.store import chunk_markdown

        if chunk_markdown.is_underlined(text):
            return chunk_markdown.parts(text, hashes=False)
    from context_mode_runtime.store import chunk_plain

    return chunk_plain.Outline().parts(text, "text" if kind == "text" else "log")


def joined_heading(parts: list[str]) -> str:
    """`A > B`: each part on one line and of bounded length, empty ones left out."""
    return " > ".join(part for part in map(heading_part, parts) if part)


def heading_part(text: str) -> str:
    """A heading on one line and of bounded length."""
    return " ".join(text.split())[:HEADING_PART]
