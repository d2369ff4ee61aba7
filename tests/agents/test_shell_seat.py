"""The shell's seat on the real agents that have one: commands, rules, tools and hooks as without it."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.agents.conftest import installed, set_up
from tests.agents.host import Host
from tests.agents.hostrun import HostRun, Played
from tests.agents.hosts import HOSTS
from tests.conftest import Cli, not_to_be_had

from context_mode_installer.specs.catalog import find_spec
from context_mode_runtime import limits

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
TABLES = YAML(typ="safe").load(Path(__file__).with_name("shell_seat.yaml").read_text("utf-8"))
SEATED = sorted(agent for agent in HOSTS if find_spec(agent).shell_seat.seat)
SHELL = "/bin/bash"
PROCESSES = re.compile(r"^(?:Background PIDs|Process Group PGID): [\d, ]+\n", re.MULTILINE)
REST = 160
"""Bytes that a host may write around an output."""


@pytest.fixture(scope="session", params=SEATED)
def host(request: pytest.FixtureRequest) -> Host:
    """Each real agent whose shell we can sit in for."""
    return installed(request.param)


@pytest.fixture
def run(host: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> HostRun:
    """A host that is set up without the seat."""
    made = HostRun(host, home, project, tmp_path)
    made.env["SHELL"] = SHELL
    (home / ".bashrc").write_text(TABLES["start_file"], encoding="utf-8")
    return set_up(host, made, run_cli)


def take_seat(run: HostRun, run_cli: Cli) -> None:
    """Setup once more, with the seat."""
    done = run_cli("setup", "--agents", run.host.agent, "--shell-seat", env={**run.host.light, **run.env}, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "shell answers" in done.stdout


def play(run: HostRun, commands: list[dict[str, Any]], *, asks: bool = False) -> Played:
    """One run in which the model asks for these commands, one after the other; the host `asks` as it does by itself."""
    flags = () if asks else TABLES["flags"][run.host.agent]
    steps = [run.host.shell(one["command"], **one.get("args", {})) for one in commands]
    played = run.play([*steps, {"text": "over"}], "Run the test steps.", *flags)
    assert played.exit_code == 0, played.log
    assert len(played.of(run.host.shell_tool)) == len(commands)
    return played


def texts(run: HostRun, played: Played) -> list[str]:
    """What the model saw of each command, without the numbers of processes."""
    return [PROCESSES.sub("", run.host.whole(one.text)) for one in played.of(run.host.shell_tool)]


def sources(run: HostRun) -> list[str]:
    """The stored texts, in order."""
    [database] = (run.home / ".context-mode" / "projects").glob("*/context.db")
    with contextlib.closing(sqlite3.connect(database)) as db:
        rows = db.execute("SELECT id >> 24, text FROM chunks ORDER BY id").fetchall()
    return ["".join(text for of, text in rows if of == number) for number in sorted({of for of, _ in rows})]


def test_commands_are_the_same(run: HostRun, run_cli: Cli) -> None:
    table = TABLES["commands"]
    without = texts(run, play(run, table))
    take_seat(run, run_cli)
    seated = texts(run, play(run, table))
    for case, before, after in zip(table, without, seated, strict=True):
        if "says" in case:
            assert re.search(case["says"], after), (case, before, after)
        elif case.get("streams") and run.host.agent in TABLES["streams_apart"]:
            assert sorted(after.splitlines()) == sorted(before.splitlines()), case
            assert "o1\ne1\no2\ne2" in after, case
        elif case.get("long"):
            assert len(after.encode()) <= limits.SHORT_REPLY + REST, case
            assert "ctx_search" in after, case
            assert "exit 3" not in str(case) or re.search(r"[Ee]xit [Cc]ode:? 3", after), case
        else:
            assert after == before, case


def test_live_text_before_a_time_limit(run: HostRun, run_cli: Cli) -> None:
    """What a command that the host stops waiting for has printed so far is there."""
    take_seat(run, run_cli)
    timed = TABLES["timed"].get(run.host.agent)
    if timed is None:
        assert run.host.agent in TABLES["waits"]
        return
    [text] = texts(run, play(run, [timed]))
    assert "t1" in text


def test_the_user_s_own_shell(run: HostRun, run_cli: Cli) -> None:
    """The launcher has the name of that shell, by which the host tells what it speaks; where it can run it at all."""
    seat = find_spec(run.host.agent).shell_seat.seat
    if seat and "zsh" not in seat.shells:
        take_seat(run, run_cli)
        assert not list((run.home / ".context-mode/bin/seat").glob("*/zsh"))
        return
    zsh = shutil.which("zsh") or not_to_be_had("zsh is not here")
    run.env["SHELL"] = zsh
    (run.home / ".zshrc").write_text(TABLES["start_file"], encoding="utf-8")
    without = texts(run, play(run, TABLES["zsh"]))
    take_seat(run, run_cli)
    seated = texts(run, play(run, TABLES["zsh"]))
    assert seated[:-1] == without[:-1]
    assert zsh in seated[0]
    assert "ctx_search" in seated[-1]


def test_rules_are_the_same(run: HostRun, run_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host judges the text of a command, and that is as it was."""
    table = TABLES["rules"][run.host.agent]
    file = run.home / table["file"]
    if "text" in table:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(table["text"], encoding="utf-8")
    else:
        content = json.loads(file.read_text(encoding="utf-8"))
        for key, rules in table["permissions"].items():
            content["permissions"].setdefault(key, []).extend(rules)
        file.write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.setattr(run.host, "allowed", ("Read",), raising=False)
    cases = table["cases"]
    assert len(cases) == 12
    without = texts(run, play(run, cases, asks=True))
    take_seat(run, run_cli)
    seated = texts(run, play(run, cases, asks=True))
    assert seated == without
    for case, text in zip(cases, seated, strict=True):
        assert (case["word"] in text) is (case["ends"] == "runs"), (case, text)


