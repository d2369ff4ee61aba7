"""What report lines look like: names of what failed, first error lines, summaries, places, warnings.

One table for test runners, compilers, linters, package managers and logs. Each row has a trigger, text in lower case
that a plain search finds fast in any amount of output, and a pattern that must then match the line; it is compiled when
its trigger is met first.
"""
# ruff: noqa: RUF001 - the marks are those that reporters print

from __future__ import annotations

import re

RECORD, NAME, ERROR, SUMMARY, PLACE, WARNING, MENTION = 7, 6, 5, 4, 3, 2, 1
"""Kinds; of two that fit, the higher one counts. A record is a file of a patch or a commit of a log: an outline of
what nothing was asked about."""

WEIGHTS = (0.0, 24.0, 32.0, 45.0, 72.0, 90.0, 100.0, 59.0)
"""How much a line of each kind counts on a scale where an unmistakable answer to the intent counts 120."""
FADES = (0.0, 5.0, 5.0, 4.0, 7.0, 4.0, 1.5, 2.0)
"""How much less each further line of the same kind and shape counts; of summaries each earlier one."""
FLOORS = (0.0, 4.0, 4.0, 8.0, 4.0, 40.0, 40.0, 8.0)
"""The least that is left of it."""

_WORDS = r"(?i)(?<![\w./-])(?:%s)(?![\w./-])"

_PYTEST = r"=*\s*(?:\d+ \w+, )*\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed)\b.* in "
_JEST = r"\s*(?:Tests?|Test Suites|Test Files|Snapshots):? .*\d+ (?:passed|failed|total)"

