"""F31 to F40: what a model gets back from a command, over the real transport, with the reports' own inputs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import LAUNCH, Host

from context_mode_runtime.project import find_project
from context_mode_runtime.server.call import Call
from context_mode_runtime.server.calls import Running
from context_mode_runtime.server.identity import Caller
from context_mode_runtime.server.indexing import index_folder
from context_mode_runtime.server.session import Connection

OUTPUT_CAP = 16_384


def shell(host: Any, code: str, **more: Any) -> tuple[str, bool]:
    answer: tuple[str, bool] = host.call("ctx_execute", {"language": "shell", "code": code, **more})
    return answer


def test_f31_f32_what_was_printed_before_the_limit_comes_back_and_is_found(serve: Any) -> None:
    """Well before the nine seconds are over; the text names no empty store."""
    host = serve()
    code = "print('step ' + '1', flush=True); import time; time.sleep(9)"
    began = time.monotonic()
    text, failed = host.call("ctx_execute", {"language": "python", "code": code, "timeout_ms": 1_500})
    assert time.monotonic() - began < 9
    assert not failed
    assert text.startswith("timed out after 1500 ms · 7 B\nstep 1")
    assert "  step 1" in host.call("ctx_search", {"queries": ["step 1"]})[0]


def test_f31_the_longest_limit_is_ten_minutes_for_every_tool_that_runs(serve: Any) -> None:
    host = serve()
    for tool, arguments in (
        ("ctx_execute", {"language": "sh", "code": "true"}),
        ("ctx_batch", {"commands": ["true"], "queries": []}),
    ):
        text, failed = host.call(tool, {**arguments, "timeout_ms": 3_600_000})
        assert (text, failed) == ("timeout_ms is between 1 and 600000, not 3600000", True)


def test_f33_a_background_child_does_not_hold_the_call(serve: Any) -> None:
    host = serve()
    began = time.monotonic()
    text, failed = shell(host, "sleep 30 & echo hi")
    assert time.monotonic() - began < 20
    assert not failed
    assert text.startswith("exit 0 · 3 B\nhi\n")
    assert "still runs" in text


@pytest.mark.parametrize(
    ("code", "starts", "holds"),
    [
        ("grep x /dev/null", "exit 1 · 0 B", ""),
        ("sh -c 'echo e >&2; exit 7'", "exit 7 · 2 B\n", "\ne"),
        ('read -r x; echo "got:$x"', "exit ", "\ngot:"),
        ("git init -q . && git -c core.editor=vi commit --allow-empty", "exit 1 · ", ""),
        (r"printf 'ok\nerr caf\xe9\nend\n'", "exit 0 · 16 B\n", "\nok\nerr caf�\nend"),
    ],
)
def test_f34_f35_f38_a_code_an_empty_stdin_and_an_odd_byte(serve: Any, code: str, starts: str, holds: str) -> None:
    text, failed = shell(serve(), code)
    assert not failed
    assert text.startswith(starts)
    assert holds in text


def test_f34_what_fails_inside_is_one_sentence(serve: Any, home: Path) -> None:
    """A store that can't be used: a cause, no stack."""
    (home / ".context-mode").mkdir()
    (home / ".context-mode" / "projects").write_text("in the way", encoding="utf-8")
    text, failed = serve().call("ctx_index", {"text": "x"})
    assert failed
    assert "\n" not in text
    assert "Traceback" not in text
    assert "~/.context-mode/projects" in text


def test_f36_a_tool_of_the_project_runs_whatever_a_start_file_says(serve: Any, home: Path, project: Path) -> None:
    (project / "bin").mkdir()
    (project / "bin" / "mytool").write_text("#!/bin/sh\necho mine\n", encoding="utf-8")
    (project / "bin" / "mytool").chmod(0o755)
    for name in (".bashrc", ".bash_profile", ".profile"):
        (home / name).write_text("export PATH=/nowhere\n", encoding="utf-8")
    env = {"PATH": f"{project / 'bin'}:/usr/bin:/bin", "BASH_ENV": str(home / ".bashrc")}
    assert shell(serve(env=env), "mytool")[0] == "exit 0 · 5 B\nmine"


