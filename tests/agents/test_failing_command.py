"""A command that fails with much output: what the host lets us do about it, and the journal.

Where the host takes a replacement for a failed command it is stored and comes back short; elsewhere the model sees the
host's own text.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3

import pytest
from tests.agents.hostrun import HostRun

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
FAILED = "FAILED tests/test_quota.py::test_volume - AssertionError: vol-7319"
LINES = [f"tests/test_{n:03}.py::test_part_{n % 7} PASSED [{n // 4:3}%]" for n in range(360)]
OUTPUT = "\n".join([*LINES[:200], FAILED, *LINES[200:], "1 failed, 360 passed in 2.50s"]) + "\n"


def journal(run: HostRun) -> list[tuple[str, str, str | None]]:
    """Kind, text and detail of every row."""
    [database] = (run.home / ".context-mode" / "projects").glob("*/context.db")
    with contextlib.closing(sqlite3.connect(database)) as db:
        return db.execute("SELECT kind, text, detail FROM journal ORDER BY seq").fetchall()


def test_what_reaches_the_model_and_the_journal(run: HostRun) -> None:
    assert 10_000 < len(OUTPUT) < 20_000
    (run.project / "report.txt").write_text(OUTPUT, encoding="utf-8")
    (run.project / "check.sh").write_text(
        "while IFS= read -r line; do printf '%s\\n' \"$line\"; done < report.txt\nexit 1\n", encoding="utf-8"
    )
    search = run.host.call("ctx_search", queries=["test_203"])
    played = run.play([run.host.shell("sh check.sh"), search, {"text": "over"}])
    assert played.exit_code == 0, played.log
    [printed] = played.of(run.host.shell_tool)
    [found] = played.of("ctx_search")

    if "replace_failures" not in run.host.can:
        assert run.host.cannot["replace_failures"]
        shown = run.host.whole(printed.text)
        assert len(shown) > 9_000
        assert LINES[0] in shown
        assert "ctx_search" not in printed.text
        assert LINES[203] not in found.text
    else:
        assert len(printed.text.encode()) <= 4_500
        assert FAILED in printed.text
        assert "1 failed, 360 passed" in printed.text
        assert "ctx_search" in printed.text
        assert LINES[203] in found.text

    [failure] = [row for row in journal(run) if row[0] == "failure"]
    assert failure[1] == "sh check.sh"
    assert failure[2]
    assert re.search(r"test_volume|[Ee]xit code:? 1", failure[2])
