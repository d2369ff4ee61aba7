"""All files or none, whatever happens on the way: errors, Ctrl-C, kills at any step and at any time."""

from __future__ import annotations

import os
import random
import select
import signal
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from context_mode_installer.backups import Backups
from context_mode_installer.system import DryRunSystem, PathError, RealSystem
from context_mode_installer.transaction import (
    BusyError,
    ChangedError,
    FileChange,
    Transaction,
    VerifyError,
    Work,
    recover,
    undo,
)

Tree = dict[str, tuple[str, int, bytes]]


def _tree(folder: Path, *, without: str = "/.context-mode") -> Tree:
    """Every path below `folder` with its kind, mode and content."""
    out: Tree = {}
    for path in sorted(folder.rglob("*")):
        name = str(path)[len(str(folder)) :]
        if name.startswith(without):
            continue
        if path.is_symlink():
            out[name] = ("link", 0, os.fsencode(path.readlink()))
        elif path.is_dir():
            out[name] = ("folder", stat.S_IMODE(path.stat().st_mode), b"")
        else:
            out[name] = ("file", stat.S_IMODE(path.stat().st_mode), path.read_bytes())
    return out


@pytest.fixture
def files(home: Path) -> Path:
    """A home with a plain file, a private one and a linked one."""
    (home / ".agent").mkdir(mode=0o755)
    (home / "dots").mkdir(mode=0o750)
    (home / ".agent/settings.json").write_bytes(b'{"theme": "dark"}\r\n')
    (home / ".agent/settings.json").chmod(0o640)
    (home / "dots/state").write_bytes(b"x" * 70_000)
    (home / "dots/state").chmod(0o600)
    (home / ".agent/state").symlink_to("../dots/state")
    (home / ".agent/old").write_bytes(b"to go")
    return home


def _work(home: Path) -> Work:
    def change(name: str, after: bytes | None) -> FileChange:
        path = home / name
        return FileChange(str(path), path.read_bytes() if path.exists() else None, after)

    changes = (
        change(".agent/settings.json", b'{"theme": "dark", "hooks": {}}\r\n'),
        change(".agent/state", b"y" * 80_000),
        change(".other/deep/hooks.json", b"{}\n"),
        change(".agent/old", None),
    )
    return Work("setup", ("a", "b"), changes)


def _transaction(home: Path, system: RealSystem | None = None) -> Transaction:
    return Transaction(system or RealSystem([str(home)]), str(home / ".context-mode"))


def _run(home: Path, system: RealSystem | None = None) -> None:
    one = _transaction(home, system)
    with one.lock(0):
        one.run(_work(home))


def test_files_modes_and_links_after_a_run(files: Path) -> None:
    _run(files)
    assert (files / ".agent/state").is_symlink()
    assert (files / "dots/state").read_bytes() == b"y" * 80_000
    assert stat.S_IMODE((files / ".agent/settings.json").stat().st_mode) == 0o640
    assert not (files / ".agent/old").exists()
    private = [path for path in (files / ".context-mode").rglob("*") if stat.S_IMODE(path.stat().st_mode) & 0o077]
    assert private == []


def test_undo_gives_everything_back(files: Path) -> None:
    before = _tree(files)
    _run(files)
    one = _transaction(files)
    with one.lock(0):
        one.run(undo(one, one.backups.history()[0].id))
    assert _tree(files) == before
    assert sorted(backup.command for backup in one.backups.history()) == ["setup", "undo"]


@pytest.mark.parametrize("error", [VerifyError("the hook does not answer"), KeyboardInterrupt(), OSError("disk")])
def test_whatever_ends_the_run_everything_is_back(files: Path, error: BaseException) -> None:
    before = _tree(files)

    def verify() -> None:
        assert _tree(files) != before
        raise error

    one = _transaction(files)
    with pytest.raises(type(error)), one.lock(0):
        one.run(_work(files), verify)
    assert _tree(files) == before
    assert one.interrupted() is None
    assert one.backups.history() == []


def test_a_write_that_fails_half_way_is_rolled_back(files: Path) -> None:
    class Full(RealSystem):
        def create(self, path: str, data: bytes, mode: int, owner: tuple[int, int] | None) -> None:
            if ".other" in path:
                raise OSError(28, "No space left on device")
            super().create(path, data, mode, owner)

    before = _tree(files)
    with pytest.raises(PathError, match=r"hooks.json: can't be written .No space left"):
        _run(files, Full([str(files)]))
    assert _tree(files) == before


def test_a_file_changed_after_the_plan_stops_the_run(files: Path) -> None:
    work = _work(files)
    (files / ".agent/settings.json").write_bytes(b"{}")
    before = _tree(files)
    one = _transaction(files)
    with pytest.raises(ChangedError, match=r"~/.agent/settings.json was changed"), one.lock(0):
        one.run(work)
    assert _tree(files) == before


def test_a_second_setup_waits_then_says_so(files: Path) -> None:
    with _transaction(files).lock(0), pytest.raises(BusyError), _transaction(files).lock(0):
        pass


