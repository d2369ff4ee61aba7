"""What isolated code may write and read, as plain paths: the same for every mechanism.

Every path is a real one (links resolved): a mechanism opens or binds them before the code runs.
"""

from __future__ import annotations

import os
import sys

from context_mode_runtime import paths
from context_mode_runtime.execute.errors import ExecuteError

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/snap", "/gnu"),
    *("/sys", "/proc"),
)
"""What strict code may read beside its project and toolchains."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
"""The devices that may be opened, for writing too."""
TOOLCHAINS = (
    *(".asdf", ".bun/bin", ".bun/install", ".cargo/bin", ".cargo/git", ".cargo/registry", ".deno/bin", ".dotnet"),
    *(".fnm", ".gem/ruby", ".ghcup", ".juliaup", ".linuxbrew", ".local/bin", ".local/lib", ".local/pipx"),
    *(".local/share/fnm", ".local/share/mise", ".local/share/pipx", ".local/share/pnpm", ".local/share/uv/python"),
    *(".local/share/uv/tools", ".nix-profile", ".npm-global", ".nvm", ".pyenv", ".rbenv", ".rustup", ".sdkman"),
    *(".volta", "go/bin", "go/pkg"),
)
"""Folders of the home that hold programs and libraries and, in their makers' layout, no credentials."""
TOOL_HOMES = {
    "CARGO_HOME": ".cargo",
    "PYENV_ROOT": ".pyenv",
    "RBENV_ROOT": ".rbenv",
    "RUSTUP_HOME": ".rustup",
    "VOLTA_HOME": ".volta",
}
"""Variable -> its value by default, under the home: strict code has another home, and its programs look there."""
SECRETS = ("/etc/shadow", "/etc/gshadow", "/etc/ssh", "/etc/krb5.keytab", "/etc/sudoers", "/etc/sudoers.d")
"""Of the system's own files, those that hold keys; only an administrator could read them anyway."""
PROTECTED = (".context-mode", ".git/hooks", ".git/config")
"""Of the project, what decides about later runs; read-only where the mechanism can do that."""
_PREFIX_MARKS = (
    "pyvenv.cfg",
    "lib/node_modules",
    "lib/rustlib",
    "lib/ruby",
    "pkg/tool",
    "bin/python3",
    "shims",
    "jmods",
)
"""One of them makes the folder above a `bin` on PATH a toolchain of its own."""


class Places:
    """`write`: folders that may be written. `read`: files and folders, or None for everything. `hide`: never.

    `protect`: parts of `write` that stay as they are. `project`: the checkout; `folder`: the run's private one.
    """

    __slots__ = ("folder", "hide", "home", "project", "protect", "read", "write")

    def __init__(self, project: str, folder: str, *, strict: bool) -> None:
        """`project` and `folder` exist. Raises ExecuteError where the one holds what has to be hidden."""
        self.project, self.folder = os.path.realpath(project), os.path.realpath(folder)
        self.home = real_home()
        data = os.path.realpath(paths.data_root())
        self.hide = _there([data, os.path.join(self.home, ".context-mode"), *(SECRETS if strict else ())])
        git = _git_folder(self.project)
        self.write = [self.project, *([git] if git else []), self.folder]
        _check(self, data)
        self.protect = _protected(self.project, git)
        self.read = _readable(self) if strict else None

    def may_read(self, path: str) -> bool:
        """Whether the code itself could read the real `path`; its own folders included."""
        real = os.path.realpath(path)
        if any(within(real, hidden) for hidden in self.hide):
            return False
        return self.read is None or any(within(real, place) for place in (*self.read, *self.write))

    def table(self) -> dict[str, object]:
        """For the launcher's argument."""
        return {name: getattr(self, name) for name in self.__slots__}


def within(path: str, folder: str) -> bool:
    """True for the folder itself and all below it; both absolute."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def real_home() -> str:
    """The user's home, links resolved; for a user without one a folder that is nowhere."""
    try:
        return os.path.realpath(paths.home())
    except paths.NoHomeError:
        return "/nonexistent"


def _check(places: Places, data: str) -> None:
    for folder in places.write:
        for kept in (data, places.home):
            if within(kept, folder):
                raise ExecuteError(
                    f"not run: policy sandbox can't be had in {folder}: it holds {kept}, which code may not write; "
                    "work in a folder of its own"
                )
    if any(within(places.project, hidden) for hidden in places.hide):
        raise ExecuteError(f"not run: policy sandbox can't be had in {places.project}: that is our own data folder")


def _there(candidates: list[str]) -> list[str]:
    return list(dict.fromkeys(real for path in candidates if os.path.exists(real := os.path.realpath(path))))


def _git_folder(project: str) -> str | None:
    """The `.git` of the main checkout that the linked work tree `project` writes to; None where there is none.

    `project`'s own `.git` file may have been written by isolated code: it counts only when git's folder, outside,
    names `project` in return, and has the place that git gives it (gitrepository-layout, "worktrees/<id>/gitdir").
    """
    try:
        line = _first_line(os.path.join(project, ".git"))
        own = os.path.realpath(os.path.join(project, line.removeprefix("gitdir:").strip()))
        back = os.path.realpath(os.path.dirname(_first_line(os.path.join(own, "gitdir"))))
    except (OSError, ValueError):
        return None
    above, common = os.path.dirname(own), os.path.dirname(os.path.dirname(own))
    fits = back == project and os.path.basename(above) == "worktrees" and os.path.isfile(os.path.join(common, "HEAD"))
    return common if fits else None


def _first_line(path: str) -> str:
    return paths.read_plain(path, 4096).decode().partition("\n")[0].strip()


def _protected(project: str, git: str | None) -> list[str]:
    wanted = [os.path.join(project, name) for name in PROTECTED]
    wanted += [os.path.join(git, name) for name in ("hooks", "config")] if git else []
    return [path for path in wanted if os.path.exists(path) and not os.path.islink(path)]


def _readable(places: Places) -> list[str]:
    """What strict code may read beside what it may write."""
    wanted = [*SYSTEM, *(os.path.join(places.home, name) for name in TOOLCHAINS)]
    wanted += [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if os.path.isabs(folder):
            above = os.path.dirname(os.path.realpath(folder))
            wanted += [folder, *([above] if any(os.path.exists(os.path.join(above, m)) for m in _PREFIX_MARKS) else [])]
    found = _there(wanted)
    links = [path for path in SYSTEM if os.path.islink(path)]
    return [*links, *(path for path in found if _harmless(path, places))]


def _harmless(path: str, places: Places) -> bool:
    """Never the home or what holds it, `~/.local` or the data folder: a PATH may name such things."""
    whole = (places.home, os.path.join(places.home, ".local"))
    return not any(within(one, path) for one in whole) and not any(within(path, one) for one in places.hide)
