"""Commands that code starts by literals: `system("rm x")`, `run(["rm", "x"])`. No regular expression: hook path."""

from __future__ import annotations

REACH = 4_096
"""How far behind a call its literals are looked for."""
_WORDS_MAX = 64
_CALLS_MAX = 500
_STARTERS = (
    *(
        "system",
        "popen",
        "Popen",
        "subprocess.",
        "check_output",
        "check_call",
        "exec",
        "spawn",
        "shell_exec",
        "passthru",
    ),
    *("qx", "Open3.", "System.cmd", "Process.Start", "Command::new", "Command("),
)
"""Beginnings of the names of calls that start a program, in the languages that take code on the command line."""
_PREFIXES = ("rb", "br", "f", "r", "b", "u", "F", "R", "B", "U")
_QUOTES = ('"""', "'''", '"', "'", "`")


def started(code: str) -> list[str]:
    """The commands that the literal calls in `code` would start, each once. Linear in the length of `code`."""
    found: dict[str, None] = {}
    for name in _STARTERS:
        at = code.find(name)
        for _ in range(_CALLS_MAX):
            if at < 0:
                break
            end = at + len(name)
            while end < len(code) and (code[end].isalnum() or code[end] in "_.!"):
                end += 1
            found.update(dict.fromkeys(literals_at(code, end)))
            at = code.find(name, end)
    return [command for command in found if command.strip()]


def quoted(code: str) -> list[str]:
    """What stands between quotes in the lines of `code`, each once; between two literals, too. Linear."""
    found: dict[str, None] = {}
    for line in code.split("\n"):
        for quote in ("'", '"'):
            if quote in line:
                found.update(dict.fromkeys(line.split(quote)[1:-1]))
    return [text for text in found if text and len(text) <= REACH]


def literals_at(text: str, at: int) -> list[str]:
    """The first literal behind `at`, and it joined with those that follow in the same list or call."""
    words: list[str] = []
    stop = min(len(text), at + REACH)
    while at < stop and len(words) < _WORDS_MAX:
        at = _skip(text, at, stop)
        at = _behind_prefix(text, at)
        quote = next((quote for quote in _QUOTES if text.startswith(quote, at)), "")
        if not quote:
            break
        word, at = _string(text, at + len(quote), quote)
        words.append(word)
    if not words:
        return []
    joined = " ".join(_quoted(word) for word in words)
    return [words[0], joined] if len(words) > 1 else [words[0]]


def _behind_prefix(text: str, at: int) -> int:
    for prefix in _PREFIXES:
        if text.startswith(prefix, at) and text[at + len(prefix) : at + len(prefix) + 1] in ("'", '"'):
            return at + len(prefix)
    return at


def _skip(text: str, at: int, stop: int) -> int:
    """Behind white space, commas, brackets and the calls that add arguments (`.arg(`, `.args([`)."""
    while at < stop:
        if text[at] in " \t\r\n,([{&":
            at += 1
        elif text.startswith((").args(", ").arg("), at) or text.startswith((".args(", ".arg("), at):
            at = text.index("(", at) + 1
        elif text.startswith(("new ", "String[]", "vec!", "ctx", "context.Background()"), at):
            at += len(
                next(p for p in ("new ", "String[]", "vec!", "context.Background()", "ctx") if text.startswith(p, at))
            )
        else:
            break
    return at


def _string(text: str, at: int, quote: str) -> tuple[str, int]:
    """The text of a literal and the index behind it; escapes of quotes and backslashes are worked out."""
    out: list[str] = []
    size = min(len(text), at + REACH)
    while at < size and not text.startswith(quote, at):
        if text[at] == "\\" and at + 1 < size:
            follow = text[at + 1]
            out.append({"n": "\n", "t": "\t"}.get(follow, follow))
            at += 2
        else:
            out.append(text[at])
            at += 1
    return "".join(out), at + len(quote)


def _quoted(word: str) -> str:
    return (
        word if word and all(c.isalnum() or c in "-_./=:@%+," for c in word) else "'" + word.replace("'", "'\\''") + "'"
    )