@pytest.mark.parametrize(
    ("link", "words"),
    [("gone", "settings.json: is a link to .*gone, which isn't there"), ("/etc/hostname", "outside of your home")],
)
def test_links_that_setup_does_not_follow_are_named(files: Path, link: str, words: str) -> None:
    path = files / ".agent/settings.json"
    path.unlink()
    path.symlink_to(link)
    with pytest.raises(PathError, match=words):
        RealSystem([str(files)]).target(str(path))


def test_a_dry_run_can_change_nothing(files: Path) -> None:
    with pytest.raises(AssertionError):
        _run(files, DryRunSystem([str(files)]))
    assert not (files / ".context-mode").exists()


def test_old_backups_go_and_pinned_ones_stay(files: Path) -> None:
    for _ in range(3):
        _run(files)
        (files / ".agent/old").write_bytes(b"to go")
        (files / ".other/deep/hooks.json").unlink()
    backups = Backups(RealSystem([str(files)]), str(files / ".context-mode"))
    ids = [one.id for one in backups.history()]
    backups.sweep(keep=1, pinned=frozenset(ids[-1:]))
    assert [one.id for one in backups.history()] == [ids[0], ids[-1]]


class _Killed(RealSystem):
    """Dies at the n-th step, before it is done or after."""

    def __init__(self, home: str, step: int, *, after: bool) -> None:
        super().__init__([home])
        self.step, self.after = step, after

    def _at(self, act: Callable[[], None]) -> None:
        self.step -= 1
        if self.step == 0 and not self.after:
            os.kill(os.getpid(), signal.SIGKILL)
        act()
        if self.step == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def create(self, path: str, data: bytes, mode: int, owner: tuple[int, int] | None) -> None:
        self._at(lambda: RealSystem.create(self, path, data, mode, owner))

    def rename(self, source: str, path: str) -> None:
        self._at(lambda: RealSystem.rename(self, source, path))

    def unlink(self, path: str) -> None:
        self._at(lambda: RealSystem.unlink(self, path))

    def mkdir(self, path: str, mode: int) -> None:
        self._at(lambda: RealSystem.mkdir(self, path, mode))

    def rmdir(self, path: str) -> None:
        self._at(lambda: RealSystem.rmdir(self, path))


def _in_child(act: Callable[[], object], kill_after: float | None = None) -> bool:
    """Runs `act` in a process of its own; True when it was killed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            act()
            code = 0
        finally:
            os._exit(code)
    if kill_after is not None:
        select.select([], [], [], kill_after)
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def _new_tree(files: Path) -> Tree:
    """What the files look like after a whole run; leaves them as they were."""
    before = _tree(files)
    _run(files)
    after = _tree(files)
    one = _transaction(files)
    with one.lock(0):
        one.run(undo(one, one.backups.history()[0].id))
    assert _tree(files) == before
    return after


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_every_step_leaves_old_or_new(files: Path, *, after: bool) -> None:
    old, new, step = _tree(files), _new_tree(files), 0
    killed = True
    while killed:
        step += 1
        killed = _in_child(lambda: _run(files, _Killed(str(files), step, after=after)))  # noqa: B023 - runs at once
        recover()
        assert not list((files / ".context-mode").glob(".setup.journal*"))
        assert _tree(files) in (old, new), f"step {step}"
        assert _transaction(files).interrupted() is None
        if _tree(files) == new:
            one = _transaction(files)
            with one.lock(0):
                one.run(undo(one, one.backups.history()[0].id))
            assert _tree(files) == old
    assert step > 40


def test_killed_while_it_puts_back_is_finished_by_the_next(files: Path) -> None:
    old = _tree(files)
    _in_child(lambda: _run(files, _Killed(str(files), 36, after=True)))
    assert _transaction(files).interrupted()
    for step in range(1, 60):
        system = _Killed(str(files), step, after=step % 2 == 0)
        if not _in_child(lambda: _transaction(files, system).recover()):  # noqa: B023 - runs at once
            break
    recover()
    assert _tree(files) == old


def test_killed_at_any_time_leaves_old_or_new(files: Path) -> None:
    old, new = _tree(files), _new_tree(files)
    for _ in range(60):
        _in_child(lambda: _run(files), kill_after=random.uniform(0, 0.04))
        recover()
        assert _tree(files) in (old, new)
        if _tree(files) == new:
            one = _transaction(files)
            with one.lock(0):
                one.run(undo(one, one.backups.history()[0].id))


def test_a_disk_that_is_full_from_the_start_leaves_nothing_behind(files: Path) -> None:
    class Full(RealSystem):
        def create(self, path: str, data: bytes, mode: int, owner: tuple[int, int] | None) -> None:
            super().create(path, data[:1], mode, owner)
            if ".journal" in path:
                raise OSError(28, "No space left on device")

    before = _tree(files)
    with pytest.raises(PathError, match=r"setup.journal: can't be written .No space left"):
        _run(files, Full([str(files)]))
    assert _tree(files) == before
    assert sorted(path.name for path in (files / ".context-mode").rglob("*")) == ["backups", "setup.lock"]
