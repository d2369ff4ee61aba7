"""The lines by which an output says that a command failed, in the report forms of common tools."""

from __future__ import annotations

import re

from context_mode_runtime.excerpt import excerpt, size

LINE = re.compile(
    r"^(?:"
    r"FAILED \S+.*|ERROR \S+(?:::|\.py\b).*|={2,80}.{0,200}\b[1-9]\d* (?:failed|errors?)\b.*|[1-9]\d* failed\b.*"
    r"|FAILED \((?:failures|errors)=.*|.{0,20}Tests? ?(?:Suites|Files)?:? +.{0,80}\b[1-9]\d* failed\b.*"
    r"|\s*--- FAIL: .+|FAIL(?:\s+\S+.*)?|test result: FAILED.*|not ok \d.*|\s*[1-9]\d* failing\b.*"
    r"|\d+ examples?, [1-9]\d* failures?.*|.{0,20}BUILD FAIL(?:ED|URE).*|\[ERROR\] .+"
    r"|Traceback \(most recent call last\):|panic: .+|fatal: .+|npm (?:ERR!|error) .+"
    r"|make(?:\[\d+\])?: \*\*\* .+|error(?:\[\w+\])?: .+|\S+:\d+:\d+: (?:fatal )?error: .+|.*\berror TS\d+: .+"
    r"|Found [1-9]\d* errors?\b.*|[1-9]\d* errors? generated\.?|\W*✖ [1-9]\d* problems?.*"
    r"|(?:.{0,60}: )?(?:line \d+: )?\S+: (?:command )?not found|.{0,60}: Permission denied"
    r")$",
    re.MULTILINE,
)
"""A line that no run without a failure prints."""
_NO_NAME = "Traceback "
_EXCEPTION = re.compile(r"^(?:E +)?(?:\w+\.)*\w*(?:Error|Exception)\b.*$", re.MULTILINE)
_SHOWN = 100
"""Of each line when there are several."""


def telling(output: str, budget: int) -> str:
    """What failed, on one line of at most `budget` bytes: names of tests and their errors, else the best lines.

    An output that fits comes back whole.
    """
    if size(output) <= budget:
        return output
    named = [found[0].strip(" =") for found in LINE.finditer(output) if not found[0].startswith(_NO_NAME)]
    lines = list(dict.fromkeys(named or [found[0] for found in _EXCEPTION.finditer(output)][-1:]))
    if len(lines) == 1:
        return lines[0].encode(errors="replace")[:budget].decode(errors="ignore")
    told = ""
    for line in lines:
        longer = f"{told}; {line[:_SHOWN]}" if told else line[:_SHOWN]
        if size(longer) > budget:
            break
        told = longer
    return told or excerpt(output, budget=budget, failed=True).text
