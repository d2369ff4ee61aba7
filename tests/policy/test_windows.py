"""PowerShell and cmd text, and code for interpreters, before the rules: tables of forms, bounds of the reader."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from tests.work import lines_run

from context_mode_runtime.policy.gate import judge_command
from context_mode_runtime.policy.load import Policy
from context_mode_runtime.policy.rules import Place, parse_rule
from context_mode_runtime.shell.commands import read

TABLES = ("windows.yaml", "interpreters.yaml")
KINDS = {"denied": True, "passed": False, "undecided": False}


def rows() -> Iterator[Any]:
    texts = [(Path(__file__).parent / table).read_text(encoding="utf-8") for table in TABLES]
    for case in [case for text in texts for case in YAML(typ="safe").load(text)]:
        for kind, denied in KINDS.items():
            for name, text in case.get(kind, {}).items():
                yield pytest.param(case, text, denied, id=f"{case['dialect']}, {case['rules'][0]}, {kind}: {name}")


@pytest.mark.parametrize(("case", "text", "denied"), list(rows()))
def test_form(
    case: dict[str, Any], text: str, *, denied: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(os.environ["HOME"])
    monkeypatch.setenv("USERPROFILE", str(home))
    for folder in (tmp_path / "sub", home / "vault"):
        folder.mkdir(parents=True)
    policy = Policy()
    policy.deny += [parse_rule(rule, Place("f", str(tmp_path))) for rule in case["rules"]]
    text = text.replace("{P}", str(tmp_path).replace("/", "\\"))
    verdict = judge_command(policy, text, dialect=case["dialect"], cwd=str(tmp_path), project=str(tmp_path))
    assert (verdict is not None) is denied


UNITS = (
    *("'a'+", ",", "$a='b';", "$a+='b';", "& ('r'+'m') x;", "@(", "@{a=", "[char]1+", "'{0}'-f", '@"\n', '"$('),
    "f(a).",
    *("--% a\n", "%%a ", "for %i in (", "for /f %i in ('a') do ", "set a=%a%%a%\n", "if exist a ", "(gcm a)", "$x in "),
)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("dialect", ["powershell", "cmd"])
def test_twice_the_text_is_twice_the_work(unit: str, dialect: str) -> None:
    once = lines_run(lambda: read(unit * 150, dialect))
    twice = lines_run(lambda: read(unit * 300, dialect))
    assert twice <= 2.5 * once + 2_000


PIECES = [
    *("rm", "del", " ", "x", "'", '"', "`", "$", "${", "$(", "(", ")", "{", "}", "@'\n", "\n'@", '@"\n', '\n"@', "|"),
    *("&", ";", "^", "%", "%%i", "!", "set a=b", "for %i in (", ") do ", "if ", "==", "+", "-f ", "-join", "[char]1"),
    *(",", "=", ".", "::", "--%", "\n", "#", "<#", "#>", "\\", "/", "\0", "é", "\u2018"),
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.sampled_from(["powershell", "cmd"]))
def test_any_text_is_read_and_a_command_behind_it_on_a_line_of_its_own_is_seen(text: str, dialect: str) -> None:
    reading = read(text, dialect)
    assert all(isinstance(word, str) for command in reading.commands for word in command.words)
    if not reading.incomplete and "<#" not in text and "\n#" not in text:
        behind = read(text + "\nseen here\n", dialect)
        closed = not text.rstrip().endswith(("^", "`", "|", "&", ",", "=", "+"))
        assert not closed or behind.incomplete or any(c.words[:1] == ["seen"] for c in behind.commands)
