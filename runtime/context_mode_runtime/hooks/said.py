"""What words and outputs tell where the host tells nothing: decisions in a prompt, failures in an output."""

from __future__ import annotations

import re

from context_mode_runtime import failures
from context_mode_runtime.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_mode_runtime.shell.commands import Command

_LOOKED_AT = 65_536
_SENTENCE_MAX = 300
_DECISIONS_MAX = 5
_LINES_BYTES = 1_000
_LAST_LINE_MAX = 200

_LABEL = re.compile(r"^[\s>*_#-]{0,8}(?:decision|decided)\b[*_]{0,2}\s?:[*_]{0,2}\s{0,4}(\S.*)$", re.IGNORECASE)
_WORDS = re.compile(
    r"(?:^|[,;:] |\b(?:and|but|so|please) )"
    r"(?:(?:let's|let us|we|we'll|we will|i|i'd) (?:\w+ )?)?(?:"
    r"(?:decided|agreed|settled) (?:to|on|that)\b"
    r"|(?:go|stay|stick|stuck|went) with\b"
    r"|(?:use|keep|prefer|take|choose|chose)\b[^?]{0,200}\b(?:instead of|rather than|not|over|as (?:it is|they are))\b"
    r"|(?:don't|do not|never|must not|always)\b"
    r")",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")

_ENDED = re.compile(r"\b(?:completed|exited|finished|ended) with (?:exit )?(?:code|status):? (\d+)\W{0,3}\Z")
_TOLD = re.compile(r"^Exit Code: (\d+)(?:\n[A-Z][A-Za-z ]{1,30}: .{0,40}){0,3}\Z", re.MULTILINE)
"""Or one of the lines of a form that the host puts behind what was printed."""
_SHOWS = frozenset((
    "cat", "head", "tail", "sed", "nl", "less", "more", "bat", "awk", "cut", "sort", "uniq", "wc", "ls", "find", "fd",
    "tree", "stat", "file", "rg", "grep", "egrep", "fgrep", "ag", "jq", "yq", "echo", "printf", "cd", "pwd", "true",
    "history", "type", "which", "diff", "tee", "xxd", "strings", "journalctl", "dmesg",
))  # fmt: skip
"""Commands that show text: an error in it is not theirs."""
_GIT_SHOWS = frozenset(("log", "show", "diff", "grep", "blame", "status", "cat-file"))


def decisions(text: str, secret_names: Iterable[str] = (), *, labelled: bool = False) -> list[str]:
    """Sentences that decide: `Decision: ...`, "use X instead of Y", "don't ...", "stick with ..."; English only.

    `labelled`: of a model's answer, where only what is called a decision counts (`Decision: ...`). At most five of at
    most 300 characters. What is private or secret is cut out before the sentences part.
    """
    found = []
    clean, _ = redact(text[:_LOOKED_AT], secret_names, cut_off=len(text) > _LOOKED_AT)
    for line in clean.splitlines():
        label = _LABEL.match(line)
        if label:
            found.append(label[1].strip())
        elif not labelled:
            found += [one.strip() for one in _SENTENCE_END.split(line) if _WORDS.search(one.strip()[:_SENTENCE_MAX])]
    return [one[:_SENTENCE_MAX] for one in found][:_DECISIONS_MAX]


def ending(output: str) -> str:
    """The host's last line of an output, where it tells the exit code; else an empty string."""
    tail = output[-_LAST_LINE_MAX:]
    found = _ENDED.search(tail)
    return tail[tail.rfind("\n", 0, found.start()) + 1 :].strip() if found else ""


def failure(command: str, output: str, dialect: str, secret_names: Iterable[str] = ()) -> str | None:
    """Whether `output` says that `command` failed, for hosts that tell no exit code: its lines that say so, or None.

    Judged by its last lines where the host writes the exit code there, else by the report forms of common tools. A
    command that only shows text is never judged by that text.
    """
    cut_off = len(output) > _LOOKED_AT
    if cut_off:
        output = output[: _LOOKED_AT // 2] + "\n" + output[-_LOOKED_AT // 2 :]
    tail = output[-_LAST_LINE_MAX:]
    ended = _ENDED.search(tail) or _TOLD.search(tail)
    failed = ended[1].strip("0") if ended else failures.LINE.search(output)
    if not failed or _only_shows(command, dialect):
        return None
    from context_mode_runtime.excerpt import excerpt

    return excerpt(redact(output, secret_names, cut_off=cut_off)[0], budget=_LINES_BYTES, failed=True).text


def _only_shows(command: str, dialect: str) -> bool:
    from context_mode_runtime.shell.commands import commands

    return all(_shows(found) for found in commands(command, dialect))


def _shows(command: Command) -> bool:
    """A wrapper counts as what it runs, which stands in the list by itself."""
    option = command.words[1] if len(command.words) > 1 else ""
    wraps = command.own < len(command.words) or option in ("-c", "-lc")
    return wraps or command.name in _SHOWS or (command.name == "git" and option in _GIT_SHOWS)
