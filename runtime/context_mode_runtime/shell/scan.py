"""One pass over shell text with an explicit stack: linear time, no recursion, never raises.

Reads bash, sh, zsh, dash and ksh; fish by the same code with other words. PowerShell and cmd: `windows.py`.
Quotes, `$'..'`, substitutions, here-documents (several on a line), `case`, `[[ ]]`, `(( ))`, arrays, functions and
groups are told apart; what a shell would refuse is read as far as it goes and marked incomplete.
"""

from __future__ import annotations

from context_mode_runtime.shell import brackets, compound
from context_mode_runtime.shell.expansions import arith_step, backtick, dollar, param_step, quote_step, single
from context_mode_runtime.shell.model import ARITH, DEPTH_MAX, LIST, PARAM, QUOTE, Frame, Group, Scan, Segment, own
from context_mode_runtime.shell.words import LITERAL, OPAQUE, OPAQUE_MAX, PROCESS, WINDOWS, escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.shell.words import Part

POSIX = ("bash", "sh", "zsh", "dash", "ksh")
_NEST_MAX = 20
_RETRIES = 4
_LIST_STOPS = frozenset(" \t\n\r\\'\"$`;&|()<>#\0")


def scan(text: str, dialect: str = "bash") -> Scan:
    """The segments of `text`. Unknown dialects are read as bash. Never raises; time is linear in the text's length."""
    if dialect in WINDOWS:
        from context_mode_runtime.shell import windows

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
        self.subscripts = dialect in ("fish", "zsh")
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
        pipe_from = owner.pipe_from if role == "sub" and not owner.function else None
        inside = Group(owner.inside, self.segments, owner.function, pipe_from) if role == "sub" else owner.inside
        new = Frame(LIST, start, [], Segment(self.text, parent, capture, inside), len(self.segments))
        new.role = role
        new.closer = ")"
        new.pipe_from = pipe_from
        self._enter(new)
        return new

    def close_list(self, frame: Frame) -> None:
        """Ends the command in progress and the list around it."""
        compound.end_segment(self, frame, "")
        self.pop_list()

    def pop_list(self) -> None:
        """Closes the list on top of the stack; `pos` stands behind its closer."""
        frame = self.stack.pop()
        below = self.stack[-1]
        owner = below.list
        if frame.pending:
            owner.pending = [*owner.pending, *frame.pending]
        if frame.role == "sub":
            group = frame.inside
            owner.function = ""
            if group is not None:
                group.close(owner.segment)
            owner.last_group = group
            return
        raw = self.text[frame.start : min(self.pos, frame.start + OPAQUE_MAX)]
        kind = PROCESS if frame.role == "proc" else OPAQUE
        self.part(below, (kind, raw, below.kind == QUOTE, None, own(self.segments, frame.mark, owner.segment)))


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


def _double(s: Scanner, frame: Frame) -> None:
    s.push(QUOTE, frame, s.pos).closer = '"'
    s.pos += 1


def _backslash(s: Scanner, frame: Frame) -> None:
    follow = s.text[s.pos + 1 : s.pos + 2]
    if follow == "\n":
        s.pos += 2
    elif s.text.startswith("\r\n", s.pos + 1):
        s.pos += 3
    elif s.fish and follow and follow in "xXuU01234567":
        piece, s.pos = escape(s.text, s.pos + 1)
        s.literal(frame, piece, quoted=True)
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
    QUOTE: quote_step,
    PARAM: param_step,
    ARITH: arith_step,
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
    "(": brackets.open_bracket,
    ")": brackets.close_bracket,
    "<": compound.redirect,
    ">": compound.redirect,
    "`": backtick,
}
