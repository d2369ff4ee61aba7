"""The shell's seat on the real agents that have one: commands, rules, tools and hooks as without it."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tests.agents.conftest import installed, set_up
from tests.agents.host import Host
from tests.agents.hostrun import HostRun, Played
from tests.agents.hosts import HOSTS
from tests.conftest import Cli, not_to_be_had

from context_mode_installer.detect import spec_of
from context_mode_runtime import limits

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
TABLES = YAML(typ="safe").load(Path(__file__).with_name("shell_seat.yaml").read_text("utf-8"))
SEATED = sorted(agent for agent in HOSTS if spec_of(agent).shell_seat.seat)
SHELL = "/bin/bash"


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


def play(run: HostRun, commands: list[dict[str, object]]) -> Played:
    """One run in which the model asks for these commands, one after the other."""
    steps = [run.host.shell(one["command"], **one.get("args", {})) for one in commands]  # type: ignore[arg-type,call-overload]
    played = run.play([*steps, {"text": "over"}])
    assert played.exit_code == 0, played.log
    assert len(played.of(run.host.shell_tool)) == len(commands)
    return played


def texts(run: HostRun, played: Played) -> list[str]:
    """What the model saw of each command."""
    return [run.host.whole(one.text) for one in played.of(run.host.shell_tool)]


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
        elif case.get("long"):
            assert len(after.encode()) <= limits.SHORT_REPLY + 20, case
            assert "ctx_search" in after, case
            assert before.splitlines()[0] == after.splitlines()[0] or not before.startswith("Exit code"), case
        else:
            assert after == before, case


def test_the_user_s_own_shell(run: HostRun, run_cli: Cli) -> None:
    """The launcher has the name of that shell, by which the host tells what it speaks."""
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
    file = run.home / TABLES["rules"][run.host.agent]["file"]
    content = json.loads(file.read_text(encoding="utf-8"))
    for key, rules in TABLES["rules"][run.host.agent]["permissions"].items():
        content["permissions"].setdefault(key, []).extend(rules)
    file.write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.setattr(run.host, "allowed", ("Read",))
    cases = TABLES["rules"][run.host.agent]["cases"]
    without = texts(run, play(run, cases))
    take_seat(run, run_cli)
    seated = texts(run, play(run, cases))
    assert seated == without
    for case, text in zip(cases, seated, strict=True):
        assert (case["word"] in text) is (case["ends"] == "runs"), (case, text)


def test_a_failure_is_short_and_whole_in_the_store(run: HostRun, run_cli: Cli) -> None:
    take_seat(run, run_cli)
    (run.project / "check.sh").write_text(TABLES["failing"], encoding="utf-8")
    asked = [run.host.call("ctx_search", queries=["test_case_640"]), run.host.call("ctx_stats")]
    played = run.play([run.host.shell("sh check.sh"), *run.host.search_tools(), *asked, {"text": "over"}])
    assert played.exit_code == 0, played.log
    [printed] = played.of(run.host.shell_tool)
    assert len(printed.text.encode()) <= limits.SHORT_REPLY + 20
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


@pytest.mark.parametrize("gone", ["launcher", "interpreter"])
def test_with_us_gone_commands_run(run: HostRun, run_cli: Cli, gone: str) -> None:
    take_seat(run, run_cli)
    [launcher] = (run.home / ".context-mode/bin/seat").glob("*/*")
    if gone == "launcher":
        launcher.unlink()
    else:
        text = launcher.read_text(encoding="utf-8")
        launcher.write_text(text.replace(sys.executable, str(run.home / "no/python")), encoding="utf-8")
    [text] = texts(run, play(run, [{"command": "seq 1 3000; exit 5"}]))
    assert "\n700\n" in text
    assert "\n2400\n" in text
    assert "stored whole" not in text
