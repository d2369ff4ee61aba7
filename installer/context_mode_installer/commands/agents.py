"""`context-mode agents`: the known agents, all that one's spec says, and the check of spec files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from context_mode_installer.result import FINDINGS, Result, UserError
from context_mode_installer.screen import table
from context_mode_installer.specs.catalog import find_checked, folders, spec_files
from context_mode_installer.specs.check import check_file
from context_mode_runtime.agents import fill
from context_mode_runtime.paths import tilde

if TYPE_CHECKING:
    from context_mode_installer.specs.check import Checked
    from context_mode_installer.specs.model import AgentSpec


def list_agents() -> Result:
    """Each known agent: found or not, and by what. `data.agents` has one record each; exit 1 when a spec has faults."""
    checked = [check_file(file) for file in spec_files().values()]
    bad = [item for item in checked if item.spec is None]
    records = [_record(item.spec) for item in checked if item.spec is not None]
    lines = table(("Agent", "Name", "Found", "Checked with"), [_row(record) for record in records])
    for item in bad:
        lines.append(f"{item.path.stem}: {len(item.findings)} findings, see: context-mode agents validate {item.path}")
    lines.append("All that is known about one: context-mode agents ID")
    data = {"agents": records, "faulty": [{"id": item.path.stem, "file": str(item.path)} for item in bad]}
    if bad:
        return Result("agents", "findings", FINDINGS, data, tuple(lines))
    return Result("agents", data=data, messages=tuple(lines))


def _record(spec: AgentSpec) -> dict[str, Any]:
    found = _found_at(spec)
    return {
        "id": spec.id,
        "name": spec.name,
        "found": found is not None,
        "at": found,
        "verified": [verified.version for verified in spec.verified],
    }


def _row(record: dict[str, Any]) -> tuple[str, ...]:
    found = tilde(record["at"]) if record["found"] else "not found"
    return record["id"], record["name"], found, ", ".join(record["verified"])


def _found_at(spec: AgentSpec) -> str | None:
    """The program, else the folder that tells of it."""
    program = shutil.which(spec.detection.binary) if spec.detection.binary else None
    if program:
        return program
    places = folders(spec)
    signs = [*spec.detection.also_at, *(folder.path for folder in spec.detection.folders)]
    return next((path for path in (fill(sign, places) for sign in signs) if Path(path).exists()), None)


def show_agent(agent: str) -> Result:
    """All that the spec of `agent` says, paths resolved here. Raises UserError for an unknown id or a faulty spec."""
    checked = find_checked(agent)
    if checked.spec is None or checked.document is None:
        raise AssertionError(agent)
    places = folders(checked.spec)
    data = {
        "id": agent,
        "file": str(checked.path),
        "folders": places,
        "spec": _resolved(checked.document.value, places),
    }
    lines = [f"{checked.spec.name} ({agent}), said by {tilde(str(checked.path))}", ""]
    lines += [f"  {name}: {tilde(folder)}" for name, folder in places.items() if name != "home"]
    for section, value in data["spec"].items():
        lines += _lines(section, value, 0)
    return Result("agents", data=data, messages=tuple(lines))


def _resolved(value: Any, places: dict[str, str]) -> Any:  # noqa: ANN401 - any part of a spec
    if isinstance(value, str):
        return fill(value, places)
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
