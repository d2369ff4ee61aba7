"""What a command comes to: one object for people (lines on stdout) and for programs (`--json`)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

OK = 0
FINDINGS = 1
USAGE = 2
FAULT = 3
INTERRUPTED = 130

Status = Literal["ok", "findings", "error"]


class Verbatim(str):
    """A line for people that is shown as it is, whatever the width: a command to paste, a line of a file."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one command.

    `data` is the command's own object (docs and `schemas/` say its shape), `messages` are lines for people:
    what was done, then what to do next; `shown` takes their place on a screen. `exit_code`: 0 fine, 1 a FAIL or failed
    and rolled back, 2 wrong usage or bad input, 3 our own fault, 130 interrupted.
    """

    command: str
    status: Status = "ok"
    exit_code: int = OK
    data: dict[str, Any] = field(default_factory=dict)
    messages: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()

    def as_json(self) -> str:
        """The envelope of contract section 3, indented by two, UTF-8."""
        envelope = {
            "command": self.command,
            "status": self.status,
            "exit_code": self.exit_code,
            "data": self.data,
            "messages": list(self.messages),
        }
        return json.dumps(envelope, ensure_ascii=False, indent=2)


class UserError(Exception):
    """Something that the user can mend. Its text is one line: what, where, how to mend it; `shown` says it in more."""

    def __init__(
        self, message: str, *, exit_code: int = USAGE, shown: Sequence[str] = (), fix: str | None = None
    ) -> None:
        """`fix` is the command that mends it, where there is one."""
        super().__init__(message)
        self.exit_code = exit_code
        self.shown = tuple(shown) or (message,)
        self.fix = fix
        self.others: list[UserError] = []
        """More of its kind, found by the same look: told with it, so that nobody mends one after the other."""


def failed(command: str, error: UserError) -> Result:
    """The result of a command that could not do its work."""
    shown = list(error.shown)
    for other in error.others:
        if shown[-1] == other.shown[-1]:
            shown.pop()
        shown += [f"error: {other.shown[0]}", *other.shown[1:]]
    messages = tuple(map(str, [error, *error.others]))
    return Result(command, "error", error.exit_code, messages=messages, shown=tuple(shown))
