"""README's first block by the letter, and the form of a decision."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.docs.pages import blocks

COMMANDS = ["pip install . && context-mode setup && context-mode demo", "pip install '.[test]' && pytest"]


def test_readme_opens_with_the_two_commands() -> None:
    assert blocks(ROOT / "README.md")[0].text.splitlines() == COMMANDS


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "adr").glob("*.md")), ids=lambda page: page.name)
def test_decisions_are_short(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    assert re.match(r"# \d{4}[.:]? ", text)
    for part in ("## Context", "## Decision", "## Consequences", "## What would change it"):
        assert part in text