def test_f37_a_server_started_in_its_own_folder_runs_in_the_roots(serve: Any, project: Path, tmp_path: Path) -> None:
    host = serve(cwd=LAUNCH.parent, roots=[project.as_uri()])
    host.handshake(roots={})
    assert shell(host, "pwd")[0].endswith(f"\n{project}")


def test_f37_its_own_folder_is_no_project(project: Path, tmp_path: Path) -> None:
    """As it is installed: in no checkout. Nothing is guessed."""
    package = tmp_path / "site" / LAUNCH.parent.name
    shutil.copytree(LAUNCH.parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", package / LAUNCH.name, "serve"],
        cwd=package, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        host = Host(process, [])
        text, failed = shell(host, "pwd")
        host.close()
    assert failed, text
    assert text.startswith("the project is not known")


def test_f38_a_file_with_an_odd_byte_loses_no_line(serve: Any, project: Path) -> None:
    (project / "a.log").write_bytes(b"ok\nerr caf\xe9\nend\n")
    host = serve()
    host.call("ctx_index", {"path": "a.log"})
    assert "  ok\n  err caf�\n  end" in host.call("ctx_search", {"queries": [], "source": "a.log"})[0]


PASSED = "".join(f"tests/test_shop.py::test_case_{n:03} with a name of some length to fill the log {'x' * 60} PASSED\n"
                 for n in range(400))  # fmt: skip
FAILING = "tests/test_login.py::test_rejects_an_old_token"
LOG = f"""============================= test session starts ==============================
collected 401 items

{PASSED}{FAILING} FAILED

=================================== FAILURES ===================================
__________________________ test_rejects_an_old_token ___________________________

    def test_rejects_an_old_token():
>       assert login(old_token()).status == 401
E       assert 200 == 401

tests/test_login.py:88: AssertionError
=========================== short test summary info ============================
FAILED {FAILING} - assert 200 == 401
======================== 1 failed, 400 passed in 3.21s =========================
"""


def test_f40_the_short_answer_is_verbatim_and_keeps_the_failure(serve: Any, project: Path) -> None:
    (project / "out.log").write_text(LOG, encoding="utf-8")
    host = serve()
    text, failed = shell(host, "cat out.log; exit 1", intent="run the tests")
    assert not failed
    assert text.startswith(f"exit 1 · {len(LOG)} B\n")
    assert len(text.encode()) <= OUTPUT_CAP
    assert FAILING in text
    assert "E       assert 200 == 401" in text
    lines = text.split("\n")[1:]
    *gaps, last = [line for line in lines if line not in LOG.split("\n")]
    left_out = [re.fullmatch(r"\[\.\.\. (\d+) lines left out \.\.\.\]", gap) for gap in gaps]
    assert all(left_out), gaps
    named = re.fullmatch(r"(\d+) lines, [\d,]+ B left out; more: ctx_search\((\{.*\})\)", last)
    assert named
    assert int(named.group(1)) == sum(int(gap.group(1)) for gap in left_out if gap)
    assert not host.call("ctx_search", json.loads(named.group(2)))[1]


def test_f31_indexing_a_folder_ends_with_the_time_of_a_call(project: Path) -> None:
    """The call was received long ago; what is in stays, what is left is told, and the same call goes on."""
    for number in range(4):
        (project / f"{number}.md").write_text(f"page {number}\n", encoding="utf-8")
    found = find_project(str(project))
    assert found

    def call(*, began_s_ago: float) -> str:
        running = Running(None, 1, None, threading.Event())
        running.received -= began_s_ago
        one = Call("ctx_index", {"path": "."}, Connection(None, None, str(project)), (Caller(), found), running)
        try:
            return index_folder(one, str(project))
        finally:
            one.close()

    late = call(began_s_ago=600)
    assert "time of a call was over while indexing, 4 files are left; the same call again goes on" in late
    assert call(began_s_ago=0).startswith("Indexed 4 source(s), 4 chunk(s) from s1-s4. Label: ")