_START: tuple[tuple[int, str, str], ...] = (
    (NAME, "failed ", r"FAILED \S+(?:::|\.\w+\b| - )"),
    (NAME, "error ", r"ERROR \S+(?:::|\.py\b| - )"),
    (NAME, " failed", r"\S+(?:::\S| > ).{0,300} FAILED\b"),
    (NAME, "--- fail", r"\s*--- FAIL: "),
    (NAME, "... failed", r"test .{1,300} \.\.\. FAILED"),
    (NAME, "not ok ", r"\s*not ok \d"),
    (NAME, "fail", r"\s*FAIL[ :]+\S"),
    (NAME, "error: ", r"ERROR: \w+ \("),
    (NAME, "> task ", r"> Task :\S+ FAILED"),
    (NAME, "rspec ", r"rspec \S+:\d+ #"),
    (NAME, "___ ", r"_{3,} .{1,300} _{3,}\s*$"),
    (NAME, " stdout ----", r"---- "),
    (NAME, "<<< ", r".{1,300}<<< (?:FAILURE|ERROR)!"),
    (NAME, "[error] ", r"\[ERROR\] +[\w$.]+[.:]\w+:\d+"),
    (NAME, "✗", r"\s*✗ +\S"),
    (NAME, "✕", r"\s*✕ +\S"),
    (NAME, "✖", r"\s*✖ +(?!\d+ problem)\S"),
    (NAME, "×", r"\s*× +\S"),
    (NAME, "❌", r"\s*❌ +\S"),
    (NAME, "●", r"\s*● +\S"),
    (ERROR, "e   ", r"E {3,}\S"),
    (ERROR, "error", r"\S{0,200}error(?:\[\w+\])?: |(?:ERROR|Error|error)\b[:! ]"),
    (ERROR, "error", r"[\w.$]{0,200}Error(?:Group)?\b(?: \[\w+\])?(?::|\s*$)"),
    (ERROR, "error", r"\s+\d+:\d+\s+error\s|[│╷╵\s]*Error: |error \w+@?\S* "),
    (ERROR, "exception", r"[\w.$]{0,200}Exception(?:Group)?\b(?::|\s*$)|Exception in thread"),
    (ERROR, "interrupt", r"KeyboardInterrupt"),
    (ERROR, "npm err", r"npm (?:ERR!|error)"),
    (ERROR, "fatal", r"(?:fatal|FATAL)\b"),
    (ERROR, "panic", r"panic: "),
    (ERROR, "caused by", r"\s*Caused by: "),
    (ERROR, "build fail", r".{0,20}BUILD FAIL"),
    (ERROR, "conflict (", r"CONFLICT \("),
    (ERROR, "traceback (", r"\s*Traceback \(most"),
    *((SUMMARY, word, _PYTEST) for word in ("ed in ", "error in ", "errors in ", "warning in ", "warnings in ")),
    (SUMMARY, "no tests ran", r"=* *no tests ran"),
    (SUMMARY, "tests: ", _JEST),
    (SUMMARY, "tests  ", _JEST),
    (SUMMARY, "test suites: ", _JEST),
    (SUMMARY, "test files  ", _JEST),
    (SUMMARY, "snapshots: ", _JEST),
    (SUMMARY, "test result: ", r"test result: "),
    (SUMMARY, "ran ", r"Ran \d+ tests? "),
    (SUMMARY, "tests run:", r".{0,10}Tests run:"),
    (SUMMARY, "completed", r"\d+ tests? completed"),
    (SUMMARY, "ok  \t", r"ok  \t\S+"),
    (SUMMARY, "fail", r"FAIL\s+\S+\s+[\d.]+s|FAILED \(.*=\d+\)"),
    (SUMMARY, "found ", r"\W*[Ff]ound \d+ "),
    (SUMMARY, "checked ", r"Checked \d+ "),
    (SUMMARY, " problem", r"\s*✖ \d+ problem"),
    *((SUMMARY, word, r"\s*\d+ (?:passing|failing|pending)\b") for word in (" passing", " failing", " pending")),
    (SUMMARY, "package", r"(?:added|changed|removed|up to date).{0,60} packages?\b"),
    (SUMMARY, "vulnerabilit", r"(?:found )?\d+ .{0,60}vulnerabilit"),
    (SUMMARY, "plan: ", r"\s*Plan: \d"),
    (SUMMARY, " complete", r"(?:Apply|Destroy) complete"),
    (SUMMARY, "successfully ", r"Successfully "),
    (SUMMARY, "finished ", r"\s*Finished "),
    (SUMMARY, "build success", r".{0,20}BUILD SUCCESS"),
    (SUMMARY, " changed", r"\s*\d+ files? changed"),
    (SUMMARY, "done in ", r".{0,40}[Dd]one in "),
    (SUMMARY, " generated", r"\d+ (?:errors?|warnings?)\b.* generated"),
    (SUMMARY, "all checks passed", r"All checks passed"),
    (SUMMARY, " examples, ", r"\d+ examples?, \d+ failure"),
    (SUMMARY, "# ", r"# (?:pass|fail|tests) \d"),
    (SUMMARY, "total", r"\W*(?:TOTAL|Total)\b.*\d"),
    (SUMMARY, "no changes. ", r"No changes\. "),
    (PLACE, 'file "', r"\s*File \".+\", line \d+"),
    (PLACE, "--> ", r"\s*--> \S+:\d+"),
    (PLACE, "    at ", r"\s+at .+[:(]"),
    (PLACE, ">  ", r">\s{3,}\S"),
    (PLACE, " | ", r"\s*>\s*\d+ \|"),
    (PLACE, "❯", r"\s*❯ "),
    (PLACE, "expected", r"\s*[-+]?\s*[Ee]xpected\b.{0,60}:"),
    (PLACE, "received", r"\s*[-+]?\s*[Rr]eceived\b.{0,60}:"),
    (PLACE, "actual", r"\s*[Aa]ctual\b.{0,40}:"),
    (PLACE, "left: ", r"\s*left: "),
    (PLACE, "right: ", r"\s*right: "),
    (PLACE, "got:", r"\s+got:"),
    (PLACE, "want:", r"\s+want:"),
    (RECORD, "diff --git ", r"diff --git "),
    (RECORD, "commit ", r"commit [0-9a-f]{7,40}\b"),
)  # fmt: skip
_ANYWHERE: tuple[tuple[int, str, str], ...] = (
    (ERROR, "error ts", r"\berror TS\d+"),
    (ERROR, "error", r":\d+: (?:fatal )?error\b|\bERROR\b|\b(?:level|lvl|severity)[\"']?[=:] *[\"']?error"),
    (ERROR, "fatal", r"\b(?:level|lvl|severity)[\"']?[=:] *[\"']?fatal"),
    (ERROR, "fatal", r"\bFATAL\b|: fatal: "),
    (ERROR, "crit", r"\bCRIT(?:ICAL)?\b|(?:level|severity)[\"']?[=:] *[\"']?crit"),
    (ERROR, "severe", r"\bSEVERE\b"),
    (ERROR, "emerg", r"\bEMERG(?:ENCY)?\b"),
    (ERROR, " panicked at ", r" panicked at "),
    (ERROR, "went wrong", r"[Ww]hat went wrong"),
    (ERROR, "failed to solve", r"failed to solve"),
    (ERROR, "segmentation fault", r"Segmentation fault"),
    (ERROR, "not found", r": (?:command )?not found\s*$"),
    (ERROR, "no such file", r"No such file or directory"),
    (ERROR, "permission denied", r"[Pp]ermission denied"),
    (ERROR, "unhandled", r"\b[Uu]nhandled\b"),
    (ERROR, "*** [", r"\*\*\* \[.*\] Error"),
    (ERROR, '" 5', r"\" 5\d\d "),
    (WARNING, "warn", _WORDS % "warn|warning|warnings"),
    (WARNING, "deprecat", _WORDS % r"deprecat\w*"),
    *(
        (MENTION, word, _WORDS % (word + r"\w*"))
        for word in (
            "fail", "error", "exception", "panic", "abort", "killed", "denied", "refused", "unhealthy", "mismatch",
            "timed out", "timeout", "cannot", "unable to", "not found", "missing", "invalid", "unexpected",
            "exited with", "exit code", "unreachable", "corrupt", "rejected", "retry",
        )
    ),
)  # fmt: skip

