"""One pass over shell text with an explicit stack: linear time, no recursion, never raises.

Reads bash, sh, zsh, dash and ksh; fish by the same code with other words. PowerShell and cmd: `windows.py`.
Quotes, `$'..'`, substitutions, here-documents (several on a line), `case`, `[[ ]]`, `(( ))`, arrays, functions and
groups are told apart; what a shell would refuse is read as far as it goes and marked incomplete.
"""

from __future__ import annotations

from context_mode_runtime.shell import compound, windows
from context_mode_runtime.shell.model import ARITH, DEPTH_MAX, LIST, PARAM, QUOTE, Frame, Scan, Segment
from context_mode_runtime.shell.words import LITERAL, OPAQUE, OPAQUE_MAX, VARIABLE, ansi_c, name_end, parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.shell.words import Part

POSIX = ("bash", "sh", "zsh", "dash", "ksh")
_NEST_MAX = 20
_RETRIES = 4
_LIST_STOPS = frozenset(" \t\n\r\\'\"$`;&|()<>#\0")
_QUOTE_STOPS = frozenset('"$`\\')
_PARAM_STOPS = frozenset("}'\"$`\\")
_ARITH_STOPS = frozenset("()\"'$`\\")
_SPECIAL = frozenset("@*#?$!-0123456789")


def scan(text: str, dialect: str = "bash") -> Scan:
    """The segments of `text`. Unknown dialects are read as bash. Never raises; time is linear in the text's length."""
    if dialect in ("powershell", "pwsh", "cmd"):
        return windows.scan_windows(text, dialect)
    scanner = Scanner(text, dialect, 0)
    scanner.run()
    result = Scan()
    result.segments = scanner.segments
    result.incomplete = scanner.incomplete
    return result


