"""A denied command hidden in random shell text, with bash as judge of what runs. CONTEXT_MODE_FUZZ_CASES=N for more."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests import only
from tests.policy.hidden import Hider

from context_mode_runtime.policy.gate import judge_command
from context_mode_runtime.policy.load import Policy
from context_mode_runtime.policy.rules import Place, parse_rule

pytestmark = only.LINUX
CASES = int(os.environ.get("CONTEXT_MODE_FUZZ_CASES", "400"))
FIRST = int(os.environ.get("CONTEXT_MODE_FUZZ_SEED", "0"))
BATCH = 100
COMMAND = ("rm", "x")
REAL = ("bash", "sh", "cat", "env", "nice", "nohup", "timeout", "setsid", "stdbuf", "xargs", "tee", "find", "sleep")
DRIVER = r"""
ulimit -t 2 -f 1000
for one in "$CASES"/*; do
  CASE=${one##*/}
  export CASE LOG="$LOGS/$CASE"
  (builtin cd "$WORK" && eval "$(<"$one")") >/dev/null 2>&1 </dev/null
done
"""
"""Each text in a shell of its own; the stub of the denied program leaves a file where it was run."""


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is the whole PATH: real programs that only start others, and the stub."""
    folder = tmp_path_factory.mktemp("stubs")
    for name in REAL:
        found = shutil.which(name)
        if found is None:
            pytest.fail(f"{name} is not on PATH")
        (folder / name).symlink_to(found)
    stub = folder / COMMAND[0]
    stub.write_text('#!/bin/sh\nprintf "%s\\n" "$*" >> "$LOG"\n')
    stub.chmod(0o755)
    return folder


def ran(texts: dict[int, str], sandbox: Path, folder: Path) -> dict[int, str]:
    """The texts by number that ran the stub, with its arguments."""
    for name in ("cases", "logs", "work"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    for number, text in texts.items():
        (folder / "cases" / str(number)).write_text(text)
    places = {"CASES": str(folder / "cases"), "LOGS": str(folder / "logs"), "WORK": str(folder / "work")}
    subprocess.run(
        [shutil.which("bash") or "bash", "--norc", "--noprofile", "-c", DRIVER],
        env={"PATH": str(sandbox), "STUBS": str(sandbox), "HOME": str(folder / "work"), **places},
        cwd=folder / "work",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=600,
        check=False,
        start_new_session=True,
    )
    return {int(log.name): log.read_text() for log in (folder / "logs").iterdir()}


def test_no_text_runs_what_is_denied_and_passes(sandbox: Path, tmp_path: Path) -> None:
    policy = Policy()
    policy.fold = False
    policy.deny.append(parse_rule(f"Bash({COMMAND[0]} *)", Place("f", "/s")))
    bypasses: dict[int, str] = {}
    run = 0
    for start in range(FIRST, FIRST + CASES, BATCH):
        texts = {seed: Hider(seed, COMMAND).text() for seed in range(start, min(start + BATCH, FIRST + CASES))}
        for number in ran(texts, sandbox, tmp_path):
            run += 1
            verdict = judge_command(policy, texts[number], cwd=str(tmp_path), project=None)
            if verdict is None:
                bypasses[number] = texts[number]
    assert bypasses == {}
    assert run >= CASES / 2
