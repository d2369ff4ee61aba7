"""While a command runs: what is shown, what a signal does, what is left behind; and many at once."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests import only
from tests.seat.conftest import LIMIT_S, Stand, open_gate

from context_mode_runtime import limits
from context_mode_runtime.seat.output import LIVE, Output
from context_mode_runtime.seat.pipe import Pipe

MANY = 100
FAILING = """\
for i in $(seq 900); do
  echo "tests/test_part_$((i % 40)).py::test_case_$i PASSED                     [ 50%]"
  [ $i = 300 ] && echo 'FAILED tests/test_quota.py::test_volume - AssertionError: vol-7319'
  [ $i = 700 ] && echo 'FAILED tests/test_login.py::test_hash - KeyError: argon2'
done
echo '2 failed, 898 passed in 2.50s'
exit 1"""
NAMES = (b"test_quota.py::test_volume - AssertionError: vol-7319", b"test_login.py::test_hash", b"2 failed")
pytestmark = only.LINUX


def read_until(child: subprocess.Popen[bytes], wanted: bytes) -> bytes:
    """What the child has shown, when `wanted` is in it."""
    assert child.stdout
    shown = b""
    while wanted not in shown:
        assert select.select([child.stdout], [], [], LIMIT_S)[0], shown
        piece = os.read(child.stdout.fileno(), 65_536)
        assert piece, shown
        shown += piece
    return shown


def test_the_beginning_is_shown_while_it_runs(stand: Stand, gate: Path) -> None:
    child = stand.start(f"echo one; printf two; read x < {gate}; echo; echo three $x")
    shown = read_until(child, b"two")
    assert shown == b"one\ntwo"
    open_gate(gate)
    rest, _ = child.communicate(timeout=LIMIT_S)
    assert (shown + rest, child.returncode) == (b"one\ntwo\nthree go\n", 0)


def test_a_long_one_goes_on_behind_what_was_shown(stand: Stand, gate: Path) -> None:
    child = stand.start(f"seq 1 2000; read x < {gate}; echo 'FAILED test_a'; exit 3")
    shown = read_until(child, b"\n4")
    open_gate(gate)
    rest, _ = child.communicate(timeout=LIMIT_S)
    reply = shown + rest
    first = reply[: reply.index(b"stored whole")]
    assert 1_000 < len(first) <= LIVE
    assert first.split() == [str(n).encode() for n in range(1, len(first.split()) + 1)]
    assert f"(the first {len(first):,} B are above)".encode() in reply
    assert b"FAILED test_a" in reply
    assert len(reply) <= limits.SHORT_REPLY
    assert child.returncode == 3
    [text] = stand.stored()
    assert text == "".join(f"{n}\n" for n in range(1, 2001)) + "FAILED test_a\n"


def test_a_character_is_not_shown_in_halves(stand: Stand, gate: Path) -> None:
    child = stand.start(f"printf 'a\\344\\270'; read x < {gate}; printf '\\255b'")
    assert read_until(child, b"a") == b"a"
    open_gate(gate)
    assert child.communicate(timeout=LIMIT_S)[0] == "中b".encode()


def heed_signals() -> None:
    """What started these tests may ignore some (`nohup`, a job in the background): a shell can't trap those."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


@pytest.mark.parametrize("whole_group", [False, True])
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_reaches_the_command_once(stand: Stand, gate: Path, number: int, whole_group: bool) -> None:
    command = f"trap 'echo got; exit 9' INT TERM HUP QUIT; echo ready; while :; do read x < {gate}; done"
    child = stand.start(command, start_new_session=True, preexec_fn=heed_signals)
    read_until(child, b"ready\n")
    (os.killpg if whole_group else os.kill)(child.pid, number)
    assert child.communicate(timeout=LIMIT_S)[0] == b"got\n"
    assert child.returncode == 9


def test_a_signal_that_ends_it(stand: Stand, gate: Path) -> None:
    child = stand.start(f"echo ready; read x < {gate}", start_new_session=True)
    read_until(child, b"ready")
    os.kill(child.pid, signal.SIGTERM)
    child.communicate(timeout=LIMIT_S)
    assert child.returncode == 128 + signal.SIGTERM


@pytest.mark.parametrize("host_reads", ["a file", "a pipe"])
def test_what_it_leaves_behind_can_go_on_printing(stand: Stand, gate: Path, tmp_path: Path, host_reads: str) -> None:
    done = tmp_path / "done"
    os.mkfifo(done)
    command = f"(read x < {gate}; seq 1 50000 && echo late; echo $? > {done}) & echo now"
    run = stand.seated if host_reads == "a file" else stand.piped
    assert run(command).out == b"now\n"
    readers = [os.pidfd_open(number) for number in ours(stand)]
    assert len(readers) == (host_reads == "a pipe")
    open_gate(gate)
    assert done.read_text(encoding="utf-8") == "0\n"
    for reader in readers:
        assert select.select([reader], [], [], LIMIT_S)[0]
        os.close(reader)
    assert not ours(stand)


