"""The folders of each agent on each platform, as setup finds them and as hooks do; hook commands on Windows.

Only `sys.platform` is another one here: what a table says below the home is joined by this system's separator.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_installer import verify
from context_mode_installer.places import fill, find_places
from context_mode_installer.plan import hooks
from context_mode_installer.plan.ours import words_of_handler
from context_mode_installer.specs.catalog import find_spec, usable_specs
from context_mode_runtime import agents

TABLE: dict[str, Any] = YAML(typ="safe").load(Path(__file__).with_name("places.yaml"))
PLATFORMS = {"linux": "linux", "macos": "darwin", "windows": "win32"}
EACH = [(agent, platform) for agent in TABLE["roots"] for platform in PLATFORMS]
MOVED = [(row, platform) for row in TABLE["moved"] for platform in row.get("on", PLATFORMS)]
HOOK = "C:\\Users\\Lea Chan\\.context-mode\\bin\\context-mode-hook.cmd"


def found(agent: str, platform: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The roots as setup finds them; those of the hooks have to be the same."""
    monkeypatch.setattr(sys, "platform", PLATFORMS[platform])
    places = find_places(find_spec(agent), os.environ).holes
    table = agents.load_agent(agent)
    at_hooks = {name: os.path.normpath(folder) for name, folder in agents.root_folders(table).items()}
    assert at_hooks == {name: folder for name, folder in places.items() if name != "bin"}
    return {name: folder for name, folder in places.items() if name not in ("bin", "home")}


def below(folders: dict[str, str], home: Path) -> dict[str, str]:
    return {name: str(home) + folder[1:] if folder[0] == "~" else folder for name, folder in folders.items()}


@pytest.mark.parametrize(("agent", "platform"), EACH, ids=map(" on ".join, EACH))
def test_where_an_agents_folders_are(agent: str, platform: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME")
    said = TABLE["roots"][agent]
    assert found(agent, platform, monkeypatch) == below(said["all"] | said.get(platform, {}), home)


@pytest.mark.parametrize(
    ("row", "platform"),
    MOVED,
    ids=[f"{row['agent']} on {platform}: {', '.join(row['set'])}" for row, platform in MOVED],
)
def test_what_a_variable_moves(row: dict[str, Any], platform: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME")
    for name, folder in below(row["set"], home).items():
        monkeypatch.setenv(name, folder)
    roots = found(row["agent"], platform, monkeypatch)
    assert {name: roots[name] for name in row["are"]} == below(row["are"], home)


def test_every_agent_and_every_surface_stands_in_the_table() -> None:
    specs = usable_specs()
    assert set(TABLE["roots"]) == {spec.id for spec in specs}
    assert {(row["agent"], row["surface"]) for row in TABLE["windows"]} == {
        (spec.id, surface.surface) for spec in specs for surface in spec.hooks
    }


@pytest.mark.parametrize("row", TABLE["windows"], ids=lambda row: f"{row['agent']}: {row['surface']}")
def test_a_hooks_command_on_windows(row: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """F11: forward slashes, quoted for the shell that the host starts there, and ours when it is read again."""
    monkeypatch.setattr(sys, "platform", "win32")
    spec = find_spec(row["agent"])
    [surface] = [one for one in spec.hooks if one.surface == row["surface"]]
    target: Any = SimpleNamespace(spec=spec, holes={"hook": HOOK}, home_form=None, check_expands=lambda _names: None)
    more = {"event": "E", "matcher": "m", "timeout": 10, **hooks.command_line(target, surface, "E")}
    group = fill(surface.group, more)
    handler = group
    for key in surface.handlers_at or ():
        handler = handler[key]
    handler = handler[0] if isinstance(handler, list) else handler
    said = fill(row["says"], {"hook": HOOK.replace("\\", "/")})
    assert {key: value for key, value in {**handler, **handler.get("action", {})}.items() if key in said} == said
    assert words_of_handler(handler, surface.command)[0] == HOOK.replace("\\", "/")
    monkeypatch.setattr(verify, "os", SimpleNamespace(name="nt"))
    line = said["args"] if "args" in said else list(said.values())
    assert verify.as_run(surface, handler)[-len(line) :] == line
