"""What only a host with a bridge has: a version without MCP, a project's own files, two bridges, questions, faults."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Self

import pytest
from tests.agents import install
from tests.agents.conftest import REAL_ENV, installed, set_up
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.agents.hosts.pi import Pi
from tests.agents.models.base import StandIn
from tests.conftest import Cli, not_to_be_had

from context_mode_runtime.server.tools.registry import TOOLS

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
BIG = "seq -f 'line %g of it' 0 1499"
EARLIER = "There is earlier work in this conversation"
HOW_TO = "context-mode keeps large outputs out of this conversation"
BRIDGE = "extensions/context-mode.js"


@pytest.fixture
def pi() -> Host:
    return installed("pi")


@pytest.fixture
def old_pi(pi: Host) -> Host:
    """The last Pi that knew no MCP and was called by its old name."""
    host = copy.copy(pi)
    try:
        host.bin_dir = install.bin_dir("pi-old", REAL_ENV)
    except install.MissingAgentError as error:
        not_to_be_had(error)
    return host


def test_an_old_pi_gets_tools_and_hooks_by_the_bridge(
    old_pi: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli
) -> None:
    """Start text, deny, route, replacement, failure, our tools, identity and budget, state after a compaction."""
    run = set_up(old_pi, HostRun(old_pi, home, project, tmp_path), run_cli)
    policy = {"version": 1, "deny": ["Bash(touch *)"]}
    (home / ".context-mode" / "policy.json").write_text(json.dumps(policy), encoding="utf-8")
    (project / "big.txt").write_text("x\n" * 20_000, encoding="utf-8")
    script = [
        run.host.shell("touch denied.txt"), run.host.read(project / "big.txt"), run.host.shell(BIG),
        run.host.shell(f"{BIG}; exit 3"), run.host.call("ctx_search", queries=["line 700 of it"]),
        run.host.call("ctx_resume"), *(run.host.call("ctx_search", queries=[f"q {n}"]) for n in range(8)),
        {"text": "over"},
    ]  # fmt: skip
    played = run.play(script, "count the herons")
    assert played.exit_code == 0, played.log
    assert {name for name in played.offered if "ctx_" in name} == {run.host.tool_prefix + tool.name for tool in TOOLS}
    assert HOW_TO in json.dumps(played.requests[0])
    denied, routed, big, failed, found, resumed, *searches = [result.text for result in played.results]
    assert "denied by rule Bash(touch *)" in denied
    assert not (project / "denied.txt").exists()
    assert f"{run.host.tool_prefix}ctx_index(" in routed
    assert len(big.encode()) <= 4_500
    assert "ctx_search" in big
    assert "Command exited with code 3" in failed
    assert "line 700 of it" in found
    assert "request #1: count the herons" in resumed
    assert ["all queries into one call" in text for text in searches] == [False] * 7 + [True]


def test_the_files_of_a_project(pi: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> None:
    """They name no folder of this machine, and Pi reads them once the project is trusted."""
    run = HostRun(pi, home, project, tmp_path)
    path = {"PATH": f"{pi.bin_dir}{os.pathsep}{os.environ['PATH']}"}
    arguments = ("setup", "--agents", "pi", "--scope", "project", "--project", str(project))
    done = run_cli(*arguments, env=path, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    for file in ("mcp.json", BRIDGE):
        text = (project / ".pi" / file).read_text("utf-8")
        assert str(home) not in text
        assert '"~/.context-mode/bin/context-mode-serve"' in text
    script = [run.host.shell(BIG), run.host.call("ctx_search", queries=["line 700 of it"]), {"text": "over"}]
    untrusted = run.play(script)
    assert "line 700 of it" in untrusted.results[0].text
    assert not [name for name in untrusted.offered if "ctx_" in name]
    trusted = run.play(script, "Run the test steps.", "--approve")
    assert trusted.exit_code == 0, trusted.log
    assert "ctx_search" in trusted.results[0].text
    assert "line 700 of it" in trusted.of("ctx_search")[0].text


SCRIPT = """
const printed = await tools.bash({command: "seq -f 'line %g of it' 0 2999"});
const lines = printed.output.split("\\n");
text("lines " + lines.filter(line => line.startsWith("line ")).length + " last " + lines.includes("line 2999 of it"));
await tools.mcp__context_mode__ctx_index({text: "The ibis nests at Cormorant Rock.", label: "birds"});
const found = await tools.mcp__context_mode__ctx_search({queries: ["where does the ibis nest"]});
text(found.content[0].text);
const state = await tools.mcp__context_mode__ctx_resume({});
text(state.content[0].text);
"""


def test_a_script_of_the_model_gets_whole_outputs_and_our_tools(
    pi: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli
) -> None:
    run = set_up(pi, HostRun(pi, home, project, tmp_path), run_cli)
    (home / ".pi/agent/settings.json").write_text('{"defaultTools": ["+codemode"]}', encoding="utf-8")
    played = run.play([{"tool": "codemode", "args": {"code": SCRIPT}}, {"text": "over"}], "look at the birds")
    assert played.exit_code == 0, played.log
    [result] = played.results
    assert "lines 3000 last true" in result.text
    assert "Cormorant Rock" in result.text
    assert "request #1: look at the birds" in result.text


def test_two_bridges_carry_each_event_once(pi: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> None:
    """F06: a colleague's project files beside the user's own."""
    run = set_up(pi, HostRun(pi, home, project, tmp_path), run_cli)
    ours = home / ".pi/agent" / BRIDGE
    (ours.parent / "second").mkdir()
    shutil.copy(ours, ours.parent / "second/index.js")
    log = tmp_path / "events"
    hook = home / ".context-mode/bin/context-mode-hook"
    hook.rename(hook.with_name("real-hook"))
    hook.write_text(f'#!/bin/sh\necho "$2" >> {log}\nexec "{hook.with_name("real-hook")}" "$@"\n', encoding="utf-8")
    hook.chmod(0o755)
    played = run.play([run.host.shell("echo one"), {"text": "over"}])
    assert played.exit_code == 0, played.log
    events = ["session_start", "before_agent_start", "tool_call", "tool_result", "agent_end", "session_shutdown"]
    assert log.read_text().split() == events
    assert json.dumps(played.requests[0]).count(HOW_TO) == 1


@pytest.mark.parametrize("words", [("--help",), ("list",)])
def test_f25_a_command_that_ends_at_once_starts_nothing(
    pi: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli, words: tuple[str, ...]
) -> None:
    run = set_up(pi, HostRun(pi, home, project, tmp_path), run_cli)
    for name in ("context-mode-hook", "context-mode-serve"):
        (home / ".context-mode/bin" / name).write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\n", encoding="utf-8")
    done = subprocess.run(
        [pi.bin_dir / "pi", *words], env=run.environment("http://127.0.0.1:9"), cwd=project, capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "extension" not in done.stderr
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("breaks", ["gone", "hangs", "prints garbage"])
def test_a_hook_that_fails_leaves_pi_as_it_is(
    pi: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli, breaks: str
) -> None:
    run = set_up(pi, HostRun(pi, home, project, tmp_path), run_cli)
    hook = home / ".context-mode/bin/context-mode-hook"
    bridge = home / ".pi/agent" / BRIDGE
    bridge.write_text(bridge.read_text().replace('Number("6000")', 'Number("500")'))
    if breaks == "gone":
        hook.unlink()
    else:
        hook.write_text("#!/bin/sh\n" + ("exec sleep 300\n" if breaks == "hangs" else "echo no JSON; echo bad >&2\n"))
    played = run.play([run.host.shell("echo one; echo two"), {"text": "over"}])
    assert played.exit_code == 0, played.log
    assert played.results[0].text == "one\ntwo\n"
    assert HOW_TO not in json.dumps(played.requests)
    for line in played.log.splitlines():  # its events, one a line, and nothing of ours between them
        assert "type" in json.loads(line)


class Rpc:
    """A Pi in its RPC mode: what the window does, over a pipe. `asked` holds the questions to the user."""

    def __init__(self, run: HostRun, model: StandIn, *, answer: bool = False) -> None:
        self.run, self.model, self.answer = run, model, answer
        self.asked: list[str] = []

    def __enter__(self) -> Self:
        assert isinstance(self.run.host, Pi)
        provider = self.run.host.provider(self.run, self.model.url)
        self._pi = subprocess.Popen(
            [str(self.run.host.bin_dir / "pi"), "--mode", "rpc", *provider], cwd=self.run.project,
            env=self.run.environment(self.model.url), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, bufsize=1,
        )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        with self._pi:
            pass

    def do(self, command: str, until: str = "response", **more: object) -> Any:
        """Sends a command and reads to the first event of a kind; questions on the way are answered."""
        self._send({"type": command, **more})
        assert self._pi.stdout
        for line in self._pi.stdout:
            event = json.loads(line)
            if event["type"] == "extension_ui_request" and event["method"] == "confirm":
                self.asked.append(event["message"])
                self._send({"type": "extension_ui_response", "id": event["id"], "confirmed": self.answer})
            assert event.get("success", True), event
            if event["type"] == until and event.get("command", command) == command:
                return event.get("data")
        raise AssertionError(f"Pi has ended at {command}")

    def say(self, words: str) -> Any:
        """A prompt to its end: the request that it began with."""
        before = len(self.model.requests)
        self.do("prompt", until="agent_settled", message=words)
        return self.model.requests[before]

    def _send(self, value: dict[str, object]) -> None:
        assert self._pi.stdin
        self._pi.stdin.write(json.dumps(value) + "\n")


@pytest.mark.parametrize("answer", [True, False])
def test_a_rule_that_asks_is_put_to_the_user(
    pi: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli, answer: bool
) -> None:
    """By Pi's own dialog; a print run has nobody to ask, which is a no."""
    run = set_up(pi, HostRun(pi, home, project, tmp_path), run_cli)
    policy = {"version": 1, "ask": ["Bash(touch *)"]}
    (home / ".context-mode" / "policy.json").write_text(json.dumps(policy), encoding="utf-8")
    script = [run.host.shell("touch asked.txt"), {"text": "over"}]
    with pi.model(script) as model, Rpc(run, model, answer=answer) as rpc:
        rpc.say("touch it")
    [question] = rpc.asked
    assert "Bash(touch *)" in question
    assert (project / "asked.txt").exists() == answer
    [(_, text)] = model.results(model.requests[-1])
    assert ("the user said no" in text) != answer
    alone = run.play(script)
    assert "nobody is here to be asked" in alone.results[0].text


