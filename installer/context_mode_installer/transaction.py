"""All files of a run, for all agents, or none.

Order: lock; finish an earlier run that was killed; compare with what the plan saw; copy everything into a backup; write
the journal; write each file beside its target and rename; verify; take the journal away. From the journal on, whatever
ends the run - an error, Ctrl-C, a kill, a power cut - every byte and mode is put back, by the run itself or by the next
command of ours (`recover`).
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock, Timeout

from context_mode_installer.backups import Backup, Backups, Kept, new_id, now
from context_mode_installer.system import FileState, PathError, RealSystem, System, missing_folders, temp_of
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LOCK_SECONDS = 60
"""How long a second setup waits for the first."""
_JOURNAL = "setup.journal"
_LOCK = "setup.lock"


class BusyError(Exception):
    """Another setup holds the lock."""


class ChangedError(Exception):
    """A file is no longer what the plan was made for."""


class VerifyError(Exception):
    """What was written does not work; it was put back."""


class FileChange(NamedTuple):
    """A file to write (`after`), or to take away (`after` is None). `before` is what the plan saw.

    `mode` is for files that weren't there; those that were keep theirs. `folder_mode` is for folders made on the way.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int = 0o644
    folder_mode: int = 0o755


class Work(NamedTuple):
    """What a run does: `folders` are ours to take away when they are empty at the end, deepest first."""

    command: str
    agents: tuple[str, ...]
    files: tuple[FileChange, ...]
    folders: tuple[str, ...] = ()
    id: str = ""
    """Of the backup, from `Transaction.new_id`; a new one where it is empty."""


def recover() -> list[str]:
    """Finishes the restore of a setup that was killed. Every command calls it first; says in a line what it did."""
    transaction = Transaction(RealSystem([paths.home()]), paths.data_root())
    backup = transaction.recover()
    return [f"an earlier setup was cut off; its files are back as they were ({backup})"] if backup else []


