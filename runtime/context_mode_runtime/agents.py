"""The compiled agent tables: what the specs say, as plain JSON, one file an agent."""

from __future__ import annotations

import os
import sys

from context_mode_runtime import jsonio, paths, resources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Table = dict[str, Any]
"""A compiled spec, in the sections of docs/spec-language.md."""


PACKAGE = "CONTEXT_MODE_PACKAGE"
"""Set by the starter of a native package to its agent: our tools have other names there."""


class UnknownAgentError(Exception):
    """No shipped and no user table has this id."""


def load_agent(agent: str) -> Table:
    """The table of `agent`; a user's own table goes before a shipped one of the same id.

    Raises UnknownAgentError when there is none, ValueError when it is damaged.
    """
    if agent and all(c.isalnum() or c in "-_" for c in agent):
        for folder in _folders():
            table = _read(os.path.join(folder, f"{agent}.json"))
            if table is not None:
                return _as_packaged(table) if os.environ.get(PACKAGE) == agent else table
    raise UnknownAgentError(f"unknown agent {agent!r}; known: {', '.join(known_agents())}")


def _as_packaged(table: Table) -> Table:
    """The table for calls that come from the agent's native package."""
    packaged = table.get("packaged")
    if packaged:
        table["server"]["tool_name"] = packaged["tool_name"]
        table["texts"]["skill_call"] = packaged["skill_call"]
    return table


def known_agents() -> list[str]:
    """The ids of all compiled tables, sorted."""
    ids = set()
    for folder in _folders():
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        ids |= {name[:-5] for name in names if name.endswith(".json")}
    return sorted(ids)


def _folders() -> list[str]:
    try:
        return [paths.user_specs_dir(), resources.generated()]
    except paths.NoHomeError:
        return [resources.generated()]


def _read(path: str) -> Table | None:
    try:
        with open(path, encoding="utf-8") as file:
            table = jsonio.loads(file.read())
    except OSError:  # not there, or in a folder that can't be entered: the next folder may have it
        return None
    if not isinstance(table, dict):
        raise ValueError(f"{path} is no agent table")  # noqa: TRY004 - the file is wrong, not a type of ours
    return table


def root_folders(table: Table) -> dict[str, str]:
    """The host's own folders by their names in the spec, and `home`, with the variables that move them applied."""
    folders = {"home": paths.home()}
    for root in table["roots"]:
        if root["platform"] in (None, platform()):
            folders[root["name"]], _ = root_folder(root, folders["home"], os.environ)
    return folders


def platform() -> str:
    """The system in the words of the spec language: `linux`, `macos` or `windows`."""
    return {"darwin": "macos", "win32": "windows"}.get(sys.platform, "linux")


def root_folder(root: Mapping[str, Any], home: str, environment: Mapping[str, str]) -> tuple[str, str | None]:
    """One root of a spec, and the variable that moved it, if one did."""
    default = str(root["default"])
    for variable in root["variables"]:
        value = environment.get(variable["name"])
        if not value or variable["means"] == "adds":
            continue
        folder = os.path.abspath(os.path.expanduser(value))
        if variable["means"] == "home":
            folder = default.replace("{home}", folder)
        elif variable["tail"]:
            folder = os.path.join(folder, variable["tail"])
        return os.path.normpath(os.path.realpath(folder) if root["resolved"] else folder), variable["name"]
    return os.path.normpath(default.replace("{home}", home)), None


def fill(template: str, folders: dict[str, str]) -> str:
    """A path template with its `{name}` holes filled; an unknown hole stays as it is."""
    for name, folder in folders.items():
        template = template.replace("{" + name + "}", folder)
    return template


def fill_pattern(template: str, folders: dict[str, str]) -> str:
    """The same for a glob: signs of globs within a folder's own name stand for themselves."""
    return fill(template, {name: _literal(folder) for name, folder in folders.items()})


def _literal(text: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in text)