class Scanner:
    """The state of one pass: the text, where it stands, the stack of frames, and the segments so far."""

    def __init__(self, text: str, dialect: str, nest: int, body_of: Segment | None = None) -> None:
        """`nest` counts scans inside scans; with `body_of` the text is that of its unquoted here-document."""
        self.text = text
        self.size = len(text)
        self.pos = 0
        self.dialect = dialect
        self.fish = dialect == "fish"
        self.nest = nest
        self.segments: list[Segment] = []
        self.marks: list[tuple[int, int, str]] = []
        self.incomplete = False
        self.retries = _RETRIES
        self.body = body_of is not None
        top = Frame(LIST, 0, [], body_of or Segment(text, None, ""), 0)
        self.stack = [top]
        if self.body:
            quote = Frame(QUOTE, 0, top.parts, top.segment, 0)
            quote.list = top
            self.stack.append(quote)

    def run(self) -> None:
        """Reads to the end and closes what is open."""
        steps = _STEPS
        while self.pos < self.size:
            frame = self.stack[-1]
            steps[frame.kind](self, frame)
        if len(self.stack) > (2 if self.body else 1):
            self.incomplete = True
        while self.stack:
            frame = self.stack[-1]
            if frame.kind == LIST and not (self.body and len(self.stack) == 1):
                compound.end_segment(self, frame, "")
                self.incomplete = self.incomplete or bool(frame.pending)
            if self.stack[-1] is frame:
                self.stack.pop()
        self._spread_marks()

    def _spread_marks(self) -> None:
        """Tells the segments of a group that the group is piped on or redirected; one pass for all groups."""
        if not self.marks:
            return
        for kind in ("pipe", "file"):
            steps = [0] * (len(self.segments) + 1)
            for start, end, what in self.marks:
                if what == kind:
                    steps[start] += 1
                    steps[end] -= 1
            depth = 0
            for segment, step in zip(self.segments, steps, strict=False):
                depth += step
                if depth:
                    segment.group_out = kind

    def inner(self, text: str, parent: Segment, capture: str, *, body: bool = False) -> list[Segment]:
        """Scans `text`, which stands inside this one, and adds its segments."""
        if not text:
            return []
        if self.nest >= _NEST_MAX:
            self.incomplete = True
            return []
        scanner = Scanner(text, self.dialect, self.nest + 1, parent if body else None)
        scanner.run()
        for segment in scanner.segments:
            if segment.parent is None:
                segment.parent, segment.capture = parent, capture
        self.incomplete = self.incomplete or (scanner.incomplete and not body)
        self.segments += scanner.segments
        return scanner.segments

    def literal(self, frame: Frame, text: str, *, quoted: bool) -> None:
        """Adds plain text to the word."""
        if frame.kind == LIST and frame.word_start < 0:
            frame.word_start = self.pos
        parts = frame.parts
        if parts and parts[-1][0] == LITERAL and parts[-1][2] == quoted and len(parts[-1][1]) < OPAQUE_MAX:
            text = parts.pop()[1] + text
        parts.append((LITERAL, text, quoted, None, None))

    def part(self, frame: Frame, part: Part) -> None:
        """Adds an expansion to the word."""
        if frame.kind == LIST and frame.word_start < 0:
            frame.word_start = self.pos
        frame.parts.append(part)

    def push(self, kind: int, frame: Frame, start: int, role: str = "arg") -> Frame:
        """Opens a frame above `frame`, which starts at `start`."""
        parts = frame.parts if kind == QUOTE else []
        owner = frame.list
        if owner.word_start < 0 and role != "sub":
            owner.word_start = start
        new = Frame(kind, start, parts, owner.segment, len(self.segments))
        new.list = owner
        new.role = role
        self._enter(new)
        return new

    def _enter(self, frame: Frame) -> None:
        self.stack.append(frame)
        if len(self.stack) > DEPTH_MAX:
            self.incomplete = True
            self.size = 0

    def open_arith(self, frame: Frame, start: int, role: str) -> None:
        """Opens `((`; `start` is where the whole expansion begins, `pos` where its two brackets do."""
        if self.retries > 0:
            self.push(ARITH, frame, start, role)
            self.pos += 2
            return
        self.incomplete = True
        self.push_list(frame, start, role)
        self.pos += 1

    def push_list(self, frame: Frame, start: int, role: str) -> Frame:
        """Opens a list of commands: `role` is `sub` (a group in brackets), `arg`, or `proc`."""
        owner = frame.list
        if role != "sub" and owner.word_start < 0:
            owner.word_start = start
        capture, parent = "", owner.segment.parent
        if role != "sub":
            parent = owner.segment
            capture = "proc" if role == "proc" else compound.captured(owner)
        else:
            capture = owner.segment.capture
        pipe_from = owner.pipe_from if role == "sub" else None
        new = Frame(LIST, start, [], Segment(self.text, parent, capture), len(self.segments))
        new.role = role
        new.closer = ")"
        new.pipe_from = pipe_from
        self._enter(new)
        return new

    def pop_list(self) -> None:
        """Closes the list on top of the stack; `pos` stands behind its closer."""
        frame = self.stack.pop()
        below = self.stack[-1]
        owner = below.list
        if frame.pending:
            owner.pending = [*owner.pending, *frame.pending]
        if frame.role == "sub":
            owner.last_group = (frame.mark, len(self.segments))
            return
        raw = self.text[frame.start : min(self.pos, frame.start + OPAQUE_MAX)]
        value = compound.echoed(self.segments[frame.mark :]) if len(self.segments) - frame.mark == 1 else None
        self.part(below, (OPAQUE, raw, below.kind == QUOTE, None, value))


def _list_step(s: Scanner, frame: Frame) -> None:
    text, at = s.text, s.pos
    handler = _LIST_CHARS.get(text[at])
    if handler is not None:
        handler(s, frame)
        return
    end = at + 1
    size, stops = s.size, _LIST_STOPS
    while end < size and text[end] not in stops:
        end += 1
    s.literal(frame, text[at:end], quoted=False)
    s.pos = end


def _quote_step(s: Scanner, frame: Frame) -> None:
    text, at = s.text, s.pos
    c = text[at]
    if c == '"' and frame.closer:
        s.stack.pop()
        s.pos += 1
        below = s.stack[-1]
        if below.kind == LIST:
            s.literal(below, "", quoted=True)
    elif c == "$":
        dollar(s, frame)
    elif c == "`" and not s.fish:
        backtick(s, frame)
    elif c == "\\":
        follow = text[at + 1 : at + 2]
        if follow != "\n":
            s.literal(frame, follow if follow and follow in '$`"\\' else c + follow, quoted=True)
        s.pos += 2
    else:
        _run(s, frame, _QUOTE_STOPS, quoted=True)


