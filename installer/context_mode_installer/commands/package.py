"""`context-mode package`: the agent's own plugin or extension folder, made from its spec."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from context_mode_installer.native.make import MARK, package_files
from context_mode_installer.native.write import write_package
from context_mode_installer.places import fill_text
from context_mode_installer.result import Result, UserError, Verbatim
from context_mode_installer.specs.catalog import find_spec
from context_mode_runtime.paths import tilde
from context_mode_runtime.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable


def run(agent: str, folder: Path) -> Result:
    """Makes the package in `folder`. Raises UserError for an agent without such a form and a folder of others."""
    spec = find_spec(agent)
    native = spec.native
    if native is None:
        raise UserError(
            f"{spec.name} takes no package from a folder; set it up by its files: context-mode setup --agents {agent}"
        )
    whole = folder.expanduser().absolute()
    items = package_files(spec, native)
    write_package(items, whole, Path(native.folder or "", MARK), agent)
    add = lines(native.add, whole)
    data = {
        "agent": agent, "version": VERSION, "folder": str(whole), "files": [item.path for item in items],
        "add": add, "update": lines(native.update, whole), "remove": lines(native.remove, whole),
    }  # fmt: skip
    said = f"context-mode {VERSION} for {spec.name}: {len(items)} files in {tilde(str(whole))}"
    after = f"Then, for what needs your yes: context-mode setup --agents {agent}"
    return Result(
        "package", data=data, messages=(said, "To install it:", *(Verbatim(f"  {line}") for line in add), after)
    )


def lines(commands: Iterable[tuple[str, ...]], folder: Path) -> list[str]:
    """The host's commands as lines for a shell."""
    said = {"folder": str(folder), "version": VERSION}
    return [shlex.join(fill_text(word, said) for word in words) for words in commands]
