"""`context-mode policy`: what is in force and where it comes from, whether it is valid, why a call is decided."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from context_mode_installer import formats
from context_mode_installer.commands.explain import explained
from context_mode_installer.result import FINDINGS, Result, UserError
from context_mode_installer.screen import table
from context_mode_runtime import paths, resources
from context_mode_runtime.policy.load import Policy, layer_files, load_policy
from context_mode_runtime.project import find_project

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_RULES = ("deny", "ask", "allow")
_SHIPPED = "shipped"


def _project_root() -> str | None:
    project = find_project(os.getcwd())
    return project.root if project else None


def show() -> Result:
    """The policy in force here: each setting and rule, and the file it comes from."""
    policy = load_policy(_project_root())
    layers = [path for path, _, _ in layer_files(_project_root())]
    files = [{"file": path, "there": os.path.exists(path)} for path in layers]
    shipped = paths.tilde(layers[0])
    settings = [{"key": key, "value": value, "file": policy.origins.get(key, shipped)} for key, value in _flat(policy)]
    rules = [
        {"decision": name, "rule": rule.text, "file": rule.file} for name in _RULES for rule in getattr(policy, name)
    ]
    data = {"files": files, "settings": settings, "rules": rules, "findings": policy.findings, "closed": policy.closed}
    rows = [(one["decision"], one["rule"], one["file"]) for one in rules]
    rows += [(str(one["key"]), _spoken(one["value"]), str(one["file"])) for one in settings]
    lines = table(("What", "Value", "From"), [(a, b, _SHIPPED if c == shipped else c) for a, b, c in rows])
    lines += [f"{_SHIPPED}: {shipped}", *policy.findings]
    if policy.closed:
        lines.append(f"The gate is closed, nothing runs: {policy.closed}")
    return Result("policy show", data=data, messages=tuple(lines))


def _flat(policy: Policy) -> list[tuple[str, object]]:
    """Every setting by the key it has in the file."""
    named: dict[str, Any] = {
        "routes": policy.routes, "inject": policy.inject, "capture": policy.capture, "allowHosts": policy.allow_hosts,
        "mcpServers": policy.mcp_servers, "fetch": policy.fetch, "searchBudget": policy.budget,
        "retention": policy.retention, "redact": policy.redact, "sandbox": policy.sandbox,
    }  # fmt: skip
    out: list[tuple[str, object]] = []
    for key, value in named.items():
        out += [(f"{key}.{name}", item) for name, item in value.items()] if isinstance(value, dict) else [(key, value)]
    return out


def _spoken(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


_SIZE_MAX = 16 * 1024 * 1024
"""Bytes of a policy file that are looked at: far more than the loader takes."""


def check() -> Result:
    """Every fault of the three files: file, line, column (1:1 where unknown), what is wrong. Exit 1 on a finding."""
    root = _project_root()
    files = list(dict.fromkeys(path for path, _, _ in layer_files(root) if os.path.lexists(path)))
    schema = json.loads(Path(resources.shipped("schemas"), "policy.schema.json").read_text("utf-8"))
    found = [finding for path in files for finding in _faults(path, Draft202012Validator(schema))]
    found += _loaded(load_policy(root).findings, files, found)
    found.sort(key=lambda one: (files.index(one["file"]), one["line"], one["column"]))
    lines = [_line(one) for one in found] or [f"{paths.tilde(path)}: valid" for path in files]
    data = {"files": files, "findings": found}
    if found:
        return Result("policy check", "findings", FINDINGS, data, tuple(lines))
    return Result("policy check", data=data, messages=tuple(lines))


def _finding(path: str, place: tuple[int, int], key: str, wrong: str) -> dict[str, Any]:
    return {"file": path, "line": place[0], "column": place[1], "key": key, "wrong": wrong}


def _line(one: dict[str, Any]) -> str:
    key = f"{one['key']}: " if one["key"] else ""
    return f"{paths.tilde(one['file'])}:{one['line']}:{one['column']}: {key}{one['wrong']}"


def _faults(path: str, validator: Draft202012Validator) -> list[dict[str, Any]]:
    """What the JSON reader and the schema say of one file."""
    try:
        data = paths.read_plain(path, _SIZE_MAX)
        value = formats.read("json", data)
    except formats.FormatError as error:
        return [_finding(path, (error.line, error.column), "", error.reason)]
    except OSError as error:
        return [_finding(path, (1, 1), "", error.strerror or str(error))]
    found = sorted(validator.iter_errors(value), key=lambda error: [str(part) for part in error.absolute_path])
    return [
        _finding(path, _place(data, way), formats.shown(way) if way else "", error.message)
        for error, way in map(_way, found)
    ]


def _way(error: ValidationError) -> tuple[ValidationError, formats.Path]:
    """Where the fault is: of an unknown key at that key, not at the table around it."""
    way = tuple(error.absolute_path)
    instance: Any = error.instance
    schema: Any = error.schema
    extra = []
    if error.validator == "additionalProperties":
        extra = [key for key in instance if key not in schema.get("properties", {})]
    return error, (*way, *extra[:1])


def _place(data: bytes, way: formats.Path) -> tuple[int, int]:
    return formats.where("json", data, way) if way else (1, 1)


def _loaded(findings: list[str], files: list[str], told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the loader says beyond that: rules it can't read, keys that have no effect in a project's file."""
    out: list[dict[str, Any]] = []
    for text in findings:
        path = next((path for path in files if text.startswith(paths.tilde(path) + ": ")), files[0])
        said = text.removeprefix(paths.tilde(path) + ": ")
        key = said.partition(":")[0].partition(" ")[0].strip("'")
        mine = [one for one in told if one["file"] == path]
        if any(_same_fault(one["key"], said) for one in mine):
            continue
        out.append(_finding(path, _key_place(path, key), "", said))
    return out


def _same_fault(key: str, said: str) -> bool:
    """Whether the schema said of `key`, or of the whole file, what the loader says."""
    return key.partition(".")[0].partition("[")[0] in said if key else said.startswith("it can't be read")


def _key_place(path: str, key: str) -> tuple[int, int]:
    try:
        return formats.where("json", paths.read_plain(path, _SIZE_MAX), (key,))
    except (OSError, formats.FormatError):
        return 1, 1


def explain(agent: str, tool: str, given: str) -> Result:
    """Which rule or route decides about a call of `tool` with this input, and why. Raises UserError for bad input."""
    try:
        arguments = json.loads(given)
    except ValueError as error:
        raise UserError(f"--input is no JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise UserError(f"--input is no JSON object: {given[:80]}")
    data, lines = explained(agent, tool, arguments)
    return Result("policy explain", data=data, messages=tuple(lines))
