"""Homes with odd names, and homes that are none: setup works and can be taken out, or says in a line why not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from .conftest import LAUNCH, Figure

CASES = YAML(typ="safe").load(Path(__file__).with_name("homes.yaml").read_text(encoding="utf-8"))
AGENTS = "claude-code,codex"
PAYLOAD = {
    "session_id": "s",
    "tool_name": "Bash",
    "tool_input": {"command": "touch x"},
    "hook_event_name": "PreToolUse",
}
DENY = {"version": 1, "deny": ["Bash(touch *)"]}


def made(base: Path, case: dict[str, Any]) -> str:
    """The home of the case; what HOME is to be."""
    home = base / case["name"]
    if case.get("long"):
        for _ in range(case["long"] // 100):
            home /= "x" * 100
    match case.get("kind", "folder"):
        case "folder":
            home.mkdir(parents=True)
        case "file":
            home.write_text("mine")
        case "link":
            (base / "real").mkdir()
            home.symlink_to(base / "real")
        case "loop":
            home.symlink_to(home)
        case "relative":
            return "not/absolute"
    return str(home)


def tree(base: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in base.rglob("*")
        if path.is_file() and not path.is_symlink() and path.name != "setup.lock"
    }


@pytest.mark.parametrize("case", CASES, ids=[ascii(case["name"]) for case in CASES])
def test_a_home(case: dict[str, Any], run_cli: Any, tmp_path: Path, figure: Figure) -> None:
    home = made(tmp_path, case)
    env = {"HOME": home, "USERPROFILE": home}
    if "says" not in case:
        (Path(home) / ".codex").mkdir(parents=True, exist_ok=True)
        (Path(home) / ".codex/config.toml").write_text('model = "x"  # mine\n')
        (Path(home) / ".context-mode").mkdir(mode=0o700)
        (Path(home) / ".context-mode/policy.json").write_text(json.dumps(DENY))
    before = tree(tmp_path)
    done = run_cli("setup", "--agents", AGENTS, cwd=tmp_path, env=env)
    if "says" in case:
        assert (done.returncode, done.stderr.count("error: ")) == (case["code"], 1), done.stderr
        assert case["says"] in done.stderr
        assert tree(tmp_path) == before
    else:
        assert done.returncode == 0, done.stderr
    hook = subprocess.run(
        [sys.executable, "-I", "-S", str(LAUNCH), "hook", "claude-code", "PreToolUse"], cwd=tmp_path, check=True,
        env={**os.environ, **env}, input=json.dumps({**PAYLOAD, "cwd": str(tmp_path)}).encode(), capture_output=True,
    )  # fmt: skip
    assert hook.stderr == b""
    assert (b'"deny"' in hook.stdout) is case.get("denies", "says" not in case)
    if "says" not in case:
        gone = run_cli("setup", "--remove", "--data", cwd=tmp_path, env=env)
        assert gone.returncode == 0, gone.stderr
        assert tree(tmp_path) == before
    assert not list(tmp_path.rglob("pwned"))
    figure(f"home {case['name']!a}: {case.get('says') or 'set up, its hook and server run, taken out'}")
