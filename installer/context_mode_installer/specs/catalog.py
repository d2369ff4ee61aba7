"""The known agents: shipped specs and the user's own, which have the same rights and win under the same id."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from context_mode_installer.result import UserError
from context_mode_runtime.paths import tilde, user_specs_dir

from .check import BadSpecError, check_file
from .compile import compile_spec, shipped_specs, table_text
from .findings import nearest

if TYPE_CHECKING:
    from .check import Checked
    from .model import AgentSpec


def user_specs() -> list[Path]:
    """The user's own spec files, by name."""
    return sorted(Path(user_specs_dir()).glob("*.yaml"))


def spec_files() -> dict[str, Path]:
    """The spec file of each id, by id. A user's own goes before a shipped one."""
    files = {file.stem: file for file in [*shipped_specs(), *user_specs()]}
    return dict(sorted(files.items()))


def find_spec(agent: str) -> AgentSpec:
    """The checked spec of `agent`. Raises UserError for an unknown id, and for a spec with findings."""
    return find_checked(agent).spec or _never(agent)


def find_checked(agent: str) -> Checked:
    """The spec of `agent` with the document it was read from. Raises UserError as `find_spec` does."""
    files = spec_files()
    if agent not in files:
        raise UserError(f"unknown agent {agent!r}: {nearest(agent, files)}")
    checked = check_file(files[agent])
    if checked.findings:
        first = str(checked.findings[0]).replace(str(files[agent]), tilde(str(files[agent])))
        raise UserError(f"{first} (all findings: context-mode agents validate {tilde(str(files[agent]))})")
    return checked


def _never(agent: str) -> AgentSpec:
    raise BadSpecError(agent)


def user_tables() -> dict[Path, str]:
    """What setup writes so that hooks and server know the user's own agents: file and text, one a spec.

    Raises UserError for a spec with findings.
    """
    texts: dict[Path, str] = {}
    for file in user_specs():
        document = find_checked(file.stem).document
        if document is not None:
            texts[file.with_suffix(".json")] = table_text(compile_spec(document.value))
    return texts
