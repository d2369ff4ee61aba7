"""Code of every language of `ctx_execute` before the rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from context_mode_runtime.policy.code import shell_calls
from context_mode_runtime.policy.gate import judge_code
from context_mode_runtime.policy.load import Policy
from context_mode_runtime.policy.rules import Place, parse_rule

CASES = YAML(typ="safe").load((Path(__file__).parent / "code.yaml").read_text(encoding="utf-8"))
RULES = ("Bash(rm *)", "Bash(git push --force *)", "Bash(sudo *)", "Read(./secret.env)")


def rows() -> Iterator[tuple[str, str, bool]]:
    for case in CASES:
        for text in case.get("denied", []):
            yield case["language"], text, True
        for text in case.get("passed", []):
            yield case["language"], text, False


@pytest.mark.parametrize(("language", "text", "denied"), list(rows()), ids=[f"{r[0]}: {r[1][:50]}" for r in rows()])
def test_shell_calls_in_code(language: str, text: str, *, denied: bool, tmp_path: Path) -> None:
    policy = Policy()
    policy.deny += [parse_rule(rule, Place("f", str(tmp_path))) for rule in RULES]
    verdict = judge_code(policy, text, language=language, cwd=str(tmp_path), project=str(tmp_path))
    assert (verdict is not None) is denied


def test_a_rule_for_every_command_refuses_code_of_any_language(tmp_path: Path) -> None:
    policy = Policy()
    policy.deny.append(parse_rule("Bash", Place("f", str(tmp_path))))
    assert judge_code(policy, "1 + 1", language="python", cwd=str(tmp_path), project=None)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(["os.system(", "'", '"', "`", "(", "[", ",", "\\", "rm x", "qx{", "%x(", "\n", "$"])).map(
        "".join
    )
)
def test_never_raises(text: str) -> None:
    assert all(isinstance(command, str) for command in shell_calls(text, "ruby"))
