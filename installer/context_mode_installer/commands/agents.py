"""`context-mode agents`: the known agents, all that one's spec says, and the check of spec files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from context_mode_installer.detect import find_hosts
from context_mode_installer.places import fill_text, find_places
from context_mode_installer.receipt import load
from context_mode_installer.result import FINDINGS, Result, UserError
from context_mode_installer.screen import table
from context_mode_installer.specs.catalog import find_checked, look_at, spec_files
from context_mode_installer.specs.check import check_file
from context_mode_installer.system import RealSystem
from context_mode_runtime.paths import data_root, home, tilde

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from context_mode_installer.detect import Host
    from context_mode_installer.specs.check import Checked


def list_agents() -> Result:
    """Each known agent: found or not, its version, set up or not. `data.agents` has one record each.

    A spec with faults is named in `data.faulty`; exit 1 then. Raises PathError for a damaged receipt of setup.
    """
    checked = [look_at(file) for file in spec_files().values()]
    bad = [item for item in checked if item.spec is None]
    system = RealSystem([home()])
    hosts = find_hosts([item.spec for item in checked if item.spec is not None], system, os.environ)
    ready = {entry.agent for entry in load(system, data_root()).entries}
    records = [_record(host, set_up=host.spec.id in ready) for host in hosts]
    lines = table(("Agent", "Name", "Version", "Set up", "Found"), [_row(record) for record in records])
    for item in bad:
        lines.append(f"{item.path.stem}: {len(item.findings)} findings, see: context-mode agents validate {item.path}")
    lines.append("All that is known about one: context-mode agents ID")
    data = {"agents": records, "faulty": [{"id": item.path.stem, "file": str(item.path)} for item in bad]}
    if bad:
        return Result("agents", "findings", FINDINGS, data, tuple(lines))
    return Result("agents", data=data, messages=tuple(lines))


def _record(host: Host, *, set_up: bool) -> dict[str, Any]:
    return {
        "id": host.spec.id,
        "name": host.spec.name,
        "found": host.found,
        "binary": host.binary,
        "folders": [*host.strong, *host.weak],
        "version": host.version,
        "set_up": set_up,
        "verified": [verified.version for verified in host.spec.verified],
    }


def _row(record: dict[str, Any]) -> tuple[str, ...]:
    places = [tilde(place) for place in (record["binary"], *record["folders"]) if place]
    found = places[0] if record["found"] else f"no (only {places[0]})" if places else "no"
    return record["id"], record["name"], record["version"] or "-", "yes" if record["set_up"] else "no", found


def show_agent(agent: str) -> Result:
    """All that the spec of `agent` says, paths resolved here. Raises UserError for an unknown id or a faulty spec."""
    checked = find_checked(agent)
    if checked.spec is None or checked.document is None:
        raise AssertionError(agent)
    places = find_places(checked.spec, os.environ).holes
    data = {
        "id": agent,
        "file": str(checked.path),
        "folders": places,
        "spec": _resolved(checked.document.value, places),
    }
    lines = [f"{checked.spec.name} ({agent}), said by {tilde(str(checked.path))}", ""]
    lines += [f"  {name}: {tilde(folder)}" for name, folder in places.items() if name not in ("home", "bin")]
    for section, value in data["spec"].items():
        lines += _lines(section, value, 0)
    return Result("agents", data=data, messages=tuple(lines))


def _resolved(value: Any, places: Mapping[str, str]) -> Any:  # noqa: ANN401 - any part of a spec
    if isinstance(value, str):
        return fill_text(value, places)
    if isinstance(value, dict):
        return {key: _resolved(item, places) for key, item in value.items()}
    return [_resolved(item, places) for item in value] if isinstance(value, list) else value


def _lines(name: str, value: Any, depth: int) -> list[str]:  # noqa: ANN401 - any part of a spec
    """The value in an indented form without brackets; what the host has none of is left out."""
    blank = "  " * depth
    if value in (None, [], {}):
        return []
    if isinstance(value, dict):
        inner = [line for key, item in value.items() for line in _lines(key, item, depth + 1)]
        return [f"{blank}{name}", *inner]
    if isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            return [f"{blank}{name}: {', '.join(value)}"]
        return [line for item in value for line in _lines(name, item, depth)]
    return [f"{blank}{name}: {_said(value)}"]


def _said(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def validate(files: list[Path]) -> Result:
    """Every fault of these spec files: file, line, column, what is wrong, what would be right. Exit 1 on a finding.

    Raises UserError when no file is named.
    """
    if not files:
        raise UserError("name the spec files to check, for instance: context-mode agents validate my-agent.yaml")
    checked = [check_file(file) for file in files]
    lines = [line for item in checked for line in _verdict(item)]
    findings = [_as_data(item) for item in checked]
    data = {"files": findings, "findings": sum(len(item.findings) for item in checked)}
    if data["findings"]:
        return Result("agents validate", "findings", FINDINGS, data, tuple(lines))
    return Result("agents validate", data=data, messages=tuple(lines))


def _verdict(checked: Checked) -> list[str]:
    if not checked.findings:
        return [f"{checked.path}: valid"]
    return [str(finding) for finding in checked.findings]


def _as_data(checked: Checked) -> dict[str, Any]:
    keys = ("line", "column", "wrong", "right")
    findings = [{key: getattr(finding, key) for key in keys} for finding in checked.findings]
    return {"file": str(checked.path), "valid": not findings, "findings": findings}
