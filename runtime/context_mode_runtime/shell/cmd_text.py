"""What is special in cmd text: carets, `%x%` and `!x!`, `if`, `for`, `set`, and what ends a program's name."""

from __future__ import annotations

from context_mode_runtime.shell.windows_reader import COMMON, Language, close, double, leave_quote
from context_mode_runtime.shell.words import LITERAL, VARIABLE, Word, plain_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.shell.model import Frame, Segment
    from context_mode_runtime.shell.windows_reader import Reader

_SKIPPED = frozenset(("else", "do", "@", "call"))
_NAME_MAX = 64
_SEPARATORS = ",;="
"""Besides blanks these end a word; a `/` ends a program's name, too."""
_ONE_WORD = frozenset(("exist", "defined", "errorlevel", "cmdextversion"))
_PRESET = {"comspec": "cmd"}


def _ampersand(r: Reader, frame: Frame) -> None:
    r.end_segment(frame, ";")
    r.pos += 1


def _open(r: Reader, frame: Frame) -> None:
    r.end_word(frame)
    new = r.push(frame, ")", "")
    words = frame.segment.words
    if words and words[0].plain.lower() == "for" and words[-1].plain.lower() == "in":
        new.name = words[-2].parts[-1][3] or words[-2].text if words[-2].parts else ""
        new.list = frame
        new.role = "in"
    r.pos += 1


def _close(r: Reader, frame: Frame) -> None:
    """The list of a `for` holds values, or in quotes a command."""
    if frame.role == "in":
        r.end_word(frame)
        outer = frame.list.segment
        options = " ".join([word.text.lower() for word in outer.words[1:4]])
        if "/f" not in options:
            for word in frame.segment.words:
                outer.add_assign(frame.name, word)
            frame.segment.words = []
        else:
            _unquote(frame.segment, "`" if "usebackq" in options else "'")
    close(r, frame)


def _unquote(segment: Segment, quote: str) -> None:
    """`'del x'` between the brackets of `for /f` is a command; without quotes these are files."""
    words = segment.words
    if words and words[0].text.startswith(quote) and words[-1].text.endswith(quote):
        for at, (start, stop) in ((0, (1, None)), (-1, (0, -1))):
            words[at] = plain_word(words[at].text[start:stop], words[at].start)
    elif words and not words[0].text.startswith(("'", '"')):
        segment.words = [plain_word("type", words[0].start), *words]
    segment.start = -1


def _caret(r: Reader, frame: Frame) -> None:
    if r.joins_lines():
        return
    r.add(frame, r.text[r.pos + 1 : r.pos + 2], quoted=True)
    r.pos += 2


def _in_quote(r: Reader, frame: Frame) -> None:
    """A quote ends with its line at the latest."""
    c = r.text[r.pos]
    if c in '"\n':
        leave_quote(r, int(c == '"'))
    elif c == "%":
        _percent(r, frame)
    elif c == "!":
        _exclamation(r, frame)
    else:
        r.take(frame, '"%!\n', quoted=True)


def _at(r: Reader, frame: Frame) -> None:
    if frame.word_start < 0 and not frame.segment.words:
        r.pos += 1
    else:
        r.plain(frame)


def _percent(r: Reader, frame: Frame) -> None:
    """`%x%`, and `%x` or `%%x` of a `for`."""
    text, at = r.text, r.pos
    if text.startswith("^", at + 1):
        at += 1
    start = at + 2 if text.startswith("%", at + 1) else at + 1
    stop = text.find("%", at + 1, at + 1 + _NAME_MAX)
    name = text[at + 1 : stop] if stop > 0 else ""
    if name and not any(c in " \t\n&|<>()" for c in name):
        _variable(r, frame, name, stop + 1)
        return
    while text[start : start + 1] == "~" or (text[start - 1 : start] == "~" and text[start : start + 2].isalpha()):
        start += 1
    if text[start : start + 1].isalpha() and not text[start + 1 : start + 2].isalnum():
        r.part(frame, (VARIABLE, text[r.pos : start + 1], frame.mode == "quote", "%" + text[start], None))
        r.pos = start + 1
        return
    r.add(frame, "%", quoted=frame.mode == "quote")
    r.pos += 1


