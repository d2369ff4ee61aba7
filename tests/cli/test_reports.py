"""What `--json` prints has the form that `schemas/reports/` says, whatever came of the command."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

REPORTS = Path(__file__).parents[2] / "schemas" / "reports"
Cli = Callable[..., "subprocess.CompletedProcess[str]"]
BOTH = ("--agents", "claude-code,codex")


def report(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The object on stdout, which is the only thing there and fits its schema and the exit code."""
    said: dict[str, Any] = json.loads(done.stdout)
    schema = json.loads((REPORTS / f"{said['command']}.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    assert [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(said)] == []
    assert said["exit_code"] == done.returncode
    return said


def test_every_outcome_of_setup(home: Path, run_cli: Cli) -> None:
    (home / ".codex").mkdir()
    for words, status in (
        (("setup", *BOTH, "--dry-run"), "ok"),
        (("setup", *BOTH), "ok"),
        (("setup", *BOTH), "ok"),
        (("setup", "--history"), "ok"),
        (("setup", "--undo"), "ok"),
        (("setup", "--remove"), "ok"),
        (("setup", "--agents", "codx"), "error"),
        (("setup", "--nope"), "error"),
    ):
        done = run_cli(*words, "--json")
        assert report(done)["status"] == status, words
        assert done.stderr == "", words


def test_a_foreign_tool_is_a_finding(home: Path, run_cli: Cli) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('[mcp_servers.context-mode]\ncommand = "npx"\n', "utf-8")
    said = report(run_cli("setup", "--agents", "codex", "--json"))
    assert (said["status"], said["exit_code"]) == ("findings", 1)
    assert [finding["agent"] for finding in said["data"]["findings"]] == ["codex"]


@pytest.mark.parametrize("words", [(), ("--agents", "codex"), ("--only", "D99")], ids=["none", "broken", "wrong"])
def test_every_outcome_of_doctor(words: tuple[str, ...], run_cli: Cli) -> None:
    report(run_cli("doctor", "--offline", "--json", *words, env={"PATH": "/usr/bin:/bin"}))


@pytest.mark.parametrize("words", [("setup", "--nope"), ("doctr",), ("policy", "explain")], ids=" ".join)
def test_a_wrong_word_is_an_object_too(words: tuple[str, ...], run_cli: Cli) -> None:
    done = run_cli(*words, "--json")
    said = json.loads(done.stdout)
    assert (said["status"], said["exit_code"], said["data"], done.stderr) == ("error", 2, {}, "")
    assert len(said["messages"]) == 1


@pytest.mark.parametrize("words", [("setup", "--nope"), ("setup", "--project"), ("policy", "explain", "--agent")])
def test_a_wrong_option_points_to_the_commands_own_help(words: tuple[str, ...], run_cli: Cli) -> None:
    command = " ".join(word for word in words if not word.startswith("-"))
    assert f"(see context-mode {command} --help)" in run_cli(*words).stderr
