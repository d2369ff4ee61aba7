"""The pass over PowerShell and cmd text: a stack of frames, and what both languages read alike."""

from __future__ import annotations

from context_mode_runtime.shell.model import DEPTH_MAX, LIST, Frame, Redirect, Segment
from context_mode_runtime.shell.words import LITERAL, OPAQUE, OPAQUE_MAX, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from context_mode_runtime.shell.words import Part

    Handler = Callable[["Reader", Frame], None]


class Language:
    """One of the two: what a sign does, which signs end plain text, words that stand before a command, and hooks."""

    __slots__ = ("commands", "handlers", "in_quote", "skipped", "stops", "word")

    def __init__(
        self,
        handlers: dict[str, Handler],
        stops: str,
        skipped: frozenset[str],
        hooks: tuple[Handler, Callable[[Reader, Frame, Word], bool], Callable[[Reader, Frame], None]],
    ) -> None:
        """`hooks`: reads inside double quotes; takes a word and says whether it is done with; ends a command."""
        self.handlers = handlers
        self.stops = frozenset(stops)
        self.skipped = skipped
        self.in_quote, self.word, self.commands = hooks


class Reader:
    """The pass: a stack of frames, one for each open bracket, block or double quote.

    Up to `skip` the text is no commands, or has been taken already.
    """

    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self.size = len(text)
        self.pos = 0
        self.skip = 0
        self.language = language
        self.segments: list[Segment] = []
        self.incomplete = False
        self.stack = [Frame(LIST, 0, [], Segment(text, None, ""), 0)]

    def joins_lines(self) -> bool:
        """Steps over the escape sign at hand and the end of the line behind it; False when there is none."""
        for end in ("\r\n", "\n"):
            if self.text.startswith(end, self.pos + 1):
                self.pos += 1 + len(end)
                return True
        return False

    def run(self) -> None:
        """Reads to the end."""
        language = self.language
        while self.pos < self.size:
            frame = self.stack[-1]
            if frame.mode == "quote":
                language.in_quote(self, frame)
                continue
            handler = language.handlers.get(self.text[self.pos])
            if handler is None:
                self.plain(frame)
            else:
                handler(self, frame)
                self.pos = max(self.pos, self.skip)
        self.incomplete = self.incomplete or len(self.stack) > 1
        while self.stack:
            frame = self.stack[-1]
            self.end_segment(frame, "")
            self.stack.pop()

    def plain(self, frame: Frame) -> None:
        """Takes the character here and the plain ones behind it."""
        self.take(frame, self.language.stops, quoted=False)

    def take(self, frame: Frame, stops: Container[str], *, quoted: bool) -> None:
        """Takes the character here and those behind it up to one of `stops`."""
        end = self.pos + 1
        while end < self.size and self.text[end] not in stops:
            end += 1
        self.add(frame, self.text[self.pos : end], quoted=quoted)
        self.pos = end

    def add(self, frame: Frame, text: str, *, quoted: bool) -> None:
        """Adds plain text to the word."""
        self.part(frame, (LITERAL, text, quoted, None, None))

    def part(self, frame: Frame, part: Part) -> None:
        """Adds a part to the word."""
        if frame.word_start < 0:
            frame.word_start = self.pos
        frame.parts.append(part)

    def end_word(self, frame: Frame) -> None:
        """Closes the word in progress."""
        if frame.word_start < 0:
            return
        word = Word(frame.parts, frame.word_start)
        frame.parts, frame.word_start = [], -1
        segment = frame.segment
        if frame.expect:
            segment.add_redirect(Redirect(frame.fd, frame.expect, word))
            frame.expect = frame.fd = ""
            return
        if not segment.words and word.plain.lower() in self.language.skipped:
            frame.name = word.plain.lower()
            return
        if self.language.word(self, frame, word):
            return
        if segment.start < 0:
            segment.start = word.start
        segment.words.append(word)

    def end_segment(self, frame: Frame, operator: str) -> None:
        """Closes the simple command in progress."""
        self.end_word(frame)
        segment = frame.segment
        frame.name = frame.expect = frame.fd = ""
        if segment.empty():
            frame.first = False
            return
        segment.end = self.pos
        self.language.commands(self, frame)
        frame.first = False
        if isinstance(frame.pipe_from, Segment):
            segment.piped_from = frame.pipe_from
            frame.pipe_from.pipe_next = segment
        segment.piped = operator == "|"
        frame.pipe_from = segment if operator == "|" else None
        self.segments.append(segment)
        frame.cases += 1
        frame.segment = Segment(self.text, segment.parent, segment.capture)

    def enter(self, frame: Frame) -> None:
        """Puts a frame on the stack; too deep ends the pass."""
        self.stack.append(frame)
        if len(self.stack) > DEPTH_MAX:
            self.incomplete = True
            self.size = 0

    def push(self, frame: Frame, closer: str, capture: str) -> Frame:
        """Opens a list of commands that ends with `closer`; with `capture` it stands in a word of `frame`."""
        parent = frame.segment if capture else frame.segment.parent
        new = Frame(LIST, self.pos, [], Segment(self.text, parent, capture or frame.segment.capture), 0)
        new.closer = closer
        new.role = "word" if capture else ""
        self.enter(new)
        return new

    def pop(self, parts: list[Part] | None = None) -> None:
        """Closes the list on top of the stack; `parts` is what its value adds to the word it stands in."""
        frame = self.stack.pop()
        below = self.stack[-1]
        if frame.role != "word" and not parts:
            return
        if below.word_start < 0:
            below.word_start = frame.start
        text = self.text[frame.start : min(self.pos, frame.start + OPAQUE_MAX)]
        below.parts += parts or [(OPAQUE, text, below.mode == "quote", None, None)]


