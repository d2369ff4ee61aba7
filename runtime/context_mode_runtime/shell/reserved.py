"""Reserved words: what each does to the list of commands that is being read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.shell.model import Frame
    from context_mode_runtime.shell.scan import Scanner

_POSIX_WORDS = {
    **dict.fromkeys(("if", "while", "until", "{"), "open"),
    **dict.fromkeys(("fi", "done", "}"), "close"),
    **dict.fromkeys(("then", "else", "elif", "do", "!", "always"), "skip"),
    **dict.fromkeys(("for", "select", "foreach"), "for"),
    "case": "case",
    "esac": "esac",
    "function": "function",
    "[[": "test",
    "time": "time",
    "coproc": "coproc",
}
_FISH_WORDS = {
    **dict.fromkeys(("if", "while", "begin", "{"), "open"),
    **dict.fromkeys(("end", "}"), "close"),
    **dict.fromkeys(("else", "and", "or", "not", "!"), "skip"),
    **dict.fromkeys(("case", "switch"), "line"),
    "for": "for",
    "function": "line",
    "time": "time",
}
_NAME_MAX = 64
NO_TEST = ("sh", "dash")
"""Dialects without `[[` and `&>`."""


def reserved(s: Scanner, frame: Frame, plain: str) -> bool:
    """Whether `plain`, the first word of a command, is a reserved word and was dealt with."""
    action = (_FISH_WORDS if s.fish else _POSIX_WORDS).get(plain)
    return action is not None and _ACTIONS[action](s, frame, plain)


def _open(s: Scanner, frame: Frame, _word: str) -> bool:
    frame.open_group(s.segments)
    return True


def _close(s: Scanner, frame: Frame, word: str) -> bool:
    if frame.groups:
        frame.close_group()
    elif word == "}" and frame.closer == "}":
        s.close_list(frame)
    return True


def _skip(_s: Scanner, _frame: Frame, _word: str) -> bool:
    return True


def _for(s: Scanner, frame: Frame, _word: str) -> bool:
    frame.open_group(s.segments)
    frame.mode, frame.name, frame.first = "for", "", True
    return True


def _case(s: Scanner, frame: Frame, _word: str) -> bool:
    frame.open_group(s.segments)
    frame.cases += 1
    frame.mode, frame.first = "subject", True
    return True


def esac(s: Scanner, frame: Frame, word: str) -> bool:
    """The end of a `case`."""
    frame.cases = max(0, frame.cases - 1)
    frame.mode = "command"
    return _close(s, frame, word)


def _function(_s: Scanner, frame: Frame, _word: str) -> bool:
    frame.mode = "function"
    return True


def _line(s: Scanner, frame: Frame, word: str) -> bool:
    if word != "case":
        frame.open_group(s.segments)
    frame.mode = "head" if word == "function" else "line"
    return True


def _test(s: Scanner, frame: Frame, _word: str) -> bool:
    if s.dialect not in NO_TEST:
        frame.mode = "test"
    return False


def _time(s: Scanner, _frame: Frame, _word: str) -> bool:
    """The keyword; with options it stays a word and is opened like any wrapper."""
    rest = s.pos
    while rest < s.size and s.text[rest] in " \t":
        rest += 1
    return s.text[rest : rest + 1] != "-"


def _coproc(s: Scanner, _frame: Frame, _word: str) -> bool:
    """`coproc command`, or `coproc NAME { ...`: the name goes."""
    start = s.pos
    while start < s.size and s.text[start] in " \t":
        start += 1
    end = start
    while end < s.size and end - start < _NAME_MAX and (s.text[end].isalnum() or s.text[end] == "_"):
        end += 1
    if end > start and s.text[end : end + 2] in (" {", " ("):
        s.pos = end
    return True


_ACTIONS: dict[str, Callable[[Scanner, Frame, str], bool]] = {
    "open": _open,
    "close": _close,
    "skip": _skip,
    "for": _for,
    "case": _case,
    "esac": esac,
    "function": _function,
    "line": _line,
    "test": _test,
    "time": _time,
    "coproc": _coproc,
}
