"""What our texts cost in every conversation is bound for each agent; docs/texts.md shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.part_texts import cost

from context_mode_runtime.agents import PACKAGE, known_agents

MOST = 8_192
"""Tool list, instructions and start text together."""


@pytest.mark.parametrize("packaged", [False, True], ids=["entries", "package"])
@pytest.mark.parametrize("agent", known_agents())
def test_our_texts_keep_their_bound(agent: str, packaged: bool, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if packaged:
        monkeypatch.setenv(PACKAGE, agent)
    assert sum(cost(agent)) <= MOST