FORMS = (
    (ERROR, re.compile(r"^[^\s:]{1,300}:\d+:\d+:? [A-Z]+\d+\b", re.MULTILINE)),
    (PLACE, re.compile(r"^[^\s:]{1,300}\.\w{1,9}:\d+: ?\w*$", re.MULTILINE)),
)
"""`path:line:column: CODE` of linters and `path:line: Kind` of test runners: forms that have no word to look for."""

_HARMLESS = re.compile(
    r"(?i:\b(?:0|no|without) (?:errors?|failures?|failed|warnings?|failing)\b)|"
    r"(?i:\b(?:errors?|failures?|failed|warnings?)[\"']?[:=] ?0\b)|"
    r"\bPASS(?:ED)?\b|\.\.\. ok\b|[✓✔]|\" [23]\d\d "
)
_WELL = re.compile(r"\bPASSED\b|\.\.\. ok\b|^\s*[✓✔]|^\s*ok \d+\b|--- PASS: ")
_INSIDE = re.compile(r"\bat (?:async )?(?:/rustc/|java\.base/|jdk\.internal|node:internal)|\(node:internal/|<frozen ")
"""Frames of a language's own runtime: nobody's fault lies there."""
_LOOKED_AT = 400


class Row:
    """One row of the table: `kind`, `trigger`, and whether a line confirms it."""

    __slots__ = ("_anywhere", "_compiled", "_pattern", "kind", "trigger")

    def __init__(self, kind: int, trigger: str, pattern: str, *, anywhere: bool) -> None:
        self.kind = kind
        self.trigger = trigger
        self._pattern = pattern
        self._anywhere = anywhere
        self._compiled: re.Pattern[str] | None = None

    def confirms(self, line: str) -> bool:
        """True when the first 400 characters of `line` have this row's form."""
        pattern = self._compiled
        if pattern is None:
            pattern = self._compiled = re.compile(self._pattern)
        found = pattern.search(line, 0, _LOOKED_AT) if self._anywhere else pattern.match(line, 0, _LOOKED_AT)
        return found is not None


ROWS = sorted(
    (
        *(Row(*row, anywhere=False) for row in _START),
        *(Row(*row, anywhere=True) for row in _ANYWHERE),
    ),
    key=lambda row: -row.kind,
)
"""The table, highest kind first."""


def kind_of(line: str, low: str) -> int:
    """The kind of one line, 0 for none; `low` is the line in lower case."""
    for row in ROWS:
        if row.trigger in low and row.confirms(line):
            return 0 if is_harmless(row.kind, line) else row.kind
    return 0


def is_well(line: str) -> bool:
    """True for a line that says of one test that it passed, and for a frame inside of a language's runtime."""
    return bool(_WELL.search(line, 0, _LOOKED_AT) or _INSIDE.search(line, 0, _LOOKED_AT))


def is_harmless(kind: int, line: str) -> bool:
    """True for a line that has words of an error but says that there is none: `0 errors`, `test_error PASSED`."""
    if kind == PLACE and _INSIDE.search(line, 0, _LOOKED_AT):
        return True
    return kind in (ERROR, PLACE, WARNING, MENTION) and bool(_HARMLESS.search(line, 0, _LOOKED_AT))
