"""README's first block by the letter, and the form of a decision."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ["pip install . && context-mode setup && context-mode demo", "pip install '.[test]' && pytest"]
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def test_readme_opens_with_the_two_commands() -> None:
    first = FENCE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert first
    assert first.group().splitlines()[1:-1] == COMMANDS


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "adr").glob("*.md")), ids=lambda page: page.name)
def test_decisions_are_short(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    assert re.match(r"# \d{4}[.:]? ", text)
    for part in ("## Context", "## Decision", "## Consequences", "## What would change it"):
        assert part in text
