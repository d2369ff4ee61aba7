"""One run of a real agent in a throw-away home, against a stand-in model that plays a script."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.agents.host import Host
from tests.agents.models.base import Json, StandIn, Step

LIMIT_S = 150


@dataclass(frozen=True)
class Result:
    """One tool call and the text that came back to the model."""

    call_id: str
    tool: str
    args: Json
    text: str


@dataclass(frozen=True)
class Played:
    """What a run left: exit code, the agent's output, every request, each tool result as the model first saw it.

    `last` holds the texts of the tool results in the last request.
    """

    exit_code: int
    log: str
    requests: list[Json]
    summaries: list[Json]
    results: list[Result]
    offered: list[str]
    last: list[str]

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
        log.touch()
        with self.host.model(script) as model:
            exit_code = self.host.start(self, model.url, prompt, extra, log, resumed=resumed)
        return self._played(exit_code, log.read_text(encoding="utf-8", errors="replace"), model)

    def process(self, argv: list[str], url: str, log: Path) -> int:
        """One process of the agent to its end or LIMIT_S; its exit code, or 124."""
        with log.open("ab") as output:
            return _run(argv, self.environment(url), self.project, output.fileno())

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
        last = [text for _, text in model.results(model.requests[-1])] if model.requests else []
        return Played(exit_code, log, model.requests, model.summaries, results, offered, last)


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
