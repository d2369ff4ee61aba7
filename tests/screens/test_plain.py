"""Progress is for those who look: it comes and goes on a terminal, is a line for a screen reader, nothing in a pipe."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.screens.test_screens import Terminal

from context_mode_installer.app import run_app
from context_mode_installer.screen import editing, excerpt, plain, quoted, step, table


@pytest.mark.parametrize(
    ("there", "environment", "said"),
    [(False, {}, ""), (False, {"CONTEXT_MODE_PLAIN": "1"}, ""), (True, {"CONTEXT_MODE_PLAIN": "1"}, "Waiting\n")],
)
def test_progress(there: bool, environment: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal(there=there)
    monkeypatch.setattr("sys.stderr", stream)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with step("Waiting"):
        pass
    assert stream.getvalue() == said


def test_progress_on_a_terminal_goes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal(there=True)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    with step("Waiting"):
        pass
    assert "Waiting" in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[2K"), "the line is wiped"


@pytest.mark.parametrize(
    ("environment", "terminal", "wanted"),
    [
        ({}, True, False),
        ({"CONTEXT_MODE_PLAIN": "0"}, True, False),
        ({"CONTEXT_MODE_PLAIN": "1"}, False, True),
        ({"TERM": "dumb"}, True, True),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_who_wants_bare_lines(
    environment: dict[str, str], terminal: bool, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", Terminal(there=terminal))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert plain() is wanted


def test_a_table_in_plain_mode_is_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTEXT_MODE_PLAIN", "1")
    assert table(("A", "B"), [("1", "2"), ("3", "4")]) == ["A: 1; B: 2", "A: 3; B: 4"]


def test_an_excerpt_shows_no_secret_and_never_a_whole_long_line() -> None:
    assert excerpt("f.json", 3, 9, '"api_key": "hunter2-hunter2"') == ["  --> f.json:3:9"]
    lines = excerpt("f.json", 1, 501, "x" * 500 + "!" + "y" * 500)
    assert max(map(len, lines)) < 80
    assert lines[2][lines[3].index("^")] == "!"
    assert excerpt("f.json", 7, 1, "") == ["  --> f.json:7:1"]


def test_paths_in_commands_to_paste(home: object) -> None:
    assert quoted(f"{home}/a.json") == "~/a.json"
    assert quoted(f"{home}/my files/a.json") == f"'{home}/my files/a.json'"
    assert editing(f"{home}/a.json") == "${EDITOR:-vi} ~/a.json"


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("verify.check_targets", "interrupted. Every file is as it was before."),
        ("commands.setup.find_hosts", "interrupted"),
    ],
)
def test_ctrl_c_leaves_all_as_it_was_and_says_so(
    where: str, said: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    (home / ".codex").mkdir()
    monkeypatch.setattr(f"context_mode_installer.{where}", interrupt)
    stream = Terminal(there=False)
    monkeypatch.setattr("sys.stderr", stream)
    assert run_app(["setup", "--agents", "codex"]) == 130
    assert stream.getvalue() == f"error: {said}\n"
    assert list((home / ".codex").iterdir()) == []


def test_the_editor_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("os.name", "nt")
        said = editing(r"C:\Users\me\a b.json")
    assert said == r'notepad "C:\Users\me\a b.json"'
