"""Which tools a matcher fires for, by the host's own rule."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Rule = dict[str, Any]
"""The `matcher` map of a surface: `dialect` and `exact`."""


def fires(rule: Rule, matcher: str | None, tool: str) -> bool:
    """Whether a hook with this matcher runs for `tool`. None, an empty text and `*` fire for all.

    The hosts' own engines are JavaScript's and Rust's; what our matchers use means the same in Python.
    Raises re.error for a pattern that cannot be read.
    """
    if rule["dialect"] == "none" or matcher in (None, "", "*"):
        return True
    return _DIALECTS[rule["dialect"]](str(matcher), tool, rule)


def _exact_or_regex(matcher: str, tool: str, rule: Rule) -> bool:
    signs = rule["exact"] or "A-Za-z0-9_|"
    if re.fullmatch(f"[{signs}]+", matcher) is None:
        return re.search(matcher, tool) is not None
    cut = "[|,]" if "," in signs else r"\|"
    return tool in [name.strip() for name in re.split(cut, matcher)]


_DIALECTS: dict[str, Callable[[str, str, Rule], bool]] = {
    "exact-or-regex": _exact_or_regex,
    "free-regex": lambda matcher, tool, _: re.search(matcher, tool) is not None,
    "whole-regex": lambda matcher, tool, _: re.fullmatch(matcher, tool) is not None,
    "glob": lambda matcher, tool, _: fnmatch.fnmatchcase(tool, matcher),
}
