"""The page of the policy: each example is a policy, each key of the schema is said, explained calls are decided."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator
from tests.docs import part_policy
from tests.docs.pages import DOCS, Block, blocks, code_words

from context_mode_runtime.policy.load import load_policy

PAGE = DOCS / "policy.md"
EXAMPLES = [block for block in blocks(PAGE) if block.language == "json"]


@pytest.mark.parametrize("block", EXAMPLES, ids=lambda block: f"line {block.line}")
def test_an_example_is_a_policy_that_is_read_whole(block: Block, tmp_path_factory: pytest.TempPathFactory) -> None:
    Draft202012Validator(part_policy.SCHEMA).validate(json.loads(block.text))
    folder = tmp_path_factory.mktemp("home") / ".context-mode"
    folder.mkdir()
    (folder / "policy.json").write_text(block.text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder.parent))
        policy = load_policy(None)
    assert (policy.findings, policy.closed) == ([], None)
    assert policy.origins.values() or policy.deny


def test_every_key_has_an_example() -> None:
    shown: set[str] = set().union(*(json.loads(block.text) for block in EXAMPLES))
    assert set(part_policy.SCHEMA["properties"]) - shown == {"allow", "$schema"}
    assert "allow" in code_words(PAGE)


def test_the_explained_calls_go_every_way() -> None:
    decisions = [part_policy.explained(case)["hook"]["decision"] for case in part_policy.cases()]
    assert {"deny", "ask", "pass"} == set(decisions)
