"""A fresh store below a throw-away data folder, and small helpers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from context_mode_runtime.store.db import Store

KEY = "project-0123456789abcdef"


@pytest.fixture
def store(home: Path) -> Iterator[Store]:
    with Store.open(KEY, name="project") as opened:
        yield opened


@pytest.fixture
def place(home: Path) -> Path:
    """Where the store's file is to be."""
    return home / ".context-mode" / "projects" / KEY / "context.db"
