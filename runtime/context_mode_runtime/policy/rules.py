"""One rule, `Tool(pattern)` or `Tool`: what it says of commands, paths, addresses and other tools."""

from __future__ import annotations

import os

from context_mode_runtime import paths
from context_mode_runtime.wildcard import matches, path_matches

SHELL_TOOLS = frozenset(("Bash", "Shell", "PowerShell"))
"""Rule words that hold for every shell language."""
EDIT_TOOLS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))
READ_TOOLS = frozenset(("Read",))
_FAMILY = {
    **dict.fromkeys(SHELL_TOOLS, SHELL_TOOLS),
    **dict.fromkeys(EDIT_TOOLS, EDIT_TOOLS),
}
_TOOL_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/@*")
_WILD = frozenset("*?[")


def folds(platform: str) -> bool:
    """Upper and lower case are the same in names of files and programs, as the systems of this platform are set up."""
    return platform in ("darwin", "win32")


class Rule:
    """A rule: `text` as written, `tool`, `pattern` (None: every call), `file` it stands in (for people, with `~`).

    `folder` is what `/x` starts at, `base` what `./x` starts at (None: the project).
    """

    __slots__ = ("_bare", "_cache", "_glob", "base", "file", "folder", "pattern", "text", "tool")

    def __init__(self, text: str, tool: str, pattern: str | None, where: Place) -> None:
        self.text = text
        self.tool = tool
        self.pattern = pattern
        self.file = where.file
        self.folder = where.folder
        self.base = where.base
        self._cache: dict[tuple[str, bool], list[str]] = {}
        self._glob, self._bare = _command_form(pattern)

    def holds_for(self, tool: str) -> bool:
        """The rule's tool is `tool`, one of its family, or a wildcard over it."""
        return (
            self.tool == tool or self.tool in _FAMILY.get(tool, ()) or ("*" in self.tool and matches(self.tool, tool))
        )

    def command(self, form: str, *, fold: bool) -> bool:
        """A command's text fits. `fold`: upper and lower case are the same."""
        if self.pattern is None:
            return True
        glob, bare = self._glob, self._bare
        if fold:
            form, glob, bare = form.lower(), glob.lower(), bare and bare.lower()
        return form == bare or matches(glob, form)

    def heads(self) -> str:
        """The first word of a command pattern, or an empty string when it holds a wildcard."""
        head = self._glob.partition(" ")[0]
        return "" if "*" in head else head

    def path(self, candidates: list[str], project: str, *, fold: bool) -> bool:
        """One of the absolute paths is what the pattern names or lies in it."""
        if self.pattern is None:
            return True
        for pattern in self._path_patterns(project, fold=fold):
            sure = _sure_part(pattern)
            if any(sure in candidate and path_matches(pattern, candidate, below=True) for candidate in candidates):
                return True
        return False

    def forget_links(self) -> None:
        """Where the pattern's path leads is found out anew when it is next asked for."""
        self._cache.clear()

    def _path_patterns(self, project: str, *, fold: bool) -> list[str]:
        found = self._cache.get((project, fold))
        if found is None:
            anchored = self._anchored(project)
            found = [anchored] if anchored.startswith("**") else [anchored, _real(anchored)]
            found = [pattern.casefold() if fold else pattern for pattern in dict.fromkeys(found)]
            self._cache[(project, fold)] = found
        return found

    def _anchored(self, project: str) -> str:
        """The pattern with its anchor put in: `//x`, `~/x`, `/x`, `./x`, `**/x`, `x` (any depth), `a/x` (project)."""
        pattern = (self.pattern or "").rstrip("/") or "/"
        pattern = pattern[:-3] if pattern.endswith("/**") and len(pattern) > len("/**") + 1 else pattern
        if pattern.startswith("//"):
            return os.path.normpath(pattern[1:])
        if pattern == "~" or pattern.startswith("~/"):
            return _joined(_home(), pattern[2:])
        if pattern.startswith("/"):
            return _joined(self.folder, pattern[1:])
        if pattern[1:2] == ":":
            return pattern
        if pattern.startswith("**") or ("/" not in pattern and pattern not in (".", "..")):
            return pattern if pattern.startswith("**") else "**/" + pattern
        return _joined(self.base or project, pattern)


class Place:
    """Where a rule stands: the file as people see it, its folder, and what relative paths in it start at."""

    __slots__ = ("base", "file", "folder")

    def __init__(self, file: str, folder: str, base: str | None = None) -> None:
        self.file = file
        self.folder = folder
        self.base = base


def parse_rule(text: object, place: Place) -> Rule:
    """The rule that `text` says. Raises ValueError with what is wrong with it."""
    if not isinstance(text, str):
        raise ValueError(  # noqa: TRY004 - the file is wrong, not a type of ours
            f"a rule is text such as Bash(git push *), not {type(text).__name__}"
        )
    tool, cut, rest = text.strip().partition("(")
    tool = tool.strip()
    if not tool or any(c not in _TOOL_SIGNS for c in tool):
        raise ValueError(f"{text!r} does not begin with a tool's name")
    if not cut:
        return Rule(text.strip(), tool, None, place)
    if not rest.endswith(")"):
        raise ValueError(f"{text!r} has no closing bracket")
    pattern = rest[:-1].strip()
    return Rule(text.strip(), tool, pattern if pattern not in ("", "*", "**", ":*") else None, place)


def _command_form(pattern: str | None) -> tuple[str, str | None]:
    """The wildcard, and the command without arguments that `git push *` and `git push:*` mean as well."""
    glob = " ".join((pattern or "").split()) if pattern and "'" not in pattern and '"' not in pattern else pattern or ""
    if glob.endswith(":*"):
        glob = glob[:-2] + " *"
    return glob, glob[:-2] if glob.endswith(" *") else None


def _joined(folder: str, rest: str) -> str:
    """`rest` under `folder`, `.` and `..` worked out."""
    return os.path.normpath(os.path.join(folder, rest)) if rest else folder


def _sure_part(pattern: str) -> str:
    """A text that stands in every path that fits: compared first, since that is cheap."""
    return max(pattern.partition("[")[0].replace("?", "*").split("*"), key=len).strip("/")


def _home() -> str:
    try:
        return paths.home()
    except paths.NoHomeError:
        return "/nonexistent"


def _real(pattern: str) -> str:
    """The pattern with links followed in the part before its first wildcard."""
    parts = pattern.split("/")
    count = next((n for n, part in enumerate(parts) if any(c in part for c in _WILD)), len(parts))
    head = "/".join(parts[:count])
    if not head:
        return pattern
    return "/".join([os.path.realpath(head).rstrip("/"), *parts[count:]])
