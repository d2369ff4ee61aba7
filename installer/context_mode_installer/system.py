"""The only module of setup that touches the disk or runs programs.

`RealSystem` does it, `DryRunSystem` reads and runs nothing else. Files are written beside the real target and renamed,
so that a reader sees the old file or the new one, never half of one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Protocol

from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TEMP_SUFFIX = ".context-mode.tmp"
"""Behind a dot and the name of the file that a half-written new one lies beside."""
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)
"""Windows would show a console for each program that is run (F39)."""


class PathError(Exception):
    """A path that setup can't use: what is wrong with it and how to mend it, in one line."""

    def __init__(self, path: str, reason: str, fix: Sequence[str] = ()) -> None:
        """Keeps path and reason, which make a sentence; `fix`: a command that takes the path as its last word."""
        super().__init__(f"{paths.tilde(path)}: {reason}")
        self.path = path
        self.reason = reason
        self.fix = tuple(fix)


class FileState(NamedTuple):
    """A file as it is: its bytes and mode bits, owner and group; `data` is None where there is no file."""

    data: bytes | None
    mode: int | None = None
    owner: tuple[int, int] | None = None


class Ran(NamedTuple):
    """How a program ended: `code` is None when it could not be started or did not end in time."""

    code: int | None
    out: str
    err: str


class System(Protocol):
    """What setup needs of a machine."""

    def state(self, path: str) -> FileState:
        """The file behind `path`, links followed."""

    def target(self, path: str) -> str:
        """The real place of `path`. Raises PathError for a link that setup doesn't follow."""

    def folder_exists(self, path: str) -> bool:
        """Whether `path` is a folder."""

    def names(self, folder: str) -> list[str]:
        """The names in a folder, sorted; none where it can't be read."""

    def write(self, path: str, data: bytes, mode: int, owner: tuple[int, int] | None = None) -> None:
        """Puts a whole file at the real place `path`, by rename."""

    def remove(self, path: str) -> None:
        """Takes a file away; one that isn't there is fine."""

    def make_folder(self, path: str, mode: int) -> None:
        """Makes one folder; its parent is there."""

    def remove_folder(self, path: str) -> bool:
        """Takes an empty folder away; False when it isn't empty or isn't there."""

    def run(self, argv: Sequence[str], *, env: Mapping[str, str], stdin: str, timeout: float, cwd: str) -> Ran:
        """Runs a program to its end, at most `timeout` seconds."""


