"""Commands in the pages are understood by the real command line; what says that it is JSON, YAML, ... can be read."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer
from ruamel.yaml import YAML
from tests.conftest import ROOT
from tests.docs.pages import PAGES, blocks, code_words, name_of
from tests.docs.part_commands import root
from typer.exceptions import TyperException

from context_mode_installer import app

READERS: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": lambda text: list(YAML(typ="safe").load_all(text)),
    "python": ast.parse,
    "sh": lambda text: list(lines(text)),
    "text": str,
}
ENDS = re.compile(r"[|&;<>()]+")
OURS = "context-mode"
COMMENT = re.compile(r"(?:^|(?<=\s))#\s.*$", re.MULTILINE)
HOLE = re.compile(r"^\[.*\]$|^\.\.\.$")
FLAGS = {"--help", "-h", "--version"}


def lines(text: str) -> Iterator[list[str]]:
    """The commands of a shell text as words; a command ends at a pipe, `&&`, `;`, a redirection or the line."""
    reader = shlex.shlex(COMMENT.sub("", text).replace("\\\n", " "), posix=True, punctuation_chars=True)
    reader.whitespace = " \t\r"
    reader.commenters = ""
    reader.whitespace_split = True
    words: list[str] = []
    for word in [*reader, "\n"]:
        for part in re.split(r"(\n)", word):
            if part == "\n" or ENDS.fullmatch(part):
                if words:
                    yield words
                words = []
            elif part:
                words.append(part)


def fault(words: list[str], *, named: bool = False) -> str | None:
    """Why the command would not be understood, or None. Nothing of it is run. `named`: its bare name will do."""
    while words and re.match(r"^\w+=", words[0]):
        words = words[1:]
    match words:
        case [program, *rest] if program == OURS:
            return ours(rest, named)
        case ["python" | "python3", "-m", module, *_]:
            return None if module in ("venv", "pip") or importlib.util.find_spec(module) else f"no module {module}"
        case ["pytest", *rest]:
            gone = [word for word in rest if word.startswith("tests/") and not (ROOT / word).exists()]
            return f"no {gone}" if gone else None
    return None


def ours(words: list[str], named: bool) -> str | None:
    command = root()
    name = OURS
    rest = [word for word in app._with_newest(words) if not HOLE.match(word)]
    while rest and rest[0] in getattr(command, "commands", {}):
        name = rest.pop(0)
        command = command.commands[name]
    if FLAGS & set(rest) or (not rest and (named or name == OURS)):
        return None
    if hasattr(command, "commands"):
        return f"no command {rest[:1]} in {name}"
    try:
        command.make_context(name, rest)
    except (TyperException, typer.BadParameter) as error:
        return str(error)
    return None


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_say_what_they_are_and_are_it(page: Path) -> None:
    wrong = {}
    for block in blocks(page):
        try:
            READERS[block.language](block.text)
        except (KeyError, ValueError, SyntaxError) as error:
            wrong[block.line] = f"{block.language}: {error!r}"
    assert wrong == {}


def faults(page: Path) -> Iterator[tuple[str, str | None]]:
    for block in blocks(page):
        if block.language == "sh":
            yield from ((f"line {block.line}: {words}", fault(words)) for words in lines(block.text))
    for code in code_words(page):
        if code.startswith((f"{OURS} ", "python -m ", "pytest ")):
            yield from ((code, fault(words, named=True)) for words in lines(code))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_code_word_shows_a_backslash_before_a_pipe(page: Path) -> None:
    r"""GitHub wants `\|` in a table, the site shows it: <code> and &#124; are shown alike by both."""
    assert [code for code in code_words(page) if "\\|" in code] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_are_understood(page: Path) -> None:
    assert [one for one in faults(page) if one[1]] == []


@pytest.mark.parametrize(
    "text",
    [
        "context-mode setpu",
        "context-mode setup --dry",
        "context-mode policy",
        "true && context-mode doctor --only",
        "X=1 context-mode package ID",
        "pytest tests/none",
        "python -m tests.none",
    ],
)
def test_a_wrong_command_is_found(text: str) -> None:
    assert any(fault(words) for words in lines(text))


def test_blocks_are_found() -> None:
    first = blocks(ROOT / "README.md")[0]
    assert (first.line, first.language) == (3, "sh")
    assert list(lines(first.text))[1:3] == [["context-mode", "setup"], ["context-mode", "demo"]]
