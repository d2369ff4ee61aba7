"""A target of the bench: a server command, a hook command and a flavour, with a home and a project of its own."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agents import install
from tests.bench.flavours import FLAVOURS, Call

import context_mode_runtime

LAUNCH = Path(context_mode_runtime.__file__).with_name("launch.py")
PEER_VERSION = "1.0.169"
_PEER_TREE = "lib/node_modules/context-mode"
LIMIT_S = 300
DENY = "Bash(sudo *)"
_OWN = ("CLAUDE_", "CONTEXT_MODE_", "CTX_", "NODE_OPTIONS")


@dataclass
class Ran:
    """One finished process: wall and CPU time (children too) in ms, what it printed."""

    ms: float
    cpu_ms: float
    code: int
    out: str


@dataclass
class Reply:
    """The text of a tool's answer; `error` where the server called it one."""

    text: str
    error: bool


def ran(command: list[str], data: bytes, env: dict[str, str], cwd: Path) -> Ran:
    """Runs one process to its end."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, input=data, env=env, cwd=cwd, capture_output=True, timeout=LIMIT_S, check=False)
    end, after = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ran((end - begin) * 1000, cpu * 1000, done.returncode, done.stdout.decode("utf-8", "replace"))


def spread(values: Sequence[float]) -> dict[str, Any]:
    """Median, ends and all runs, to two digits."""
    kept = [round(value, 2) for value in values]
    return {"median": round(statistics.median(kept), 2), "min": min(kept), "max": max(kept), "runs": kept}


def spent(runs: Sequence[Ran]) -> dict[str, Any]:
    """Wall and CPU time of the same process run several times."""
    return {"ms": spread([one.ms for one in runs]), "cpu_ms": spread([one.cpu_ms for one in runs])}


def size(text: str) -> int:
    """Bytes in UTF-8."""
    return len(text.encode("utf-8", "replace"))


class Target:
    """`hook` holds `{event}` and may hold `{agent}`; without `{agent}` it speaks the first agent's form only."""

    def __init__(self, name: str, server: str, hook: str, flavour: str, root: Path, inputs: Path) -> None:
        self.name, self.server, self.hook = name, shlex.split(server), hook
        self.flavour = FLAVOURS[flavour]
        self.root, self.inputs = root / name, inputs
        self._homes = 0
        self.fresh()

    def fresh(self) -> None:
        """A new home and project: an empty store, the inputs, one rule that denies."""
        self._homes += 1
        place = self.root / str(self._homes)
        self.home, self.project = place / "home", place / "project"
        self.home.mkdir(parents=True)
        shutil.copytree(self.inputs, self.project / "inputs")
        for path, rules in (
            (self.project / ".claude/settings.json", {"permissions": {"deny": [DENY]}}),
            (self.home / ".context-mode/policy.json", {"version": 1, "deny": [DENY]}),
        ):
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(rules), encoding="utf-8")

    def env(self, *, lifted: bool = False) -> dict[str, str]:
        """The environment without what names another host's conversation."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_OWN)}
        places = {"CLAUDE_PROJECT_DIR": str(self.project), "CONTEXT_MODE_PROJECT_DIR": str(self.project)}
        return {**kept, "HOME": str(self.home), **places, **(self.flavour.lifted if lifted else {})}

    @contextlib.contextmanager
    def client(self) -> Iterator[Client]:
        """A started server that has been greeted; ended with the block."""
        client = Client(self)
        try:
            yield client
        finally:
            client.close()

    def run_hook(self, event: str, payload: dict[str, Any], agent: str = "claude-code") -> Ran:
        """One hook process, whole."""
        command = self.hook.replace("{event}", self.flavour.events[event]).replace("{agent}", agent)
        return ran(shlex.split(command), json.dumps(payload).encode(), self.env(), self.project)


class Client:
    """A host's end of one server process: MCP 2025-06-18 over its pipes."""

    def __init__(self, target: Target) -> None:
        self.target, self._id = target, 0
        self.process = subprocess.Popen(
            target.server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=target.env(lifted=True), cwd=target.project,
        )  # fmt: skip
        self.request("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "claude-code", "version": "2.1.332"},
        })  # fmt: skip
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer's message. Raises RuntimeError where the server ends instead."""
        assert self.process.stdout is not None
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params or {}})
        for line in self.process.stdout:
            message: dict[str, Any] = json.loads(line)
            if "method" in message and "id" in message:
                self._send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "not here"}})
            elif message.get("id") == self._id:
                return message
        raise RuntimeError(f"{self.target.name}: the server ended during {method}")

    def call(self, call: Call) -> Reply:
        """Calls a tool. Raises RuntimeError on a protocol error."""
        answer = self.request("tools/call", {"name": call[0], "arguments": call[1]})
        if "error" in answer:
            raise RuntimeError(f"{self.target.name}: {call[0]}: {answer['error']}")
        result = answer["result"]
        return Reply("".join(part.get("text", "") for part in result["content"]), bool(result.get("isError")))

    def done(self, call: Call) -> Reply:
        """As `call`; a tool's error is raised, too."""
        reply = self.call(call)
        if reply.error:
            raise RuntimeError(f"{self.target.name}: {call[0]}: {reply.text[:300]}")
        return reply

    def peak_kib(self) -> int:
        """The most memory that the process has held, in KiB."""
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii"))
        return int(found.group(1)) if found else 0

    def close(self) -> None:
        """Ends the server by the end of its input."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def ours() -> tuple[str, str, str, str]:
    """Name, server, hook and flavour of the checkout."""
    start = shlex.join([sys.executable, "-I", "-S", str(LAUNCH)])
    return "ours", f"{start} serve", f"{start} hook {{agent}} {{event}}", "ours"


def peer() -> tuple[str, str, str, str]:
    """The same of the peer, installed from npm into the tests' cache on the first call. Raises MissingAgentError."""
    folder = install.CACHE / f"bench-peer-{PEER_VERSION}"
    if not folder.is_dir():
        if not shutil.which("npm"):
            raise install.MissingAgentError("npm is not on PATH")
        install.CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=install.CACHE) as made:
            _install_peer(Path(made))
            shutil.copytree(made, folder, symlinks=True)
    package = folder / _PEER_TREE
    return (
        "peer", shlex.join(["node", str(package / "server.bundle.mjs")]),
        f"node {shlex.quote(str(package))}/hooks/{{event}}.mjs", "peer",
    )  # fmt: skip


def _install_peer(made: Path) -> None:
    """As a tree of its own, as its own plugin form has it, with its native module built for the node that runs it.

    Its hooks look for that module in its own tree, and run npm in every call where they don't find it. Its install
    script refuses a node below 22.5, the program itself doesn't.
    """
    package = f"context-mode@{PEER_VERSION}"
    npm = ["npm", "--no-audit", "--no-fund"]
    _run([*npm, "install", "--global", "--prefix", str(made), "--ignore-scripts", package], made)
    _run([*npm, "rebuild", "better-sqlite3", "--ignore-scripts=false"], made / _PEER_TREE)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode != 0:
        raise install.MissingAgentError(done.stderr[-1000:])


def in_turns(targets: Sequence[Target], runs: int, measured: Callable[[Target], float]) -> dict[str, dict[str, Any]]:
    """`measured` of A B A B, by name; a first round warms and is left out."""
    found: dict[str, list[float]] = {target.name: [] for target in targets}
    for turn in range(runs + 1):
        for target in targets:
            value = measured(target)
            if turn:
                found[target.name].append(value)
    return {name: spread(values) for name, values in found.items()}