class RealSystem:
    """The machine itself. `homes` are the folders that links may lead into: the home, and roots named by a variable."""

    def __init__(self, homes: Sequence[str]) -> None:
        """Takes the folders as they are spelled; they are resolved here."""
        self.homes = tuple(os.path.realpath(home) for home in homes)

    def state(self, path: str) -> FileState:
        """The file behind `path`, links followed. Raises PathError for what is no plain file or can't be read."""
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise PathError(path, "is no plain file", ("ls", "-ld"))
            with open(path, "rb") as file:
                found = os.fstat(file.fileno())
                return FileState(file.read(), stat.S_IMODE(found.st_mode), (found.st_uid, found.st_gid))
        except (FileNotFoundError, NotADirectoryError):
            return FileState(None)
        except OSError as error:
            fix = ("chmod", "u+r") if isinstance(error, PermissionError) else ()
            raise PathError(path, f"can't be read ({error.strerror})", fix) from None

    def target(self, path: str) -> str:
        """The real place of `path`: what a link stands for, so that the link stays.

        Raises PathError for a link to nothing and for one that leads out of the home.
        """
        real = os.path.realpath(path)
        dangling = next((one for one in _upwards(path) if os.path.islink(one) and not os.path.exists(one)), None)
        if dangling:
            end = paths.tilde(os.path.realpath(dangling))
            reason = f"is a link to {end}, which isn't there; make that or take the link away"
            raise PathError(dangling, reason, ("rm",))
        if real != os.path.abspath(path) and not any(_inside(real, home) for home in self.homes):
            raise PathError(path, f"is a link to {paths.tilde(real)}, outside of your home; setup leaves it alone")
        return real

    def folder_exists(self, path: str) -> bool:
        """Whether `path` is a folder."""
        return os.path.isdir(path)

    def names(self, folder: str) -> list[str]:
        """The names in a folder, sorted; none where it can't be read."""
        try:
            return sorted(os.listdir(folder))
        except OSError:
            return []

    def write(self, path: str, data: bytes, mode: int, owner: tuple[int, int] | None = None) -> None:
        """Writes beside `path`, flushes, renames, flushes the folder. Raises PathError when any of it fails."""
        temp = temp_of(path)
        try:
            self.unlink(temp)
            self.create(temp, data, mode, owner)
            self.rename(temp, path)
            self.sync(os.path.dirname(path))
        except OSError as error:
            with contextlib.suppress(OSError):
                self.unlink(temp)
            raise PathError(path, f"can't be written ({error.strerror})") from None

    def remove(self, path: str) -> None:
        """Takes a file away for good. Raises PathError."""
        try:
            self.unlink(path)
            self.sync(os.path.dirname(path))
        except OSError as error:
            raise PathError(path, f"can't be removed ({error.strerror})") from None

    def make_folder(self, path: str, mode: int) -> None:
        """Makes one folder with exactly this mode. Raises PathError."""
        try:
            self.mkdir(path, mode)
        except FileExistsError:
            pass
        except OSError as error:
            raise PathError(path, f"can't be made ({error.strerror})") from None

    def remove_folder(self, path: str) -> bool:
        """Takes an empty folder away; False when it isn't empty or isn't there."""
        try:
            self.rmdir(path)
        except OSError:
            return False
        return True

    def run(self, argv: Sequence[str], *, env: Mapping[str, str], stdin: str, timeout: float, cwd: str) -> Ran:
        """Runs a program in a process group of its own, which ends with it or with the time."""
        try:
            child = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(env),
                cwd=cwd,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
                creationflags=_NO_WINDOW,
            )
        except OSError as error:
            return Ran(None, "", error.strerror or str(error))
        with child:
            try:
                out, err = child.communicate(stdin, timeout=timeout)
            except subprocess.TimeoutExpired:
                _end(child)
                child.communicate()
                return Ran(None, "", f"no end after {timeout:g} s")
        return Ran(child.returncode, out, err)

    def create(self, path: str, data: bytes, mode: int, owner: tuple[int, int] | None) -> None:
        """One step: a new file, whole and flushed."""
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            found = os.fstat(handle)
            if owner and owner != (found.st_uid, found.st_gid):
                os.fchown(handle, *owner)
            if hasattr(os, "fchmod"):  # Windows: a private folder is all there is
                os.fchmod(handle, mode)
            os.fsync(handle)

    def rename(self, source: str, path: str) -> None:
        """One step: the new file takes the place of the old one."""
        os.replace(source, path)

    def sync(self, folder: str) -> None:
        """One step: what was renamed or removed in a folder outlives a power cut."""
        if os.name != "posix":
            return
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def unlink(self, path: str) -> None:
        """One step: a file goes, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)

    def mkdir(self, path: str, mode: int) -> None:
        """One step: a folder with exactly this mode."""
        os.mkdir(path, mode)
        os.chmod(path, mode)

    def rmdir(self, path: str) -> None:
        """One step: an empty folder goes."""
        os.rmdir(path)


class DryRunSystem(RealSystem):
    """Reads and probes like the machine, and changes nothing: a step that would is an error of ours."""

    def _refuse(self, path: str, *_: object) -> NoReturn:
        raise AssertionError(f"a dry run would have changed {path}")

    create = rename = sync = unlink = mkdir = rmdir = _refuse  # type: ignore[assignment]  # six steps, one body


def temp_of(path: str) -> str:
    """Where the new text of `path` lies before it is renamed."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}{TEMP_SUFFIX}")


def missing_folders(system: System, path: str) -> list[str]:
    """The folders above `path` that aren't there, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(path)
    while folder and not system.folder_exists(folder) and folder != os.path.dirname(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return missing


def _upwards(path: str) -> list[str]:
    """`path` and all folders above it."""
    out = [os.path.abspath(path)]
    while os.path.dirname(out[-1]) != out[-1]:
        out.append(os.path.dirname(out[-1]))
    return out


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _end(child: subprocess.Popen[str]) -> None:
    """Ends a process with its group, where the system has groups."""
    if sys.platform == "win32":
        child.kill()
        return
    with contextlib.suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)
