"""Where a command's output goes: to the model, into a file, a pipe, a variable."""

from __future__ import annotations

from context_mode_runtime.shell.opened import base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.shell.commands import Command
    from context_mode_runtime.shell.model import Segment

_TO_FILE = frozenset((">", ">>", ">|", "&>", "&>>"))
_TERMINAL = frozenset(("/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2", "&1", "&2"))
_WHOLE = {
    **dict.fromkeys(("cat", "tee", "less", "more", "bat", "batcat", "nl", "tac", "rev", "iconv", "fold", "fmt"), ""),
    **dict.fromkeys(
        ("expand", "unexpand", "pr", "html2text", "pandoc", "sort", "out-host", "out-string", "column"), ""
    ),
    **dict.fromkeys(("dos2unix", "prettier", "unix2dos", "strings", "base64", "xxd", "od", "hexdump"), ""),
    "jq": ".",
    "yq": ".",
    "python": "json.tool",
    "python3": "json.tool",
    "xmllint": "--format",
}
"""Programs that print all that comes in (with this word among their own, where one is named)."""
_SHOWS_ARGUMENTS = frozenset(("echo", "printf", "cat", "print", "write-output", "write-host"))
_CHAIN_MAX = 32


def to_file(command: Command) -> bool:
    """Its standard output is redirected to a file, by itself or by a group around it."""
    if command.segment.group_out == "file":
        return True
    last = ""
    for fd, operator, target in command.redirects:
        joined = operator in (">&", ">&&") and not target.lstrip("-").isdigit()
        if (operator in _TO_FILE or joined) and fd in ("", "1", "*"):
            last = target
    return bool(last) and last not in _TERMINAL


def reaches_model(command: Command) -> bool:
    """What it prints comes back whole: not into a file, a variable, or a program that makes less of it."""
    return not to_file(command) and _segment_reaches(command.segment)


def _segment_reaches(segment: Segment) -> bool:
    for _ in range(_CHAIN_MAX):
        if _into_file(segment) or segment.group_out == "file" or (segment.group_out == "pipe" and not segment.piped):
            return False
        if segment.piped:
            if segment.pipe_next is None or not _prints_all(segment.pipe_next):
                return False
            segment = segment.pipe_next
        elif segment.parent is None:
            return segment.capture == ""
        elif segment.capture == "inner" or (segment.capture == "arg" and _shows(segment.parent)):
            segment = segment.parent
        else:
            return False
    return False


def _shows(segment: Segment) -> bool:
    """A command that prints its arguments or its here-document."""
    return bool(segment.words) and base(segment.words[0].text).lower() in _SHOWS_ARGUMENTS


def _into_file(segment: Segment) -> bool:
    return any(
        r.operator in _TO_FILE and r.fd in ("", "1") and r.target.text not in _TERMINAL for r in segment.redirects
    )


def _prints_all(segment: Segment) -> bool:
    if not segment.words or _into_file(segment):
        return False
    texts = [word.text for word in segment.words[:8]]
    needed = _WHOLE.get(base(texts[0]).lower())
    return needed is not None and (not needed or needed in texts)


def piped_or_filed(command: Command) -> bool:
    """Its output is piped on, redirected to a file, or kept in a variable."""
    if command.piped_to or to_file(command):
        return True
    segment = command.segment
    for _ in range(_CHAIN_MAX):
        if segment.parent is None or segment.capture != "inner":
            return segment.capture != ""
        segment = segment.parent
        if segment.piped or segment.group_out or _into_file(segment):
            return True
    return True
