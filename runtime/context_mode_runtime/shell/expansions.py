"""Quotes and what `$`, a backtick and arithmetic brackets open."""

from __future__ import annotations

from context_mode_runtime.shell import compound
from context_mode_runtime.shell.model import LIST, PARAM, QUOTE, own
from context_mode_runtime.shell.words import OPAQUE, OPAQUE_MAX, VARIABLE, ansi_c, name_end, plain_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.shell.model import Frame
    from context_mode_runtime.shell.scan import Scanner

_QUOTE_STOPS = frozenset('"$`\\')
_PARAM_STOPS = frozenset("}'\"$`\\")
_ARITH_STOPS = frozenset("()\"'$`\\")
_SUBSCRIPT_MAX = 64
_SPECIAL = frozenset("@*#?$!-0123456789")


def quote_step(s: Scanner, frame: Frame) -> None:
    """One step inside `"..."` or an unquoted here-document."""
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


def param_step(s: Scanner, frame: Frame) -> None:
    """One step inside `${...}`."""
    c = s.text[s.pos]
    if c == "}":
        s.pos += 1
        s.stack.pop()
        below = s.stack[-1]
        raw = s.text[frame.start : min(s.pos, frame.start + OPAQUE_MAX)]
        s.part(below, (VARIABLE, raw, below.kind == QUOTE, plain_name(raw[2:-1]), None))
    elif c == "'" and below_kind(s) != QUOTE:
        single(s, frame)
    else:
        _common_step(s, frame, _PARAM_STOPS)


def below_kind(s: Scanner) -> int:
    """The kind of the frame under the top one."""
    return s.stack[-2].kind if len(s.stack) > 1 else LIST


def arith_step(s: Scanner, frame: Frame) -> None:
    """One step inside `((...))`: only substitutions run there."""
    c = s.text[s.pos]
    if c == "(":
        frame.depth += 1
        s.pos += 1
    elif c == "'" and "'" in s.text[s.pos + 1 : s.pos + OPAQUE_MAX]:
        single(s, frame)
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
        name: str | None = s.text[at + 1 : min(end, at + OPAQUE_MAX)]
        close = s.text.find("]", end, end + _SUBSCRIPT_MAX) if s.subscripts and s.text[end : end + 1] == "[" else -1
        if close > 0:
            end, name = close + 1, None
        s.part(frame, (VARIABLE, s.text[at : min(end, at + OPAQUE_MAX)], frame.kind == QUOTE, name, None))
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
    if owner.word_start < 0:
        owner.word_start = start
    found = s.inner("".join(pieces), owner.segment, compound.captured(owner))
    raw = text[start : min(at, start + OPAQUE_MAX)]
    s.part(frame, (OPAQUE, raw, frame.kind == QUOTE, None, own(found, 0, owner.segment)))
    s.pos = min(at, s.size)


def single(s: Scanner, frame: Frame) -> None:
    r"""`'...'`; in fish `\\'` and `\\\\` count inside."""
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
