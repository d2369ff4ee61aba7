"""`context-mode policy`: what is in force and from where, what is wrong and where, why a call is decided."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests import only

from context_mode_installer.commands import policy
from context_mode_installer.result import UserError
from context_mode_runtime.paths import tilde

HERE = Path(__file__).parent
CALLS = YAML(typ="safe").load((HERE / "explain.yaml").read_text(encoding="utf-8"))
FAULTS = YAML(typ="safe").load((HERE / "faults.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def here(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(project)
    return project


def write(folder: Path, text: str) -> Path:
    (folder / ".context-mode").mkdir(exist_ok=True)
    file = folder / ".context-mode/policy.json"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case["name"])
def test_explain_says_who_decides_and_by_what(case: dict[str, Any], here: Path) -> None:
    write(here, json.dumps({"version": 1, **case.get("policy", {})}))
    if "settings" in case:
        (here / ".claude").mkdir()
        (here / ".claude/settings.json").write_text(json.dumps(case["settings"]))
    agent, tool, given = case["call"]
    result = policy.explain(agent, tool, json.dumps(given))
    for part, wanted in case["says"].items():
        said = {key: result.data[part][key] for key in wanted}
        assert said == {
            key: value.replace("{project}", str(here)) if isinstance(value, str) else value
            for key, value in wanted.items()
        }, result.data[part]
    assert [line.split(":")[0] for line in result.messages if not line.startswith(" ")] == [
        "Our hook", "The host's own lists", "Our own tools",
    ]  # fmt: skip


@pytest.mark.parametrize("given", ["{", "[]", "7"])
def test_explain_wants_a_json_object(given: str, here: Path) -> None:
    with pytest.raises(UserError, match="--input is no JSON"):
        policy.explain("codex", "x", given)


def test_explain_names_the_nearest_agent(here: Path) -> None:
    with pytest.raises(UserError, match="did you mean codex"):
        policy.explain("codexx", "x", "{}")


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: case["text"][:40])
def test_check_says_file_line_and_fault(case: dict[str, Any], here: Path) -> None:
    file = write(here, case["text"])
    result = policy.check()
    lines = [line for line in result.messages if line.startswith(f"{tilde(str(file))}:") and not line.endswith("valid")]
    assert len(lines) == len(case["says"]), lines
    for line, wanted in zip(lines, case["says"], strict=True):
        assert wanted in line.removeprefix(f"{tilde(str(file))}:")
    assert result.exit_code == (1 if case["says"] else 0)
    assert len(result.data["findings"]) == len(case["says"])


def test_check_looks_at_the_users_file_too(home: Path, here: Path) -> None:
    write(home, '{"version": 2}')
    (line, *_) = policy.check().messages
    assert line.startswith("~/.context-mode/policy.json:1:13: version: ")


@only.POSIX
def test_check_does_not_wait_for_a_pipe(home: Path, here: Path) -> None:
    (home / ".context-mode").mkdir(exist_ok=True)
    os.mkfifo(home / ".context-mode/policy.json")
    result = policy.check()
    assert (result.exit_code, len(result.data["findings"])) == (1, 1)
    assert result.messages[0].startswith("~/.context-mode/policy.json:1:1: ")


def test_the_demo_says_what_refuses_its_calls(home: Path, run_cli: Any) -> None:
    (home / ".context-mode").mkdir(exist_ok=True)
    (home / ".context-mode/policy.json").write_text("{")
    done = run_cli("demo")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: the demo's own calls need to run here: denied: the policy can't be read, ")


def test_show_says_which_file_each_line_comes_from(home: Path, here: Path) -> None:
    write(home, json.dumps({"version": 1, "deny": ["Bash(rm *)"], "fetch": {"ttlHours": 2}}))
    write(here, json.dumps({"version": 1, "ask": ["Bash(touch *)"], "routes": {"curl": "off"}, "capture": "off"}))
    data = policy.show().data
    mine = tilde(str(here / ".context-mode/policy.json"))
    assert data["rules"] == [
        {"decision": "deny", "rule": "Bash(rm *)", "file": "~/.context-mode/policy.json"},
        {"decision": "ask", "rule": "Bash(touch *)", "file": mine},
    ]
    settings = {one["key"]: (one["value"], one["file"]) for one in data["settings"]}
    assert settings["routes.curl"] == (False, mine)
    assert settings["capture"] == (False, mine)
    assert settings["fetch.ttlHours"] == (2, "~/.context-mode/policy.json")
    assert settings["routes.build"][0] is True
    assert settings["routes.build"][1].endswith("policy/policy.json")


def test_show_says_when_the_gate_is_closed(here: Path) -> None:
    write(here, "{")
    result = policy.show()
    assert result.messages[-1].startswith("The gate is closed, nothing runs: ")
    assert result.data["closed"]


def test_the_commands_as_people_type_them(here: Path, run_cli: Any) -> None:
    write(here, json.dumps({"version": 1, "deny": ["Bash(rm *)"]}))
    words = ("--agent", "codex", "--tool", "Bash", "--input", '{"command": "rm x"}')
    done = run_cli("policy", "explain", *words, "--json", cwd=here)
    assert (done.returncode, json.loads(done.stdout)["data"]["hook"]["rule"]) == (0, "Bash(rm *)")
    assert run_cli("policy", "check", cwd=here).returncode == 0
    assert run_cli("policy", "show", cwd=here).stdout.startswith("What ")
    write(here, "{")
    done = run_cli("policy", "check", cwd=here)
    assert (done.returncode, ".context-mode/policy.json:1:2: " in done.stdout) == (1, True)
    assert run_cli("policy", "explain", "--agent", "codex", "--tool", "x", "--input", "{", cwd=here).returncode == 2
