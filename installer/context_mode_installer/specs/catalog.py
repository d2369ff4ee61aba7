"""The known agents: shipped specs and the user's own, which have the same rights and win under the same id."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from context_mode_installer.result import UserError
from context_mode_installer.screen import quoted
from context_mode_runtime.paths import tilde, user_specs_dir
from context_mode_runtime.resources import shipped

from .check import BadSpecError, Checked, check_file
from .findings import nearest
from .model import make_model
from .plain import plain_spec

if TYPE_CHECKING:
    from .model import AgentSpec


def shipped_specs() -> list[Path]:
    """The spec files that come with this version, by name."""
    return sorted(Path(shipped("agent_specs")).glob("*.yaml"))


def user_specs() -> list[Path]:
    """The user's own spec files, by name; not what editors leave beside them, such as `.#a.yaml`."""
    return sorted(file for file in Path(user_specs_dir()).glob("*.yaml") if not file.name.startswith("."))


def spec_files() -> dict[str, Path]:
    """The spec file of each id, by id. A user's own goes before a shipped one."""
    files = {file.stem: file for file in [*shipped_specs(), *user_specs()]}
    return dict(sorted(files.items()))


def look_at(file: Path) -> Checked:
    """A spec file with its findings; one that is word for word as shipped was checked before it was."""
    known = plain_spec(file)
    return check_file(file) if known is None else Checked(file, (), None, make_model(known))


@functools.lru_cache(maxsize=64)
def _looked_at(file: Path, _stamp: int) -> Checked:
    return look_at(file)


def usable_specs() -> list[AgentSpec]:
    """The shipped specs and the user's own, by id, but for those with faults."""
    return [checked.spec for checked in _all() if checked.spec]


def faulty_specs() -> list[Checked]:
    """Those with faults: nothing is done by them until they are mended."""
    return [checked for checked in _all() if checked.findings]


def _all() -> list[Checked]:
    return [_looked_at(file, _stamp(file)) for file in spec_files().values()]


def _stamp(file: Path) -> int:
    """When it was changed last; 0 for one that can't be looked at, which the check says."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def mend_command(checked: Checked) -> str:
    """What names all faults of a spec."""
    return f"context-mode agents validate {quoted(str(checked.path))}"


def find_spec(agent: str) -> AgentSpec:
    """The checked spec of `agent`, looked at once in a process: it takes half a second.

    Raises UserError for an unknown id, and for a spec with findings.
    """
    file = _file_of(agent)
    return _faultless(_looked_at(file, _stamp(file))).spec or _never(agent)


def find_checked(agent: str) -> Checked:
    """The spec of `agent` with the document it was read from. Raises UserError as `find_spec` does."""
    return _faultless(check_file(_file_of(agent)))


def _file_of(agent: str) -> Path:
    files = spec_files()
    if agent not in files:
        raise UserError(f"unknown agent {agent!r}: {nearest(agent, files)}")
    return files[agent]


def _faultless(checked: Checked) -> Checked:
    if checked.findings:
        file = str(checked.path)
        first = str(checked.findings[0]).replace(file, tilde(file))
        raise UserError(f"{first} (all findings: {mend_command(checked)})")
    return checked


def _never(agent: str) -> AgentSpec:
    raise BadSpecError(agent)


def copy_tables(folder: str) -> None:
    """Puts the tables of the user's own agents into a throw-away data folder, where hooks and server look for them."""
    tables = sorted(Path(user_specs_dir()).glob("*.json"))
    if tables:
        target = Path(folder, "agents")
        target.mkdir()
        for table in tables:
            shutil.copyfile(table, target / table.name)


def user_tables() -> dict[Path, str]:
    """What setup writes so that hooks and server know the user's own agents: file and text, one a spec.

    One with faults is left out: what was written for it before stays in force.
    """
    from .compile import compile_spec, table_text

    texts: dict[Path, str] = {}
    for file in user_specs():
        document = check_file(file).document
        if document is not None:
            texts[file.with_suffix(".json")] = table_text(compile_spec(document.value))
    return texts
