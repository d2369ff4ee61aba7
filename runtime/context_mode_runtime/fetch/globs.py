"""File patterns in git's ignore form, matched without backtracking (gitignore(5), PATTERN FORMAT)."""

from __future__ import annotations

import re
from fnmatch import translate


class Pattern:
    """One pattern: `negated` (`!`), `folders_only` (ends with `/`), and its parts between slashes."""

    __slots__ = ("_parts", "folders_only", "negated")

    def __init__(self, text: str) -> None:
        """Reads a pattern; a slash at its start or in it ties it to the folder it stands in."""
        self.negated = text.startswith("!")
        body = text[1:] if self.negated else text
        self.folders_only = body.endswith("/")
        body = body.rstrip("/")
        parts = body.lstrip("/").split("/")
        if "/" not in body:
            parts.insert(0, "**")
        self._parts = [None if part == "**" else _compiled(part) for part in parts]

    def matches(self, path: str, *, folder: bool) -> bool:
        """Whether `path`, relative to the pattern's folder and with `/`, is meant; its parents are not looked at."""
        if self.folders_only and not folder:
            return False
        names = path.split("/")
        reached = {0}
        for n, name in enumerate(names):
            reached = self._step(reached, name, last=n == len(names) - 1)
        return len(self._parts) in reached

    def _step(self, reached: set[int], name: str, *, last: bool) -> set[int]:
        """The places in the pattern after one more name, from the places before it."""
        after: set[int] = set()
        for place in reached:
            at = place
            while at < len(self._parts) and self._parts[at] is None:
                after.add(at + 1 if last and at == len(self._parts) - 1 else at)
                at += 1
            part = self._parts[at] if at < len(self._parts) else None
            if part is not None and part.match(name):
                after.add(at + 1)
        return after


class Patterns:
    """A list of patterns of one folder, as in a `.gitignore`: the last that matches decides."""

    __slots__ = ("_patterns",)

    def __init__(self, lines: list[str]) -> None:
        """Reads lines; empty ones and comments don't count, nor do trailing spaces that are not escaped."""
        cleaned = [re.sub(r"(?<!\\)[ \t]+$", "", line.rstrip("\r\n")) for line in lines]
        self._patterns = [Pattern(line) for line in cleaned if line.strip("/!") and not line.startswith("#")]

    def __bool__(self) -> bool:
        """Whether there is any pattern."""
        return bool(self._patterns)

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """True: matched; False: matched by a `!` pattern; None: not matched."""
        for pattern in reversed(self._patterns):
            if pattern.matches(path, folder=folder):
                return not pattern.negated
        return None

    def covers(self, path: str) -> bool:
        """Whether the file `path` or one of the folders above it, within the list's folder, is matched."""
        parts = path.split("/")
        if any(self.verdict("/".join(parts[:n]), folder=True) for n in range(1, len(parts))):
            return True
        return self.verdict(path, folder=False) is True


def _compiled(part: str) -> re.Pattern[str]:
    escaped = re.sub(r"\\(.)", lambda found: f"[{found[1]}]" if found[1] not in "]^!" else found[1], part)
    return re.compile(translate(escaped.replace("[^", "[!")), re.DOTALL)