def test_conversations_in_one_window(pi: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> None:
    """Compaction by hand, a new conversation, back to the first one, words while the model is at work."""
    run = set_up(pi, HostRun(pi, home, project, tmp_path), run_cli)
    wait = run.host.shell("touch waiting; until [ -e go ]; do sleep 0.1; done")
    resume, over = run.host.call("ctx_resume"), {"text": "over"}
    script = [run.host.shell("echo one"), over, resume, over, resume, over, wait, resume, over]
    with pi.model(script) as model, Rpc(run, model) as rpc:
        assert "<context_mode_state" not in json.dumps(rpc.say("fix login"))
        rpc.do("compact")
        assert json.dumps(rpc.say("now the docs")).count("<context_mode_state") == 1
        first = rpc.do("get_state")

        rpc.do("new_session")
        assert EARLIER not in json.dumps(rpc.say("a new subject"))
        second = rpc.do("get_state")

        rpc.do("switch_session", sessionPath=first["sessionFile"])
        rpc.do("prompt", until="tool_execution_start", message="and the egrets")
        rpc.do("steer", message="mind the tides")
        (project / "go").touch()
        rpc.do("get_state", until="agent_settled")
    told = [text for body in model.requests for _, text in model.results(body) if "<context_mode_state" in text]
    by_session = [text for text in dict.fromkeys(told) if "session=" in text]
    assert first["sessionId"] != second["sessionId"]
    assert f'"pi:{first["sessionId"]}"' in by_session[0]
    assert "now the docs" in by_session[0]
    assert f'"pi:{second["sessionId"]}"' in by_session[1]
    assert "fix login" not in by_session[1]
    assert f'"pi:{first["sessionId"]}"' in by_session[2]
    assert "mind the tides" in by_session[2]
    [back] = [body for body in model.requests if "and the egrets" in json.dumps(body)][:1]
    assert EARLIER in json.dumps(back)
