"""A command that prints 200 KB: what matters reaches the model, the rest is found by ctx_search."""

from __future__ import annotations

import pytest
from tests.agents.hostrun import HostRun

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
LINES = 2_860
FACT = "ERROR: quota exceeded on volume vol-7319"
LATER = "rebalanced shard kestrel-42 onto node osprey"


def log_text(fact_at: int, later_at: int) -> str:
    """200 KB of a quiet log with one error and one line to search for."""
    lines = [
        f"2026-11-29T10:{n // 60 % 60:02}:{n % 60:02}Z INFO  worker-{n % 7} handled request {n:05} in {n % 90} ms ok"
        for n in range(LINES)
    ]
    lines[fact_at], lines[later_at] = f"2026-11-29T10:21:40Z {FACT}", f"2026-11-29T10:33:20Z INFO  {LATER}"
    return "\n".join(lines) + "\n"


@pytest.fixture
def command(run: HostRun) -> str:
    """A script of the project that prints the log; not a dump of a file, which would be routed before it runs."""
    text = log_text(*run.host.fact_at)
    assert 190_000 < len(text) < 210_000
    (run.project / "service.log").write_text(text, encoding="utf-8")
    (run.project / "report.sh").write_text(
        "while IFS= read -r line; do printf '%s\\n' \"$line\"; done < service.log\n", encoding="utf-8"
    )
    return "sh report.sh"


def test_a_big_output_is_short_and_holds_the_fact(run: HostRun, command: str) -> None:
    search = run.host.call("ctx_search", queries=["kestrel osprey shard"])
    played = run.play([run.host.shell(command), search, {"text": "over"}])
    assert played.exit_code == 0, played.log
    [printed] = played.of(run.host.shell_tool)
    [found] = played.of("ctx_search")
    if "replace" not in run.host.can:
        assert "ctx_search" not in printed.text, run.host.cannot["replace"]
        return
    assert len(printed.text.encode()) <= 4_500
    assert FACT in printed.text
    assert "ctx_search" in printed.text
    assert LATER in found.text


def test_a_small_output_is_left_alone(run: HostRun) -> None:
    played = run.play([run.host.shell("echo one; echo two"), {"text": "over"}])
    [printed] = played.of(run.host.shell_tool)
    assert "one\ntwo" in printed.text
    assert "context-mode" not in printed.text
