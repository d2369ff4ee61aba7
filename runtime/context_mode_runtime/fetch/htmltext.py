"""HTML to Markdown of our own plain kind, for when the converter package is not there or gives up.

Headings, paragraphs, links, lists, quotes, code and tables; one pass, no recursion, linear time, never raises.
"""

from __future__ import annotations

import re

from context_mode_runtime.fetch.htmltokens import attributes, tokens

_SKIPPED = frozenset({"script", "style", "template", "svg", "math", "object", "canvas", "head", "noembed", "noframes"})
_BLOCK_NAMES = (
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form"
    " header hr html legend li main menu nav ol option p section summary ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_CELLS = frozenset({"td", "th"})
_INDENT_MAX = 8
_QUOTE_MAX = 4
_SPACE = re.compile(r"[ \t\r\n\f\xa0]+")
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]{1,30})")


def plain_markdown(text: str) -> str:
    """`text`, an HTML page or a part of one, as Markdown. Blocks are parted by one empty line."""
    writer = _Writer()
    for kind, name, rest in tokens(text):
        if kind == "text":
            writer.text(rest)
        elif kind == "start":
            writer.start(name, rest)
        else:
            writer.end(name)
    return writer.finish()


class _Table:
    """Rows of an innermost table; `layout` once another table stood in it: then its cells are blocks."""

    __slots__ = ("in_cell", "layout", "rows")

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.in_cell = False
        self.layout = False

    def lines(self) -> str:
        rows = [row for row in self.rows if any(row)]
        width = max((len(row) for row in rows), default=0)
        if width <= 1:
            return "\n\n".join(row[0] for row in rows)
        out = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
        return "\n".join([out[0], "|" + " --- |" * width, *out[1:]])


