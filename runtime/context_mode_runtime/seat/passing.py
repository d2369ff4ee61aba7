"""What runs by the real shell alone: all that is not one of the model's own commands, and whatever asks not to be."""

from __future__ import annotations

import os

from context_mode_runtime import notes
from context_mode_runtime.agents import load_agent
from context_mode_runtime.paths import data_root
from context_mode_runtime.policy.load import load_policy
from context_mode_runtime.project import first_project
from context_mode_runtime.shorten import asked_raw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from context_mode_runtime.agents import Table
    from context_mode_runtime.policy.load import Policy
    from context_mode_runtime.project import Project
    from context_mode_runtime.seat.output import Output

_PRIVATE = "<private>"
_OWN = frozenset(("context-mode", "context-mode-hook", "context-mode-serve"))


class Seated:
    """A command that we sit in for: its text, and as far as a hook noted it whose it is and what it is for."""

    __slots__ = ("asked", "command", "conversation", "policy", "project", "subagent", "table")

    def __init__(self, table: Table, command: str, conversation: str, project: Project, policy: Policy) -> None:
        self.table = table
        self.command = command
        self.conversation = conversation
        self.subagent, self.asked = notes.take_command(table["id"], conversation, command) if conversation else ("", "")
        self.project = project
        self.policy = policy

    @property
    def key(self) -> str | None:
        """`agent:conversation[:sub-agent]`, the store's name of the conversation; None when the host tells none."""
        return notes.conversation_key(self.table["id"], self.conversation, self.subagent)

    def short(self, output: Output, size: int, shown: int, *, failed: bool) -> str | None:
        """What stands for an output of `size` bytes of which `shown` are shown; None where it can't be stored."""
        from context_mode_runtime.seat.reply import short

        return short(self, output, size, shown, failed=failed)


def look(agent: str, arguments: list[str]) -> Seated | None:
    """The command behind a shell's arguments, or None when it is none of ours."""
    table = load_agent(agent)
    rules = table["shell_seat"]
    command = command_in(text_of(arguments), rules["command"])
    if not command or _left_alone(command):
        return None
    conversation = os.environ.get(rules["conversation"] or "", "")
    project = first_project([*notes.told_folders(table, conversation), os.getcwd()])
    if project is None:
        return None
    policy = load_policy(project.root)
    return Seated(table, command, conversation, project, policy) if policy.seated else None


def text_of(arguments: list[str]) -> str:
    """The text that a shell runs with these arguments: the first word behind `-c`; empty without one."""
    given = False
    for word in arguments:
        if word[:1] not in ("-", "+"):
            return word if given else ""
        given = given or (word[:2] != "--" and "c" in word)
    return ""


def command_in(text: str, rules: dict[str, Any]) -> str:
    """The model's own command in the text that the host makes of it; the whole text where it isn't found."""
    at = text.find(rules["after"]) if rules["after"] else -1
    if at < 0:
        return text
    rest = text[at + len(rules["after"]) :]
    return (unquoted(rest) if rules["quoted"] else rest.rpartition(rules["before"])[0]) or text


def unquoted(text: str) -> str:
    """The first word of shell text, as the shell reads it; empty when its quotes don't close."""
    out: list[str] = []
    at = 0
    while at < len(text) and not text[at].isspace():
        sign = text[at]
        if sign == "'":
            end = text.find("'", at + 1)
            if end < 0:
                return ""
            out.append(text[at + 1 : end])
            at = end + 1
        elif sign == '"':
            piece, at = _double_quoted(text, at + 1)
            if at < 0:
                return ""
            out.append(piece)
        else:
            at += sign == "\\"
            out.append(text[at : at + 1])
            at += 1
    return "".join(out)


def _double_quoted(text: str, at: int) -> tuple[str, int]:
    """What stands between double quotes, and the place behind them; -1 when they don't close."""
    out: list[str] = []
    while at < len(text):
        sign = text[at]
        if sign == '"':
            return "".join(out), at + 1
        if sign == "\\" and text[at + 1 : at + 2] in ('"', "\\", "$", "`"):
            at += 1
            sign = text[at]
        out.append(sign)
        at += 1
    return "", -1


def _left_alone(command: str) -> bool:
    """Whether it asks for its output as it is, holds what is private, or is about our own programs and data."""
    if asked_raw(command) or _PRIVATE in command.lower() or data_root() in command:
        return True
    return any(word.rpartition("/")[2] in _OWN for word in command.split())