def _exclamation(r: Reader, frame: Frame) -> None:
    """`!x!` where it is switched on; else the sign itself."""
    stop = r.text.find("!", r.pos + 1, r.pos + 1 + _NAME_MAX)
    name = r.text[r.pos + 1 : stop] if stop > 0 else ""
    if name and not any(c in ' \t\n&|<>()"%' for c in name):
        _variable(r, frame, name, stop + 1)
    else:
        r.add(frame, "!", quoted=frame.mode == "quote")
        r.pos += 1


def _variable(r: Reader, frame: Frame, name: str, stop: int) -> None:
    name = name.lower()
    r.part(frame, (VARIABLE, r.text[r.pos : stop], frame.mode == "quote", name, _PRESET.get(name)))
    r.pos = stop


def _word(r: Reader, frame: Frame, word: Word) -> bool:
    """Cuts the program's name where cmd ends it: `del/q`, `del,x`. Comments and labels end with their line."""
    text = word.parts[0][1] if word.parts[0][:1] == (LITERAL,) and not word.parts[0][2] else ""
    if frame.segment.words or not text or "=" in text[:1]:
        return False
    text = text.lstrip(_SEPARATORS + "@")
    if text[:1] == ":" or text.lower() == "rem":
        stop = r.text.find("\n", r.pos)
        stop = stop if stop >= 0 else r.size
        if not any(c in r.text[r.pos : stop] for c in "&|^"):
            r.skip = stop
    cut = next((at for at, c in enumerate(text) if c in _SEPARATORS or (c == "/" and at)), -1)
    if cut > 0 and "==" not in word.text:
        rest = text[cut:] if text[cut] == "/" else text[cut + 1 :]
        frame.segment.start = word.start if frame.segment.start < 0 else frame.segment.start
        frame.segment.words.append(plain_word(text[:cut], word.start))
        parts = [(LITERAL, rest, False, None, None), *word.parts[1:]] if rest else word.parts[1:]
        if parts:
            frame.segment.words.append(Word(parts, word.start))
        return True
    word.parts[0] = (LITERAL, text, False, None, None)
    return False


def _command(_r: Reader, frame: Frame) -> None:
    """Cmd's `if [not] [/i] condition command`, `for ... do command`, and `set name=value`."""
    segment = frame.segment
    texts = [w.text.lower() for w in segment.words[:8]]
    at = 0
    while texts[at : at + 1] == ["if"]:
        at += 1
        while texts[at : at + 1] and texts[at] in ("not", "/i"):
            at += 1
        head = texts[at : at + 2]
        if head and head[0] in _ONE_WORD:
            at += 2
        else:
            at += 1 if head and "==" in head[0].strip("=") else 3
    while at and texts[at : at + 1] and texts[at] in _SKIPPED:
        at += 1
    if texts[at : at + 1] == ["for"] and "do" in texts[at:]:
        at = texts.index("do", at) + 1
    segment.words = segment.words[at:]
    if segment.words and segment.words[0].plain.startswith("@"):
        segment.words[0] = plain_word(segment.words[0].plain[1:], segment.words[0].start)
    if len(segment.words) > 1 and segment.words[0].text.lower() == "set":
        _take_set(segment)


def _take_set(segment: Segment) -> None:
    rest = [word for word in segment.words[1:] if word.text.lower() not in ("/a", "/p")]
    text = " ".join([word.text for word in rest])
    name, cut, _ = text.partition("=")
    if not cut:
        return
    parts = [part for number, word in enumerate(rest) for part in ([*_BLANK] if number else []) + word.parts]
    left = len(name) + 1
    value = []
    for kind, piece, quoted, variable, default in parts:
        taken = min(left, len(piece)) if kind == LITERAL else 0
        left -= taken
        if left == 0 and (piece[taken:] or kind != LITERAL):
            value.append((kind, piece[taken:], quoted, variable, default))
    segment.add_assign(name.strip().lower(), Word(value or [(LITERAL, "", True, None, None)], segment.start))


_BLANK = ((LITERAL, " ", False, None, None),)
CMD = Language(
    {
        **COMMON,
        "&": _ampersand,
        "(": _open,
        ")": _close,
        "^": _caret,
        "%": _percent,
        "!": _exclamation,
        "@": _at,
        '"': double,
    },
    ' \t\n\r"^%!&|()<>@\0',
    _SKIPPED,
    (_in_quote, _word, _command),
)
