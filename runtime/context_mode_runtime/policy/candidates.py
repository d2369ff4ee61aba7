"""The forms of a path that rules are checked on: as written, absolute, behind links."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WINDOWS = os.name == "nt"
_LONG_FORMS = (("//?/unc/", "//"), ("//./unc/", "//"), ("//?/", ""), ("//./", ""))
_VARIABLES = ("HOME", "USERPROFILE")
_HERE = ("$(pwd)", "`pwd`", "${PWD}", "$PWD", "$env:PWD", "$pwd")
"""The folder at hand, as shells write it."""


def windows_form(path: str) -> str:
    r"""What Windows opens for `path`: no stream, no dots and blanks at the end of a name, no `\\?\`; `/c/x` is `c:/x`.

    Parts are joined by `/`. Short names (`PROGRA~1`) and links are the system's to tell.
    """
    path = path.replace("\\", "/")
    for prefix, plain in _LONG_FORMS:
        if path[: len(prefix)].lower() == prefix:
            path = plain + path[len(prefix) :]
            break
    if path[:1] == "/" and path[1:2].isalpha() and path[2:3] in ("/", ""):
        path = f"{path[1]}:/{path[3:]}"
    drive, rest = (path[:2], path[2:]) if path[1:2] == ":" else ("", path)
    parts = [part if part in (".", "..") else part.partition(":")[0].rstrip(". ") for part in rest.split("/")]
    return drive + "/".join(parts)


def candidates(path: str, folders: Sequence[str], *, fold: bool) -> list[str]:
    """Absolute forms of `path` under each of `folders`, `.` and `..` worked out, and what they link to.

    `~` and `$HOME` are followed. `fold` takes case out as file systems do. A path with a NUL has only its written form.
    """
    found: dict[str, None] = {}
    for folder in folders:
        full = os.path.join(folder, expanded(path, folder))
        found[os.path.normpath(full)] = None
        real = behind_links(full)
        if real:
            found[real] = None
    return [one.casefold() if fold else one for one in found]


def behind_links(path: str) -> str:
    """The real path; empty where the system can't tell."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return ""


def expanded(path: str, folder: str) -> str:
    """`path` with `~`, `$HOME`, `${HOME}` and `file://` worked out; `$PWD`, `$(pwd)` and `~+` are `folder`."""
    path = path.removeprefix("file://")
    if WINDOWS:
        path = windows_form(path)
    if path.startswith("~+"):
        path = folder + path[2:]
    elif path.startswith("~"):
        path = os.path.expanduser(path)
    if "$" in path:
        for name in _VARIABLES:
            value = os.environ.get(name)
            if value:
                path = path.replace("${" + name + "}", value).replace("$" + name, value)
                path = path.replace("$env:" + name, value)
    if "%" in path:
        path = path.replace("%USERPROFILE%", os.environ.get("USERPROFILE") or "~").replace("%CD%", folder)
        path = os.path.expanduser(path)
    if "$" in path or "`" in path:
        for name in _HERE:
            path = path.replace(name, folder)
    return path
