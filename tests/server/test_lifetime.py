"""When the server ends, and that nothing but protocol is ever written to its stdout."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests import only

RUNTIME = Path(__file__).parents[2] / "runtime"
LAUNCH = RUNTIME / "context_mode_runtime" / "launch.py"
WAIT_S = 30
LONG_S = 600


def _ended(pid: int) -> bool:
    """Whether the process ends; waits for that, a zombie counts as ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], WAIT_S)[0])
    finally:
        os.close(handle)


def _start_long_call(host: Any, project: Path, ident: int) -> int:
    """A call that would run for ten minutes, after its child has said its process id."""
    told = project / "pid"
    os.mkfifo(told)
    code = f"echo $$ > pid; exec sleep {LONG_S}"
    params = {"name": "ctx_execute", "arguments": {"language": "sh", "code": code}}
    host.send({"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": params})
    return int(told.read_text(encoding="utf-8"))


def test_ends_with_stdin(serve: Any) -> None:
    host = serve()
    host.handshake()
    assert host.close() == 0


def test_answers_what_came_before_the_end_of_stdin(serve: Any) -> None:
    host = serve()
    host.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ctx_search", "arguments": {}}})
    assert host.close() == 0
    assert "result" in host.answer(1)


def test_a_running_child_ends_with_stdin(serve: Any, project: Path) -> None:
    host = serve()
    child = _start_long_call(host, project, 1)
    assert host.close() == 0
    assert _ended(child)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_running_child_ends_with_a_signal(serve: Any, project: Path, number: signal.Signals) -> None:
    host = serve()
    child = _start_long_call(host, project, 1)
    host.process.send_signal(number)
    assert host.process.wait(WAIT_S) == 0
    assert _ended(child)


def test_sigint_ends_it_too_where_the_host_was_started_with_it_ignored(serve: Any, project: Path) -> None:
    """As shells start background jobs: the server inherits it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        host = serve()
    finally:
        signal.signal(signal.SIGINT, before)
    child = _start_long_call(host, project, 1)
    host.process.send_signal(signal.SIGINT)
    assert host.process.wait(WAIT_S) == 0
    assert _ended(child)


def test_a_cancelled_call_ends_its_child_and_gets_no_answer(serve: Any, project: Path) -> None:
    host = serve()
    child = _start_long_call(host, project, 7)
    assert host.ask("ping")["result"] == {}
    host.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    assert _ended(child)
    assert host.call("ctx_execute", {"language": "sh", "code": "echo still here"})[0].endswith("still here")
    assert host.close() == 0
    assert 7 not in [message.get("id") for message in host.messages]


@only.LINUX
@pytest.mark.parametrize("between", ["", "a launcher"])
def test_dies_with_its_host_while_stdin_stays_open(project: Path, between: str) -> None:
    stdin, ours = os.pipe()
    script = project / "start.sh"
    script.write_text('exec 3<&0\n"$0" -I -S "$1" serve <&3 &\necho $!\nwait\n', encoding="utf-8")
    start = f'CONTEXT_MODE_HOST_PID=$$ sh -c "$2" "$0" "$1" <&{stdin} & wait' if between else f"exec 0<&{stdin}; . $3"
    host = subprocess.Popen(
        ["bash", "-c", start, sys.executable, LAUNCH, script.read_text(encoding="utf-8"), script],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        pass_fds=[stdin],
    )
    os.close(stdin)
    assert host.stdout is not None
    with host.stdout:
        server = int(host.stdout.readline())
        os.write(ours, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert json.loads(host.stdout.readline())["result"] == {}
        host.kill()
        assert _ended(server)
    host.wait()
    os.close(ours)


def test_a_host_that_reads_nothing_does_not_hold_it(project: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", LAUNCH, "serve"], cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 300)
        process.stdin.close()
        assert process.wait(WAIT_S) == 0


def test_only_messages_reach_stdout() -> None:
    code = (
        "import os, sys\n"
        f"sys.path.insert(0, {str(RUNTIME)!r})\n"
        "from context_mode_runtime.server.wire import claim\n"
        "wire = claim()\n"
        "print('a stray print', flush=True)\n"
        "os.write(1, b'a stray write')\n"
        "assert sys.stdin.read() == ''\n"
        "for line in wire.lines():\n"
        "    wire.send({'got': line.decode()})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=b"one\ntwo\nno end", capture_output=True, check=True, timeout=WAIT_S
    )
    assert done.stdout == b'{"got":"one"}\n{"got":"two"}\n{"got":"no end"}\n'
    assert done.stderr == b"a stray print\na stray write"


def test_an_agent_that_is_not_known_is_said_and_served(serve: Any) -> None:
    host = serve("nobodys-agent")
    assert host.handshake()["serverInfo"]["name"] == "context-mode"
    assert host.close() == 0
    assert "unknown agent" in host.process.stderr.read().decode()


@pytest.mark.parametrize("arguments", [["serve", "--agent"], ["serve", "--port", "1"]])
def test_other_arguments_are_wrong_usage(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, LAUNCH, *arguments], capture_output=True, check=False, timeout=WAIT_S)
    assert done.returncode == 2
    assert b"usage" in done.stderr
    assert done.stdout == b""


def test_a_child_that_ignores_being_asked_ends_too(serve: Any, project: Path) -> None:
    host = serve()
    os.mkfifo(project / "pid")
    code = f"trap '' TERM INT HUP; echo $$ > pid; while :; do sleep {LONG_S}; done"
    params = {"name": "ctx_execute", "arguments": {"language": "sh", "code": code}}
    host.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    child = int((project / "pid").read_text(encoding="utf-8"))
    assert host.close() == 0
    assert _ended(child)
