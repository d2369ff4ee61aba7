"""What arrives on standard input, however it arrives, and what goes out for it."""

import contextlib
import fcntl
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from .test_process import LAUNCH, hook

DENIED = {"session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "touch x"}}
TABLE = YAML(typ="safe").load(Path(__file__).with_name("stdin.yaml").read_text("utf-8"))


@pytest.fixture(autouse=True)
def rule(home: Path) -> None:
    """A rule that a payload which is understood meets."""
    (home / ".context-mode").mkdir(exist_ok=True)
    (home / ".context-mode/policy.json").write_text('{"version": 1, "deny": ["Bash(touch *)"]}')


def started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", LAUNCH, "hook", "claude-code", "PreToolUse"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def pieces(case: dict[str, Any]) -> list[bytes]:
    text = json.dumps({**DENIED, **case.get("extra", {})})
    return [
        piece.replace("$PAYLOAD", text)
        .replace("$DIGITS", "7" * 5_000)
        .replace("$REST", text[1:])
        .replace("$HEAD", text[:40])
        .replace("$TAIL", text[40:])
        .encode("utf-8")
        for piece in case["pieces"]
    ]


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case["name"])
@pytest.mark.parametrize("then", ["closes", "stays open"])
def test_the_first_whole_value_counts(case: dict[str, Any], then: str) -> None:
    process = started()
    assert process.stdin
    assert process.stdout
    began = time.monotonic()
    for n, piece in enumerate(pieces(case)):
        if n:
            time.sleep(0.2)  # a host that writes slowly: what is under test
        with contextlib.suppress(BrokenPipeError):  # it had enough
            os.write(process.stdin.fileno(), piece)
    if then == "closes":
        process.stdin.close()
    answer = process.stdout.read()
    assert process.wait(30) == 0
    if case["denied"]:
        assert b"denied by rule" in answer
        assert time.monotonic() - began < 4.5, "the time limit passed it"
    else:
        assert answer == b""
    with process:
        pass


def test_a_pipe_that_does_not_block() -> None:
    reader, writer = os.pipe()
    fcntl.fcntl(reader, fcntl.F_SETFL, fcntl.fcntl(reader, fcntl.F_GETFL) | os.O_NONBLOCK)
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", LAUNCH, "hook", "claude-code", "PreToolUse"], stdin=reader, stdout=subprocess.PIPE
    )

    def write() -> None:
        os.write(writer, json.dumps(DENIED).encode())
        os.close(writer)

    threading.Timer(0.5, write).start()
    answer, _ = process.communicate(timeout=30)
    os.close(reader)
    assert b"denied by rule" in answer


def test_a_closed_input_passes() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -I -S "$1" hook claude-code PreToolUse <&-', sys.executable, LAUNCH],
        capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_large_and_slow_input_costs_no_more_than_its_size() -> None:
    """A block at a time, each a pause for the reader: nothing is looked at anew for each."""
    process = started()
    assert process.stdin
    data = json.dumps({**DENIED, "x": "}" * (24 << 20)}).encode()
    process.stdin.write(data)
    answer, _ = process.communicate(timeout=60)
    assert b"denied by rule" in answer


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b'{"content": "x", "toolName": 7, "input": [[]]}'])
@pytest.mark.parametrize("event", ["tool_call", "tool_result", "before_agent_start", "session_start", "agent_end"])
def test_a_host_whose_pass_is_an_object_gets_one(event: str, data: bytes, made_up: None) -> None:
    done = hook(data, "otter", event)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}", b"")
