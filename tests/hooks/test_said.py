"""Decisions in words, and failures that only the output tells."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime.hooks.said import decisions, failure

from .conftest import Caller
from .test_after import store_of
from .test_turns import text_of

CASES: dict[str, list[dict[str, Any]]] = YAML(typ="safe").load(Path(__file__).with_name("said.yaml"))


@pytest.mark.parametrize("case", CASES["decisions"], ids=lambda case: case["prompt"][:40])
def test_what_a_prompt_decides(case: dict[str, Any]) -> None:
    assert decisions(case["prompt"]) == case["found"]


@pytest.mark.parametrize("case", CASES["labelled"], ids=lambda case: case["answer"][:40])
def test_what_an_answer_calls_a_decision(case: dict[str, Any]) -> None:
    assert decisions(case["answer"], labelled=True) == case["found"]


@pytest.mark.parametrize("case", CASES["failures"], ids=lambda case: case["command"][:40])
def test_which_outputs_tell_a_failure(case: dict[str, Any]) -> None:
    found = failure(case["command"], case["output"], "bash")
    assert (found is not None) == case["failed"]


def test_a_private_part_that_closes_behind_what_is_looked_at_is_private() -> None:
    prompt = "word " * 13_000 + "<private>Decision: fire Bob.\n" + "word " * 1_000 + "</private>\n"
    assert decisions(prompt) == []
    output = "<private>FAILED test_of_bob\n" + "line\n" * 20_000 + "</private>\nFAILED test_of_alice\n"
    assert failure("pytest", output, "bash") == "[private]\nFAILED test_of_alice"
    open_still = "<private>FAILED test_of_bob\n" + "line\n" * 10_000 + "</private>\n" + "line\n" * 10_000
    assert "bob" not in (failure("pytest", open_still, "bash") or "")


@pytest.mark.timeout(30)
@pytest.mark.parametrize("part", ["error: ", "a", "=", "use ", "we ", ": ", "Tests: 1 ", "decision "])
def test_endless_lines_come_to_an_end(part: str) -> None:
    assert failure("make", part * 300_000, "bash") is None or part == "error: "
    assert len(decisions(part * 300_000)) <= 1


def test_a_host_that_tells_no_exit_code_still_shows_the_last_failure(call: Caller, project: Path) -> None:
    call("codex", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "fix login. Use argon2 instead of bcrypt."})
    failing = {"tool_input": {"command": "pytest -q"}, "tool_response": "FAILED test_login.py::test_login\n1 failed\n"}
    call("codex", "PostToolUse", "PostToolUse-Bash", failing)
    call("codex", "PreCompact", "PreCompact-auto")
    text = text_of("codex", "SessionStart", call("codex", "SessionStart", "SessionStart-compact"))
    assert "failing #3: pytest -q: FAILED test_login.py::test_login" in text
    assert "decision #2: Use argon2 instead of bcrypt." in text
    passing = {"tool_input": {"command": "pytest -q"}, "tool_response": "1 passed\n"}
    call("codex", "PostToolUse", "PostToolUse-Bash", passing)
    call("codex", "PreCompact", "PreCompact-auto")
    text = text_of("codex", "SessionStart", call("codex", "SessionStart", "SessionStart-compact"))
    assert "failing" not in text


def test_a_choice_of_the_users_is_a_decision_and_no_choice_is_no_row(call: Caller, project: Path) -> None:
    answers = {"tool_response": {"answers": {"Which hash?": "bcrypt"}}}
    call("claude-code", "PostToolUse", "PostToolUse-Bash", {"tool_name": "AskUserQuestion", **answers})
    empty = {"tool_name": "ExitPlanMode", "tool_input": {"command": None}, "tool_response": {"plan": None}}
    call("claude-code", "PostToolUse", "PostToolUse-Bash", empty)
    plan = {"tool_name": "ExitPlanMode", "tool_input": {"command": None}, "tool_response": {"plan": "# Keep bcrypt"}}
    call("claude-code", "PostToolUse", "PostToolUse-Bash", plan)
    with store_of(project) as store, store.read() as db:
        found = db.execute("SELECT kind, text FROM journal ORDER BY seq").fetchall()
    assert found == [("decision", "Which hash? bcrypt"), ("decision", "# Keep bcrypt")]


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_what_the_model_calls_a_decision_is_kept_when_it_stops(agent: str, call: Caller, project: Path) -> None:
    call(agent, "Stop", "Stop", {"last_assistant_message": "All green.\n\n**Decision:** bcrypt stays"})
    with store_of(project) as store, store.read() as db:
        assert ("decision", "bcrypt stays") in db.execute("SELECT kind, text FROM journal").fetchall()
