"""A real server process over real pipes."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime.store.db import Store

LAUNCH = Path(__file__).parents[2] / "runtime" / "context_mode_runtime" / "launch.py"
WAIT_S = 30.0
STEP_S = 0.2


class Host:
    """The host's end: sends lines, collects answers by id, and answers `roots/list` with `roots`."""

    def __init__(self, process: subprocess.Popen[bytes], roots: list[str]) -> None:
        self.process = process
        self.roots = roots
        self.lines: list[bytes] = []
        self.messages: list[dict[str, Any]] = []
        self._answers: dict[Any, queue.Queue[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._next = 1000
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, message: dict[str, Any] | bytes) -> None:
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def answer(self, ident: Any) -> dict[str, Any]:
        """Waits for the answer with this id, as long as the server lives."""
        answers = self._queue(ident)
        for _ in range(int(WAIT_S / STEP_S)):
            ended = not self._reader.is_alive()
            with contextlib.suppress(queue.Empty):
                return answers.get(timeout=STEP_S)
            assert not ended, f"the server ended: {self.process.stderr and self.process.stderr.read()!r}"
        raise TimeoutError(f"no answer to {ident!r}")

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """One request with an id of its own, and its answer."""
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params or {}})
        return self.answer(self._next)

    def call(self, tool: str, arguments: dict[str, Any], meta: dict[str, Any] | None = None) -> tuple[str, bool]:
        """The text of a `tools/call`, and whether it is an error."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
        result = self.ask("tools/call", params)["result"]
        assert [part["type"] for part in result["content"]] == ["text"]
        return result["content"][0]["text"], result.get("isError", False)

    def handshake(self, version: str = "2025-11-25", **capabilities: Any) -> dict[str, Any]:
        """`initialize` and `notifications/initialized`."""
        info = {"name": "host", "version": "1"}
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": info}
        result: dict[str, Any] = self.ask("initialize", params)["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def close(self) -> int:
        """Ends stdin and waits for the process; its exit code."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        code = self.process.wait(WAIT_S)
        self._reader.join(WAIT_S)
        return code

    def _queue(self, ident: Any) -> queue.Queue[dict[str, Any]]:
        with self._lock:
            return self._answers.setdefault((type(ident), ident), queue.Queue())

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            message = json.loads(line)
            self.messages.append(message)
            if message.get("method") == "roots/list":
                roots = [{"uri": uri, "name": "root"} for uri in self.roots]
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}})
            elif "method" not in message:
                self._queue(message["id"]).put(message)


Serve = Callable[..., Host]


@pytest.fixture
def serve(project: Path) -> Iterator[Serve]:
    """`serve(agent=None, cwd=..., roots=[uri], env={...}, packages=False)`: a running server, ended with the test.

    With `packages` it finds what is installed beside it, as behind our launcher; else it has the standard library only.
    """
    hosts: list[Host] = []

    def start(
        agent: str | None = None,
        *,
        cwd: Path | None = None,
        roots: list[str] | None = None,
        env: dict[str, str] | None = None,
        packages: bool = False,
    ) -> Host:
        process = subprocess.Popen(
            [
                *(sys.executable, "-I", *(() if packages else ("-S",))),
                *(LAUNCH, "serve", *(("--agent", agent) if agent else ())),
            ],
            cwd=cwd or project,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        hosts.append(Host(process, roots or []))
        return hosts[-1]

    yield start
    for host in hosts:
        host.process.kill()
        host.close()
        for pipe in (host.process.stdout, host.process.stderr):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def kept(home: Path) -> Iterator[Any]:
    """The store that a server has written to."""
    with_store: list[Store] = []

    def opened() -> Store:
        (path,) = (home / ".context-mode" / "projects").glob("*/context.db")
        with_store.append(Store.open(path.parent.name, name="project", create=False))
        return with_store[-1]

    yield opened
    for store in with_store:
        store.close()