class Transaction:
    """Runs of one data root."""

    def __init__(self, system: System, root: str) -> None:
        """`root` is the data root, which is made when the lock is taken."""
        self.system = system
        self.root = root
        self.backups = Backups(system, root)
        self.journal = os.path.join(root, _JOURNAL)

    @contextlib.contextmanager
    def lock(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        """Holds the lock of setup. It goes with the process, however that ends. Raises BusyError, PathError."""
        for folder in [*missing_folders(self.system, self.root), self.root]:
            if not self.system.folder_exists(folder):
                self.system.make_folder(folder, paths.PRIVATE_FOLDER)
        file = os.path.join(self.root, _LOCK)
        lock = FileLock(file, timeout=seconds, mode=paths.PRIVATE_FILE)
        try:
            lock.acquire()
        except Timeout:
            raise BusyError("another setup is running; try again when it has ended") from None
        except OSError as error:
            raise PathError(file, f"can't be locked ({error.strerror})") from None
        try:
            yield
        finally:
            lock.release()

    def new_id(self) -> str:
        """An id for the next backup, for work that names it in a file of its own."""
        return new_id(self.system.names(self.backups.folder))

    def interrupted(self) -> str | None:
        """The id of a run that was killed half way (or is running just now), if there is one."""
        data = self.system.state(self.journal).data
        return data.decode(errors="replace").strip() if data else None

    def recover(self) -> str | None:
        """Finishes the restore of a run that was killed; returns its id, or None when there was nothing to do.

        A run that is alive holds the lock: it is left alone.
        """
        if self.interrupted() is None and self.system.state(temp_of(self.journal)).data is None:
            return None
        try:
            with self.lock(0):
                return self.recover_locked()
        except BusyError:
            return None

    def recover_locked(self) -> str | None:
        """The same for callers that hold the lock."""
        name = self.interrupted()
        if name is None:
            self.system.remove(temp_of(self.journal))
            return None
        try:
            backup = self.backups.load(name)
        except PathError:
            # somebody deleted the backup: there is nothing to restore from, and waiting for it would block all
            self.system.remove(self.journal)
            return None
        self._restore(backup)
        return name

    def run(self, work: Work, verify: Callable[[], None] = lambda: None) -> Backup | None:
        """Does the work and returns its backup; None when there is nothing to do. The caller holds the lock.

        `verify` raises VerifyError (or anything) when what was written doesn't work. Whatever is raised from here, all
        files are as they were.
        """
        if not work.files and not work.folders:
            return None
        states = [self._checked(change) for change in work.files]
        targets = [self.system.target(change.path) for change in work.files]
        made = _folders_to_make(self.system, work.files, targets)
        kept = tuple(_kept(*three) for three in zip(work.files, states, targets, strict=True))
        backup = Backup(work.id or self.new_id(), work.command, now(), work.agents, kept, tuple(made), done=False)
        self._prepare(backup, states, work)
        try:
            self._apply(work, backup, made)
            verify()
            done = backup._replace(done=True)
            self.backups.mark(done)
        except BaseException:
            self._restore(backup)
            raise
        self.system.remove(self.journal)
        return done

    def _prepare(self, backup: Backup, states: Sequence[FileState], work: Work) -> None:
        """Writes the copies and the journal. A disk that is full in the midst of it is left as it was."""
        try:
            self.backups.save(backup, states, [change.after for change in work.files])
            self.system.write(self.journal, backup.id.encode(), paths.PRIVATE_FILE)
        except BaseException:
            with contextlib.suppress(PathError):
                self.backups.delete(backup.id)
            raise

    def _checked(self, change: FileChange) -> FileState:
        state = self.system.state(change.path)
        if state.data != change.before:
            raise ChangedError(f"{paths.tilde(change.path)} was changed while setup looked at it; run setup again")
        return state

    def _apply(self, work: Work, backup: Backup, made: dict[str, int]) -> None:
        for folder, mode in made.items():
            self.system.make_folder(folder, mode)
        for change, kept in zip(work.files, backup.files, strict=True):
            if change.after is None:
                self.system.remove(kept.target)
            else:
                mode = change.mode if kept.mode is None else kept.mode
                self.system.write(kept.target, change.after, mode, kept.owner)
        for folder in work.folders:
            self.system.remove_folder(folder)

    def _restore(self, backup: Backup) -> None:
        """Puts every file back; safe to be killed in and to be done again."""
        for index, kept in enumerate(backup.files):
            self.system.remove(temp_of(kept.target)) if self._folder_of(kept) else None
            if kept.existed:
                self._put_back(backup.id, index, kept)
            elif self._folder_of(kept):
                self.system.remove(kept.target)
        for folder in reversed(backup.folders):
            self.system.remove_folder(folder)
        self.system.remove(self.journal)
        self.backups.delete(backup.id)

    def _folder_of(self, kept: Kept) -> bool:
        return self.system.folder_exists(os.path.dirname(kept.target))

    def _put_back(self, backup: str, index: int, kept: Kept) -> None:
        data = self.backups.copy(backup, index, "before")
        now_there = self.system.state(kept.target)
        if (now_there.data, now_there.mode) == (data, kept.mode):
            return
        for folder in missing_folders(self.system, kept.target):
            self.system.make_folder(folder, 0o755)
        self.system.write(kept.target, data, kept.mode or paths.PRIVATE_FILE, kept.owner)


def _kept(change: FileChange, state: FileState, target: str) -> Kept:
    return Kept(change.path, target, state.data is not None, change.after is not None, state.mode, state.owner)


def _folders_to_make(system: System, files: Sequence[FileChange], targets: Sequence[str]) -> dict[str, int]:
    """Folders that are missing, outermost first, with their modes."""
    made: dict[str, int] = {}
    for change, target in zip(files, targets, strict=True):
        if change.after is not None:
            for folder in missing_folders(system, target):
                made.setdefault(folder, change.folder_mode)
    return made


def undo(transaction: Transaction, backup: str) -> Work:
    """The work that restores the files as they were before `backup`, one of the history, and all later ones."""
    undone = [one for one in transaction.backups.history() if one.id >= backup]
    files: dict[str, FileChange] = {}
    for one in undone:
        for index, kept in enumerate(one.files):
            before = transaction.backups.copy(one.id, index, "before") if kept.existed else None
            files[kept.path] = FileChange(kept.path, None, before, kept.mode or paths.PRIVATE_FILE)
    changes = []
    for path, change in files.items():
        present = transaction.system.state(path).data
        if present != change.after:
            changes.append(change._replace(before=present))
    folders = [folder for one in undone for folder in reversed(one.folders)]
    agents = dict.fromkeys(agent for one in undone for agent in one.agents)
    return Work("undo", tuple(agents), tuple(changes), tuple(folders))


def changed_since(transaction: Transaction, work: Work) -> frozenset[str]:
    """The files of an undo that are no longer as the last setup left them: somebody else's changes go with ours."""
    known: set[str] = set()
    changed: set[str] = set()
    present = {one.path: one.before for one in work.files}
    for backup in transaction.backups.history():
        for index, kept in enumerate(backup.files):
            if kept.path in present and kept.path not in known:
                known.add(kept.path)
                left = transaction.backups.copy(backup.id, index, "after") if kept.stays else None
                if present[kept.path] != left:
                    changed.add(kept.path)
    return frozenset(changed)
