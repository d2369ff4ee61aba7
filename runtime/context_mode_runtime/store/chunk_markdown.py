"""Markdown, and other text with underlined headings: one chunk a section, fenced code whole when it fits."""

from __future__ import annotations

import re

from context_mode_runtime import limits
from context_mode_runtime.store import cuts
from context_mode_runtime.store.chunks import heading_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_TARGET = 2_800
_FENCE = re.compile(r"[ \t]*(?:[-*+] +|>[ ]?|\d+\. +)*(`{3,}(?=[^`]*\Z)|~{3,})")
_RULED = re.compile(r"\n(?=[=\-~^\"'+*#:.`]{3})")
_MARKED = re.compile(r"\n(?= {0,3}(?:#|<[hH][1-6][ >])|[=-]{3})")
_HTML = re.compile(r" {0,3}<h([1-6])(?:\s[^>]*)?>(.*?)</h\1>[ \t]*\r?\n?\Z", re.IGNORECASE)
_TAG = re.compile(
    r"(`+)(?:(?!\1).)*\1|</?(?:a|b|br|code|em|font|i|img|kbd|small|span|strong|sub|sup)(?:\s[^<>]*)?/?>"
    r"|!?\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)",
    re.IGNORECASE,
)
"""A code span, which stays as it is, a tag of HTML that says nothing, or a link, of which the text stays."""
_FENCES = ("```", "~~~")
_UNDERLINE = re.compile(r"([=\-~^\"'+*#:.`])\1{2,}[ \t]*\r?\n?\Z")
_MARKS = frozenset("=-~^\"'+*#:.`")
_BODY = re.compile(r"[^ \t\r\n=\-~^\"'+*#:.`]")
_LINE_MAX = 400
_LEVELS = 6


class Section:
    """A heading and what stands below it: `path` of headings, `start`, `body` (behind the heading line), `end`."""

    __slots__ = ("body", "end", "path", "start")

    def __init__(self, path: list[str], start: int, body: int) -> None:
        self.path = path
        self.start = start
        self.body = body
        self.end = body


def is_underlined(text: str) -> bool:
    """Whether a plain text has at least two headings that are underlined at their whole length."""
    return sum(1 for section in _sections(text[: 256 * 1024], hashes=False) if section.path) > 1


