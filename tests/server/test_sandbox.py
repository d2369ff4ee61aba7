"""Policy `sandbox` over the server: every tool that runs something, and whose policy may ask for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests import only
from tests.conftest import not_to_be_had

from context_mode_runtime.execute.errors import ExecuteError
from context_mode_runtime.execute.isolation import mechanism

pytestmark = only.LINUX


@pytest.fixture
def outside(home: Path) -> Path:
    """A file of the home, writable without isolation; the user's policy isolates."""
    if not mechanism.found().name:
        not_to_be_had(mechanism.found().why)
    (home / ".context-mode").mkdir(exist_ok=True)
    (home / ".context-mode" / "policy.json").write_text(json.dumps({"sandbox": "project"}), encoding="utf-8")
    path = home / "outside"
    path.write_text("before", encoding="utf-8")
    return path


def execute(host: Any, code: str) -> str:
    return str(host.call("ctx_execute", {"language": "sh", "code": code})[0])


def batch(host: Any, code: str) -> str:
    return str(host.call("ctx_batch", {"commands": [{"label": "one", "command": code}], "queries": ["ended"]})[0])


def background(host: Any, code: str) -> str:
    started = host.call("ctx_execute", {"language": "sh", "code": code, "background": True})[0]
    source = next(word for word in started.replace('"', " ").split() if word[:1] == "s" and word[1:].isdigit())
    while True:
        text, _ = host.call("ctx_search", {"queries": [], "source": source})
        if "(running" not in text:
            return str(text)


@pytest.mark.parametrize("way", [execute, batch, background])
def test_whatever_runs_code_is_isolated(serve: Any, project: Path, outside: Path, way: Any) -> None:
    told = way(serve(), f"echo after > '{outside}'; echo own > inside; echo ended")
    assert "ended" in told
    assert outside.read_text(encoding="utf-8") == "before"
    assert (project / "inside").read_text(encoding="utf-8") == "own\n"


def test_a_project_alone_may_not_ask_for_what_its_own_code_could_switch_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    landlock = mechanism.landlock_only()
    if not landlock.name:
        not_to_be_had(landlock.why)
    monkeypatch.setitem(mechanism._known, "found", landlock)
    assert mechanism.check("strict").name == "landlock"
    with pytest.raises(ExecuteError, match="the project's policy.json asks for sandbox strict"):
        mechanism.check("strict", from_project=True)
