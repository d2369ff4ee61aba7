"""The arguments of bubblewrap (bwrap 0.4 and later) for the places of a run: an own file system view, own processes."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def arguments(program: str, table: dict[str, list[str]], *, strict: bool, filter_fd: int) -> list[str]:
    """What stands before the command. `table`: `write`, `read`, `hide`, `protect` as lists of paths."""
    out = [program, "--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]
    if strict:
        out += ["--unshare-net", "--unshare-uts"]
    out += _read_only(table["read"]) if strict else ["--ro-bind", "/", "/"]
    out += ["--dev", "/dev", "--proc", "/proc"]
    for path in table["hide"]:
        out += ["--tmpfs", path, "--remount-ro", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
    for path in table["write"]:
        out += ["--bind", path, path]
    for path in _mounted_git(table["protect"]):
        out += ["--bind", path, path]
    for path in table["protect"]:
        out += ["--ro-bind", path, path]
    if strict:
        out += ["--remount-ro", "/"]
    return [*out, "--seccomp", str(filter_fd), "--chdir", os.getcwd(), "--"]


def _read_only(read: list[str]) -> Iterator[str]:
    for path in sorted(read):
        if path == "/proc":
            continue
        yield from ("--symlink", os.readlink(path), path) if os.path.islink(path) else ("--ro-bind", path, path)


def _mounted_git(protect: list[str]) -> list[str]:
    """The folders above protected parts: bound onto themselves they can't be moved away, and the parts with them."""
    return sorted({os.path.dirname(path) for path in protect if os.path.basename(os.path.dirname(path)) == ".git"})
