"""Time stays linear and the hook stays light: counted in lines run and modules loaded, not in seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.work import lines_run

from context_mode_runtime.policy.gate import judge_command
from context_mode_runtime.policy.load import Policy
from context_mode_runtime.policy.rules import Place, parse_rule
from context_mode_runtime.shell.commands import read
from context_mode_runtime.shell.routes import route

UNITS = [
    *("(", ")", "{", "}", '"$(', "${", "$((", "$((a) ", "((a ", "\\", "'", '"', "`", "\\`", "<<a ", "<<a\n", "<("),
    *("[[", "case x in ", "case x in a) b;; esac;", "a && b ", "a|", "a;", "a\n", "a ", "{a,", "{a,b}", "x=y;", "$x "),
    "x=$x$x;",
    *("env ", "sudo ", "sh -c ", "sh -c 'a';", "eval a;", "find . -exec ", "echo a | sh;", "cat f;", "cd a;", "* "),
    "a=(b);",
    *("if a; then ", "for x in a; do ", "f() { ", "!", "# ", "~", "=", "\0", "\r\n", "é", "'\\''", '"\\"', "$'"),
    *("%a%", "^"),
    *("curl x;", "cat x|", "tail -n 5 x;", "python -c 'requests.get(';", "trap a b;", "alias a=b;", "coproc ", "@'\n"),
    "#>",
    *("echo $(echo $(echo ", "${x:-${y:-", "cat <<A\nx\nA\n", "${a%b} ", "$(a) ", "f(){ a;};", "f(){ f a;};f b;"),
    *("x+=a;", "read x <<< a;", "$x$y ", "for i in a b; do $i; done;", "a[0]=b;", "{a..z}", "set -- a;shift;"),
    *("printf -v x a;", "echo a > f; sh f;", "echo a|cat|", "xargs -I{} ", "sed e;", "true|{ sh;", "${x//a/b}"),
    "@(a|b)",
    *("echo a > f ", "echo a >> f ", "tee f < a ", 'x="$x -$y";', "p=${p/:*:/:b:}:$p;"),
]
DIALECTS = ["bash", "fish", "powershell", "cmd"]
CASES = [*((unit, "bash") for unit in UNITS), *((UNITS[n], DIALECTS[1 + n % 3]) for n in range(0, len(UNITS), 6))]


def policy() -> Policy:
    made = Policy()
    place = Place("f", "/s")
    made.deny += [
        parse_rule(text, place) for text in ("Bash(rm -rf *)", "Bash(* --x *)", "Read(~/vault/**)", "Read(**/*.pem)")
    ]
    return made


def work(text: str, dialect: str) -> int:
    """How many lines of our code run to judge and to route `text`."""

    def judge_and_route() -> None:
        judge_command(policy(), text, dialect=dialect, cwd="/nowhere", project=None)
        route(text, dialect, size_of=lambda _: 1)

    return lines_run(judge_and_route)


@pytest.mark.parametrize(("unit", "dialect"), CASES)
def test_twice_the_text_is_twice_the_work(unit: str, dialect: str) -> None:
    once = work(unit * 120, dialect)
    twice = work(unit * 240, dialect)
    assert twice <= 2.5 * once + 1_000


@settings(max_examples=10, deadline=None)
@given(st.lists(st.sampled_from(UNITS), min_size=2, max_size=5).map("".join), st.sampled_from(DIALECTS))
def test_any_mixture_is_linear(unit: str, dialect: str) -> None:
    once = work(unit * 50, dialect)
    twice = work(unit * 100, dialect)
    assert twice <= 2.6 * once + 2_000


@pytest.mark.parametrize(("unit", "dialect"), CASES)
def test_a_hundred_kilobytes_of_anything_come_to_an_end(unit: str, dialect: str) -> None:
    text = unit * (100_000 // len(unit.encode()))
    found = read(text, dialect).commands
    assert sum(len(word) for command in found for word in command.words) <= 30 * len(text)


def test_a_replacement_by_a_pattern_is_paid_for() -> None:
    text = "p=" + "abc:" * 60 + "\n" + "p=${p/*:$x*:/:b:}:$p\n" * 4 + "p=${p/:$x:/:b:}\n" * 4
    assert work(text, "bash") < 300_000


def test_a_long_script_of_branches_is_read_to_its_end() -> None:
    branches = [
        f'if a{n}; then x="$x -f{n}"; else y="$y:$x"; fi\nfor i in a b c; do b $x $i; done\n' for n in range(400)
    ]
    assert not read("".join(branches)).incomplete


JUDGES = (
    "from context_mode_runtime.policy import gate, load, rules; p = load.load_policy(None);"
    " p.deny.append(rules.parse_rule('Bash(rm *)', rules.Place('f', '/')));"
    " assert gate.judge_command(p, 'rm x', cwd='/', project=None)"
)
HEAVY = {
    *("re", "json", "typing", "dataclasses", "pathlib", "subprocess", "logging", "shlex", "fnmatch", "hashlib"),
    *("collections", "functools", "enum", "tempfile", "argparse", "contextlib", "itertools", "glob", "ast", "inspect"),
}


@pytest.mark.parametrize(
    "statement",
    [
        "from context_mode_runtime.policy import candidates, gate, load, rules, shelltext",
        "from context_mode_runtime import wildcard",
        "from context_mode_runtime.shell import commands, routes, scan, triggers",
        JUDGES,
    ],
)
def test_the_hook_path_loads_nothing_heavy(statement: str) -> None:
    runtime = Path(sys.modules["context_mode_runtime"].__file__ or "").parent.parent
    code = (
        f"import sys; before = set(sys.modules); sys.path.insert(0, {str(runtime)!r}); {statement};"
        " print(*sorted(name for name in set(sys.modules) - before if not name.startswith('context_mode_runtime')))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert not HEAVY & set(done.stdout.split())