class _Writer:
    """Collects inline text, and turns it into a block wherever one begins or ends."""

    def __init__(self) -> None:
        self._blocks: list[tuple[str, bool]] = []
        self._inline: list[str] = []
        self._skipped: list[str] = []
        self._lists: list[int] = []
        self._tables: list[_Table] = []
        self._link: tuple[str, int] | None = None
        self._marker = ""
        self._in_items = False
        self._quotes = 0
        self._heading = 0
        self._fence: str | None = None
        self._title: str | None = None

    def text(self, characters: str) -> None:
        if not self._skipped:
            self._inline.append(characters if self._fence is not None else _SPACE.sub(" ", characters))
        elif self._skipped[-1] == "title" and self._title is None:
            self._title = _SPACE.sub(" ", characters).strip()

    def start(self, name: str, rest: str) -> None:
        if name in _SKIPPED or name == "title":
            self._skipped.append(name)
        if self._skipped:
            if name == "body":
                self._skipped.clear()
            return
        if name in _HEADINGS:
            self._flush()
            self._heading = _HEADINGS[name]
        elif name in _BLOCKS:
            self._start_block(name, rest)
        elif name in ("table", "tr") or name in _CELLS:
            self._start_table_part(name)
        else:
            self._start_inline(name, rest)

    def end(self, name: str) -> None:
        if self._skipped:
            if name in self._skipped:
                del self._skipped[self._skipped.index(name) :]
            return
        if name in _HEADINGS or name in _BLOCKS:
            self._end_block(name)
        elif name in ("table", "caption"):
            self._end_table() if name == "table" else self._end_caption()
        elif name in _CELLS or name == "tr":
            self._end_cell()
        elif name == "a":
            self._end_link()
        elif name == "pre":
            self._flush()
        elif name in ("code", "kbd", "samp") and self._fence is None:
            self._inline.append("`")

    def finish(self) -> str:
        while self._tables:
            self._end_table()
        self._flush()
        if self._blocks and self._title and not any(block.startswith("# ") for block, _ in self._blocks):
            self._blocks.insert(0, (f"# {self._title}", False))
        out = [("\n" if tight else "\n\n") + block for block, tight in self._blocks]
        return "".join(out).lstrip("\n") + "\n" if out else ""

    def _start_block(self, name: str, rest: str) -> None:
        self._flush()
        if name in ("ul", "ol", "menu"):
            number = attributes(rest).get("start", "")
            self._lists.append(-1 if name != "ol" else int(number) if re.fullmatch("[0-9]{1,6}", number) else 1)
        elif name == "li":
            self._marker = self._next_marker()
        elif name == "blockquote":
            self._quotes += 1
        elif name == "hr":
            self._add("---")

    def _end_block(self, name: str) -> None:
        self._flush()
        if name in ("ul", "ol", "menu") and self._lists:
            self._lists.pop()
            self._in_items = self._in_items and bool(self._lists)
        elif name == "blockquote" and self._quotes:
            self._quotes -= 1
        elif name == "li":
            self._marker = ""

    def _next_marker(self) -> str:
        if not self._lists or self._lists[-1] < 0:
            return "- "
        self._lists[-1] += 1
        return f"{self._lists[-1] - 1}. "

    def _start_inline(self, name: str, rest: str) -> None:
        if name == "pre":
            self._flush()
            self._fence = _language(rest)
        elif name in ("code", "kbd", "samp"):
            if self._fence is None:
                self._inline.append("`")
            else:
                self._fence = self._fence or _language(rest)
        elif name == "br":
            self._inline.append("\n")
        elif name == "a":
            self._end_link()
            self._link = (attributes(rest).get("href", ""), len(self._inline))
        elif name == "img":
            self._inline.append(attributes(rest).get("alt", ""))

    def _end_link(self) -> None:
        href, since = self._link or ("", 0)
        self._link = None
        if not href or href.lower().startswith(("#", "javascript:", "data:")) or self._fence is not None:
            return
        raw = "".join(self._inline[since:])
        if raw.strip():
            lead = " " if raw[0].isspace() else ""
            self._inline[since:] = [f"{lead}[{raw.strip()}]({_SPACE.sub('%20', href.strip())})"]

    def _start_table_part(self, name: str) -> None:
        if name == "table":
            if self._tables:
                self._make_layout(self._tables[-1])
            self._flush()
            self._tables.append(_Table())
        elif self._tables:
            self._end_cell()
            self._tables[-1].in_cell = name != "tr"
            if name == "tr":
                self._tables[-1].rows.append([])

    def _end_cell(self) -> None:
        """Puts what was collected into the current row; in a layout table it is a block."""
        table = self._tables[-1] if self._tables else None
        if table is None or table.layout or self._fence is not None:
            self._flush()
            return
        cell = _SPACE.sub(" ", "".join(self._inline)).strip().replace("|", "\\|")
        self._drop_inline()
        if cell or table.in_cell:
            if not table.rows:
                table.rows.append([])
            table.rows[-1].append(cell)
        table.in_cell = False

    def _make_layout(self, table: _Table) -> None:
        self._end_cell()
        for cell in (cell for row in table.rows for cell in row if cell):
            self._add(cell)
        table.rows = []
        table.layout = True

    def _end_table(self) -> None:
        if not self._tables:
            return
        self._end_cell()
        lines = self._tables.pop().lines()
        if lines:
            self._add(lines)

    def _end_caption(self) -> None:
        caption = _SPACE.sub(" ", "".join(self._inline)).strip()
        self._drop_inline()
        if caption:
            self._add(caption)

    def _add(self, block: str, *, item: bool = False) -> None:
        """Puts a block; an item of a list stands close to the item before it."""
        self._blocks.append((block, item and self._in_items))
        self._in_items = item

    def _drop_inline(self) -> None:
        self._inline = []
        self._link = None

    def _flush(self) -> None:
        """Ends the block that was collected. Inside a table's cell a block is only a space."""
        if self._fence is not None:
            self._flush_code()
            return
        if self._tables and not self._tables[-1].layout:
            self._inline.append(" ")
            return
        raw = "".join(self._inline)
        self._drop_inline()
        lines = [line for line in (_SPACE.sub(" ", line).strip() for line in raw.split("\n")) if line]
        if lines:
            self._put(lines)
        self._heading = 0

    def _put(self, lines: list[str]) -> None:
        if self._heading:
            lines = [f"{'#' * self._heading} {' '.join(lines)}"]
        depth = min(len(self._lists), _INDENT_MAX)
        quote = "> " * min(self._quotes, _QUOTE_MAX)
        first = "  " * (depth - 1) + self._marker if self._marker and depth else self._marker or "  " * depth
        rest = " " * len(first)
        block = "\n".join(quote + (rest if n else first) + line for n, line in enumerate(lines))
        self._add(block, item=bool(self._marker))
        self._marker = ""

    def _flush_code(self) -> None:
        raw = "".join(self._inline).strip("\n")
        language, self._fence = self._fence or "", None
        self._drop_inline()
        if raw.strip():
            ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", raw)), default=0))
            self._add(f"{ticks}{language}\n{raw}\n{ticks}")


def _language(rest: str) -> str:
    found = _LANGUAGE.search(attributes(rest).get("class", ""))
    return found[1] if found else ""
