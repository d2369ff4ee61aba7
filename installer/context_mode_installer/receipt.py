"""`receipt.json`: what setup put into which file, so that `--remove` takes out exactly that.

The bytes before and after each setup lie in the backups that a receipt names; those backups are kept for it.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from context_mode_installer.system import PathError
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_mode_installer.formats import Path
    from context_mode_installer.specs.setup_parts import Scope
    from context_mode_installer.system import System


@dataclass(frozen=True)
class Entry:
    """One thing that setup put in: `edit` names it in the spec, `was` is the value that it took the place of."""

    agent: str
    scope: Scope
    project: str | None
    edit: str
    kind: str
    file: str
    at: tuple[str | int, ...]
    value: Any
    was: Any = None
    """None when nothing was there, else a list of one value."""

    def same_place(self, other: Entry) -> bool:
        """Whether both stand for one thing in one file."""
        mine = (self.agent, self.scope, self.project, self.edit, self.file, self.at)
        return mine == (other.agent, other.scope, other.project, other.edit, other.file, other.at)


@dataclass(frozen=True)
class Receipt:
    """All entries, and for each file where its bytes lie: (backup id, number of the file in it), oldest first."""

    entries: tuple[Entry, ...] = ()
    steps: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    """Folders that setup made, outermost first."""

    def find(self, agent: str, scope: str, project: str | None, edit: str, at: Path, file: str = "") -> Entry | None:
        """The entry of an edit at a place, if setup made one: in that file, else in another."""
        wanted = (agent, scope, project, edit, at)
        found = [one for one in self.entries if (one.agent, one.scope, one.project, one.edit, one.at) == wanted]
        return next((one for one in found if one.file == file), found[0] if found else None)

    def with_entries(self, entries: Iterable[Entry]) -> Receipt:
        """The receipt with these entries in place of earlier ones for the same things."""
        kept = list(self.entries)
        for entry in entries:
            places = [index for index, old in enumerate(kept) if old.same_place(entry)]
            if places:
                kept[places[0]] = entry
            else:
                kept.append(entry)
        return replace(self, entries=tuple(kept))

    def without(self, gone: Iterable[Entry]) -> Receipt:
        """The receipt without entries, and without the steps of files where nothing of ours is left."""
        lost = list(gone)
        kept = tuple(entry for entry in self.entries if entry not in lost)
        files = {entry.file for entry in kept}
        return replace(self, entries=kept, steps={path: step for path, step in self.steps.items() if path in files})

    def pinned(self) -> frozenset[str]:
        """The backups that a removal needs."""
        return frozenset(backup for steps in self.steps.values() for backup, _ in steps)

    def to_json(self) -> bytes:
        """The bytes of the file."""
        return (json.dumps({"version": 1, **asdict(self)}, indent=1, ensure_ascii=False) + "\n").encode(
            errors="surrogateescape"
        )

    @classmethod
    def from_json(cls, data: bytes) -> Receipt:
        """Raises ValueError for other bytes."""
        try:
            fields = json.loads(data.decode(errors="surrogateescape"))
            entries = tuple(Entry(**(one | {"at": tuple(one["at"])})) for one in fields["entries"])
            steps = {path: tuple((str(one), int(n)) for one, n in steps) for path, steps in fields["steps"].items()}
            return cls(entries, steps, tuple(fields["folders"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no receipt of setup: {error}") from None


def path_of(root: str) -> str:
    """Where the receipt of a data root lies."""
    return os.path.join(root, paths.RECEIPT)


def load(system: System, root: str) -> Receipt:
    """The receipt; an empty one where setup never ran. Raises PathError for a damaged one."""
    path = path_of(root)
    data = system.state(path).data
    try:
        return Receipt() if data is None else Receipt.from_json(data)
    except ValueError as error:
        raise PathError(path, f"can't be read ({error}); move it away and run setup again") from None
