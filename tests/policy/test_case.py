"""Letter case in the names of programs, decided by the platform: a table."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from context_mode_runtime.policy.gate import judge_command
from context_mode_runtime.policy.load import Policy
from context_mode_runtime.policy.rules import Place, folds, parse_rule

TABLES = YAML(typ="safe").load((Path(__file__).parent / "case.yaml").read_text(encoding="utf-8"))
ROWS = [
    pytest.param(table["platform"], table["rules"], text, decision, id=f"{table['platform']}: {text}")
    for table in TABLES
    for decision in ("deny", "pass")
    for text in table[decision]
]


@pytest.mark.parametrize(("platform", "rules", "text", "decision"), ROWS)
def test_case_counts_where_the_file_system_tells_it(platform: str, rules: list[str], text: str, decision: str) -> None:
    policy = Policy()
    policy.fold = folds(platform)
    policy.deny.extend(parse_rule(rule, Place("f", "/s")) for rule in rules)
    verdict = judge_command(policy, text, cwd=os.sep, project=None)
    assert (verdict.decision if verdict else "pass") == decision
