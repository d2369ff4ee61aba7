"""The first session is played by the letter: its commands in their order, an agent that prints a lot in between."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from tests.conftest import ROOT, Cli
from tests.docs.pages import DOCS, blocks, read
from tests.docs.test_blocks import OURS, lines

from context_mode_installer.doctor.probes import probes
from context_mode_installer.specs.catalog import find_spec

PAGE = DOCS / "first-session.md"
SCREENS = ROOT / "tests" / "screens" / "__snapshots__" / "test_screens.ambr"
AGENT = "codex"


def commands() -> list[list[str]]:
    return [words for block in blocks(PAGE) if block.language == "sh" for words in lines(block.text)]


def work(home: Path, project: Path) -> str:
    """The agent ran a command that printed a lot: the hook from its own file is called; what it answers."""
    probe = next(one for one in probes(find_spec(AGENT), str(project)) if one.name.endswith(" long"))
    hooks = json.loads((home / ".codex/hooks.json").read_text("utf-8"))["hooks"]
    command = hooks[probe.event][0]["hooks"][0]["command"]
    done = subprocess.run(
        ["/bin/sh", "-c", f"{command} --assume-server"], input=json.dumps(probe.payload), capture_output=True,
        encoding="utf-8", timeout=60, cwd=project, check=True,
    )  # fmt: skip
    return done.stdout


def test_the_commands_in_their_order(home: Path, project: Path, run_cli: Cli) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text('model = "x"\n')
    (home / ".codex/auth.json").write_text("{}")
    install, *ours = commands()
    assert " ".join(install) in read(ROOT / "README.md")
    said = {}
    for words in ours:
        assert words[0] == OURS
        more = ["--agents", AGENT] if words[1:] == ["setup"] else []  # no program of an agent is on this machine
        more = ["--offline", "--only", "D3,D4,D5"] if words[1] == "doctor" else more
        done = run_cli(*words[1:], *more, cwd=project)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        said[" ".join(words[1:])] = done.stdout
        if words[1:] == ["setup"]:
            assert "ctx_search" in work(home, project)
    assert "To go back: context-mode setup --undo" in said["setup"]
    share, *numbers = map(float, re.findall(r"\d+(?:\.\d+)?", said["stats"].replace(",", "")))
    assert 0 < share < 100
    assert max(numbers) > 20_000
    assert said["setup --undo"].startswith("Undone: ")
    assert (home / ".codex/config.toml").read_text() == 'model = "x"\n'
    assert not (home / ".codex/hooks.json").exists()


def test_what_it_shows_is_what_setup_says() -> None:
    (shown,) = [block.text for block in blocks(PAGE) if block.language == "text"]
    screens = {line.strip() for line in SCREENS.read_text("utf-8").splitlines()}
    assert [line for line in shown.splitlines() if line.strip() not in screens] == []


def test_it_is_short() -> None:
    """Two minutes: a screen and a half of words, six commands at most."""
    assert len(read(PAGE).split()) < 600
    assert len(commands()) <= 6
