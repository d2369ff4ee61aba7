"""F46 to F50: how a server ends, what it costs, and a store that something happened to."""

from __future__ import annotations

import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests import only
from tests.field.conftest import Hook
from tests.server.conftest import LAUNCH

from context_mode_installer.commands import doctor
from context_mode_runtime import notes
from context_mode_runtime.project import find_project
from context_mode_runtime.store import filesystem
from context_mode_runtime.store.db import Store

WAIT_S = 30


def ended(pid: int, wait: float = WAIT_S) -> bool:
    """Whether the process ends within the time."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], wait)[0])
    finally:
        os.close(handle)


def database(home: Path) -> Path:
    (file,) = (home / ".context-mode" / "projects").glob("*/context.db")
    return file


def test_f46_a_leftover_wal_is_opened(serve: Any, home: Path) -> None:
    """The log that a killed server left holds what it had told to be stored."""
    host = serve()
    host.call("ctx_index", {"text": "the walrus sleeps", "label": "zoo"})
    host.process.send_signal(signal.SIGKILL)
    host.process.wait(WAIT_S)
    other = serve()
    assert "the walrus sleeps" in other.call("ctx_search", {"queries": ["walrus"]})[0]
    assert not list(database(home).parent.glob("*.damaged-*"))


@pytest.mark.parametrize("sent", [b"", b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n', b'{"json'])
def test_f47_ends_when_stdin_ends_during_the_start(project: Path, sent: bytes) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", LAUNCH, "serve"],
        cwd=project, input=sent, capture_output=True, check=False, timeout=WAIT_S,
    )  # fmt: skip
    assert done.returncode == 0


@only.LINUX
def test_f47_a_killed_host_takes_server_and_running_command_along(project: Path) -> None:
    """The shell that started the server is killed in the middle of a call; the pipe to stdin stays open."""
    stdin, ours = os.pipe()
    os.mkfifo(project / "pid")
    start = f'exec 3<&{stdin}; "$0" -I -S "$1" serve <&3 & echo $!; wait'
    shell = subprocess.Popen(
        ["bash", "-c", start, sys.executable, LAUNCH],
        cwd=project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, pass_fds=[stdin],
    )  # fmt: skip
    os.close(stdin)
    assert shell.stdout is not None
    with shell.stdout:
        server = int(shell.stdout.readline())
        arguments = {"language": "sh", "code": "echo $$ > pid; exec sleep 600"}
        params = {"name": "ctx_execute", "arguments": arguments}
        os.write(
            ours, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode() + b"\n"
        )
        child = int((project / "pid").read_text(encoding="utf-8"))
        shell.kill()
        assert ended(server)
        assert ended(child)
    shell.wait()
    os.close(ours)


@only.LINUX
def test_f47_an_idle_server_uses_no_processor(serve: Any) -> None:
    """Its clock ticks are counted while nothing is asked of it; a busy one would have a hundred a second."""
    host = serve()
    host.handshake()
    assert not host.call("ctx_execute", {"language": "sh", "code": "true"})[1]
    stat = Path(f"/proc/{host.process.pid}/stat")

    def ticks() -> int:
        return sum(int(number) for number in stat.read_text(encoding="utf-8").rpartition(")")[2].split()[11:13])

    assert not ended(host.process.pid, 0.5)
    before = ticks()
    assert not ended(host.process.pid, 2)
    assert ticks() - before <= 2


def test_f48_bytes_that_are_no_text_cost_one_error(serve: Any) -> None:
    host = serve()
    host.send(b"\xff\xfe\n")
    assert len(host.ask("tools/list")["result"]["tools"]) == 9
    assert host.close() == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in host.lines)


def test_f48_what_a_command_prints_is_no_message(serve: Any) -> None:
    host = serve()
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}})
    text, _ = host.call("ctx_execute", {"language": "python", "code": f"print({line!r})"})
    assert text.endswith(line)
    assert host.close() == 0
    assert [message["id"] for message in host.messages] == [1001]


def test_f49_doctor_warns_of_a_log_on_a_network(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = find_project(str(project))
    assert found
    Store.open(found.key(), name=found.name).close()
    monkeypatch.chdir(project)
    monkeypatch.setattr(filesystem, "kind_in", lambda _mounts, _folder: "nfs4")
    result = doctor.run(doctor.Options(agents=("claude-code",), only=("D8",), offline=True))
    (row,) = result.data["checks"]
    assert row["status"] == "WARN", row
    assert "CONTEXT_MODE_DATA_DIR" in row["detail"]


def test_f49_a_store_made_on_a_network_has_no_log(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem, "kind_in", lambda _mounts, _folder: "nfs4")
    found = find_project(str(project))
    assert found
    with Store.open(found.key(), name=found.name) as store:
        assert store.db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert store.db.execute("PRAGMA synchronous").fetchone() == (2,)


def test_f50_a_search_mends_a_damaged_index_and_answers(serve: Any, home: Path) -> None:
    host = serve()
    for number in range(60):
        text = f"word{number} zebra text {number}\n" * 40
        host.call("ctx_index", {"text": text, "label": f"t{number}"})
    assert "zebra" in host.call("ctx_search", {"queries": ["zebra"]})[0]
    host.close()
    db = sqlite3.connect(database(home))
    with db:
        for number, block in db.execute("SELECT id, block FROM chunk_words_data WHERE id > 10").fetchall():
            db.execute("UPDATE chunk_words_data SET block = ? WHERE id = ?", (b"\xff" * len(block), number))
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()
    text, failed = serve().call("ctx_search", {"queries": ["zebra", "word31"]})
    assert not failed
    assert "word31 zebra text 31" in text


def test_f76_ten_conversations_of_one_server_stay_apart_and_a_hook_answers_without_it(
    serve: Any, hook: Hook, project: Path
) -> None:
    """Budgets and journals go by the conversation of each call, not by the process; a hook asks no server."""
    host = serve("claude-code")

    def call(conversation: str, number: int, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        ident = f"toolu_{conversation}_{number}"
        notes.note_call("claude-code", ident, notes.CallNote(conversation, "", str(project)))
        text, failed = host.call(tool, arguments, {"claudecode/toolUseId": ident})
        return text, failed

    names = [f"talk-{number}" for number in range(10)]
    for name in names:
        call(name, 0, "ctx_execute", {"language": "sh", "code": f"echo 'no such branch: {name}' >&2; exit 1"})
    spent = [call(names[0], number, "ctx_search", {"queries": ["branch"]})[1] for number in range(1, 10)]
    assert spent == [False] * 8 + [True]
    for name in names:
        assert call(name, 20, "ctx_search", {"queries": ["branch"]})[1] == (name == names[0])
        block, _ = call(name, 21, "ctx_resume", {})
        assert block.startswith(f'<context_mode_state session="claude-code:{name}"')
        assert {other for other in names if f"no such branch: {other}" in block} == {name}
    host.process.kill()
    host.process.wait(WAIT_S)
    output = {"tool_response": {"stdout": "a line of the log\n" * 2_000, "stderr": ""}}
    assert hook("claude-code", "PostToolUse", "PostToolUse-Bash", output) is not None
