"""Commands that print a file: which files, and how much of them."""

from __future__ import annotations

from context_mode_runtime import limits
from context_mode_runtime.shell.output import piped_or_filed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.shell.commands import Command

_LINE = 100
"""Bytes that a line is reckoned at where only a number of lines is asked for."""
_BAT = (
    "-l --language -H --highlight-line --file-name --tabs --wrap --terminal-width --theme --style --color --paging -m"
)
_DIGITS_MAX = 18
_WHOLE: dict[str, str] = {
    "cat": "",
    "tac": "-s",
    "nl": "-b -d -f -h -i -l -n -s -v -w",
    "less": "-b -h -j -k -o -p -P -t -T -x -y -z",
    "more": "-n",
    "most": "",
    "bat": _BAT,
    "batcat": _BAT,
    "type": "",
    "rev": "",
    "view": "-c",
    "pygmentize": "-l -f -O -P -F -o",
    "strings": "-n -t -e -s",
    "xxd": "-c -g -o",
    "hexdump": "-e -f",
    "od": "-A -t -w -S",
}
"""Program to options that take the next word."""
_GET_CONTENT = frozenset(("get-content", "gc"))
_BASH_TYPE = frozenset(("bash", "sh", "zsh", "dash", "ksh", "fish"))
_ENDS = {"head": 10, "tail": -1}
"""Lines without an option: `tail` alone counts as a dump, `head` alone is short."""
_UNITS = {"b": 512, "k": 1_024, "K": 1_024, "m": 1_048_576, "M": 1_048_576, "G": 1_073_741_824}


def dumped(command: Command, size_of: Callable[[str], int | None]) -> list[str]:
    """The files of `command` when what it prints of them would be more than OUTPUT_CAP, else nothing."""
    if not command.words or piped_or_filed(command):
        return []
    name = command.name.lower()
    if name in _ENDS:
        return _end(command, name, size_of)
    if name in _GET_CONTENT or (command.dialect == "powershell" and name in ("cat", "type")):
        return _get_content(command, size_of)
    values = _WHOLE.get(name)
    if values is None or (name == "type" and command.dialect in _BASH_TYPE):
        return []
    if name in ("bat", "batcat") and _short_range(command.words):
        return []
    files = _files(command.words, frozenset(values.split()))
    files += [target for fd, operator, target in command.redirects if operator == "<" and fd in ("", "0")]
    return _over(files, size_of, None)


def _short_range(words: list[str]) -> bool:
    return any(
        word.startswith(("-r", "--line-range", "-h", "--help", "-V", "--version", "-L", "--list")) for word in words[1:]
    )


def _files(words: list[str], values: frozenset[str]) -> list[str]:
    files: list[str] = []
    at = 1
    while at < len(words):
        word = words[at]
        if word == "--":
            return files + words[at + 1 :]
        if word in ("--version", "--help"):
            return []
        if word[:1] in ("-", "+") and len(word) > 1:
            at += 2 if word in values else 1
            continue
        if word != "-":
            files.append(word)
        at += 1
    return files


def _over(files: list[str], size_of: Callable[[str], int | None], most: int | None) -> list[str]:
    """`files` when what is printed of all of them, at most `most` bytes of each, is over the cap."""
    total = 0
    found: list[str] = []
    for path in files:
        size = size_of(path)
        if size:
            total += size if most is None else min(size, most)
            found.append(path)
    return found if total > limits.OUTPUT_CAP else []


def _end(command: Command, name: str, size_of: Callable[[str], int | None]) -> list[str]:
    """`head` and `tail`: the bytes asked for, the lines asked for at 100 bytes each, or all but some."""
    words = command.words
    lines: int | None = _ENDS[name]
    count: int | None = None
    files: list[str] = []
    at = 1
    while at < len(words):
        word = words[at]
        at += 1
        option, value = _count_option(word)
        if option and value == "" and at < len(words):
            value = words[at]
            at += 1
        if option == "c":
            count = _number(value, name)
        elif option == "n":
            lines = _number(value, name)
        elif word[:1] != "-" or word == "-":
            files.append(word)
    most = count if count is not None else (None if lines is None or lines < 0 else lines * _LINE)
    if count is not None and count < 0:
        most = None
    return _over(files, size_of, most)


def _count_option(word: str) -> tuple[str, str]:
    """(`n` or `c`, value) of `-n 5`, `-n5`, `-5`, `--lines=5`, `+5`; the value is empty when it is the next word."""
    for long, short in (("--lines", "n"), ("--bytes", "c")):
        if word == long:
            return short, ""
        if word.startswith(long + "="):
            return short, word[len(long) + 1 :]
    if len(word) > 1 and word[0] == "-" and word[1] != "-":
        if word[1].isdigit():
            return "n", word[1:]
        for place, letter in enumerate(word[1:], 2):
            if letter in "nc":
                return letter, word[place:]
    if len(word) > 1 and word[0] == "+" and word[1:].isdigit():
        return "n", word
    return "", ""


def _number(text: str, name: str) -> int | None:
    """A count; None stands for "all": `+1` of tail and `-5` of head say where to begin or stop, not how much."""
    sign, digits = (text[:1], text[1:]) if text[:1] in ("+", "-") else ("", text)
    unit = 1
    for suffix in ("iB", "B"):
        digits = digits.removesuffix(suffix)
    if digits[-1:] in _UNITS:
        unit, digits = _UNITS[digits[-1]], digits[:-1]
    if not digits.isdigit() or len(digits) > _DIGITS_MAX:
        return None
    if (name == "tail" and sign == "+") or (name == "head" and sign == "-"):
        return -1
    return int(digits) * unit


def _get_content(command: Command, size_of: Callable[[str], int | None]) -> list[str]:
    """PowerShell's Get-Content with its options, `-TotalCount` and `-Tail` among them."""
    words = command.words
    files: list[str] = []
    most: int | None = None
    at = 1
    while at < len(words):
        option = words[at].lower()
        at += 1
        if option in ("-totalcount", "-tail", "-head", "-first", "-last", "-t") and at < len(words):
            most = int(words[at]) * _LINE if words[at].isdigit() and len(words[at]) <= _DIGITS_MAX else None
            at += 1
        elif option in ("-encoding", "-delimiter", "-readcount", "-filter", "-stream"):
            at += 1
        elif not option.startswith("-"):
            files += [name for name in words[at - 1].split(",") if name]
    return _over(files, size_of, most)
