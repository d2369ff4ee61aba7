"""What is special in PowerShell text: expressions and commands, blocks, here-strings, methods, assignments."""

from __future__ import annotations

from context_mode_runtime.shell.model import Segment
from context_mode_runtime.shell.powershell_commands import is_expression, take_command, take_word
from context_mode_runtime.shell.powershell_values import literal, text_part, values_of
from context_mode_runtime.shell.windows_reader import COMMON, Language, end, leave_quote, open_quote
from context_mode_runtime.shell.windows_reader import redirect as plain_redirect
from context_mode_runtime.shell.words import LITERAL, OPAQUE_MAX, VARIABLE, Word, name_end, plain_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.shell.model import Frame
    from context_mode_runtime.shell.windows_reader import Reader
    from context_mode_runtime.shell.words import Part

_CONDITIONS = frozenset(("if", "elseif", "while", "for", "foreach", "switch", "until", "catch", "param"))
"""A value in brackets behind these is no command."""
_SKIPPED = _CONDITIONS | frozenset(
    (
        *("else", "try", "finally", "do", "return", "throw", "begin", "process", "end", "dynamicparam", "clean"),
        *("exit", "&", "!", "-not", "in", "trap", "default"),
    )
)
_BLOCK_HEADS = frozenset(("function", "filter", "workflow", "configuration", "class", "enum"))
"""A block ends these: what follows it is a new command."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
_PRESET = {"env:comspec": "cmd", "true": "True", "false": "False", "null": ""}
_SAME = frozenset((".tostring", ".tolower", ".toupper", ".trim", ".invoke", ".getnewclosure", ".invokereturnasis"))
"""Methods that leave a text what it is, case aside."""
_LAST_CHARACTER = 0x10FFFF
_GLUED_MAX = 8
"""Parts in front of a bracket that are looked at."""
_NAMES_COMMAND = frozenset(("gcm", "get-command"))
_DASHES = {"\u2013": "-", "\u2014": "-", "\u2015": "-"}
_QUOTES = {"\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"'}
"""PowerShell takes these for `-` and for quotes."""


def as_ascii(text: str) -> str:
    """`text` with the dashes and quotes that PowerShell takes for plain ones made plain."""
    for odd, plain in (_DASHES | _QUOTES).items():
        text = text.replace(odd, plain)
    return text


def _ampersand(r: Reader, frame: Frame) -> None:
    if frame.word_start < 0 and not frame.segment.words and r.text[r.pos + 1 : r.pos + 2] != "&":
        frame.first = True
        r.pos += 1
        return
    r.end_segment(frame, ";")
    r.pos += 1


def _dot(r: Reader, frame: Frame) -> None:
    """`. x`: runs it here."""
    at_start = frame.word_start < 0 and not frame.segment.words
    if at_start and r.text[r.pos + 1 : r.pos + 2] in (" ", "\t", "'", '"', "$", "(", "{"):
        frame.first = True
        r.pos += 1
    else:
        r.plain(frame)


def _open(r: Reader, frame: Frame) -> None:
    """`(`: a value, arguments of a method, or a group."""
    glued = Word(frame.parts[-_GLUED_MAX:], 0).text if frame.word_start >= 0 else ""
    if glued.lower() in _SKIPPED or glued.lower() in _BLOCK_HEADS or glued.endswith("="):
        r.end_word(frame)
        glued = ""
    if glued:
        _method(r, frame, glued)
        return
    condition = frame.name in _CONDITIONS and not frame.segment.words
    capture = "" if condition else "assign" if _is_assignment(frame) else "arg" if frame.segment.words else ""
    new = r.push(frame, ")", capture)
    new.mode = "condition" if condition else "command"
    r.pos += 1


def _method(r: Reader, frame: Frame, glued: str) -> None:
    """`[x]::y(...)`, `$x.y(...)`: what is given to it are the operands of a command `.y`."""
    dot = max(glued.rfind("."), glued.rfind("::") + 1)
    name = "." + glued[dot + 1 :].lower() if dot >= 0 else glued
    if name in _SAME and r.text.startswith("()", r.pos):
        kind, text, quoted, variable, default = frame.parts[-1]
        if kind == LITERAL and not quoted and text.rpartition(".")[2].lower() == name[1:]:
            frame.parts[-1] = (kind, text[: -len(name)], quoted, variable, default)
            r.pos += 2
            return
    new = r.push(frame, ")", "arg")
    new.segment.words.append(plain_word(name, r.pos))
    new.segment.start = r.pos
    new.first = True
    new.name = "method"
    r.pos += 1


def _block(r: Reader, frame: Frame) -> None:
    """`{`: commands."""
    r.end_word(frame)
    words = frame.segment.words
    if words and not frame.first:
        head = words[0].text.lower()
        if head in _BLOCK_HEADS or head.startswith("-") or words[0].text.startswith("["):
            frame.segment = Segment(r.text, frame.segment.parent, frame.segment.capture)
    frame.name = ""
    r.push(frame, "}", "")
    r.pos += 1


def _is_assignment(frame: Frame) -> bool:
    words = frame.segment.words
    return words[2:] == [] and [word.plain for word in words[1:]] in (["="], ["+="])


def _close(r: Reader, frame: Frame) -> None:
    """A closing bracket; the value of what stood in it goes on as part of a word."""
    value = _value(r, frame) if r.text[r.pos] == ")" else None
    r.end_segment(frame, "")
    closer = r.text[r.pos]
    r.pos += 1
    if frame.closer != closer or len(r.stack) == 1:
        r.incomplete = True
        return
    condition = frame.mode == "condition"
    if value is not None and not condition and r.stack[-2].mode == "quote":
        value = [part for part in value if part[:2] != (LITERAL, ",")]
    r.pop(None if condition else value)
    if condition:
        r.stack[-1].name = ""


def _value(r: Reader, frame: Frame) -> list[Part] | None:
    """The parts of the only expression in a bracket; of a list with commas between."""
    if frame.cases:
        return None
    r.end_word(frame)
    words = frame.segment.words
    if not words or frame.name == "method" or frame.segment.redirects:
        return None
    if words[0].text.lower() in _NAMES_COMMAND:
        named = [word for word in words[1:] if not word.plain.startswith("-")]
        return [text_part(named[0].text)] if len(named) == 1 and named[0].literal else None
    values = values_of(words) if is_expression(words[0]) else None
    if values is None:
        return None
    comma: Part = (LITERAL, ",", False, None, None)
    return [part for number, one in enumerate(values) for part in ([comma] if number else []) + _quoted(one)]


def _quoted(word: Word) -> list[Part]:
    text = literal(word.parts)
    return [text_part(text)] if text is not None else word.parts


def _redirect(r: Reader, frame: Frame) -> None:
    if r.text.startswith("<#", r.pos):
        stop = r.text.find("#>", r.pos)
        r.pos = stop + 2 if stop >= 0 else r.size
        return
    plain_redirect(r, frame)


def _hash(r: Reader, frame: Frame) -> None:
    if frame.word_start >= 0:
        r.plain(frame)
        return
    stop = r.text.find("\n", r.pos)
    r.pos = stop if stop >= 0 else r.size


def _single(r: Reader, frame: Frame) -> None:
    pieces: list[str] = []
    at = r.pos + 1
    while True:
        stop = r.text.find("'", at)
        if stop < 0:
            r.incomplete = True
            stop = r.size
        pieces.append(r.text[at:stop])
        at = stop + 1
        if r.text[at : at + 1] != "'":
            break
        at += 1
    r.add(frame, "'".join(pieces), quoted=True)
    r.pos = min(at, r.size)


def _in_quote(r: Reader, frame: Frame) -> None:
    """Inside `"..."`, or a here-string, whose quotes are plain."""
    text, at = r.text, r.pos
    c = text[at]
    here = frame.closer == "@"
    if here and text.startswith('\n"@', at):
        leave_quote(r, len('\n"@'))
    elif c == '"' and not here:
        if text[at + 1 : at + 2] != '"':
            leave_quote(r, 1)
            return
        r.add(frame, '"', quoted=True)
        r.pos += 2
    elif c == "$":
        _dollar(r, frame)
    elif c == "`":
        _escape(r, frame)
    else:
        r.take(frame, '"$`\n', quoted=True)


def _escape(r: Reader, frame: Frame) -> None:
    if r.joins_lines():
        return
    if r.text.startswith("u{", r.pos + 1):
        stop = r.text.find("}", r.pos, r.pos + 11)
        digits = r.text[r.pos + 3 : stop] if stop > 0 else ""
        if digits and all(c in "0123456789abcdefABCDEF" for c in digits) and int(digits, 16) <= _LAST_CHARACTER:
            r.add(frame, chr(int(digits, 16)), quoted=True)
            r.pos = stop + 1
            return
    follow = r.text[r.pos + 1 : r.pos + 2]
    r.add(frame, _ESCAPES.get(follow, follow), quoted=True)
    r.pos += 2


def _dollar(r: Reader, frame: Frame) -> None:
    at = r.pos
    follow = r.text[at + 1 : at + 2]
    if follow == "(":
        r.pos += 1
        r.push(frame, ")", "assign" if _is_assignment(frame) else "arg")
        r.pos += 1
        return
    if follow == "{":
        stop = r.text.find("}", at, at + OPAQUE_MAX)
        stop = stop + 1 if stop >= 0 else min(at + 2, r.size)
        name = r.text[at + 2 : stop - 1]
    else:
        stop = name_end(r.text, at + 1)
        scope = r.text[at + 1 : stop].lower()
        if r.text[stop : stop + 1] == ":" and r.text[stop + 1 : stop + 2] != ":" and scope:
            stop = name_end(r.text, stop + 1)
        name = r.text[at + 1 : stop]
    if not name:
        r.add(frame, "$", quoted=frame.mode == "quote")
        r.pos += 1
        return
    name = _without_scope(name.lower())
    r.part(frame, (VARIABLE, r.text[at:stop][:OPAQUE_MAX], frame.mode == "quote", name, _PRESET.get(name)))
    r.pos = stop


def _without_scope(name: str) -> str:
    scope, cut, rest = name.partition(":")
    return rest if cut and scope in ("script", "global", "local", "private", "using", "variable") else name


def _at(r: Reader, frame: Frame) -> None:
    """`@'` and `@"` open here-strings, `@(` and `@{` lists; `@x` gives the words that `$x` holds."""
    follow = r.text[r.pos + 1 : r.pos + 2]
    if follow == "'":
        stop = r.text.find("\n'@", r.pos)
        r.incomplete = r.incomplete or stop < 0
        stop = r.size if stop < 0 else stop
        r.add(frame, r.text[r.pos + 2 : stop].lstrip("\r\n"), quoted=True)
        r.pos = min(stop + 3, r.size)
    elif follow == '"':
        quote = open_quote(r, frame, '@"')
        quote.closer = "@"
        while r.text[r.pos : r.pos + 1] in ("\r", "\n") and r.pos < r.size:
            if r.text.startswith('\n"@', r.pos):
                break
            r.pos += 1
    elif follow == "(":
        r.pos += 1
    elif follow == "{":
        r.pos += 1
        r.push(frame, "}", "").role = "hash"
        r.pos += 1
    elif follow.isalpha() and frame.word_start < 0 and frame.segment.words:
        stop = name_end(r.text, r.pos + 1)
        r.part(frame, (VARIABLE, r.text[r.pos : stop], False, r.text[r.pos + 1 : stop].lower(), None))
        r.pos = stop
    else:
        r.plain(frame)


def _comma(r: Reader, frame: Frame) -> None:
    if frame.name == "method":
        r.end_word(frame)
    else:
        r.add(frame, ",", quoted=False)
    r.pos += 1
    while r.pos < r.size and r.text[r.pos] in " \t\r\n":
        r.pos += 1


POWERSHELL = Language(
    {
        **COMMON,
        "&": _ampersand,
        ".": _dot,
        "(": _open,
        ")": _close,
        "{": _block,
        "}": _close,
        "<": _redirect,
        ";": end,
        "'": _single,
        "`": _escape,
        "$": _dollar,
        "@": _at,
        "#": _hash,
        ",": _comma,
    },
    " \t\n\r'\"`$@;|&(){}<>#\0,",
    _SKIPPED,
    (_in_quote, take_word, take_command),
)