def _run(s: Scanner, frame: Frame, stops: frozenset[str], *, quoted: bool) -> None:
    """Takes the character here and the plain ones behind it."""
    text, size, end = s.text, s.size, s.pos + 1
    while end < size and text[end] not in stops:
        end += 1
    s.literal(frame, text[s.pos : end], quoted=quoted)
    s.pos = end


def _param_step(s: Scanner, frame: Frame) -> None:
    c = s.text[s.pos]
    if c == "}":
        s.pos += 1
        s.stack.pop()
        below = s.stack[-1]
        raw = s.text[frame.start : min(s.pos, frame.start + OPAQUE_MAX)]
        name, default = parameter(raw[2:-1])
        s.part(below, (VARIABLE, raw, below.kind == QUOTE, name, default))
    elif c == "'" and below_kind(s) != QUOTE:
        single(s, frame)
    else:
        _common_step(s, frame, _PARAM_STOPS)


def below_kind(s: Scanner) -> int:
    """The kind of the frame under the top one."""
    return s.stack[-2].kind if len(s.stack) > 1 else LIST


def _common_step(s: Scanner, frame: Frame, stops: frozenset[str]) -> None:
    c = s.text[s.pos]
    if c == '"':
        s.push(QUOTE, frame, s.pos).closer = '"'
        s.pos += 1
    elif c == "$":
        dollar(s, frame)
    elif c == "`":
        backtick(s, frame)
    elif c == "\\":
        s.pos += 2
    else:
        _run(s, frame, stops, quoted=False)


def _arith_step(s: Scanner, frame: Frame) -> None:
    c = s.text[s.pos]
    if c == "(":
        frame.depth += 1
        s.pos += 1
    elif c != ")":
        _common_step(s, frame, _ARITH_STOPS)
    elif frame.depth:
        frame.depth -= 1
        s.pos += 1
    elif s.text[s.pos + 1 : s.pos + 2] == ")":
        s.pos += 2
        s.stack.pop()
        if frame.role != "sub":
            below = s.stack[-1]
            raw = s.text[frame.start : min(s.pos, frame.start + OPAQUE_MAX)]
            s.part(below, (OPAQUE, raw, below.kind == QUOTE, None, None))
    else:
        _not_arith(s, frame)


def _not_arith(s: Scanner, frame: Frame) -> None:
    """`((` closed by a single `)`: it was a list in a list. Reads it again as one."""
    s.retries -= 1
    s.stack.pop()
    del s.segments[frame.mark :]
    s.pos = frame.start + (1 if frame.role == "sub" else 2)
    s.push_list(s.stack[-1], frame.start, frame.role)
    s.push_list(s.stack[-1], s.pos, "sub")
    s.pos += 1


def dollar(s: Scanner, frame: Frame) -> None:
    """`$` and what it opens."""
    text, at = s.text, s.pos
    c = text[at + 1 : at + 2]
    if c == "(":
        s.pos += 1
        if text[at + 2 : at + 3] == "(" and not s.fish:
            s.open_arith(frame, at, "arg")
        else:
            s.push_list(frame, at, "arg")
            s.pos += 1
    elif c == "{":
        _open_brace(s, frame)
    elif c == "'" and frame.kind != QUOTE and not s.fish:
        word, end = ansi_c(text, at + 2)
        s.incomplete = s.incomplete or end > s.size
        s.literal(frame, word, quoted=True)
        s.pos = min(end, s.size)
    elif c == '"' and frame.kind != QUOTE:
        s.pos += 1
    else:
        _variable(s, frame, c)


def _open_brace(s: Scanner, frame: Frame) -> None:
    """`${name}`, or `${ commands; }` (bash 5.3, ksh, zsh)."""
    at = s.pos
    if s.text[at + 2 : at + 3] in (" ", "\t", "\n", "|"):
        s.push_list(frame, at, "arg").closer = "}"
        s.pos += 3
    else:
        s.push(PARAM, frame, at)
        s.pos += 2


def _variable(s: Scanner, frame: Frame, c: str) -> None:
    at = s.pos
    end = at + 2 if c and c in _SPECIAL else name_end(s.text, at + 1)
    if end == at + 1:
        s.literal(frame, "$", quoted=frame.kind == QUOTE)
    else:
        raw = s.text[at : min(end, at + OPAQUE_MAX)]
        s.part(frame, (VARIABLE, raw, frame.kind == QUOTE, raw[1:], None))
    s.pos = end


