"""Wildcards without backtracking: `*` over anything in texts, `*`, `**`, `?` and `[...]` in paths."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CLASS_MAX = 1_024
"""Longest part of a path that `?` and `[...]` are compared on sign by sign; longer ones can't be file names."""


def matches(pattern: str, text: str) -> bool:
    """The whole `text` fits `pattern`, where `*` stands for anything, also nothing. Linear time."""
    if "*" not in pattern:
        return pattern == text
    pieces = pattern.split("*")
    first, last = pieces[0], pieces[-1]
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in pieces[1:-1]:
        at = text.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def path_matches(pattern: str, path: str, *, below: bool = False) -> bool:
    r"""The whole `path` fits `pattern`: `*` stays within a part, `**` is any number of parts, none included.

    Both are absolute and use `/` (on Windows `\\` is taken for it); `**/x` is `x` at any depth. With `below` a path
    inside what fits counts, too, as in a `.gitignore`.
    """
    wanted, parts = _parts(pattern), _parts(path)
    if "**" not in wanted:
        return _run_at(wanted, parts, 0) and (below or len(parts) == len(wanted))
    runs: list[list[str]] = [[]]
    for part in wanted:
        if part == "**":
            runs.append([])
        else:
            runs[-1].append(part)
    return _runs_match(runs, parts, below=below)


def _parts(path: str) -> list[str]:
    path = path.replace("\\", "/") if os.sep == "\\" else path
    return [part for part in path.split("/") if part and part != "."]


def _runs_match(runs: list[list[str]], parts: list[str], *, below: bool) -> bool:
    first, last = runs[0], runs[-1]
    if not _run_at(first, parts, 0):
        return False
    at = len(first)
    for run in runs[1:-1] if not below else runs[1:]:
        found = _find(run, parts, at)
        if found < 0:
            return False
        at = found + len(run)
    if below:
        return True
    start = len(parts) - len(last)
    return start >= at and _run_at(last, parts, start)


def _find(run: list[str], parts: list[str], at: int) -> int:
    for start in range(at, len(parts) - len(run) + 1):
        if _run_at(run, parts, start):
            return start
    return -1


def _run_at(run: list[str], parts: list[str], start: int) -> bool:
    if start + len(run) > len(parts):
        return False
    return all(part_matches(pattern, parts[start + n]) for n, pattern in enumerate(run))


def part_matches(pattern: str, part: str) -> bool:
    """One part of a path fits one part of a pattern."""
    if "?" not in pattern and "[" not in pattern:
        return matches(pattern, part)
    return len(part) <= _CLASS_MAX and signs_match(_tokens(pattern), part, _sign)


def _tokens(pattern: str) -> list[str]:
    """`*`, `?`, `[...]` and single signs."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        end = pattern.find("]", at + 2) if pattern[at] == "[" else -1
        out.append(pattern[at : end + 1] if end > 0 else pattern[at])
        at = end + 1 if end > 0 else at + 1
    return out


def signs_match(tokens: list[str], text: str, fits: Callable[[str, str], bool]) -> bool:
    """The whole `text` is `tokens`: `*` is anything, any other what `fits` it. Goes back to the last `*` only."""
    at = place = 0
    star, mark = -1, 0
    while at < len(text):
        if place < len(tokens) and tokens[place] == "*":
            star, mark = place, at
            place += 1
        elif place < len(tokens) and fits(tokens[place], text[at]):
            place += 1
            at += 1
        elif star >= 0:
            mark += 1
            place, at = star + 1, mark
        else:
            return False
    return all(one == "*" for one in tokens[place:])


def _sign(sign_or_class: str, sign: str) -> bool:
    if sign_or_class == "?":
        return True
    if len(sign_or_class) == 1:
        return sign_or_class == sign
    body = sign_or_class[1:-1]
    turned = body[:1] in ("!", "^")
    body = body[1:] if turned else body
    at, found = 0, False
    while at < len(body):
        if body[at + 1 : at + 2] == "-" and at + 2 < len(body):
            found = found or body[at] <= sign <= body[at + 2]
            at += 3
        else:
            found = found or body[at] == sign
            at += 1
    return found != turned
