"""Code of other languages: the commands that it would start, and the files that it names."""

from __future__ import annotations

from context_mode_runtime.policy.literal_calls import read_calls
from context_mode_runtime.policy.literals import quotes

_SHELLS = {
    **{name: name for name in ("sh", "bash", "zsh", "dash", "ksh", "fish", "powershell")},
    "shell": "bash",
    "pwsh": "powershell",
    "cmd": "cmd",
}


class Code:
    """What code would do, as far as its text says: the `commands` it starts, the `texts` in it that can be paths.

    `incomplete` when there was more than is looked at.
    """

    __slots__ = ("commands", "incomplete", "texts")

    def __init__(self, commands: list[str], texts: list[str], *, incomplete: bool = False) -> None:
        self.commands = commands
        self.texts = texts
        self.incomplete = incomplete


def shell_dialect(language: str) -> str | None:
    """The dialect of a shell language, None for other languages."""
    return _SHELLS.get(language.lower())


def read_code(text: str, language: str) -> Code:
    """What `text` starts and names. Never raises."""
    if language == "python":
        from context_mode_runtime.policy.python_code import read_python

        found = read_python(text)
        if found is not None:
            return Code(list(found.commands), list(found.texts))
    commands, whole = read_calls(text, language)
    if language == "lisp":
        from context_mode_runtime.policy.lisp_code import read_lisp

        started, all_read = read_lisp(text)
        commands, whole = commands + started, whole and all_read
    return Code(commands, quotes(text), incomplete=not whole)
