"""Hosts of which no binary can be had: the hooks that setup wrote, as real processes, started as it is documented.

Beside it `installed/<id>.yaml`: what comes of each documented payload.
"""

from __future__ import annotations

import json
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests import only
from tests.conftest import Cli
from tests.hooks.conftest import load_payload
from tests.server.conftest import Host

from context_mode_runtime.agents import load_agent
from context_mode_runtime.server.tools.registry import TOOLS

TABLES: dict[str, dict[str, dict[str, Any]]] = {
    file.stem: YAML(typ="safe", pure=True).load(file.read_text("utf-8"))
    for file in sorted(Path(__file__).with_name("installed").glob("*.yaml"))
}
PAYLOADS = Path(__file__).parents[1] / "payloads"
PASS = {"code": 0, "out": "", "err": ""}

pytestmark = only.POSIX


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def kiro(home: Path) -> tuple[dict[str, list[str]], list[str]]:
    """The command of each event (the hook file's regular entries, the agent file's lists), and the server's."""
    new = {one["trigger"]: one["action"]["command"] for one in read(home / ".kiro/hooks/context-mode.json")["hooks"]}
    old = {event: one["command"] for event, (one,) in read(home / ".kiro/agents/context-mode.json")["hooks"].items()}
    server = read(home / ".kiro/settings/mcp.json")["mcpServers"]["context-mode"]
    return {event: ["bash", "-c", text] for event, text in {**new, **old}.items()}, [server["command"], *server["args"]]


def zcode(home: Path) -> tuple[dict[str, list[str]], list[str]]:
    """The program and the arguments of each event, and the server's."""
    config = read(home / ".zcode/cli/config.json")
    hooks = {event: groups[-1]["hooks"][0] for event, groups in config["hooks"]["events"].items()}
    server = config["mcp"]["servers"]["context-mode"]
    return {event: [one["command"], *one["args"]] for event, one in hooks.items()}, [server["command"], *server["args"]]


WRITTEN: dict[str, Callable[[Path], tuple[dict[str, list[str]], list[str]]]] = {"kiro": kiro, "zcode": zcode}


@pytest.fixture
def start(project: Path) -> Iterator[Callable[[list[str]], Host]]:
    """`start(argv)`: a server of ours as the host starts it, ended with the test."""
    hosts: list[Host] = []

    def run(argv: list[str]) -> Host:
        process = subprocess.Popen(
            argv, cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        hosts.append(Host(process, [project.as_uri()]))
        return hosts[-1]

    yield run
    for host in hosts:
        with host.process:
            host.close()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("agent", TABLES)
def test_each_documented_payload(
    agent: str, home: Path, project: Path, run_cli: Cli, start: Callable[[list[str]], Host]
) -> None:
    done = run_cli("setup", "--agents", agent, env={"PATH": "/usr/bin:/bin"}, timeout=120)
    assert done.returncode == 0, done.stderr
    rules = ["Bash(echo *)"]
    (home / ".context-mode/policy.json").write_text(json.dumps({"version": 1, "deny": rules}))
    for name, size in {"notes.md": 60_000, "small.md": 10, "shot.png": 60_000}.items():
        (project / name).write_bytes(b"x" * size)
    commands, server = WRITTEN[agent](home)
    host = start(server)
    assert host.handshake(roots={})["serverInfo"]["name"] == "context-mode"
    assert len(host.ask("tools/list")["result"]["tools"]) == len(TOOLS)
    program = str(Path(sysconfig.get_path("scripts")) / "context-mode")
    names = sorted(file.stem for file in (PAYLOADS / agent).glob("*.json"))
    assert set(TABLES[agent]) <= set(names)

    def call(name: str) -> list[tuple[str, dict[str, Any]]]:
        payload = load_payload(agent, name, project, home)
        event = name.partition("-")[0]
        assert load_agent(agent)["events"][event]
        both = (commands[event], [program, "hook", agent, event])
        return [(name, ran(argv, payload, project)) for argv in both]

    with ThreadPoolExecutor(3) as pool:
        found = [one for two in pool.map(call, names) for one in two]
    assert [(name, told) for name, told in found if not as_said({**PASS, **TABLES[agent].get(name, {})}, told)] == []


def ran(argv: list[str], payload: Any, cwd: Path) -> dict[str, Any]:
    """What one hook process left."""
    done = subprocess.run(
        argv, input=json.dumps(payload), cwd=cwd, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr}


def as_said(said: dict[str, Any], told: dict[str, Any]) -> bool:
    """An empty text means nothing at all."""
    return said["code"] == told["code"] and all(
        said[stream] in told[stream] if said[stream] else not told[stream] for stream in ("out", "err")
    )


@pytest.mark.timeout(300)
@pytest.mark.parametrize("agent", TABLES)
def test_the_server_learns_the_conversation_by_a_match(
    agent: str, home: Path, project: Path, run_cli: Cli, start: Callable[[list[str]], Host]
) -> None:
    """Nothing of the session reaches the server but by the hook that saw the same tool and arguments."""
    assert run_cli("setup", "--agents", agent, env={"PATH": "/usr/bin:/bin"}, timeout=120).returncode == 0
    commands, server = WRITTEN[agent](home)
    host = start(server)
    host.handshake()
    tool = load_agent(agent)["server"]["tool_name"].replace("{tool}", "ctx_resume")

    def call(name: str, **changes: Any) -> None:
        payload = load_payload(agent, name, project, home)
        payload |= {key: value for key, value in changes.items() if key in payload}
        assert ran(commands[name.partition("-")[0]], payload, project) == PASS

    call("UserPromptSubmit")
    assert "Run the tests" not in host.call("ctx_resume", {})[0]
    call("PreToolUse-mcp", tool_name=tool, tool_input={}, toolName=tool, toolInput={})
    text, wrong = host.call("ctx_resume", {})
    assert (wrong, "Run the tests" in text) == (False, True)
