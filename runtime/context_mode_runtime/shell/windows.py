"""The same pass for PowerShell and cmd: other quotes, other separators, blocks in braces."""

from __future__ import annotations

from context_mode_runtime.shell.model import DEPTH_MAX, LIST, Frame, Redirect, Scan, Segment
from context_mode_runtime.shell.windows_heads import take_assignment, take_condition
from context_mode_runtime.shell.words import LITERAL, OPAQUE, OPAQUE_MAX, VARIABLE, Word, name_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_POWERSHELL_SKIP = frozenset(
    (
        *("if", "elseif", "else", "while", "for", "foreach", "switch", "try", "catch", "finally", "do", "until"),
        *("return", "throw", "begin", "process", "end", "&", ".", "!", "-not", "in"),
    )
)
_CMD_SKIP = frozenset(("else", "do", "@", "call"))
_PLAIN_STOPS = {
    "powershell": frozenset(" \t\n\r'\"`$@;|&(){}<>#\0,"),
    "cmd": frozenset(' \t\n\r"^%&|()<>@\0'),
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_CLOSERS = {"(": ")", "{": "}"}


def scan_windows(text: str, dialect: str) -> Scan:
    """The segments of PowerShell or cmd text. Never raises; linear."""
    reader = _Reader(text, "cmd" if dialect == "cmd" else "powershell")
    reader.run()
    result = Scan()
    result.segments = reader.segments
    result.incomplete = reader.incomplete
    return result


class _Reader:
    """The pass: a stack of frames, one for each open bracket, block or double quote with a substitution in it."""

    def __init__(self, text: str, dialect: str) -> None:
        self.text = text
        self.size = len(text)
        self.pos = 0
        self.dialect = dialect
        self.segments: list[Segment] = []
        self.incomplete = False
        self.stack = [Frame(LIST, 0, [], Segment(text, None, ""), 0)]
        self.handlers = _POWERSHELL if dialect == "powershell" else _CMD
        self.stops = _PLAIN_STOPS[dialect]

    def run(self) -> None:
        """Reads to the end."""
        while self.pos < self.size:
            frame = self.stack[-1]
            if frame.mode == "quote":
                _in_quote(self, frame)
                continue
            handler = self.handlers.get(self.text[self.pos])
            if handler is None:
                self.plain(frame)
            else:
                handler(self, frame)
        self.incomplete = self.incomplete or len(self.stack) > 1
        while self.stack:
            self.end_segment(self.stack[-1], "")
            self.stack.pop()

    def plain(self, frame: Frame) -> None:
        """Takes the character here and the plain ones behind it."""
        end = self.pos + 1
        while end < self.size and self.text[end] not in self.stops:
            end += 1
        self.add(frame, self.text[self.pos : end], quoted=False)
        self.pos = end

    def add(self, frame: Frame, text: str, *, quoted: bool) -> None:
        """Adds plain text to the word."""
        if frame.word_start < 0:
            frame.word_start = self.pos
        frame.parts.append((LITERAL, text, quoted, None, None))

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
        if not segment.words and self.skipped(word):
            return
        if segment.start < 0:
            segment.start = word.start
        segment.words.append(word)

    def skipped(self, word: Word) -> bool:
        """A word that stands before a command and is none."""
        return word.plain.lower() in (_POWERSHELL_SKIP if self.dialect == "powershell" else _CMD_SKIP)

    def end_segment(self, frame: Frame, operator: str) -> None:
        """Closes the simple command in progress."""
        self.end_word(frame)
        segment = frame.segment
        if segment.empty():
            return
        segment.end = self.pos
        if self.dialect == "powershell":
            take_assignment(segment)
        else:
            take_condition(segment)
        if frame.pipe_from is not None:
            segment.piped_from = frame.pipe_from
            frame.pipe_from.pipe_next = segment
        segment.piped = operator == "|"
        frame.pipe_from = segment if operator == "|" else None
        self.segments.append(segment)
        frame.segment = Segment(self.text, segment.parent, segment.capture)

    def enter(self, frame: Frame) -> None:
        """Puts a frame on the stack; too deep ends the pass."""
        self.stack.append(frame)
        if len(self.stack) > DEPTH_MAX:
            self.incomplete = True
            self.size = 0

    def push(self, frame: Frame, closer: str, capture: str) -> None:
        """Opens a list of commands that ends with `closer`."""
        parent = frame.segment if capture else frame.segment.parent
        new = Frame(LIST, self.pos, [], Segment(self.text, parent, capture or frame.segment.capture), 0)
        new.closer = closer
        new.role = "word" if capture else ""
        self.enter(new)

    def pop(self) -> None:
        """Closes the list on top of the stack."""
        frame = self.stack.pop()
        below = self.stack[-1]
        if frame.closer == ")" and frame.role == "word":
            if below.word_start < 0:
                below.word_start = frame.start
            text = self.text[frame.start : min(self.pos, frame.start + OPAQUE_MAX)]
            below.parts.append((OPAQUE, text, below.mode == "quote", None, None))


def _blank(r: _Reader, frame: Frame) -> None:
    r.end_word(frame)
    r.pos += 1


def _end(r: _Reader, frame: Frame) -> None:
    r.end_segment(frame, ";")
    r.pos += 1


def _nul(r: _Reader, _frame: Frame) -> None:
    r.pos += 1


def _bar(r: _Reader, frame: Frame) -> None:
    double = r.text.startswith("||", r.pos)
    r.end_segment(frame, ";" if double else "|")
    r.pos += 2 if double else 1


def _ampersand(r: _Reader, frame: Frame) -> None:
    if (
        r.dialect == "powershell"
        and frame.word_start < 0
        and not frame.segment.words
        and r.text[r.pos + 1 : r.pos + 2] != "&"
    ):
        r.pos += 1
        return
    r.end_segment(frame, ";")
    r.pos += 1


def _open(r: _Reader, frame: Frame) -> None:
    c = r.text[r.pos]
    glued = frame.word_start >= 0 or bool(frame.segment.words)
    capture = "assign" if _is_assignment(frame) else "arg"
    r.push(frame, _CLOSERS[c], capture if c == "(" and glued and r.dialect == "powershell" else "")
    r.pos += 1


def _is_assignment(frame: Frame) -> bool:
    words = frame.segment.words
    return words[2:] == [] and [word.plain for word in words[1:]] in (["="], ["+="])


def _close(r: _Reader, frame: Frame) -> None:
    r.end_segment(frame, "")
    closer = r.text[r.pos]
    r.pos += 1
    if frame.closer == closer and len(r.stack) > 1:
        r.pop()
    else:
        r.incomplete = True


def _redirect(r: _Reader, frame: Frame) -> None:
    if r.text.startswith("<#", r.pos) and r.dialect == "powershell":
        end = r.text.find("#>", r.pos)
        r.pos = end + 2 if end >= 0 else r.size
        return
    fd = ""
    if frame.parts and len(frame.parts) == 1 and (frame.parts[0][1].isdigit() or frame.parts[0][1] == "*"):
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


def _hash(r: _Reader, frame: Frame) -> None:
    if frame.word_start >= 0:
        r.plain(frame)
        return
    end = r.text.find("\n", r.pos)
    r.pos = end if end >= 0 else r.size


def _single(r: _Reader, frame: Frame) -> None:
    pieces: list[str] = []
    at = r.pos + 1
    while True:
        end = r.text.find("'", at)
        if end < 0:
            r.incomplete = True
            end = r.size
        pieces.append(r.text[at:end])
        at = end + 1
        if r.text[at : at + 1] != "'":
            break
        at += 1
    r.add(frame, "'".join(pieces), quoted=True)
    r.pos = min(at, r.size)


def _double(r: _Reader, frame: Frame) -> None:
    """Opens a double quote: a frame of its own that shares the word's parts."""
    r.add(frame, "", quoted=True)
    quote = Frame(LIST, r.pos, frame.parts, frame.segment, 0)
    quote.mode = "quote"
    quote.word_start = r.pos
    r.enter(quote)
    r.pos += 1


def _in_quote(r: _Reader, frame: Frame) -> None:
    text, at = r.text, r.pos
    c = text[at]
    escape = "`" if r.dialect == "powershell" else "\0"
    if c == '"' and text[at + 1 : at + 2] == '"' and r.dialect == "powershell":
        r.add(frame, '"', quoted=True)
        r.pos += 2
    elif c == '"':
        _leave_quote(r)
    elif c == "$" and r.dialect == "powershell":
        _dollar(r, frame)
    elif c == "%" and r.dialect == "cmd":
        _percent(r, frame)
    elif c == escape:
        _escape(r, frame)
    else:
        end = at + 1
        while end < r.size and text[end] not in '"$`%':
            end += 1
        r.add(frame, text[at:end], quoted=True)
        r.pos = end


def _leave_quote(r: _Reader) -> None:
    frame = r.stack.pop()
    below = r.stack[-1]
    below.parts = frame.parts
    r.pos += 1


def _escape(r: _Reader, frame: Frame) -> None:
    follow = r.text[r.pos + 1 : r.pos + 2]
    if r.text.startswith("\r\n", r.pos + 1):
        r.pos += 3
        return
    if follow != "\n":
        r.add(frame, _ESCAPES.get(follow, follow) if r.dialect == "powershell" else follow, quoted=True)
    r.pos += 2


def _dollar(r: _Reader, frame: Frame) -> None:
    at = r.pos
    follow = r.text[at + 1 : at + 2]
    if follow == "(":
        r.pos += 1
        r.push(frame, ")", "assign" if _is_assignment(frame) else "arg")
        r.pos += 1
        return
    if follow == "{":
        end = r.text.find("}", at, at + OPAQUE_MAX)
        end = end + 1 if end >= 0 else min(at + 2, r.size)
        name = r.text[at + 2 : end - 1]
    else:
        end = name_end(r.text, at + 1)
        if r.text[at + 1 : end].lower() == "env" and r.text[end : end + 1] == ":":
            end = name_end(r.text, end + 1)
        name = r.text[at + 1 : end]
    if not name:
        r.add(frame, "$", quoted=frame.mode == "quote")
        r.pos += 1
        return
    if frame.word_start < 0:
        frame.word_start = at
    frame.parts.append((VARIABLE, r.text[at:end][:OPAQUE_MAX], frame.mode == "quote", name, None))
    r.pos = end


def _at(r: _Reader, frame: Frame) -> None:
    """`@'` and `@"` open here-strings, `@(` and `@{` lists; elsewhere a plain sign."""
    for quote in ("'", '"'):
        if r.text.startswith("@" + quote, r.pos):
            end = r.text.find("\n" + quote + "@", r.pos)
            r.incomplete = r.incomplete or end < 0
            end = r.size if end < 0 else end
            r.add(frame, r.text[r.pos + 2 : end].lstrip("\r\n"), quoted=True)
            r.pos = min(end + 3, r.size)
            return
    if r.text[r.pos + 1 : r.pos + 2] in ("(", "{"):
        r.pos += 1
        return
    r.plain(frame)


def _cmd_at(r: _Reader, frame: Frame) -> None:
    if frame.word_start < 0 and not frame.segment.words:
        r.pos += 1
    else:
        r.plain(frame)


def _comma(r: _Reader, frame: Frame) -> None:
    r.add(frame, ",", quoted=False)
    r.pos += 1


def _percent(r: _Reader, frame: Frame) -> None:
    end = r.text.find("%", r.pos + 1, r.pos + 1 + 64)
    name = r.text[r.pos + 1 : end] if end > 0 else ""
    if not name or any(c in " \t\n&|<>" for c in name):
        r.add(frame, "%", quoted=frame.mode == "quote")
        r.pos += 1
        return
    if frame.word_start < 0:
        frame.word_start = r.pos
    frame.parts.append((VARIABLE, r.text[r.pos : end + 1], frame.mode == "quote", name.lower(), None))
    r.pos = end + 1


_COMMON: dict[str, Callable[[_Reader, Frame], None]] = {
    " ": _blank,
    "\t": _blank,
    "\r": _blank,
    "\0": _nul,
    "\n": _end,
    "|": _bar,
    "&": _ampersand,
    "(": _open,
    ")": _close,
    "<": _redirect,
    ">": _redirect,
    '"': _double,
}
_POWERSHELL = {
    **_COMMON,
    ";": _end,
    "'": _single,
    "`": _escape,
    "$": _dollar,
    "@": _at,
    "{": _open,
    "}": _close,
    "#": _hash,
    ",": _comma,
}
_CMD = {**_COMMON, "^": _escape, "%": _percent, "@": _cmd_at}
