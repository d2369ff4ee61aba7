"""Ours is what runs our program, under whatever name and at whatever place it stands."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Literal

from context_mode_installer import formats, launchers
from context_mode_installer.specs.where import holes

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from context_mode_installer.specs.model import Command

NAME = "context-mode"
"""The name of our MCP entry, for ever."""
Kind = Literal["hook", "serve"]
_RUNNERS = frozenset({"npx", "npm", "pnpm", "yarn", "bunx", "bun", "node", "deno", "env", "sh", "bash"})
_PROGRAMS: dict[str, Kind] = {launchers.HOOK: "hook", launchers.SERVE: "serve"}


def words_of_handler(handler: object, command: Command) -> list[str]:
    """The words that a hook handler runs: program and arguments, or its one string as a shell cuts it."""
    program = formats.get(handler, command.program_at)
    if not isinstance(program, str):
        return []
    if command.arguments_at is not None:
        more = formats.get(handler, command.arguments_at)
        if isinstance(more, list):
            return [program, *map(str, more)]
    words = split(program)
    return words[1:] if words[:1] == ["&"] else words  # PowerShell's word for running what follows


def split(text: str) -> list[str]:
    """The words of a shell command; at blanks where its quotes don't close."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def words_of_entry(entry: object, template: object) -> list[str]:
    """The words that an MCP entry runs: what stands under the key that names our program, and the list beside it."""
    if not isinstance(entry, dict) or not isinstance(template, dict):
        return []
    words: list[str] = []
    for key, value in template.items():
        mine = entry.get(key)
        if "serve" in holes(value):
            words = [*_texts(mine), *words]
        elif isinstance(value, list) and not words[1:]:
            words += _texts(mine)
    return words


def what_runs(words: Sequence[str], agents: Collection[str], events: Collection[str]) -> Kind | None:
    """Which of our programs these words start; None for others.

    A bare `context-mode hook AGENT EVENT` counts when agent and event are ones that we write: the foreign tool of our
    name spells its events otherwise.
    """
    if not words:
        return None
    program = _base(words[0])
    if program in _PROGRAMS:
        return _PROGRAMS[program]
    for index, word in enumerate(words):
        rest = words[index + 1 :]
        if word.replace("\\", "/").endswith("context_mode_runtime/launch.py") or _base(word) == NAME:
            if rest[:1] == ["serve"]:
                return "serve"
            if rest[:1] == ["hook"] and rest[1:2] and rest[1] in agents and (not rest[2:] or rest[2] in events):
                return "hook"
    return None


def is_foreign(words: Sequence[str]) -> bool:
    """Whether these words start another tool called context-mode: its program, its package, a script of it."""
    for index, word in enumerate(words):
        parts = word.replace("\\", "/").split("/")
        if parts[-1].endswith((".mjs", ".cjs", ".js")) and NAME in parts[:-1]:
            return True
        if index == 0 and _base(word) == NAME:
            return True
        if word.split("@")[0] == NAME and _base(words[0]) in _RUNNERS:
            return True
    return False


def _base(word: str) -> str:
    name = word.replace("\\", "/").rsplit("/", 1)[-1]
    return name.removesuffix(".cmd").removesuffix(".exe")


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
