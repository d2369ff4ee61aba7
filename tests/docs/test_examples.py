"""The commands that pages show do what they say: run in a home of their own, in a project with something stored."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.docs.pages import DOCS, blocks
from tests.docs.test_blocks import OURS, lines

from context_mode_installer.app import run_app

NAMES = ("commands", "doctor", "policy", "long-conversations", "stats-and-dashboard", "shell-seat")
PAGES = [ROOT / "README.md", *(DOCS / f"{name}.md" for name in NAMES)]
ELSEWHERE = ("upgrade", "hook", "serve", "dashboard", "demo")
"""What would ask the network, wait for an agent or a browser, or has a test that runs it by itself."""
MEANT = {"a,b": "claude-code", "s7": "s1", "12": "1", "docs/": "notes.md"}
"""What stands for a word of an example; `ID` is an agent's, but for a conversation's."""


def examples() -> list[list[str]]:
    shells = [block.text for page in PAGES for block in blocks(page) if block.language == "sh"]
    found = [tuple(words[1:]) for shell in shells for words in lines(shell) if words[0] == OURS]
    return [list(words) for words in dict.fromkeys(found) if words[0] not in ELSEWHERE]


def meant(words: list[str], conversation: str) -> list[str]:
    """The example with words of this place, without what would take long or ask the network."""
    session = "--session" in words
    told = [MEANT.get(word, word) for word in words if not word.startswith("https:")]
    told = [(conversation if session else "codex") if word == "ID" else word for word in told]
    return [*told, "--only", "D13"] if told[0] == "doctor" and "--only" not in told else told


@pytest.fixture
def conversation(project: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A project with files, a stored source and one conversation; the id of that."""
    from context_mode_runtime.project import find_project
    from context_mode_runtime.store.db import Store
    from context_mode_runtime.store.journal import add_row

    monkeypatch.chdir(project)
    Path("notes.md").write_text("# Notes\n\nThe retry limit is 4.\n", encoding="utf-8")
    Path("my-agent.yaml").write_text((DOCS / "my-agent.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    (project / "my-agent.replies.json").write_bytes((DOCS / "my-agent.replies.json").read_bytes())
    found = find_project(os.getcwd())
    assert found
    with Store.open(found.key(), name=found.name) as store:
        add_row(store, "codex:one", "prompt", "fix the retry limit")
    return "codex:one"


def test_every_example_runs(conversation: str, capfd: pytest.CaptureFixture[str]) -> None:
    """In the order of the pages, but deleting comes last."""
    order = sorted(examples(), key=lambda words: (words[0] == "purge", words[0] in ("search", "resume", "stats")))
    wrong = {}
    for words in order:
        code = run_app(meant(words, conversation))
        out, err = capfd.readouterr()
        if code:
            wrong[" ".join(meant(words, conversation))] = (code, out[-300:], err[-300:])
    assert len(order) > 25
    assert wrong == {}
