"""What we cost and save over a real host: a change that adds turns, bytes or fixed cost shows here."""

from __future__ import annotations

import pytest
from tests.agents.conftest import installed
from tests.bench import net

pytestmark = [pytest.mark.agent, pytest.mark.timeout(300)]


def test_the_questions_do_not_hold_their_answers() -> None:
    """Else a reply that repeats the question would count as one that answers it."""
    for step in net.JOB["steps"]:
        assert step["fact"] not in " ".join(str(step.get(key, "")) for key in ("run", "read", "asks", "otherwise"))
        assert step["fact"] not in net.JOB["prompt"]


def test_one_job_with_us_and_without() -> None:
    host = installed("claude-code")
    [row] = net.measure([host.agent])
    ours, without = row["with"], row["without"]
    assert ours["facts"] == without["facts"] == row["facts"] == 10
    assert ours["turns"] - without["turns"] <= 3
    assert row["fixed"] <= 7_000
    assert row["ratio"]["resident"] <= 0.11
    assert row["ratio"]["sent"] <= 0.67
    assert row["gross"]["kept_out"] >= 0.96
