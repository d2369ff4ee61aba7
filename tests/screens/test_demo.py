"""The demo's numbers are those of the real server: little reaches the context, and the search finds the rest."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from context_mode_installer.commands import demo
from context_mode_installer.result import UserError


def test_little_reaches_the_context_and_the_search_finds_the_rest(home: Path) -> None:
    before = set(os.listdir(tempfile.gettempdir()))
    result = demo.run()
    data, text = result.data, "\n".join(result.messages)
    assert data["printed"] > 100_000
    assert data["returned"] + data["searched"] < 0.02 * data["printed"]
    assert "card expired" in text
    assert "Ada and Grace" in data["search"]
    assert f"{data['returned'] + data['searched']:,} B instead of {data['printed']:,} B" in text
    assert os.listdir(home) == [], "nothing of it stays"
    assert {name for name in os.listdir(tempfile.gettempdir()) if "context-mode-demo" in name} <= before


def test_a_server_that_does_not_start_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("context_mode_runtime.__file__", "/nowhere/__init__.py")
    with pytest.raises(UserError, match="the server does not work") as caught:
        demo.run()
    assert caught.value.exit_code == 3
