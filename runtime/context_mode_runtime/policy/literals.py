"""Literals of code, whatever the language: the one at a place, those of a list or call, all that stand in a text.

No regular expression: hook path.
"""

from __future__ import annotations

from context_mode_runtime.shell.opened import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOLE = "${_}"
"""What stands in a text for a part that isn't known; to a shell an unknown variable."""
REACH = 4_096
"""How far behind a call its literals are looked for."""
_WORDS_MAX = 64
_PREFIXES = ("rb", "br", "f", "r", "b", "u", "F", "R", "B", "U", "$@", "@$", "$", "@", "~c", "~s", "c", "L")
_QUOTES = ('"""', "'''", '"', "'", "`", '\\"', "\\'")
_JOINS = ("+", "..", "<>", ".", "~", "||")
"""What joins two texts in one language or another; two literals side by side are joined, too."""
_SKIPPED = (
    *(").args(", ".args(", ").arg(", ".arg(", ").call(", ".call(", "new ", "vec!", "[]string", "String[]", "string[]"),
    *("ctx,", "String.raw", "::new", "=>"),
)
_SKIPPED_SIGNS = frozenset(one[0] for one in _SKIPPED)
_OPEN, _CLOSE = "([{", ")]}"
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_ARGUMENT_KEYS = frozenset(
    ("args", "argv", "cmd", "command", "file", "filename", "arguments", "argumentlist", "program")
)
_INPUT_KEYS = frozenset(("input", "stdin"))
_HOLES = ("${%s}", "#{%s}", "{$%s}", "$%s", "{%s}")


def shell_word(word: str) -> str:
    """`word` as one word of shell text."""
    return word if word == HOLE else quoted(word)


def joined(words: list[str]) -> str:
    """The words of a command as shell text."""
    return " ".join(map(shell_word, words))


def fed(command: str, text: str) -> str:
    """A command that gets `text` on its input, as shell text."""
    return f"{command} <<< {shell_word(text)}"


def quotes(code: str) -> list[str]:
    """What stands between quotes in the lines of `code`, each once; between two literals, too. Linear."""
    found: dict[str, None] = {}
    for line in code.split("\n"):
        for quote in ("'", '"', "`"):
            if quote in line:
                found.update(dict.fromkeys(line.split(quote)[1:-1]))
    return [text for text in found if text and len(text) <= REACH]


class Given:
    """What was given to a call: `words` in order, and `inputs`, texts that the program reads."""

    __slots__ = ("inputs", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.inputs: list[str] = []

    def commands(self) -> list[str]:
        """The first word as shell text, and all words as one command."""
        if not self.words or self.words[0] == HOLE:
            return []
        found = [self.words[0], joined(self.words)] if len(self.words) > 1 else self.words[:1]
        return found + [fed(command, text) for command in found for text in self.inputs]


class Reach:
    """How many more signs may be looked at for one text; `left` is 0 when there was more."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, size: int) -> bool:
        """Takes `size` if there is as much left."""
        self.left = max(self.left - size, 0)
        return self.left > 0


def given_at(text: str, at: int, names: Mapping[str, str], reach: Reach, *, bare: bool = False) -> Given:
    """The literals of the call or list that begins at `at`. `names` are variables with the text they hold.

    With `bare` it may begin with an unknown name and without a bracket.
    """
    reader = _Reader(text, at, at + REACH if reach.left else at, names, bare=bare)
    while reader.goes_on():
        pass
    reach.take(reader.at - at + 1)
    return reader.given


class _Reader:
    """Reads the literals of one call or list from `at` to `stop` at most, into `given`."""

    __slots__ = ("_bare", "_depth", "_key", "_names", "_stop", "_text", "at", "given")

    def __init__(self, text: str, at: int, stop: int, names: Mapping[str, str], *, bare: bool) -> None:
        self._text = text
        self._stop = min(len(text), stop)
        self._names = names
        self._bare = bare
        self._depth = 0
        self._key = ""
        self.at = at
        self.given = Given()

    def goes_on(self) -> bool:
        """Reads one thing more; False when there is none."""
        if self.at >= self._stop or len(self.given.words) >= _WORDS_MAX:
            return False
        if self._passed_over():
            return True
        return self._closed() if self._text[self.at] in _CLOSE else self._taken()

    def _passed_over(self) -> bool:
        """Goes over words that say nothing, what parts two operands, and an opening bracket."""
        c = self._text[self.at]
        skipped = _skipped(self._text, self.at)
        if skipped:
            self._depth = max(self._depth, 1) if skipped.endswith("(") else self._depth
        elif c in " \t\r,&" or (c == "\n" and (self._depth or not self.given.words or _goes_on(self._text, self.at))):
            self._key = "" if c == "," else self._key
        elif c in _OPEN:
            self._depth += 1
        else:
            return False
        self.at += len(skipped) or 1
        return True

    def _closed(self) -> bool:
        """Goes over a closing bracket; whether something belongs to the call behind it."""
        self._depth -= 1
        self.at += 1
        return self._depth > 0 or _goes_on(self._text, self.at)

    def _taken(self) -> bool:
        """Takes a literal, a name, or the key of the value that comes; False where none of them stands."""
        text = self._text
        word, end = _operand(text, self.at, self._stop, self._names)
        outside = not (self._depth or self.given.words or self._bare)
        if end <= self.at or (word is None and outside):
            return False
        if word is None and text[end : end + 1] != "(":
            found, end = _key(text, self.at, end)
            self._key = found or self._key
            word = None if found else HOLE
        _put(self.given, word, self._key)
        self.at = end
        return True


def operand_at(text: str, at: int, names: Mapping[str, str], reach: Reach) -> str | None:
    """The text that is assigned at `at`: literals and names, joined; None when it isn't known."""
    while text[at : at + 1] == " ":
        at += 1
    if not reach.left or not (text[at : at + 1].isalpha() or text[at : at + 1] in ("'", '"', "`", "$", "@", "~")):
        return None
    word, end = _operand(text, at, min(len(text), at + REACH), names)
    reach.take(end - at + 1)
    return word if word != HOLE else None


def _skipped(text: str, at: int) -> str:
    if text[at] not in _SKIPPED_SIGNS:
        return ""
    return next((one for one in _SKIPPED if text.startswith(one, at)), "")


def _goes_on(text: str, at: int) -> bool:
    while text[at : at + 1] in (" ", "\n", "\t") and text[at : at + 1]:
        at += 1
    return text.startswith((".arg", ",", ".call("), at)


def _put(result: Given, word: str | None, key: str) -> None:
    if word is None:
        return
    if key in _INPUT_KEYS:
        result.inputs.append(word)
    elif not key or key in _ARGUMENT_KEYS:
        result.words.append(word)


def _key(text: str, at: int, end: int) -> tuple[str, int]:
    """The name of `name: value`, `name => value`, `name = value` in lower case, and the index of the value."""
    behind = end
    while text[behind : behind + 1] == " ":
        behind += 1
    for sign in ("=>", ":", "="):
        if text.startswith(sign, behind) and text[behind + 1 : behind + 2] not in (":", "="):
            return text[at:end].strip(":").lower(), behind + len(sign)
    return "", end


def _operand(text: str, at: int, stop: int, names: Mapping[str, str]) -> tuple[str | None, int]:
    """The text of joined literals and names at `at`, None when nothing of it is known; and the index behind it."""
    pieces: list[str] = []
    known = False
    while at < stop:
        piece, end = _piece(text, at, names)
        if end <= at:
            break
        if piece is None and text[end : end + 1] == "(":
            if not pieces:
                return None, end
            end = text.find(")", end, stop) + 1 or stop
        known = known or piece is not None
        pieces.append(HOLE if piece is None else piece)
        at = end
        following = at
        while text[following : following + 1] in (" ", "\t", "\n", "\r") and text[following : following + 1]:
            following += 1
        join = next((one for one in _JOINS if text.startswith(one, following)), "")
        if join:
            at = following + len(join)
            while text[at : at + 1] in (" ", "\t", "\n", "\r") and text[at : at + 1]:
                at += 1
        elif not (known and text[following : following + 1] in ('"', "'")):
            break
    return ("".join(pieces) if known else None), at


def _piece(text: str, at: int, names: Mapping[str, str]) -> tuple[str | None, int]:
    """One literal, or a name (None when nobody knows its text), and the index behind."""
    start = _behind_prefix(text, at)
    quote = next((quote for quote in _QUOTES if text.startswith(quote, start)), "")
    if quote:
        word, end = _string(text, start + len(quote), quote)
        return (word if quote in ("'", "\\'") else filled(word, names)), end
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in "_$.:@" or text.startswith("->", end)):
        if text[end] in ".:" and not (text[end + 1 : end + 2].isalpha() or text[end + 1 : end + 2] == ":"):
            break
        end += 1
    name = text[at:end].lstrip("$@")
    return names.get(name), end


