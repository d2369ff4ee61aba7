"""Which project a folder belongs to. Nothing is run and nothing is opened but git's own small pointer files."""

from __future__ import annotations

import os

from context_mode_runtime import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME_MAX = 40


class Project:
    """A checkout or a plain folder.

    `root` is the main checkout (of a linked worktree: the one it was made from; of a submodule: its superproject),
    `worktree` the checkout the folder lies in, `name` the last part of `root`. All paths are real ones.
    """

    __slots__ = ("name", "root", "worktree")

    def __init__(self, root: str, worktree: str) -> None:
        self.root = root
        self.worktree = worktree
        self.name = os.path.basename(root)

    def key(self) -> str:
        """`<name>-<hash>`: the name of the project's folder under our data root."""
        from context_mode_runtime.digests import sha256

        plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in self.name)
        digest = sha256(os.fsencode(self.root)).hexdigest()[:16]
        return f"{plain[:_NAME_MAX] or 'project'}-{digest}"


def find_project(folder: str) -> Project | None:
    """The project of `folder`, or None for a folder that is never one: the home, `/`, our own ones, a missing one."""
    try:
        here = os.path.realpath(folder)
        if not os.path.isdir(here):
            return None
    except ValueError:  # a NUL, a lone surrogate: no name of a folder
        return None
    if _is_package(here):
        return None
    checkout, marker = _checkout(here)
    if checkout is None:
        return None if never_project(here) or _is_ours(here) else Project(here, here)
    root = _main_checkout(checkout, marker)
    return Project(root, root if _is_submodule(marker) else checkout)


def first_project(folders: Iterable[str]) -> Project | None:
    """The project of the first of these folders that is in one; an empty name is no folder."""
    for folder in folders:
        found = find_project(folder) if folder else None
        if found is not None:
            return found
    return None


def never_project(folder: str) -> bool:
    """Whether a real path is the home, a root, or lies in our own data folder."""
    if os.path.dirname(folder) == folder:
        return True
    try:
        own = os.path.realpath(paths.data_root())
        if folder == own or folder.startswith(own + os.sep):
            return True
        return folder == os.path.realpath(paths.home())
    except paths.NoHomeError:
        return False


def _is_ours(folder: str) -> bool:
    """Whether a real path lies in the folder that we are installed in."""
    own = os.path.dirname(os.path.realpath(__file__))
    return folder == own or folder.startswith(own + os.sep)


def _is_package(folder: str) -> bool:
    """Whether a folder is that of a native package of ours, where some hosts start the server: in a checkout, too."""
    return os.path.isfile(os.path.join(folder, "context-mode.json")) and os.path.isdir(os.path.join(folder, "runtime"))


def _checkout(folder: str) -> tuple[str | None, str]:
    """The nearest folder at or above that holds `.git`, and the text of that file (empty for a folder)."""
    while True:
        if never_project(folder):
            return None, ""
        marker = os.path.join(folder, ".git")
        if os.path.isdir(marker):
            return folder, ""
        if os.path.isfile(marker):
            return folder, _first_line(marker)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None, ""
        folder = parent


def _first_line(path: str) -> str:
    try:
        return paths.read_plain(path, 4096).decode("utf-8", "replace").partition("\n")[0].strip()
    except OSError:
        return ""


def _git_folder(marker: str) -> str:
    return marker[len("gitdir:") :].strip() if marker.startswith("gitdir:") else ""


def _is_submodule(marker: str) -> bool:
    return "/modules/" in _git_folder(marker).replace("\\", "/")


def _main_checkout(checkout: str, marker: str) -> str:
    """Where `gitdir:` leads: `.git/worktrees/NAME` (its file `commondir`) or a submodule's `.git/modules/NAME`."""
    target = _git_folder(marker)
    if not target:
        return checkout
    git = os.path.normpath(os.path.join(checkout, target))
    if _is_submodule(marker):
        outer, _ = _checkout(os.path.dirname(checkout))
        return find_root(outer) if outer else checkout
    common = _first_line(os.path.join(git, "commondir"))
    shared = os.path.realpath(os.path.join(git, common)) if common else git
    return os.path.dirname(shared) if os.path.basename(shared) == ".git" else checkout


def find_root(checkout: str) -> str:
    """The main checkout that a checkout belongs to."""
    marker = os.path.join(checkout, ".git")
    return _main_checkout(checkout, _first_line(marker) if os.path.isfile(marker) else "")