def backtick(s: Scanner, frame: Frame) -> None:
    """`` `...` ``: finds its end, takes one level of backslashes off and scans the body."""
    text, start = s.text, s.pos
    pieces: list[str] = []
    at = start + 1
    closed = False
    while at < s.size and not closed:
        stop = at
        while stop < s.size and text[stop] not in "`\\":
            stop += 1
        pieces.append(text[at:stop])
        closed = text[stop : stop + 1] == "`"
        if not closed and stop < s.size:
            follow = text[stop + 1 : stop + 2]
            special = follow and (follow in "$`\\" or (follow == '"' and frame.kind == QUOTE))
            pieces.append(follow if special else "\\" + follow)
            stop += 1
        at = stop + 1
    s.incomplete = s.incomplete or not closed
    owner = frame.list
    s.part(frame, (OPAQUE, text[start : min(at, start + OPAQUE_MAX)], frame.kind == QUOTE, None, None))
    if owner.word_start < 0:
        owner.word_start = start
    found = s.inner("".join(pieces), owner.segment, compound.captured(owner))
    if len(found) == 1:
        frame.parts[-1] = (*frame.parts[-1][:4], compound.echoed(found))
    s.pos = min(at, s.size)


def single(s: Scanner, frame: Frame) -> None:
    """`'...'`; in fish `\\'` and `\\\\` count inside."""
    end = s.text.find("'", s.pos + 1)
    if s.fish:
        end = s.pos + 1
        while end < s.size and s.text[end] != "'":
            end += 2 if s.text[end] == "\\" else 1
        end = end if end < s.size else -1
    if end < 0:
        s.incomplete = True
        end = s.size
    body = s.text[s.pos + 1 : end]
    if s.fish:
        body = body.replace("\\'", "'").replace("\\\\", "\\")
    s.literal(frame, body, quoted=True)
    s.pos = min(end + 1, s.size)


def _double(s: Scanner, frame: Frame) -> None:
    s.push(QUOTE, frame, s.pos).closer = '"'
    s.pos += 1


def _backslash(s: Scanner, frame: Frame) -> None:
    follow = s.text[s.pos + 1 : s.pos + 2]
    if follow == "\n":
        s.pos += 2
    elif s.text.startswith("\r\n", s.pos + 1):
        s.pos += 3
    else:
        s.incomplete = s.incomplete or not follow
        s.literal(frame, follow, quoted=True)
        s.pos += 2


def _blank(s: Scanner, frame: Frame) -> None:
    compound.end_word(s, frame)
    if s.stack[-1] is not frame:
        return
    text, size, end = s.text, s.size, s.pos + 1
    while end < size and text[end] in " \t":
        end += 1
    s.pos = end


def _return(s: Scanner, frame: Frame) -> None:
    if s.text.startswith("\n", s.pos + 1):
        compound.end_word(s, frame)
        if s.stack[-1] is not frame:
            return
    else:
        s.literal(frame, "\r", quoted=False)
    s.pos += 1


def _hash(s: Scanner, frame: Frame) -> None:
    if frame.word_start >= 0:
        s.literal(frame, "#", quoted=False)
        s.pos += 1
        return
    end = s.text.find("\n", s.pos)
    s.pos = end if end >= 0 else s.size


def _nul(s: Scanner, _frame: Frame) -> None:
    s.pos += 1


_STEPS: dict[int, Callable[[Scanner, Frame], None]] = {
    LIST: _list_step,
    QUOTE: _quote_step,
    PARAM: _param_step,
    ARITH: _arith_step,
}
_LIST_CHARS: dict[str, Callable[[Scanner, Frame], None]] = {
    " ": _blank,
    "\t": _blank,
    "\r": _return,
    "\0": _nul,
    "\\": _backslash,
    "'": single,
    '"': _double,
    "$": dollar,
    "#": _hash,
    "\n": compound.newline,
    ";": compound.semicolon,
    "&": compound.ampersand,
    "|": compound.bar,
    "(": compound.open_bracket,
    ")": compound.close_bracket,
    "<": compound.redirect,
    ">": compound.redirect,
    "`": backtick,
}
