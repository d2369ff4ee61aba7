"""An intent of common words does not push out the one error, nor the one line that is unlike all others."""

import pytest

from context_mode_runtime.excerpt import excerpt

LINES = [f"2026-11-29 12:00:{n % 60:02d} worker-{n % 7} handled request {n}" for n in range(3_000)]
LINES[1_700] = "2026-11-29 12:00:20 worker-3 ERROR the reactor is on fire"
LINES[1_900] = "2026-11-29 12:00:20 worker-3 note: the cat sat down"
TEXT = "\n".join(LINES) + "\n"


@pytest.mark.parametrize("intent", ["", "hi-$((40+2))", "worker 3 request", "count by worker-2", "12:00:40"])
def test_signals_survive_any_intent(intent: str) -> None:
    shown = excerpt(TEXT, budget=3_800, intent=intent).text
    assert "the reactor is on fire" in shown
    assert "the cat sat down" in shown
