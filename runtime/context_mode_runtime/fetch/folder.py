"""The files of a folder that are worth indexing: git's ignored files, binary and huge ones out, links not followed."""

from __future__ import annotations

import os
import stat

from context_mode_runtime import paths
from context_mode_runtime.fetch import kinds
from context_mode_runtime.fetch.document import Document, DocumentError, read_document
from context_mode_runtime.fetch.globs import Patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Document", "DocumentError", "Listing", "read_document", "walk"]

WALK_FILE_MAX = 16 * 1024 * 1024
"""A bigger file of a folder is data or a build product; named by itself it is still read."""
_GIT_SECONDS = 20
"""Git needs seconds for a huge checkout, and for ever for a hostile pattern; then we read the patterns ourselves."""
_NESTED_MAX = 8
"""Checkouts in checkouts that are followed."""
_SNIFF = 8_192
_IGNORE_MAX = 1_048_576
_JUNK = (
    ".git .hg .svn .jj node_modules __pycache__ .venv .tox .nox .mypy_cache .pytest_cache .ruff_cache .gradle"
    " .terraform .DS_Store"
)
"""Left out where no git says what counts: version control, installed packages, caches."""
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")
"""A checkout's own configuration may name programs to run; listing files must not start one."""


class Listing(list[str]):
    """Paths in sorted order; `skipped` counts what was left out, by reason; `by_git`: git decided what is ignored."""

    def __init__(self) -> None:
        """An empty listing."""
        super().__init__()
        self.skipped: dict[str, int] = {}
        self.by_git = False

    def skip(self, reason: str) -> None:
        """Counts one file left out."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def told(self) -> str:
        """`left out: 3 binary, 1 link`; why there is nothing at all; or an empty text."""
        if not self and not self.skipped:
            return "no file: the folder is empty, ignored by git, or no file fits the patterns"
        parts = [f"{count} {reason}" for reason, count in sorted(self.skipped.items())]
        return "left out: " + ", ".join(parts) if parts else ""


def walk(folder: str, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Listing:
    """The text files below `folder`, absolute and sorted.

    `include` and `exclude` are patterns in git's ignore form, relative to `folder` (`*.md`, `docs/**/*.py`, `build/`);
    without `include` every text file counts. Git-ignored files stay out: by git itself where it is and the folder is in
    a checkout, else by our own reading of the `.gitignore` files. Binary files, files over 16 MiB and links are
    left out and counted. Raises OSError when the folder can't be read (`NotADirectoryError` for a file).
    """
    root = os.path.realpath(folder)
    os.scandir(root).close()
    listing = Listing()
    names = _by_git(root)
    listing.by_git = names is not None
    wanted, unwanted = Patterns(list(include)), Patterns(list(exclude))
    for name in sorted(set(_by_hand(root) if names is None else names)):
        plain = name.replace(os.sep, "/")
        if (wanted and not wanted.covers(plain)) or unwanted.covers(plain):
            continue
        path = os.path.join(root, name)
        reason = _unfit(path)
        if reason:
            listing.skip(reason)
        else:
            listing.append(path)
    return listing


def _unfit(path: str) -> str:
    """Why a file is left out, empty when it is fit."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return "link"
        if not stat.S_ISREG(status.st_mode):
            return "special"
        if status.st_size > WALK_FILE_MAX:
            return "over 16 MiB"
        with open(paths.open_plain(path, getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            start = file.read(_SNIFF)
    except OSError:
        return "unreadable"
    return "binary" if kinds.not_text(start) and not kinds.is_pdf(start) else ""


def _by_git(root: str, depth: int = 0) -> list[str] | None:
    """Tracked files, and others that are not ignored, relative to `root`; None without git or outside a checkout."""
    command = [*_GIT, "-C", root, "ls-files", "-z", "-co", "--exclude-standard", "--", "."]
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env["GIT_OPTIONAL_LOCKS"] = "0"
    import subprocess

    from context_mode_runtime.execute.process import NO_WINDOW

    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, env=env, timeout=_GIT_SECONDS, check=False,
            creationflags=NO_WINDOW,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    found: list[str] = []
    for name in map(os.fsdecode, filter(None, done.stdout.split(b"\0"))):
        path = os.path.join(root, name)
        if not os.path.isdir(path) or os.path.islink(path):
            if os.path.lexists(path):
                found.append(os.path.normpath(name))
        elif depth < _NESTED_MAX:
            found += [os.path.join(name, inner) for inner in _by_git(path, depth + 1) or []]
    return found


def _by_hand(root: str) -> Iterator[str]:
    """Every file below `root` that no `.gitignore` on the way down takes out, relative to `root`; links not entered."""
    junk = frozenset(_JUNK.split())
    stack: list[tuple[str, list[tuple[str, Patterns]]]] = [("", [])]
    while stack:
        below, rules = stack.pop()
        try:
            entries = list(os.scandir(os.path.join(root, below)))
        except OSError:
            continue
        own = _ignore_file(os.path.join(root, below, ".gitignore"))
        rules = [*rules, (below, own)] if own else rules
        for entry in entries:
            name = os.path.join(below, entry.name)
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name in junk or _ignored(name, rules, folder=is_folder):
                continue
            if is_folder:
                stack.append((name, rules))
            else:
                yield name


def _ignored(name: str, rules: list[tuple[str, Patterns]], *, folder: bool) -> bool:
    for below, patterns in reversed(rules):
        verdict = patterns.verdict(os.path.relpath(name, below or ".").replace(os.sep, "/"), folder=folder)
        if verdict is not None:
            return verdict
    return False


def _ignore_file(path: str) -> Patterns:
    try:
        return Patterns(
            paths.read_plain(path, _IGNORE_MAX).decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        )
    except OSError:
        return Patterns([])
