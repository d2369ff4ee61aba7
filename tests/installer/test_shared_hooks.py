"""Two real hosts that read one hook file: one file, one entry for each event of both, gone with the last of the two."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.hooks.conftest import load_payload, merged

from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_runtime.agents import load_agent

PAIR = ("copilot-cli", "vscode")
HOOKS = ".copilot/hooks/context-mode.json"
SCHEMAS = Path(__file__).parents[2] / "schemas/replies"
BOTH_KNOW = {"sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse", "agentStop", "subagentStop"}
ALONE = {
    "copilot-cli": {"preMcpToolCall", "postToolUseFailure", "preCompact", "sessionEnd", "subagentStart"},
    "vscode": {"PreCompact", "SubagentStart"},
}
TOUCH: dict[str, tuple[str, str, dict[str, Any]]] = {
    "copilot-cli": ("preToolUse", "preToolUse-bash", {"toolArgs": {"command": "touch x"}}),
    "vscode": ("preToolUse", "PreToolUse-run_in_terminal", {"tool_input": {"command": "touch x"}}),
}


def set_up(*agents: str) -> int:
    return run(Options(agents=agents)).exit_code


def remove(*agents: str) -> int:
    return run(Options(remove=True, agents=agents)).exit_code


def files(home: Path) -> dict[str, bytes]:
    """Every file of a home but our data."""
    found = {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    return {name: data for name, data in found.items() if not name.startswith(".context-mode/")}


def entries(home: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each entry of the hook file with its event."""
    written = json.loads((home / HOOKS).read_text("utf-8"))
    assert written["version"] == 1
    for event, listed in written["hooks"].items():
        for entry in listed:
            yield event, entry


def named(home: Path) -> dict[str, str]:
    """Event -> the agent that its one entry names."""
    found = [(event, entry["bash"].split()[1]) for event, entry in entries(home)]
    assert len(found) == len(dict(found))
    return dict(found)


def called(home: Path, project: Path, agent: str) -> str:
    """What the file's entry answers when `agent` calls it, as its host does: by its shell, the event not in doubt."""
    event, payload, changes = TOUCH[agent]
    [command] = [entry["bash"] for name, entry in entries(home) if name == event]
    given = merged(load_payload(agent, payload, project, home), changes)
    done = subprocess.run(
        ["/bin/bash", "-c", command], input=json.dumps(given), capture_output=True, text=True, check=True, cwd=project
    )
    assert done.stderr == ""
    return done.stdout


def denies(home: Path, project: Path, agent: str) -> bool:
    """Whether a call that a rule forbids is denied, in this host's own form; a pass is the host's empty reply."""
    said = called(home, project, agent)
    if said == load_agent(agent)["replies"]["pass"]:
        return False
    schema = json.loads((SCHEMAS / f"{agent}.schema.json").read_text("utf-8"))
    Draft202012Validator({**schema, "$ref": f"#/$defs/{TOUCH[agent][0]}.deny"}).validate(json.loads(said))
    return "denied by rule Bash(touch *)" in said


@pytest.fixture
def rule(home: Path) -> None:
    """A rule of the user's that both hosts' calls meet."""
    (home / ".context-mode").mkdir()
    (home / ".context-mode/policy.json").write_text('{"version": 1, "deny": ["Bash(touch *)"]}')


@pytest.mark.parametrize("agent", PAIR)
def test_each_works_alone_and_the_other_one_is_let_alone(home: Path, project: Path, rule: None, agent: str) -> None:
    before = files(home)
    assert set_up(agent) == 0
    assert named(home) == dict.fromkeys(BOTH_KNOW | ALONE[agent], agent)
    [other] = {*PAIR} - {agent}
    assert denies(home, project, agent)
    assert not denies(home, project, other)
    assert remove(agent) == 0
    assert files(home) == before


@pytest.mark.parametrize(("first", "second"), [PAIR, PAIR[::-1]])
@pytest.mark.parametrize("leaves", PAIR)
def test_both_have_one_entry_an_event_in_any_order(
    home: Path, project: Path, rule: None, first: str, second: str, leaves: str
) -> None:
    before = files(home)
    assert set_up(first) == 0
    assert set_up(second) == 0
    both = files(home)
    assert named(home) == {
        **dict.fromkeys(BOTH_KNOW, first),
        **{event: agent for agent in PAIR for event in ALONE[agent]},
    }
    assert [denies(home, project, agent) for agent in PAIR] == [True, True]
    assert run(Options(agents=PAIR)).messages[-1] == "All is set up already; nothing was changed."
    assert files(home) == both

    [stays] = {*PAIR} - {leaves}
    assert remove(leaves) == 0
    assert named(home) == dict.fromkeys(BOTH_KNOW | ALONE[stays], stays)
    assert (denies(home, project, stays), denies(home, project, leaves)) == (True, False)
    assert remove(stays) == 0
    assert files(home) == before


def test_both_at_once_come_and_go_in_one_run(home: Path) -> None:
    before = files(home)
    assert set_up(*PAIR) == 0
    assert set(named(home)) == BOTH_KNOW | ALONE["copilot-cli"] | ALONE["vscode"]
    assert remove(*PAIR) == 0
    assert files(home) == before


@pytest.mark.parametrize("agents", [PAIR, PAIR[::-1]])
def test_the_one_that_can_filter_filters_whoever_came_first(home: Path, agents: tuple[str, str]) -> None:
    for agent in agents:
        set_up(agent)
    matchers = {event: entry.get("matcher") for event, entry in entries(home)}
    assert {event for event, matcher in matchers.items() if matcher} == {"preToolUse", "preMcpToolCall", "postToolUse"}


@pytest.mark.parametrize(("first", "second"), [PAIR, PAIR[::-1]])
def test_doctor_is_content_with_both(home: Path, first: str, second: str) -> None:
    set_up(first)
    set_up(second)
    checks = doctor.run(doctor.Options(agents=PAIR, offline=True, only=("D3", "D4", "D5"))).data["checks"]
    assert [check for check in checks if check["status"] not in ("PASS", "SKIP")] == []


def test_a_moved_config_folder_is_no_longer_shared(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F10: COPILOT_HOME moves the folder of the one, the other one reads the home's."""
    monkeypatch.setenv("COPILOT_HOME", str(home / "elsewhere"))
    assert set_up(*PAIR) == 0
    assert named(home) == dict.fromkeys(BOTH_KNOW | ALONE["vscode"], "vscode")
    moved = json.loads((home / "elsewhere/hooks/context-mode.json").read_text("utf-8"))
    assert set(moved["hooks"]) == BOTH_KNOW | ALONE["copilot-cli"]
    assert os.path.exists(home / "elsewhere/mcp-config.json")
    assert remove(*PAIR) == 0
    assert files(home) == {}
