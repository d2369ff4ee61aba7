"""Homes of users as they are before setup, and what is in them afterwards."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from context_mode_installer.commands.setup import Options, run
from context_mode_installer.result import Result
from context_mode_runtime.agents import known_agents

HOMES = Path(__file__).parent / "homes"
NAMES = sorted(folder.name for folder in HOMES.iterdir())
BOTH = ("claude-code", "codex")
Tree = dict[str, tuple[str, int, bytes]]


def fill(home: Path, name: str) -> None:
    """A copy of one of the homes, names with their dot, `{config}` filled in."""
    for source in sorted((HOMES / name).rglob("*")):
        target = home / ("." + str(source.relative_to(HOMES / name)))
        if source.is_dir():
            target.mkdir(parents=True)
        elif source.name != ".gitkeep":
            target.write_bytes(source.read_bytes().replace(b"{config}", str(home / ".codex").encode()))
    (home / ".codex").mkdir(exist_ok=True)


def tree(home: Path) -> Tree:
    """Every path of a home but our data, with its kind, mode and content."""
    out: Tree = {}
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if name.split("/", maxsplit=1)[0] != ".context-mode":
            kind = "link" if path.is_symlink() else "folder" if path.is_dir() else "file"
            content = path.read_bytes() if kind == "file" else os.fsencode(path.readlink()) if kind == "link" else b""
            out[name] = (kind, 0 if kind == "link" else stat.S_IMODE(path.stat().st_mode), content)
    return out


def ours(home: Path) -> list[str]:
    """The lines of a home's configs that name us."""
    return [f"{name}: {line}" for name, (_, _, data) in tree(home).items() for line in data.decode().splitlines()
            if "context-mode" in line]  # fmt: skip


def agents_of(name: str) -> tuple[str, ...]:
    """A home that is called as an agent is its own, the others are of both."""
    return (name,) if name in known_agents() else BOTH


def set_up(*agents: str, **options: Any) -> Result:
    return run(Options(agents=agents or BOTH, **options))