def blank(r: Reader, frame: Frame) -> None:
    """White space."""
    r.end_word(frame)
    r.pos += 1


def end(r: Reader, frame: Frame) -> None:
    """The end of a command."""
    r.end_segment(frame, ";")
    r.pos += 1


def nul(r: Reader, _frame: Frame) -> None:
    """A NUL, which no program sees."""
    r.pos += 1


def bar(r: Reader, frame: Frame) -> None:
    """`|` and `||`."""
    double = r.text.startswith("||", r.pos)
    r.end_segment(frame, ";" if double else "|")
    r.pos += 2 if double else 1


def close(r: Reader, frame: Frame) -> None:
    """A closing bracket."""
    r.end_segment(frame, "")
    closer = r.text[r.pos]
    r.pos += 1
    if frame.closer == closer and len(r.stack) > 1:
        r.pop()
    else:
        r.incomplete = True


def redirect(r: Reader, frame: Frame) -> None:
    """`<`, `>`, `>>`, with what stands for a descriptor in front."""
    fd = ""
    if len(frame.parts) == 1 and (frame.parts[0][1].isdigit() or frame.parts[0][1] == "*"):
        fd = frame.parts[0][1]
        frame.parts, frame.word_start = [], -1
    r.end_word(frame)
    operator = r.text[r.pos]
    if r.text.startswith(">>", r.pos):
        operator = ">>"
    r.pos += len(operator)
    if r.text.startswith("&", r.pos):
        operator += "&"
        r.pos += 1
    if frame.segment.start < 0:
        frame.segment.start = r.pos - len(operator)
    frame.fd, frame.expect = fd, operator


def double(r: Reader, frame: Frame) -> None:
    """Opens a double quote: a frame of its own that shares the word's parts."""
    open_quote(r, frame, '"')


def open_quote(r: Reader, frame: Frame, opener: str) -> Frame:
    """The same with any opener, whose last sign is the quote."""
    r.add(frame, "", quoted=True)
    quote = Frame(LIST, r.pos, frame.parts, frame.segment, 0)
    quote.mode = "quote"
    quote.word_start = r.pos
    r.enter(quote)
    r.pos += len(opener)
    return quote


def leave_quote(r: Reader, size: int) -> None:
    """Closes the double quote on top of the stack, whose closer has `size` signs."""
    frame = r.stack.pop()
    r.stack[-1].parts = frame.parts
    r.pos += size


COMMON: dict[str, Handler] = {
    " ": blank,
    "\t": blank,
    "\r": blank,
    "\0": nul,
    "\n": end,
    "|": bar,
    ")": close,
    "<": redirect,
    ">": redirect,
    '"': double,
}
