"""Field reports as people met them: the real server over pipes, the real hook process, their own inputs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.hooks.conftest import load_payload, merged
from tests.server.conftest import LAUNCH
from tests.server.conftest import serve as serve  # noqa: PLC0414 - a fixture of another folder

Policy = Callable[..., None]
Hook = Callable[..., dict[str, Any] | None]


@pytest.fixture
def policy(home: Path) -> Policy:
    """`policy(deny=[...], routes={...})`: the user's own policy file."""

    def write(**keys: Any) -> None:
        (home / ".context-mode").mkdir(mode=0o700, exist_ok=True)
        (home / ".context-mode" / "policy.json").write_text(json.dumps({"version": 1, **keys}), encoding="utf-8")

    return write


@pytest.fixture
def hook(project: Path, home: Path) -> Hook:
    """`hook(agent, event, payload, changes)`: the reply of a real hook process, None for none."""

    def send(agent: str, event: str, name: str, changes: dict[str, Any] | None = None) -> dict[str, Any] | None:
        payload = merged(load_payload(agent, name, project, home), changes or {})
        done = subprocess.run(
            [sys.executable, "-I", "-S", LAUNCH, "hook", agent, event],
            cwd=project,
            input=json.dumps(payload).encode(),
            env=dict(os.environ),
            capture_output=True,
            check=True,
            timeout=60,
        )
        assert done.stderr == b""
        return json.loads(done.stdout) if done.stdout else None

    return send


def added(reply: dict[str, Any] | None) -> str:
    """The text that a reply adds to the conversation."""
    return str((reply or {}).get("hookSpecificOutput", {}).get("additionalContext", ""))
