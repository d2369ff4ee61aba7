"""Code of every language of `ctx_execute` before the rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from tests.work import lines_run

from context_mode_runtime.policy.code import read_code
from context_mode_runtime.policy.gate import judge_code
from context_mode_runtime.policy.load import Policy
from context_mode_runtime.policy.rules import Place, parse_rule

CASES = YAML(typ="safe").load((Path(__file__).parent / "code.yaml").read_text(encoding="utf-8"))
RULES = ("Bash(rm *)", "Bash(git push --force *)", "Bash(sudo *)", "Read(./secret.env)")


KINDS = {"denied": True, "strict": True, "passed": False, "undecided": False}


def rows() -> Iterator[Any]:
    for case in CASES:
        for kind, denied in KINDS.items():
            for text in case.get(kind, []):
                name = f"{case['language']}, {case['kind']}, {kind}: {text[:60]}"
                yield pytest.param(case["language"], text, denied, id=name)


@pytest.mark.parametrize(("language", "text", "denied"), list(rows()))
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
    assert all(isinstance(command, str) for command in read_code(text, "ruby").commands)


UNITS = (
    *("system('", 'system("a" ', "exec(", "[", '"a"+', "execSync as q,", "`", "qx{", "!a\n", "open('|a',", "${a}"),
    *("x=x+'a'\n", "c = 'x'; system(c)\n", "def f(a):\n  f('b')\n", "x = 'a' if y else x\n", "x = os.system;"),
    *("p.communicate('x');system('y')\n", "a=`${a}`;", "'", '"', "\\", "-", "not ", "Command::new('a').arg("),
)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("language", ["python", "perl"])
def test_twice_the_code_is_twice_the_work(unit: str, language: str) -> None:
    once = lines_run(lambda: read_code(unit * 120, language))
    assert lines_run(lambda: read_code(unit * 240, language)) <= 2.5 * once + 2_000


def test_texts_in_nested_lists_of_lisp_are_handed_up_within_bounds() -> None:
    found = read_code("(sh " * 4_000 + '"' + "a" * 20_000 + '"', "lisp")
    assert found.incomplete
    assert sum(map(len, found.commands)) < 1_000_000


@pytest.mark.parametrize("unit", UNITS)
def test_code_that_is_too_much_is_refused_by_the_first_words_of_rules(unit: str, tmp_path: Path) -> None:
    """What fills the bounds of the reader hides nothing behind it."""
    policy = Policy()
    policy.deny.append(parse_rule("Bash(rm *)", Place("f", str(tmp_path))))
    text = unit * (100_000 // len(unit)) + "\nsystem('rm x')\n"
    assert judge_code(policy, text, language="ruby", cwd=str(tmp_path), project=None)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ruby", "a: " * 2_000 + "a = 'b'\nsystem('rm x')\n"),
        ("python", f"a = {['b'] * 2_000}\nimport os\nname = 'rm'\ndef go(what): os.system(what + ' x')\ngo(name)\n"),
        ("shell", "git " + "for-each-repo " * 2_000 + "; rm x"),
    ],
)
def test_what_is_long_is_read_like_what_is_short(language: str, text: str, tmp_path: Path) -> None:
    policy = Policy()
    policy.deny.append(parse_rule("Bash(rm *)", Place("f", str(tmp_path))))
    verdict = judge_code(policy, text, language=language, cwd=str(tmp_path), project=None)
    assert verdict
    assert verdict.decision == "deny"
