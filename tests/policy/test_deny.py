"""Shell text before the rules: the table of forms, each with its decision."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime.policy.gate import judge_command
from context_mode_runtime.policy.load import Policy
from context_mode_runtime.policy.rules import Place, parse_rule

CASES = YAML(typ="safe").load((Path(__file__).parent / "deny.yaml").read_text(encoding="utf-8"))


def rows() -> Iterator[tuple[dict[str, Any], str, str | None]]:
    for case in CASES:
        for key, decision in (("denied", "deny"), ("asked", "ask"), ("passed", None)):
            for text in case.get(key, []):
                yield case, text, decision


ROWS = list(rows())


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "p"
    for path in (folder / "sub", folder / "conf", Path(os.environ["HOME"]) / "vault"):
        path.mkdir(parents=True)
    (folder / "secret.env").write_text("x")
    (folder / "link").symlink_to(Path(os.environ["HOME"]) / "vault")
    return folder


def policy_of(case: dict[str, Any]) -> Policy:
    policy = Policy()
    policy.fold = False
    place = Place("~/.context-mode/policy.json", os.path.join(os.environ["HOME"], ".context-mode"))
    for key, into in (("rules", policy.deny), ("ask", policy.ask), ("allow", policy.allow)):
        into.extend(parse_rule(text, place) for text in case.get(key, []))
    return policy


@pytest.mark.parametrize(("case", "text", "decision"), ROWS, ids=[f"{row[2]}: {row[1][:60]}" for row in ROWS])
def test_decision(case: dict[str, Any], text: str, decision: str | None, checkout: Path) -> None:
    text = text.replace("{P}", str(checkout)).replace("{H}", os.environ["HOME"])
    verdict = judge_command(
        policy_of(case), text, dialect=case.get("dialect", "bash"), cwd=str(checkout), project=str(checkout)
    )
    assert (verdict.decision if verdict else None) == decision


def test_there_are_enough_forms() -> None:
    assert len(ROWS) >= 150


def test_the_reason_begins_with_the_decision_and_names_rule_and_file(checkout: Path) -> None:
    policy = policy_of({"rules": ["Bash(touch *)"], "ask": ["Bash(mv *)"]})
    denied = judge_command(policy, "ls; touch a", cwd=str(checkout), project=None)
    asked = judge_command(policy, "mv a b", cwd=str(checkout), project=None)
    assert denied
    assert denied.reason == "denied by rule Bash(touch *) of ~/.context-mode/policy.json"
    assert (denied.rule, denied.file) == ("Bash(touch *)", "~/.context-mode/policy.json")
    assert asked
    assert asked.reason == "needs your approval by rule Bash(mv *) of ~/.context-mode/policy.json"
