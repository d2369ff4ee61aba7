"""What a text would run: the table of cases, and what holds for any text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from context_mode_runtime.shell import builtins, feeds, wrappers
from context_mode_runtime.shell.busy import BUSY
from context_mode_runtime.shell.commands import read
from context_mode_runtime.shell.scan import scan

CASES = YAML(typ="safe").load((Path(__file__).parent / "commands.yaml").read_text(encoding="utf-8"))
DIALECTS = ["bash", "sh", "zsh", "dash", "ksh", "fish", "powershell", "cmd"]


@pytest.mark.parametrize("case", CASES, ids=[case["text"][:60] for case in CASES])
def test_every_command_is_found(case: dict[str, Any]) -> None:
    reading = read(case["text"], case.get("dialect", "bash"))
    found = [" ".join(command.words) for command in reading.commands if command.words]
    assert found == case["commands"]
    assert reading.incomplete == case.get("incomplete", False)


PIECES = st.sampled_from(
    [
        *"'\"`$(){}[]<>|&;\\\n\r\t #=!*?@%^,~\0",
        *("$(", "${", "$((", "((", "<<E", "<<-E\n", "\nE\n", "<(", ">(", "[[", "]]", "a=(", "$'", '$"', "@'", "'@"),
        *("case x in", "esac", ";;", "if ", "then ", "fi", "for x in ", "do ", "done", "{ ", "}", "function f"),
        "coproc ",
        *("bash -c ", "eval ", "env ", "xargs ", "find . -exec ", "x=", "$x", "echo ", "rm ", "time ", "alias a="),
        *("${a%", "${a//", "${!", "${a[", "${a:1:", "@P}", "[@]}", "(e)", "$1", "$@", "{a,b}", "{a..z}", "a[0]="),
        *("m+=(", "printf -v ", "printf %d ", "read ", "mapfile ", "set -- ", "shift ", "declare ", "declare -n "),
        "declare -A ",
        *("sh ", "| sh", "<<< ", "> f", "< f", "tee f", "exec 3<", "<&3", "sed e", "awk ", "make -f -", "vim -c "),
        *("git -c ", "f() {", "@(a|", "source ", "xargs -I{} ", "hash -p ", "string join ", "psub", "%", "\\x41"),
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=60).map("".join), st.sampled_from(DIALECTS))
def test_never_raises(text: str, dialect: str) -> None:
    for command in read(text, dialect).commands:
        assert all(isinstance(word, str) for word in command.words)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=80).filter(lambda text: "\0" not in text))
def test_quoted_text_adds_no_command(text: str) -> None:
    single = "echo '" + text.replace("'", "'\\''") + "'; ls"
    assert [command.words for command in read(single).commands] == [["echo", text], ["ls"]]
    document = f"cat <<'_END_'\n{text}\n_END_\nls"
    if "_END_" not in text:
        assert [command.words for command in read(document).commands] == [["cat"], ["ls"]]


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters='"$`\\\0', exclude_categories=["Cs"]), max_size=80))
def test_double_quoted_text_adds_no_command(text: str) -> None:
    assert [command.words for command in read(f'echo "{text}"').commands] == [["echo", text]]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_segments_show_the_text_as_written(dialect: str) -> None:
    raws = [segment.raw.strip() for segment in scan("a  'b c' ; d>x", dialect).segments]
    assert raws == ["a  'b c'", "d>x"] if dialect != "cmd" else raws == ["a  'b c' ; d>x"]


def test_where_output_goes() -> None:
    first, second, third = read("a | b > f; c").commands
    assert (first.piped_to, first.piped_from) == (True, False)
    assert (second.piped_to, second.piped_from) == (False, True)
    assert second.redirects == [("", ">", "f")]
    assert (third.piped_to, third.via, third.raw) == (False, (), "c")


def test_unknown_program() -> None:
    assert [command.unknown for command in read("$x a; b $x; y=c; $y").commands] == [True, False, False, False]


def test_wrappers_are_named_outermost_first() -> None:
    assert [command.via for command in read("sudo env A=1 sh -c 'rm x'").commands] == [
        (),
        ("sudo",),
        ("sudo", "env"),
        ("sudo", "env", "sh"),
    ]


def test_every_program_that_may_run_another_is_looked_at() -> None:
    looked_at = {*wrappers.KNOWN, *feeds.FED, *builtins.ACTIONS}
    assert {name for name in looked_at if name not in BUSY} == set()
