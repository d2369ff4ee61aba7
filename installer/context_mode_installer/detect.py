"""Which hosts are on this machine: told by a program that answers in a throw-away home, or by their own folders."""

from __future__ import annotations

import concurrent.futures
import os
import re
import shutil
import tempfile
from typing import TYPE_CHECKING, NamedTuple

from context_mode_installer.places import Places, find_places
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from context_mode_installer.specs.model import AgentSpec
    from context_mode_installer.system import System

PROBE_SECONDS = 5.0
"""Longest wait for a program's version (contract, section 3)."""
_PRIVATE = (
    *("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"),
    *("USERPROFILE", "APPDATA", "LOCALAPPDATA"),
)


class Host(NamedTuple):
    """One agent on this machine. `binary` and `version` are None where there is no program or it doesn't say."""

    spec: AgentSpec
    places: Places
    binary: str | None
    version: str | None
    strong: tuple[str, ...]
    weak: tuple[str, ...]

    @property
    def found(self) -> bool:
        """Whether setup takes it without being told: a program, or a folder that only this host makes."""
        return bool(self.binary or self.strong)

    @property
    def title(self) -> str:
        """Its name and version, for people."""
        return f"{self.spec.name} {self.version}" if self.version else self.spec.name


def find_hosts(
    specs: Iterable[AgentSpec], system: System, environment: Mapping[str, str], project: str | None = None
) -> list[Host]:
    """Looks at all hosts, their programs side by side, each at most 5 s in a home of its own that goes afterwards."""
    wanted = list(specs)
    moving = {variable.name for spec in wanted for root in spec.roots for variable in root.variables}
    bare = {name: value for name, value in environment.items() if name not in moving}
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, len(wanted))) as pool:
        probes = list(pool.map(lambda spec: _probe(spec, system, bare), wanted))
    return [
        _host(spec, find_places(spec, environment, project), probe) for spec, probe in zip(wanted, probes, strict=True)
    ]


def _host(spec: AgentSpec, places: Places, probe: tuple[str | None, str | None]) -> Host:
    signs = [(places.path(folder.path), folder.sign) for folder in spec.detection.folders]
    there = [(path, sign) for path, sign in signs if os.path.exists(path)]
    strong = tuple(path for path, sign in there if sign == "strong")
    return Host(spec, places, *probe, strong, tuple(path for path, sign in there if sign == "weak"))


def _probe(spec: AgentSpec, system: System, environment: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The host's program and version; neither when what answers is another program of that name."""
    detection = spec.detection
    for program in _programs(spec, environment):
        with tempfile.TemporaryDirectory(prefix="context-mode-") as folder:
            ran = system.run(
                [program, *detection.arguments],
                env={**environment, **dict.fromkeys(_PRIVATE, folder)},
                stdin="",
                timeout=PROBE_SECONDS,
                cwd=folder,
            )
        said = ran.out + ran.err if ran.code is not None else ""
        if said and detection.not_ and re.search(detection.not_, said, re.MULTILINE):
            continue
        version = re.search(detection.version, said, re.MULTILINE) if detection.version else None
        return program, version[1] if version else None
    return None, None


def _programs(spec: AgentSpec, environment: Mapping[str, str]) -> list[str]:
    binary = spec.detection.binary
    if binary is None:
        return []
    found = [shutil.which(binary, path=environment.get("PATH", os.defpath))]
    home = {"home": paths.home()}
    found += [shutil.which(Places(home, (), ()).path(place)) for place in spec.detection.also_at]
    return list(dict.fromkeys(one for one in found if one))
