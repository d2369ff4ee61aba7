"""One run of a real agent in a throw-away home, against a stand-in model that plays a script."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.agents.standin import Json, Messages, Responses, StandIn, Step

LIMIT_S = 150


@dataclass
class Host:
    """What is special to one agent: its model's API, command line and variables, and how it spells our tools.

    `again` turns a command line into one that goes on with the latest conversation.
    """

    agent: str
    program: str
    model: type[StandIn]
    argv: Callable[[str, str, Path], list[str]]
    env: Callable[[str], dict[str, str]]
    tool_prefix: str
    shell_tool: str
    shell_key: str
    again: Callable[[list[str]], list[str]]
    bin_dir: Path = field(default_factory=Path)

    def call(self, name: str, **args: object) -> Step:
        """The step that calls one of our tools as this host's model does."""
        return {"tool": self.tool_prefix + name, "args": args}

    def shell(self, command: str, **args: object) -> Step:
        """The step that runs a command in this host's own shell tool."""
        return {"tool": self.shell_tool, "args": {self.shell_key: command, **args}}


def _claude_argv(url: str, prompt: str, project: Path) -> list[str]:
    """Permissions are the user's own: Bash, Read, WebFetch and Agent by this flag, our tools by what setup wrote."""
    return ["-p", prompt, "--allowedTools", "Bash", "Read", "WebFetch", "Agent", "ToolSearch"]


def _claude_env(url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "test-key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
    }  # fmt: skip


def _codex_argv(url: str, prompt: str, project: Path) -> list[str]:
    """The command sandbox is off (containers have none); hook trust and tool approval are what setup wrote."""
    provider = (
        f'{{name="stand-in",base_url="{url}/v1",wire_api="responses",env_key="STAND_IN_KEY",'
        "request_max_retries=0,stream_max_retries=0,supports_websockets=false}"
    )
    settings = [
        'model="gpt-5.5"',
        f"model_providers.standin={provider}", 'model_provider="standin"', "check_for_update_on_startup=false",
        "analytics.enabled=false", "feedback.enabled=false", 'sandbox_mode="danger-full-access"',
        f'projects={{{json.dumps(str(project))}={{trust_level="trusted"}}}}',
    ]  # fmt: skip
    flags = [part for setting in settings for part in ("-c", setting)]
    return ["exec", "--skip-git-repo-check", "-C", str(project), *flags, prompt]


def _codex_env(url: str) -> dict[str, str]:
    return {"STAND_IN_KEY": "test-key"}


CLAUDE_CODE = Host(
    "claude-code", "claude", Messages, _claude_argv, _claude_env, "mcp__context-mode__", "Bash", "command",
    again=lambda argv: [*argv, "--continue"],
)  # fmt: skip
CODEX = Host(
    "codex", "codex", Responses, _codex_argv, _codex_env, "mcp__context_mode__", "exec_command", "cmd",
    again=lambda argv: [*argv[:-1], "resume", "--last", argv[-1]],
)  # fmt: skip
HOSTS = {host.agent: host for host in (CLAUDE_CODE, CODEX)}


@dataclass(frozen=True)
class Result:
    """One tool call and the text that came back to the model."""

    call_id: str
    tool: str
    args: Json
    text: str


@dataclass(frozen=True)
class Played:
    """What a run left: exit code, the agent's output, every request, each tool result as the model first saw it."""

    exit_code: int
    log: str
    requests: list[Json]
    summaries: list[Json]
    results: list[Result]
    offered: list[str]

    def of(self, tool: str) -> list[Result]:
        """The results of one tool, by the end of its name."""
        return [result for result in self.results if result.tool.endswith(tool)]


class HostRun:
    """Runs one host in one home and project, as often as wanted.

    `env` is added to every run. The home is set up by whoever makes this; nothing is written there but by the agent.
    """

    def __init__(self, host: Host, home: Path, project: Path, out: Path) -> None:
        self.host, self.home, self.project, self.out = host, home, project, out
        self.env: dict[str, str] = {}
        self.runs = 0

    def environment(self, url: str) -> dict[str, str]:
        """A clean environment: the agent first on PATH, the throw-away home, the variables that point at the model."""
        env = {name: os.environ[name] for name in ("LANG", "TMPDIR", "SSL_CERT_FILE") if name in os.environ}
        home = self.home
        env.update(
            HOME=str(home),
            USERPROFILE=str(home),
            XDG_CONFIG_HOME=str(home / ".config"),
            XDG_DATA_HOME=str(home / ".local/share"),
            XDG_STATE_HOME=str(home / ".local/state"),
            XDG_CACHE_HOME=str(home / ".cache"),
            PATH=f"{self.host.bin_dir}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        )
        return {**env, **self.host.env(url), **self.env}

    def play(
        self, script: list[Step], prompt: str = "Run the test steps.", *extra: str, resumed: bool = False
    ) -> Played:
        """One run to its end, or to LIMIT_S (then the exit code is 124); `resumed` goes on with the run before."""
        self.runs += 1
        log = self.out / f"agent-{self.runs}.log"
        with self.host.model(script) as model, log.open("wb") as output:
            argv = self.host.argv(model.url, prompt, self.project)
            argv = [str(self.host.bin_dir / self.host.program), *(self.host.again(argv) if resumed else argv), *extra]
            exit_code = _run(argv, self.environment(model.url), self.project, output.fileno())
        return self._played(exit_code, log.read_text(encoding="utf-8", errors="replace"), model)

    def _played(self, exit_code: int, log: str, model: StandIn) -> Played:
        seen: dict[str, str] = {}
        for body in model.requests:
            for call_id, text in model.results(body):
                seen.setdefault(call_id, text)
        results = [
            Result(call_id, model.calls[call_id]["tool"], model.calls[call_id]["args"], text)
            for call_id, text in seen.items()
            if call_id in model.calls
        ]
        offered = model.offered(model.requests[-1]) if model.requests else []
        return Played(exit_code, log, model.requests, model.summaries, results, offered)


def _run(argv: list[str], env: dict[str, str], project: Path, output: int) -> int:
    agent = subprocess.Popen(
        argv, cwd=project, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
    )
    try:
        return agent.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        return 124
    finally:
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(agent.pid, sign)
            except ProcessLookupError:
                break
            try:
                agent.wait(5)
            except subprocess.TimeoutExpired:
                continue
