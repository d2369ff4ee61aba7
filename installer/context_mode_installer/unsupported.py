"""Hosts that we have no spec for, by name, for the message of a machine without a supported one.

The list is `agent_specs/unsupported.json`; an entry whose id has a spec by now is passed over.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import NamedTuple

from context_mode_installer.specs.catalog import spec_files
from context_mode_runtime import paths
from context_mode_runtime.resources import shipped


class Stranger(NamedTuple):
    """A host without a spec: its name, and the program or place that told of it."""

    name: str
    place: str


def strangers_here() -> list[Stranger]:
    """Those with a program on PATH or a place of their own in the home. No program is run."""
    known = spec_files()
    found = []
    for entry in json.loads(Path(shipped("agent_specs"), "unsupported.json").read_text("utf-8")):
        signs = [*map(shutil.which, entry["programs"]), *map(_there, entry["places"])]
        place = next((sign for sign in signs if sign), None)
        if place is not None and entry["id"] not in known:
            found.append(Stranger(entry["name"], place))
    return found


def _there(place: str) -> str | None:
    path = os.path.join(paths.home(), place.removeprefix("~/"))
    return path if os.path.exists(path) else None


def lines_of(found: list[Stranger]) -> list[str]:
    """What people read of them; nothing when there are none."""
    if not found:
        return []
    names = ", ".join(f"{one.name} ({paths.tilde(one.place)})" for one in found)
    return [f"Not supported yet: {names}", f"  to add one: a spec in {paths.tilde(paths.user_specs_dir())}"]