def test_what_there_is_no_room_for_goes_through(capfd: pytest.CaptureFixture[str]) -> None:
    """A full disk is met while the command prints by a pipe: it goes on, and so does its output."""
    pipe = Pipe()
    output = Output(os.open("/dev/full", os.O_RDWR), pipe)
    os.write(pipe.writer, b"one\n")
    output.take()
    os.write(pipe.writer, b"two\n" * 2_000)
    output.started()
    output.finish(lambda _size, _shown: "short")
    assert capfd.readouterr().out == "one\n" + "two\n" * 2_000


def test_no_line_is_torn_where_the_live_text_ends(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of the live bytes holds the beginning of a line only: that line waits for the end."""
    monkeypatch.setattr("context_mode_runtime.seat.output._QUIET_S", 0)
    pipe = Pipe()
    output = Output(os.open(tmp_path / "kept", os.O_RDWR | os.O_CREAT | os.O_APPEND), pipe)
    first = "a" * (LIVE - 6) + "\n"
    for piece in (first, "a line that has no room\n"):
        os.write(pipe.writer, piece.encode())
        output.take()
        output.show()
    assert output.show() is None
    assert capfd.readouterr().out == first
    output.started()


def test_nobody_reads_any_more(stand: Stand, gate: Path, tmp_path: Path) -> None:
    """The command is not ended by it, and keeps its exit code."""
    child = stand.start(f"seq 1 9; read x < {gate}; seq 1 3000; touch {tmp_path}/end; exit 6")
    read_until(child, b"1")
    assert child.stdout
    child.stdout.close()
    open_gate(gate)
    assert child.wait(LIMIT_S) == 6
    assert (tmp_path / "end").exists()


def test_many_at_once_do_not_mix(stand: Stand) -> None:
    def one(number: int) -> bytes:
        child = stand.start(f"for i in $(seq 300); do echo run-{number:03} line-$i; done; exit {number}")
        out, _ = child.communicate(timeout=LIMIT_S)
        assert child.returncode == number
        return out

    with ThreadPoolExecutor(MANY) as pool:
        replies = list(pool.map(one, range(MANY)))
    for number, reply in enumerate(replies):
        lines = [line for line in reply.splitlines() if b"line-" in line]
        assert lines
        assert all(line.startswith(f"run-{number:03} ".encode()) for line in lines)
        assert len(reply) <= limits.SHORT_REPLY
    texts = {"".join(f"run-{number:03} line-{i}\n" for i in range(1, 301)) for number in range(MANY)}
    assert set(stand.stored()) == texts
    assert not ours(stand)


def ours(stand: Stand) -> list[int]:
    """The processes that sit in for a shell in this project."""
    found = [one.parent for one in Path("/proc").glob("[0-9]*/cmdline") if b"\0seat\0" in _read(one)]
    return [int(one.name) for one in found if os.path.realpath(one / "cwd") == str(stand.project)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_failing_test_run_keeps_its_failing_names(stand: Stand) -> None:
    bare = stand.bare(FAILING)
    assert 60_000 < len(bare.out) < 80_000
    seated = stand.seated(FAILING)
    assert seated.code == bare.code == 1
    assert len(seated.out) <= limits.SHORT_REPLY
    assert [name for name in NAMES if name not in seated.out] == []


def test_a_very_long_one_takes_little_memory(stand: Stand) -> None:
    """Measured by a small process of its own: a child's peak begins with its parent's."""
    argv = stand.argv("seq 1 4000000; echo 'FAILED at the end'; exit 2")
    measure = (
        "import os, sys; pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)\n"
        "_, status, usage = os.wait4(pid, 0)\n"
        "os.write(2, b'%d' % usage.ru_maxrss); os._exit(os.waitstatus_to_exitcode(status))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", measure, *argv], cwd=stand.project, stdin=subprocess.DEVNULL,
        env=stand.environment(str(stand.launcher)), capture_output=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert len(done.stdout) <= limits.SHORT_REPLY
    assert b"FAILED at the end" in done.stdout
    assert int(done.stderr) < 64 * 1024
    [text] = stand.stored()
    assert text == "".join(f"{n}\n" for n in range(1, 4_000_001)) + "FAILED at the end\n"