def test_a_failure_is_short_and_whole_in_the_store(run: HostRun, run_cli: Cli) -> None:
    take_seat(run, run_cli)
    (run.project / "check.sh").write_text(TABLES["failing"], encoding="utf-8")
    asked = [run.host.call("ctx_search", queries=["test_case_640"]), run.host.call("ctx_stats")]
    steps = [run.host.shell("sh check.sh"), *run.host.search_tools(), *asked, {"text": "over"}]
    played = run.play(steps, "Run the test steps.", *TABLES["flags"][run.host.agent])
    assert played.exit_code == 0, played.log
    [printed] = played.of(run.host.shell_tool)
    assert len(printed.text.encode()) <= limits.SHORT_REPLY + REST
    for name in ("test_quota.py::test_volume - AssertionError: vol-7319", "test_login.py::test_hash", "2 failed"):
        assert name in printed.text
    assert "test_case_640 " in played.of("ctx_search")[0].text
    assert re.search(rf"{run.host.shell_tool}.*1", played.of("ctx_stats")[0].text)
    [whole] = sources(run)
    assert len(whole) > 60_000
    [database] = (run.home / ".context-mode" / "projects").glob("*/context.db")
    with contextlib.closing(sqlite3.connect(database)) as db:
        failures = db.execute("SELECT text FROM journal WHERE kind = 'failure'").fetchall()
    assert failures == [("sh check.sh",)]


def test_a_sub_agent_is_told_apart(run: HostRun, run_cli: Cli) -> None:
    """By what our hook saw of the command; where no conversation reaches a command, it is nobody's."""
    take_seat(run, run_cli)
    main = "Run the test steps."
    delegated = run.host.delegate(["heron"], main) if "subagents" in run.host.can else []
    inner = [{**run.host.shell("seq 1 3001"), "if": "heron: look it up"}] if delegated else []
    own = {**run.host.shell("seq 1 3000"), "if": main}
    played = run.play([*delegated, *inner, own, {"text": "over"}], main, *TABLES["flags"][run.host.agent])
    assert played.exit_code == 0, played.log
    [database] = (run.home / ".context-mode" / "projects").glob("*/context.db")
    with contextlib.closing(sqlite3.connect(database)) as db:
        told = [key for (key,) in db.execute("SELECT conversation FROM ledger ORDER BY raw")]
    seat = find_spec(run.host.agent).shell_seat.seat
    if seat is None or seat.conversation is None:
        assert told == [None]
    else:
        assert told == [told[0], *([f"{told[0]}:{told[1].rpartition(':')[2]}"] if inner else [])]
        assert told[0].count(":") == 1


@pytest.mark.parametrize("gone", ["launcher", "interpreter"])
def test_with_us_gone_commands_run(run: HostRun, run_cli: Cli, gone: str) -> None:
    take_seat(run, run_cli)
    launcher = run.home / ".context-mode/bin/seat" / run.host.agent / "bash"
    if gone == "launcher":
        launcher.unlink()
    else:
        text = launcher.read_text(encoding="utf-8")
        launcher.write_text(text.replace(sys.executable, str(run.home / "no/python")), encoding="utf-8")
    short, long = texts(run, play(run, [{"command": "seq 1 800; exit 5"}, {"command": "seq 1 3000; exit 6"}]))
    assert "\n700\n" in short
    assert "stored" not in short
    assert re.search(r"[Ee]xit [Cc]ode:? 5", short)
    assert "\n3000" in long
    assert re.search(r"[Ee]xit [Cc]ode:? 6", long)
