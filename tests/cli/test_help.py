"""`--help` of every command, as a page of a manual: synopsis, what it does, options, examples, exit codes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from typer.main import get_command

from context_mode_installer.app import app, run_app
from context_mode_installer.manual import PAGES

Words = tuple[str, ...]


def commands(group: object, words: Words = ()) -> Iterator[tuple[Words, bool]]:
    """The words of every command and group, and whether it is a group."""
    inner = getattr(group, "commands", {})
    yield words, bool(inner)
    for name, command in inner.items():
        yield from commands(command, (*words, name))


ALL = list(commands(get_command(app)))
SINGLE = [words for words, group in ALL if not group]
OPTION = re.compile(r"(?<!\S)--?[a-z][a-z-]*")


@pytest.fixture
def page(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """What `--help` prints on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    assert run_app([*request.param, "--help"]) == 0
    return capsys.readouterr().out


def part(page: str, title: str) -> list[str]:
    """The lines under a title, without its indent."""
    found = re.search(rf"^( *){title}:\n((?:\1  .*\n)+)", page, re.MULTILINE)
    assert found, f"no {title}"
    return [line.removeprefix(found[1] + "  ") for line in found[2].splitlines()]


def named(words: Words) -> str:
    return " ".join(("context-mode", *words))


@pytest.mark.parametrize("page", [words for words, _ in ALL], ids=named, indirect=True)
def test_every_page_fits_on_80_columns(page: str) -> None:
    assert max(map(len, page.splitlines())) <= 80
    assert not re.search(r"^  \w.*\.\.\.$", page, re.MULTILINE), "a line of the list is cut"
    assert re.search(r"(Examples:\n.*|Start with: )context-mode ", page)


@pytest.mark.parametrize(
    ("page", "words"), [(words, words) for words in SINGLE], ids=map(named, SINGLE), indirect=["page"]
)
def test_every_command_has_a_whole_page(page: str, words: Words) -> None:
    synopsis, _, does = page.partition("\n\n")
    assert synopsis.startswith(f"Usage: {named(words)} ")
    assert re.match(r"  [A-Z].+?\.", does, re.DOTALL)
    options = part(page, "Options")
    assert any(line.startswith("-h, --help") for line in options)
    known = set(OPTION.findall("\n".join(options)))
    examples = part(page, "Examples")
    assert any(named(words) in line for line in examples)
    assert set(OPTION.findall("\n".join(examples).replace("--force", ""))) <= known
    codes = [line.split(maxsplit=1) for line in part(page, "Exit codes")]
    assert codes[0] == ["0", "fine"]
    assert all(code.isdigit() and what for code, what in codes)
    assert [int(code) for code, _ in codes] == sorted(int(code) for code, _ in codes)


def test_each_page_is_of_a_command() -> None:
    assert {" ".join(words) for words in SINGLE} == set(PAGES)


@pytest.mark.parametrize("words", [(), ("policy",)], ids=named)
def test_a_group_alone_shows_its_help_and_is_wrong_usage(words: Words, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(list(words)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"Usage: {named(words)} ")
