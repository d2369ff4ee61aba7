"""Completion in real shells: a line is typed on a terminal, TAB and Enter pressed, and the shell says what it ran."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.conftest import not_to_be_had

from context_mode_installer import suggest
from context_mode_installer.app import run_app
from context_mode_runtime.project import find_project
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.journal import add_row
from context_mode_runtime.store.sources import add_source

CASES: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("completion.yaml"))
SAY = """context-mode() { printf '<%s>' "$@"; printf '\\n'; }"""
SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], 'eval "$(context-mode completion bash)"', SAY),
    "zsh": (["-f", "-i"], 'autoload -Uz compinit; compinit -u -D; eval "$(context-mode completion zsh)"', SAY),
    "fish": (
        ["--no-config", "-i"],
        "context-mode completion fish | source",
        "function context-mode; printf '<%s>' $argv; printf '\\n'; end",
    ),
}
"""How each is started without the user's files, how completion comes in, and what answers instead of us."""
OWN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
"""Fish ends on a terminal that is not its session's own."""
DEADLINE_S = 60


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self, argv: list[str], folder: Path) -> None:
        self.master, slave = pty.openpty()
        scripts = sysconfig.get_path("scripts")
        environment = {**os.environ, "TERM": "xterm", "PATH": os.pathsep.join([scripts, os.environ["PATH"]])}
        self.shell = subprocess.Popen(
            [sys.executable, "-c", OWN_TERMINAL, *argv],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_for(self, text: str) -> None:
        """Reads until the text was shown."""
        ends = time.monotonic() + DEADLINE_S
        while text not in self.shown:
            assert select.select([self.master], [], [], max(0, ends - time.monotonic()))[0], self.shown[-2000:]
            self.shown += os.read(self.master, 65_536).decode(errors="replace")

    def close(self) -> None:
        self.shell.kill()
        self.shell.wait()
        os.close(self.master)


@pytest.fixture
def stored(project: Path, home: Path) -> Path:
    """A project with a source, a conversation whose id is plain and one whose id is not, an earlier setup, a file."""
    found = find_project(str(project))
    assert found
    with Store.open(found.key(), name=found.name) as store:
        add_source(
            store, "some text\n", label="$(touch broken)", kind="log", conversation=None, worktree=None, tool="t"
        )
        add_row(store, "claude-code:0b1c-talk", "prompt", "hello")
        add_row(store, "claude-code:0b$(touch broken)", "prompt", "hello")
    (home / ".context-mode/backups/20260102T030405Z-1").mkdir(parents=True)
    (project / "my-spec.yaml").write_text("spec: 1\n")
    return project


@pytest.fixture(params=SHELLS)
def terminal(request: pytest.FixtureRequest, stored: Path) -> Iterator[Terminal]:
    """A shell with our completion."""
    program = shutil.which(request.param)
    if program is None:
        not_to_be_had(f"there is no {request.param} here")
    options, source, say = SHELLS[request.param]
    opened = Terminal([program, *options], stored)
    try:
        opened.type(f"{source}\n{say}\ncontext-mode ready\n")
        opened.wait_for("<ready>")
        yield opened
    finally:
        opened.close()


def test_a_tab_completes(terminal: Terminal, stored: Path) -> None:
    for case in (one for one in CASES if one.get("real")):
        terminal.type(f"context-mode {case['typed']}\t\n")
        terminal.wait_for("".join(f"<{word}>" for word in case["becomes"]))
    assert "fault of our own" not in terminal.shown
    assert not (stored / "broken").exists()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["typed"])
def test_the_one_word_that_fits_is_offered(
    case: dict[str, Any], stored: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = case["typed"].split(" ")
    monkeypatch.chdir(stored)
    monkeypatch.setenv("_CONTEXT_MODE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"context-mode {case['typed']}")
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    with pytest.raises(SystemExit):
        run_app([])
    said = capsys.readouterr()
    assert (said.out.split(), said.err) == ([] if case.get("by_shell") else case["becomes"][-1:], "")


@pytest.mark.parametrize(
    ("shell", "registers"),
    [
        ("bash", "complete -o default -F"),
        ("zsh", "compdef"),
        ("fish", "complete --command"),
        ("powershell", "Register-ArgumentCompleter"),
    ],
)
def test_the_script_is_printed_and_nothing_is_written(
    shell: str, registers: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_app(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert registers in script
    assert "KeyHandler" not in script, "the user's keys stay as they are"
    assert list(home.iterdir()) == []


def test_powershell_is_told_words_and_what_they_are_for(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What its script asks for: there is no PowerShell to be had everywhere."""
    monkeypatch.setenv("_CONTEXT_MODE_COMPLETE", "complete_powershell")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "context-mode policy ex")
    monkeypatch.setenv("_TYPER_COMPLETE_WORD_TO_COMPLETE", "ex")
    with pytest.raises(SystemExit):
        run_app([])
    assert capsys.readouterr().out.startswith("explain:::Say which rule or route decides")


def test_where_nothing_can_be_looked_up_nothing_is_offered(
    stored: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(stored)
    assert suggest.conversation("") == ["0b1c-talk"]
    assert suggest.source("") == ["s1"]
    monkeypatch.chdir(home)
    assert (suggest.conversation(""), suggest.source("")) == ([], [])
    shutil.rmtree(home / ".context-mode")
    assert suggest.setup("") == []
    monkeypatch.setenv("HOME", "")
    assert suggest.source("") == []


HEAVY = {"html_to_markdown", "jsonschema", "mcp", "pypdf", "ruamel", "sqlite3"}


@pytest.mark.parametrize("typed", ["do", "setup --agents co", "package "])
def test_a_tab_loads_no_library_of_a_command(typed: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each TAB starts a process. Coverage, which loads some of its own, does not follow it."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: sys.stderr.write(' '.join({name.partition('.')[0] for name in sys.modules})))\n"
        "from context_mode_installer.app import run_app\nrun_app([])"
    )
    asked = {"_CONTEXT_MODE_COMPLETE": "complete_bash", "COMP_WORDS": f"context-mode {typed}",
             "COMP_CWORD": str(len(typed.split(" ")))}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip()
    assert HEAVY & set(done.stderr.split()) == set()