def filled(word: str, names: Mapping[str, str]) -> str:
    """A literal with the names put in whose text is known."""
    if "$" not in word and "{" not in word:
        return word
    for name, value in names.items():
        if name in word:
            for hole in _HOLES:
                word = word.replace(hole % name, value)
    return word[:REACH]


def _behind_prefix(text: str, at: int) -> int:
    for prefix in _PREFIXES:
        if text.startswith(prefix, at) and text[at + len(prefix) : at + len(prefix) + 1] in ("'", '"'):
            return at + len(prefix)
    return at


def literal_at(text: str, at: int) -> tuple[str, int] | None:
    """The text of the literal at `at` and the index behind it; None when there is none."""
    at = _behind_prefix(text, at)
    quote = next((quote for quote in _QUOTES if text.startswith(quote, at)), "")
    return _string(text, at + len(quote), quote) if quote else None


def delimited(text: str, at: int) -> str:
    """What stands between the sign at `at` and its partner: `(x)`, `{x}`, `|x|`."""
    closer = _PAIRS.get(text[at : at + 1], text[at : at + 1])
    end = text.find(closer, at + 1, at + REACH) if closer else -1
    return text[at + 1 : end] if end > 0 else ""


def _string(text: str, at: int, quote: str) -> tuple[str, int]:
    """The text of a literal and the index behind it; escapes of quotes and backslashes are worked out."""
    out: list[str] = []
    size = min(len(text), at + REACH)
    while at < size and not text.startswith(quote, at):
        if text[at] == "\\" and at + 1 < size:
            piece, at = _escape(text, at + 1)
            out.append(piece)
        else:
            out.append(text[at])
            at += 1
    return "".join(out), at + len(quote)


def _escape(text: str, at: int) -> tuple[str, int]:
    """What stands behind a backslash: `n`, `t`, `x72`, `u0072`, `u{72}`, else the sign itself."""
    letter = text[at]
    if letter in "xu":
        digits = text[at + 1 : at + 3] if letter == "x" else text[at + 1 : at + 5]
        end = at + 1 + len(digits)
        if text[at + 1 : at + 2] == "{":
            close = text.find("}", at, at + 10)
            digits, end = (text[at + 2 : close], close + 1) if close > 0 else (digits, end)
        try:
            return chr(int(digits, 16)), end
        except (ValueError, OverflowError):
            return letter, at + 1
    return {"n": "\n", "t": "\t"}.get(letter, letter), at + 1
