"""HTML into tags and text in linear time, whatever the input: `html.parser` is quadratic on hostile pages."""

from __future__ import annotations

import html
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    Token = tuple[str, str, str]
    Scan = Generator[Token, None, int]

RAW_TEXT = frozenset({"script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp"})
"""Elements whose content is text up to their own end tag (HTML standard, 13.2.5)."""
_VOID_NAMES = "area base br col embed hr img input link meta param source track wbr basefont bgsound frame keygen"
VOID = frozenset(_VOID_NAMES.split())
"""Elements without content and end tag."""

_NAME = re.compile(r"[a-zA-Z][^\s/>\x00]*")
_TAG_STOP = re.compile(r"[>\"']")
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")


def tokens(text: str) -> Iterator[Token]:
    """(kind, name, rest) for each part of `text`.

    `("text", "", characters)` with character references resolved, `("start", name, attribute text)`,
    `("end", name, "")`. Comments, doctypes and processing instructions are left out. Names are lower case.
    """
    return _Scanner(text).run()


def attributes(rest: str) -> dict[str, str]:
    """The attributes of a start tag's rest; the first of two with one name counts; values have references resolved."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(rest):
        found.setdefault(name.lower(), html.unescape(double or single or bare))
    return found


class _Scanner:
    """The state that keeps it linear: what was looked for up to the end in vain is not looked for again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._missing: set[str] = set()
        self._mind_quotes = True

    def run(self) -> Iterator[Token]:
        text, at, size = self._text, 0, len(self._text)
        while at < size:
            opening = text.find("<", at)
            opening = size if opening < 0 else opening
            if opening > at:
                yield "text", "", html.unescape(text[at:opening])
            at = size if opening == size else (yield from self._markup(opening))

    def _markup(self, at: int) -> Scan:
        """Yields what begins with the `<` at `at`; returns the place behind it."""
        text = self._text
        if text.startswith("<!--", at):
            return self._behind("-->", at + 2)
        if text.startswith("<![CDATA[", at):
            end = self._behind("]]>", at + 9)
            yield "text", "", text[at + 9 : end].removesuffix("]]>")
            return end
        if text.startswith(("<!", "<?"), at):
            return self._behind(">", at + 2)
        return (yield from self._tag(at))

    def _tag(self, at: int) -> Scan:
        closing = self._text.startswith("/", at + 1)
        found = _NAME.match(self._text, at + 1 + closing)
        end = self._tag_end(found.end()) if found else 0
        if found is None or not end:
            yield "text", "", "<"
            return at + 1
        name = found[0].lower()
        if closing:
            yield "end", name, ""
            return end
        yield "start", name, self._text[found.end() : end - 1]
        return (yield from self._raw(name, end)) if name in RAW_TEXT else end

    def _tag_end(self, at: int) -> int:
        """The place behind the `>` of a tag, quoted values skipped; 0 when there is none."""
        start = at
        while self._mind_quotes:
            stop = _TAG_STOP.search(self._text, at)
            if stop is None:
                self._mind_quotes = False
            elif stop[0] == ">":
                return stop.end()
            else:
                at = self._behind_quote(stop.start())
        end = self._find(">", start)
        return 0 if end < 0 else end + 1

    def _behind_quote(self, at: int) -> int:
        """The place behind the value that opens at `at`; only a quote behind `=` opens one."""
        before = at - 1
        while self._text[before].isspace():
            before -= 1
        end = self._find(self._text[at], at + 1) if self._text[before] == "=" else -1
        return at + 1 if end < 0 else end + 1

    def _raw(self, name: str, at: int) -> Scan:
        """The text content of a raw element; an unclosed script or style goes to the end, others are taken as tags."""
        found = None if name in self._missing else re.compile(f"</{name}", re.IGNORECASE).search(self._text, at)
        if found is None:
            self._missing.add(name)
            return len(self._text) if name in ("script", "style") else at
        yield "text", "", html.unescape(self._text[at : found.start()])
        return found.start()

    def _behind(self, mark: str, at: int) -> int:
        """The place behind the next `mark`; without one only the opening is left out, so that the text stays."""
        found = self._find(mark, at)
        return at if found < 0 else found + len(mark)

    def _find(self, mark: str, at: int) -> int:
        found = -1 if mark in self._missing else self._text.find(mark, at)
        if found < 0:
            self._missing.add(mark)
        return found
