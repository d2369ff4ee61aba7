"""An eleventh agent from a user's own folder: a spec and its reply forms alone, everything by real processes."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML
from tests import only
from tests.conftest import Cli
from tests.installer.homefiles import tree
from tests.server.conftest import Host

HERE = Path(__file__).with_name("eleventh")
AGENT = "kimi-code"
CALLS: list[dict[str, Any]] = YAML(typ="safe", pure=True).load((HERE / "calls.yaml").read_text("utf-8"))
SPEC: dict[str, Any] = YAML(typ="safe", pure=True).load((HERE / f"{AGENT}.yaml").read_text("utf-8"))
FORMS = json.loads((HERE / f"{AGENT}.replies.json").read_text("utf-8"))

pytestmark = only.POSIX


@pytest.fixture
def own_spec(home: Path) -> Path:
    """A home with settings of the agent, and its spec in the folder for a user's own specs."""
    shutil.copytree(HERE / "home/kimi-code", home / ".kimi-code")
    agents = home / ".context-mode/agents"
    agents.mkdir(parents=True)
    for name in (f"{AGENT}.yaml", f"{AGENT}.replies.json"):
        shutil.copy(HERE / name, agents)
    return agents / f"{AGENT}.yaml"


@pytest.fixture
def command(run_cli: Cli, project: Path) -> Callable[..., str]:
    """`command("setup", ...)`: runs context-mode in the project, on a machine without any agent's program."""

    def run(*words: str) -> str:
        done = run_cli(*words, cwd=project, env={"PATH": "/usr/bin:/bin"}, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture
def server(project: Path) -> Iterator[Callable[[list[str]], Host]]:
    hosts: list[Host] = []

    def start(argv: list[str]) -> Host:
        hosts.append(
            Host(
                subprocess.Popen(
                    argv, cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
                ),
                [project.as_uri()],
            )
        )
        return hosts[-1]

    yield start
    for host in hosts:
        with host.process:
            host.close()


def settings(home: Path) -> tuple[dict[str, str], list[str]]:
    """The command of each event, and the server's words, as setup wrote them."""
    config = tomllib.loads((home / ".kimi-code/config.toml").read_text("utf-8"))
    entry = json.loads((home / ".kimi-code/mcp.json").read_text("utf-8"))["mcpServers"]["context-mode"]
    ours = {one["event"]: one["command"] for one in config["hooks"] if "context-mode" in one["command"]}
    assert all(set(one) <= {"event", "matcher", "command", "timeout"} for one in config["hooks"])
    return ours, [entry["command"], *entry["args"]]


@pytest.mark.timeout(300)
def test_validate_setup_doctor_hooks_server_remove(
    own_spec: Path, home: Path, project: Path, command: Callable[..., str], server: Callable[[list[str]], Host]
) -> None:
    before = tree(home)
    assert command("agents", "validate", str(own_spec)) == f"{own_spec}: valid\n"
    assert any(line.split()[:1] == [AGENT] for line in command("agents").splitlines())
    assert "Kimi Code CLI" in command("agents", AGENT)
    command("setup", "--agents", AGENT, "--dry-run")
    assert tree(home) == before
    command("setup", "--agents", AGENT)
    once = tree(home)
    assert "nothing was changed" in command("setup", "--agents", AGENT)
    assert tree(home) == once
    told = json.loads(command("doctor", "--agents", AGENT, "--offline", "--json"))
    checks = {row["id"]: row for row in told["data"]["checks"]}
    assert {id_: row["detail"] for id_, row in checks.items() if row["status"] == "FAIL"} == {}
    assert checks["D5"]["status"] == checks["D7"]["status"] == "PASS"

    commands, words = settings(home)
    registered = {host["name"] for event in SPEC["events"] for host in event["hosts"]}
    assert set(commands) == registered == {call["event"] for call in CALLS}
    host = server(words)
    assert host.handshake(roots={})["serverInfo"]["name"] == "context-mode"
    assert len(host.ask("tools/list")["result"]["tools"]) == 9
    (project / "big.md").write_bytes(b"x" * 60_000)
    (home / ".context-mode/policy.json").write_text(json.dumps({"version": 1, "deny": ["Bash(touch *)"]}))
    wrong = [(call, said) for call in CALLS if not fits(call, said := hook(commands[call["event"]], call, project))]
    assert wrong == []

    command("setup", "--remove", "--agents", AGENT)
    assert tree(home) == before


def hook(command: str, call: dict[str, Any], project: Path) -> str:
    """What a hook process prints."""
    common = {"session_id": "session_1", "cwd": str(project), "client_type": "kimi_code_cli"}
    payload = {"hook_event_name": call["event"], **common, **call["payload"]}
    done = subprocess.run(
        ["/bin/sh", "-c", command], input=json.dumps(payload), cwd=project, capture_output=True, encoding="utf-8",
        timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def fits(call: dict[str, Any], said: str) -> bool:
    """Whether it is the reply of the row, in the closed form of its verb."""
    verb = next((one for one in ("deny", "context") if one in call), None)
    if verb is None:
        return said == ""
    reply = json.loads(said) if verb == "deny" else said
    Draft202012Validator({**FORMS, "$ref": f"#/$defs/{call['event']}.{verb}"}).validate(reply)
    return all(text in said for text in ([call["deny"]] if verb == "deny" else call["context"]))


def test_a_fault_is_told_with_its_place_and_a_way_out(own_spec: Path, run_cli: Cli) -> None:
    lines = own_spec.read_text("utf-8").splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines, 1) if "name: SubagentStop" in line)
    lines[number - 1] = lines[number - 1].replace("SubagentStop", "SubagentStopp")
    own_spec.write_text("".join(lines), "utf-8")
    done = run_cli("agents", "validate", str(own_spec))
    assert done.returncode == 1
    place = f"{own_spec}:{number}:"
    assert [
        line for line in done.stdout.splitlines() if line.startswith(place) and "did you mean SubagentStop?" in line
    ]


def test_the_page_shows_what_is_really_said(own_spec: Path, run_cli: Cli) -> None:
    page = (HERE.parents[2] / "docs/add-an-agent.md").read_text("utf-8")
    own_spec.write_text(own_spec.read_text("utf-8").replace("name: SubagentStop,", "name: SubagentStopp,"), "utf-8")
    said = run_cli("agents", "validate", own_spec.name, cwd=own_spec.parent).stdout
    assert f"```text\n{said}```" in page
