"""MCP roots as the real hosts answer them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime.server import session
from context_mode_runtime.server.session import folders_of

PAYLOADS = Path(__file__).parents[1] / "payloads"
ANSWERS = sorted(PAYLOADS.glob("*/mcp-roots-*.json"))


@pytest.mark.parametrize("path", ANSWERS, ids=[path.parent.name for path in ANSWERS])
def test_each_host_names_its_project(path: Path) -> None:
    answer = json.loads(path.read_text(encoding="utf-8").replace("$PROJECT", "/home/u/project"))
    assert folders_of(answer.get("result", answer)) == ["/home/u/project"]


URIS: list[tuple[Any, list[str]]] = [
    ("file:///a%20b/%C3%A9", ["/a b/é"]),
    ("file://localhost/a", ["/a"]),
    ("FILE:///a", ["/a"]),
    ("file://other-machine/a", []),
    ("https://example.invalid/a", []),
    ("file:///a%zz", []),
    ("file:///a%2", []),
    (7, []),
]


@pytest.mark.parametrize(("uri", "folders"), URIS)
def test_file_uris(uri: Any, folders: list[str]) -> None:
    assert folders_of({"roots": [{"uri": uri}]}) == folders


@pytest.mark.parametrize("answer", [None, [], {}, {"roots": {}}, {"roots": [None, 3, {}]}])
def test_anything_else_is_no_root(answer: Any) -> None:
    assert folders_of(answer) == []


def test_roots_that_never_come_are_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_ROOTS_WAIT_S", 0.01)
    connection = session.Connection(None, None, "/")
    connection.asks_roots = True
    assert connection.wants_roots()
    connection.await_roots()
    assert connection._roots_due is None
    connection.await_roots()
    connection.take_roots({"roots": [{"uri": "file:///late"}]})
    assert connection._roots == ["/late"]
    assert connection.wants_roots()
    connection.take_roots(None)
    assert connection._roots == []
