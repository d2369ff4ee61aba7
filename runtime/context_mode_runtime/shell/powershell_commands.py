"""What one command of PowerShell is: an assignment, an expression, an entry of a table, or a command."""

from __future__ import annotations

from context_mode_runtime.shell.powershell_values import text_part, values_of
from context_mode_runtime.shell.words import LITERAL, VARIABLE, Word, plain_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.shell.model import Frame, Segment
    from context_mode_runtime.shell.windows_reader import Reader

_ECHO = "Write-Output"
"""What an expression that stands alone does."""
_SIGNS = ("+=", "??=", "=")
_SETTERS = frozenset(("set-variable", "sv", "new-variable", "nv"))


def take_word(r: Reader, frame: Frame, word: Word) -> bool:
    """`--%`: the rest of the line is taken as it stands. `$x=y` are three words."""
    if word.plain != "--%" or not frame.segment.words:
        return _split_assignment(frame, word)
    stop = min((at for at in (r.text.find(c, r.pos) for c in "\n|") if at >= 0), default=r.size)
    for piece in r.text[r.pos : stop].split():
        frame.segment.words.append(Word([text_part(piece.strip('"'))], r.pos))
    r.skip = stop
    return True


def _split_assignment(frame: Frame, word: Word) -> bool:
    words = frame.segment.words
    at = next((n for n, part in enumerate(word.parts) if part[0] == VARIABLE), -1) + 1 if not words else 0
    second = len(words) == 1 and words[0].parts[-1][0] == VARIABLE
    if not (at or second) or at >= len(word.parts):
        return False
    kind, text, quoted, _, _ = word.parts[at]
    sign = next((one for one in _SIGNS if text.startswith(one)), "")
    if kind != LITERAL or quoted or not sign or (text == sign and at == 0 and len(word.parts) == 1):
        return False
    frame.segment.start = word.start if frame.segment.start < 0 else frame.segment.start
    rest = [*([(LITERAL, text[len(sign) :], False, None, None)] if text != sign else []), *word.parts[at + 1 :]]
    words += [Word(word.parts[:at], word.start)] if at else []
    words += [plain_word(sign, word.start), *([Word(rest, word.start)] if rest else [])]
    return True


def take_command(r: Reader, frame: Frame) -> None:
    """Assignments are remembered; an expression that stands alone is printed."""
    segment = frame.segment
    words = segment.words
    if not words:
        return
    first = words[0]
    if frame.role == "hash":
        _take_pair(segment)
    elif len(words) > 1 and words[1].plain.lower() == "in":
        _assign(segment, first, values_of(words[2:]) or words[2:])
        segment.words = []
    elif _take_assignment(segment):
        return
    elif first.text.lower() in _SETTERS:
        rest = [word for word in words[1:] if not word.plain.startswith("-")]
        if rest[1:]:
            segment.add_assign(rest[0].text.lower(), rest[-1])
    elif words[2:] and words[1].plain == "=" and "." in first.text:
        segment.words = [plain_word("." + first.text.rpartition(".")[2].lower(), first.start), *words[2:]]
    elif not frame.first and is_expression(first):
        values = values_of(words)
        _pipeline(r, frame, values or [])
        segment.words = [plain_word(_ECHO, first.start), *(values or words)]


def _take_pair(segment: Segment) -> None:
    """`FilePath = 'x'` of a table: a command `@filepath`, since a call may get it as an argument."""
    words = segment.words
    key, cut, rest = words[0].parts[0][1].partition("=")
    glued = [*([text_part(rest)] if rest else []), *words[0].parts[1:]] if cut else []
    values = [Word(glued, words[0].start)] if glued else []
    values += [word for word in words[1:] if word.plain != "="]
    known = values_of(values)
    if known is None and values and not is_expression(values[0]):
        segment.words = values
        return
    segment.start = -1
    segment.words = [plain_word("@" + key.strip().lower(), words[0].start), *(known or values)]


def is_expression(word: Word) -> bool:
    """A word that is a value, not the name of a command."""
    kind, text, quoted, _, _ = word.parts[0]
    return kind == VARIABLE or quoted or text[:1].isdigit() or text.lower().startswith(("[char]", "-join", "@"))


def _pipeline(r: Reader, frame: Frame, values: list[Word]) -> None:
    """`'rm', 'ls' | % { & $_ x }`: what is piped on is `$_` there."""
    if r.text[r.pos : r.pos + 1] == "|":
        for value in values:
            frame.segment.add_assign("_", value)


def _take_assignment(segment: Segment) -> bool:
    """`$x = ...`: the value is known when it is an expression of literals; a command that stands there runs."""
    words = segment.words
    sign = next((at for at, word in enumerate(words[:3]) if word.plain in _SIGNS), 0)
    if not sign or words[sign - 1].parts[-1][0] != VARIABLE or sign + 1 >= len(words):
        return False
    values = words[sign + 1 :]
    known = values_of(values)
    if known is not None and words[sign].plain == "+=":
        known = [Word([*words[sign - 1].parts[-1:], *known[0].parts], values[0].start)]
    if known is not None:
        _assign(segment, words[sign - 1], known)
    segment.words = [] if known is not None else values
    segment.capture = segment.capture or "assign"
    return True


def _assign(segment: Segment, variable: Word, values: list[Word]) -> None:
    name = variable.parts[-1][3] or ""
    if len(values) == 1:
        segment.add_assign(name, values[0])
    elif values:
        segment.add_assign(name, values)
        for value in values:
            segment.add_assign(name, value)
