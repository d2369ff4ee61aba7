"""How a run ends, what it may see, and what it leaves behind. F-numbers: reports of what broke elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from tests import only

from context_mode_runtime.execute import process
from context_mode_runtime.execute.environment import MARK, is_preload
from context_mode_runtime.execute.errors import ExecuteError
from context_mode_runtime.execute.run import Background, Run, stop_all

from .conftest import Execute


def running_with(text: str) -> list[str]:
    out = subprocess.run(["ps", "-A", "-o", "stat=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in out.splitlines() if text in line and not line.startswith("Z")]


def test_f31_a_run_over_its_limit_answers_and_is_gone(execute: Execute) -> None:
    outcome = execute("shell", "sleep 31.125", timeout_ms=300)
    assert outcome.timed_out
    assert outcome.exit_code is None
    assert outcome.elapsed_ms < 3_000
    assert not running_with("sleep 31.125")


def test_f32_what_was_printed_before_the_limit_is_there(execute: Execute) -> None:
    outcome = execute("python", "print('step 1'); import time; time.sleep(32)", timeout_ms=1_500)
    assert outcome.timed_out
    assert outcome.text == "step 1\n"


def test_f33_a_child_left_running_does_not_hold_the_call(execute: Execute) -> None:
    outcome = execute("shell", "sleep 33.125 & echo hi")
    assert (outcome.exit_code, outcome.text, outcome.still_running) == (0, "hi\n", True)
    assert outcome.notes == ["something that it started still runs; it ends with the server"]
    assert outcome.elapsed_ms < 3_000
    assert running_with("sleep 33.125")
    assert stop_all() == 1
    assert not running_with("sleep 33.125")


def test_f33_a_child_left_running_is_not_ended_by_a_closed_pipe(execute: Execute, tmp_path: Path) -> None:
    fifo, out = tmp_path / "go", tmp_path / "out"
    os.mkfifo(fifo)
    os.mkfifo(out)
    outcome = execute("shell", "(read x < go; yes again | head -c 3000000; echo alive > out) & echo hi")
    assert (outcome.text, outcome.still_running) == ("hi\n", True)
    fifo.write_text("now\n")
    assert out.read_text() == "alive\n"


@pytest.mark.parametrize(
    ("code", "exit_code", "text"),
    [
        ("grep x /dev/null", 1, ""),
        ("sh -c 'echo e >&2; exit 7'", 7, "e\n"),
        ("echo a; echo b >&2; echo c", 0, "a\nb\nc\n"),
        ("kill -9 $$", 137, ""),
        ("nosuchcommand 2>/dev/null", 127, ""),
    ],
)
def test_f34_exit_codes_come_as_they_are(code: str, exit_code: int, text: str, execute: Execute) -> None:
    outcome = execute("shell", code)
    assert (outcome.exit_code, outcome.text) == (exit_code, text)


def test_a_signal_is_named(execute: Execute) -> None:
    assert execute("shell", "kill -9 $$").notes == ["ended by SIGKILL"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ('read -r x; echo "got:$x"', "got:\n"),
        ("tty", "not a tty\n"),
        ("cat; echo end", "end\n"),
        ("(echo x > /dev/tty) 2>/dev/null || echo no terminal", "no terminal\n"),
    ],
)
def test_f35_nobody_is_asked(code: str, text: str, execute: Execute) -> None:
    assert execute("shell", code, timeout_ms=10_000).text == text


def test_f35_a_commit_without_a_message_ends(execute: Execute) -> None:
    outcome = execute("shell", "git init -q . && git -c core.editor=vi commit --allow-empty", timeout_ms=10_000)
    assert not outcome.timed_out
    assert outcome.exit_code != 0


def test_f36_tools_of_the_environment_are_found(
    execute: Execute, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "bin" / "mytool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho mine\n")
    tool.chmod(0o755)
    for name in (".bashrc", ".bash_profile", ".profile", ".zshenv", ".zshrc", ".kshrc"):
        (home / name).write_text("PATH=/nowhere\nexport PATH\n")
    for name in ("ENV", "BASH_ENV"):
        monkeypatch.setenv(name, str(home / ".bashrc"))
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    for language in ("shell", "sh", "bash"):
        assert execute(language, "mytool").text == "mine\n"


def test_f36_the_hint_names_the_runner_of_the_project(execute: Execute, tmp_path: Path) -> None:
    runner = tmp_path / ".venv" / "bin" / "python"
    runner.parent.mkdir(parents=True)
    runner.write_text("")
    outcome = execute("python", "import module_that_is_not_there")
    assert outcome.notes == ["this folder has an environment of its own: run .venv/bin/python in language shell"]


def test_f37_the_working_folder_is_the_one_asked_for(execute: Execute, tmp_path: Path) -> None:
    assert execute("shell", 'pwd; echo "$PWD"').text == f"{tmp_path}\n{tmp_path}\n"


def test_f37_a_missing_folder_is_named(execute: Execute, tmp_path: Path) -> None:
    with pytest.raises(ExecuteError, match=r"the folder .*gone to run in is not there"):
        execute("shell", "pwd", cwd=str(tmp_path / "gone"))


def test_f38_bytes_that_are_not_utf_8_cost_no_line(execute: Execute) -> None:
    outcome = execute("shell", r"printf 'ok\nerr caf\xe9\nend\n'")
    assert outcome.text == "ok\nerr caf\ufffd\nend\n"
    assert outcome.printed_bytes == 16


@pytest.mark.parametrize(
    ("name", "dropped"),
    [
        ("BASH_ENV", True),
        ("ENV", True),
        ("BASH_FUNC_ls%%", True),
        ("LD_PRELOAD", True),
        ("DYLD_INSERT_LIBRARIES", True),
        ("NODE_OPTIONS", True),
        ("PYTHONSTARTUP", True),
        ("PYTHONHOME", True),
        ("RUBYOPT", True),
        ("PERL5OPT", True),
        ("GIT_ASKPASS", True),
        ("COMPlus_Profiler", True),
        ("PATH", False),
        ("HOME", False),
        ("PYTHONPATH", False),
        ("LD_LIBRARY_PATH", False),
        ("JAVA_HOME", False),
        ("MY_TOKEN_NAME", False),
    ],
)
def test_only_what_loads_code_by_itself_is_taken_out(name: str, *, dropped: bool) -> None:
    assert is_preload(name) is dropped


def test_a_preload_variable_does_not_reach_the_code(execute: Execute, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODE_OPTIONS", "--require nothing")
    monkeypatch.setenv("ORDINARY", "yes")
    assert execute("shell", 'echo "${NODE_OPTIONS-none} $ORDINARY"').text == "none yes\n"


def test_children_that_left_the_group_are_stopped_too(execute: Execute) -> None:
    code = "setsid sleep 41.125 & (setsid sh -c 'sleep 42.125 & sleep 43.125' &); echo begun; sleep 44.125"
    outcome = execute("shell", code, timeout_ms=700)
    assert outcome.text == "begun\n"
    assert not [line for n in (41, 42, 43, 44) for line in running_with(f"sleep {n}.125")]
    assert "that it had started were stopped, too" in outcome.notes[0]


def test_code_that_ignores_the_first_signal_is_killed(execute: Execute) -> None:
    outcome = execute("shell", "trap '' TERM; echo deaf; while :; do sleep 45.125; done", timeout_ms=300)
    assert outcome.text == "deaf\n"
    assert not outcome.still_running
    assert not running_with("sleep 45.125")


def test_what_was_killed_is_waited_for(tmp_path: Path) -> None:
    """300 MB take the system a while to give back, in which the process is still there."""
    code = "import signal; signal.signal(15, signal.SIG_IGN); x = b'x' * 300_000_000; print('deaf', flush=True)"
    reader, writer = os.pipe()
    argv = [sys.executable, "-c", f"{code}\nwhile True: signal.pause()"]
    child = process.spawn(argv, cwd=str(tmp_path), env=dict(os.environ), output=writer)
    assert os.read(reader, 5) == b"deaf\n"
    process.stop_tree(child, "no mark", grace=0.05)
    assert not process.group_lives(child.pid)
    child.wait()
    os.close(reader)
    os.close(writer)


def test_code_may_tidy_up_on_the_first_signal(execute: Execute, tmp_path: Path) -> None:
    code = "trap 'echo tidy > tidied; exit' TERM; echo begun; sleep 46.125 & wait"
    execute("shell", code, timeout_ms=500)
    assert (tmp_path / "tidied").read_text() == "tidy\n"


def test_cancel_ends_a_run_and_returns_what_was_printed(execute: Execute) -> None:
    cancel = threading.Event()
    seen: list[tuple[int, str]] = []

    def progress(printed: int, line: str) -> None:
        seen.append((printed, line))
        cancel.set()

    outcome = execute("shell", "echo one; echo two; sleep 47.125", cancel=cancel, progress=progress)
    assert outcome.cancelled
    assert outcome.exit_code is None
    assert outcome.text == "one\ntwo\n"
    assert seen == [(8, "two")]
    assert not running_with("sleep 47.125")


def test_nothing_is_left_in_the_folder_for_temporary_files(
    execute: Execute, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    execute("shell", "echo 1")
    execute("shell", "sleep 48.125", timeout_ms=200)
    execute("shell", "sleep 49.125 & echo hi")
    with pytest.raises(ExecuteError):
        execute("shell", "echo 1", cwd="/nowhere/at/all")
    assert not list(tmp_path.iterdir())


def test_the_script_is_private(execute: Execute) -> None:
    assert execute("shell", 'stat -c %a "$0" "$(dirname "$0")"').text == "600\n700\n"


def test_a_shell_gets_a_small_file_as_variable_and_a_big_one_as_path(execute: Execute) -> None:
    code = 'echo "${#FILE_CONTENT}"; wc -c < "$FILE_CONTENT_PATH"; echo "$FILE_PATH"'
    small = execute("shell", code, file=("/p/in.txt", "x" * 100_000))
    assert small.text.split() == ["100000", "100000", "/p/in.txt"]
    big = execute("shell", code, file=("/p/in.txt", "x" * 100_001))
    assert big.text.split() == ["0", "100001", "/p/in.txt"]
    assert big.notes == ["FILE_CONTENT is not set (100,001 B, a shell gets 100,000): read $FILE_CONTENT_PATH"]


def test_a_text_without_a_file_has_the_path_of_our_copy(execute: Execute) -> None:
    assert execute("shell", 'cat "$FILE_PATH"', file=("", "stored text")).text == "stored text"


def test_f75_a_background_run_can_be_read_while_it_runs(tmp_path: Path) -> None:
    fifo = tmp_path / "go"
    os.mkfifo(fifo)
    news = threading.Event()
    spec = Run("shell", "echo tick 1; read x < go; echo tick $x", cwd=str(tmp_path), timeout_ms=None)
    run = Background(spec, news.set)
    assert news.wait(20)
    assert run.running
    assert list(run.output.more()) == ["tick 1\n"]
    fifo.write_text("3\n")
    run.thread.join(10)
    assert run.outcome is not None
    assert (run.running, run.outcome.exit_code) == (False, 0)
    assert "".join(run.output.rest()) == "tick 3\n"
    run.output.close()


def test_a_background_run_ends_with_the_server(tmp_path: Path) -> None:
    run = Background(Run("shell", "sleep 51.125", cwd=str(tmp_path), timeout_ms=None))
    assert stop_all() == 1
    assert not running_with("sleep 51.125")
    run.thread.join(5)
    assert run.outcome is not None
    assert run.outcome.cancelled


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        ("54.125", "setsid sleep 54.125 &"),
        ("55.125", "(setsid sh -c 'sleep 55.125 & sleep 55.125' &)"),
        ("56.125", "trap '' TERM; setsid sleep 56.125 &"),
        ("57.125", "setsid sh -c 'env -i sleep 57.125 & wait' &"),
        ("58.125", "nohup sleep 58.125 &"),
    ],
)
def test_what_outlives_its_run_ends_with_the_server_as_the_note_says(execute: Execute, seconds: str, code: str) -> None:
    assert execute("shell", code).notes == ["something that it started still runs; it ends with the server"]
    assert running_with(f"sleep {seconds}")
    assert stop_all() == 1
    assert not running_with(f"sleep {seconds}")


def test_a_background_run_can_be_stopped(tmp_path: Path) -> None:
    run = Background(Run("shell", "echo on; sleep 52.125", cwd=str(tmp_path)))
    run.stop()
    assert not run.running
    assert not running_with("sleep 52.125")


def test_a_group_number_of_somebody_else_is_not_touched() -> None:
    stranger = subprocess.Popen(["sleep", "53.125"], start_new_session=True)
    try:
        assert process.stop_left([(stranger.pid, "never-ours")]) == 0
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_runs_side_by_side_do_not_hold_each_other(execute: Execute, tmp_path: Path) -> None:
    fifo = tmp_path / "go"
    os.mkfifo(fifo)
    first: list[str] = []
    waiting = threading.Thread(target=lambda: first.append(execute("shell", "read x < go; echo $x").text))
    waiting.start()
    assert execute("shell", "echo second > go; echo done").text == "done\n"
    waiting.join(10)
    assert first == ["second\n"]


def test_the_mark_tells_runs_apart(execute: Execute) -> None:
    marks = {execute("shell", f'echo "${MARK}"').text for _ in range(2)}
    assert len(marks) == 2


MEMORY = """
import resource, sys, threading
from context_mode_runtime.execute.run import Run, run
from context_mode_runtime.excerpt import short_reply
quiet = lambda code: run(Run("shell", code, cwd="/"), cancel=threading.Event())
short_reply("", quiet("seq 20000").text, pointer="p", intent="19777")
idle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
outcome = quiet(sys.argv[1])
reply = short_reply("", outcome.text, pointer="p", intent="needle")
print(outcome.printed_bytes, len(reply.encode()) <= 4096, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - idle)
"""


@only.LINUX
@pytest.mark.parametrize(
    "code",
    [
        "yes 'a line of a log that goes on and on' | head -c 300000000",
        "head -c 300000000 /dev/zero | tr '\\0' 'x'",
        "yes '🚀 deployed ✓' | head -c 300000000",
        "yes '' | head -c 100000000",
    ],
    ids=["lines", "one-line", "emoji", "newlines"],
)
def test_memory_stays_within_64_mib_whatever_is_printed(code: str) -> None:
    out = subprocess.run([sys.executable, "-c", MEMORY, code], capture_output=True, text=True, check=True).stdout
    printed, short, grown = out.split()
    assert int(printed) >= 100_000_000
    assert short == "True"
    assert int(grown) <= 64 * 1024