def parts(text: str, *, hashes: bool = True) -> Iterator[tuple[str, int, int]]:
    """(heading path, start, end) of each chunk. With `hashes` lines such as `## Name` are headings too."""
    start = 0
    for section in _sections(text, hashes=hashes):
        if section.end < len(text) and not _BODY.search(text, section.body, section.end):
            continue  # a heading without text goes with the section behind it
        heading = " > ".join(section.path)
        for begin, end in _pieces(text, start, section.end):
            yield heading, begin, end
        start = section.end


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if cuts.size_of(text[start:end]) <= limits.MAX_CHUNK_BYTES:
        if start < end:
            yield start, end
        return
    yield from cuts.pack(text, _blocks(text, start, end), _TARGET)


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Paragraphs, but a fenced block is one, blank lines and all."""
    begin, blank, fence = start, False, ""
    for line_start, line_end in cuts.line_spans(text, start, end):
        line = text[line_start : min(line_end, line_start + _LINE_MAX)]
        if not fence and blank and not line.isspace():
            yield begin, line_start
            begin, blank = line_start, False
        fence = _fence_after(line, fence)
        blank = not fence and (blank or line.isspace())
    if begin < end:
        yield begin, end


def _fence_after(line: str, fence: str) -> str:
    """The fence that is open behind `line`, or an empty string."""
    if not fence and "`" not in line and "~" not in line:
        return ""
    if not fence:
        found = _FENCE.match(line)
        return found.group(1) if found else ""
    bare = line.strip(" \t\r\n>")
    closes = len(bare) >= len(fence) and not bare.strip(fence[0])
    return "" if closes else fence


def _sections(text: str, *, hashes: bool) -> Iterator[Section]:
    path: list[tuple[int, str]] = []
    marks: list[str] = []
    section, fence = Section([], 0, 0), ""
    for start, end in _telling(text, hashes=hashes):
        line = text[start:end]
        fence, was = (_fence_after(line, fence), fence) if hashes else ("", "")
        found = None if fence or was else _heading(text, line, start, marks, hashes=hashes)
        if not found:
            continue
        level, title, underlined = found
        section.end = _line_before(text, start) if underlined else start
        if section.end > section.start:
            yield section
        path = [item for item in path if item[0] < level] + [(level, heading_part(title))]
        section = Section([name for _, name in path if name], section.end, end)
    section.end = len(text)
    yield section


def _telling(text: str, *, hashes: bool) -> Iterator[tuple[int, int]]:
    """The lines that may be a heading, the line below one, or a fence."""
    first = _front_matter(text) if hashes else 0
    starts = {first, *(found.end() for found in (_MARKED if hashes else _RULED).finditer(text, first))}
    if hashes:
        starts.update(_fence_lines(text, first))
    for start in sorted(starts):
        feed = text.find("\n", start, start + _LINE_MAX)
        if feed >= 0 or len(text) - start < _LINE_MAX:
            yield start, len(text) if feed < 0 else feed + 1


def _fence_lines(text: str, first: int) -> Iterator[int]:
    """Where the lines begin that hold a fence."""
    for mark in _FENCES:
        at = text.find(mark, first)
        while at >= 0:
            yield text.rfind("\n", 0, at) + 1
            feed = text.find("\n", at)
            at = text.find(mark, feed) if feed >= 0 else -1


def _heading(text: str, line: str, start: int, marks: list[str], *, hashes: bool) -> tuple[int, str, bool] | None:
    """(level, title, is underlined) when `line`, which begins at `start`, is a heading or the line below one."""
    if hashes and "#" in line[:4]:
        return _behind_hashes(line)
    if hashes and line.lstrip()[:2] in ("<h", "<H") and (found := _HTML.match(line)):
        return int(found.group(1)), _untagged(found.group(2)), False
    ruled = _UNDERLINE.match(line) if line[:1] in _MARKS else None
    before = _line_before(text, start) if ruled else start
    title = text[before:start].rstrip() if start - before <= _LINE_MAX else ""
    if not ruled or not _is_title(title, len(line.rstrip()), hashes=hashes):
        return None
    mark = ruled.group(1)
    if hashes:
        return ("=-".index(mark) + 1, title, True) if mark in "=-" and _is_alone(text, before) else None
    if mark not in marks:
        marks.append(mark)
    return marks.index(mark) + 1, title, True


def _behind_hashes(line: str) -> tuple[int, str, bool] | None:
    """The same for a line such as `## Name` or `## Name ##`, as CommonMark has them."""
    bare = line.lstrip(" ")
    title = bare.lstrip("#")
    level = len(bare) - len(title)
    if not 0 < level <= _LEVELS or not (title[:1] or " ").isspace():
        return None
    title = title.strip()
    open_title = title.rstrip("#")
    if not open_title or open_title[-1] in " \t":
        title = open_title.rstrip()
    return level, _untagged(title), False


def _line_before(text: str, start: int) -> int:
    """Where the line begins that ends at `start`."""
    return text.rfind("\n", 0, max(start - 1, 0)) + 1


def _untagged(title: str) -> str:
    """A title without tags around its words and targets of links; one that is only a tag stays."""
    if "<" not in title and "](" not in title:
        return title.strip()
    return _TAG.sub(_told, title).strip() or title.strip()


def _told(found: re.Match[str]) -> str:
    """What stays of a match of _TAG: of a link (`[¶](#name)`) its words, where it has some."""
    words = found.group(2) or ""
    return found.group(0) if found.group(1) else words if any(map(str.isalnum, words)) else ""


def _is_title(title: str, rule: int, *, hashes: bool) -> bool:
    if not title or title[0].isspace() or title[0] in "|>-*+#`=~" or not any(map(str.isalnum, title)):
        return False
    return hashes or len(title) <= rule <= len(title) + 20


def _is_alone(text: str, start: int) -> bool:
    """Whether the line at `start` begins its paragraph."""
    return start == 0 or text[max(text.rfind("\n", 0, start - 1), 0) : start].isspace()


def _front_matter(text: str) -> int:
    """The end of a block between two `---` lines at the very beginning."""
    if not text.startswith(("---\n", "---\r\n")):
        return 0
    close = text.find("\n---", 3)
    feed = text.find("\n", close + 1) if close >= 0 else -1
    return feed + 1
