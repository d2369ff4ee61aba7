"""The hook as a process: whatever comes in, the host's pass goes out, and nothing hangs."""

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import context_mode_runtime

LAUNCH = str(Path(context_mode_runtime.__file__).with_name("launch.py"))
COUNT = 2_000


def hook(data: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", "-S", LAUNCH, "hook", *words], input=data, capture_output=True, timeout=30, check=False
    )


def malformed(seed: int) -> bytes:
    """A payload that no host would send: cut, of wrong types, of odd bytes, or nothing."""
    rng = random.Random(seed)
    base = json.dumps(
        {
            "session_id": "s",
            "cwd": "/",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "ls"},
            "tool_response": {"stdout": "x"},
        }
    )
    odd = ["null", "[]", "7", '"x"', "{}", '"\\ud800"', "[[[[", '{"a":', "1e999", "-", "\x00", "NaN"]
    kind = seed % 6
    if kind == 0:
        return base[: rng.randrange(len(base))].encode()
    if kind == 1:
        key = rng.choice(["session_id", "cwd", "hook_event_name", "tool_name", "tool_input", "tool_response"])
        return json.dumps(
            {**json.loads(base), key: rng.choice([None, 7, [], {}, [[]], True, {"command": []}])}
        ).encode()
    if kind == 2:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(200)))
    if kind == 3:
        return rng.choice(odd).encode()
    if kind == 4:
        place = rng.randrange(len(base))
        return (base[:place] + rng.choice(odd) + base[place:]).encode()
    return b" " * rng.randrange(5) + base.encode() + rng.choice(odd).encode()


@pytest.mark.timeout(900)
@pytest.mark.timeout(600)
def test_two_thousand_malformed_payloads_pass_each_time() -> None:
    events = ["PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SubagentStop"]

    def run(seed: int) -> tuple[int, int, bytes, bytes]:
        done = hook(malformed(seed), ("claude-code", "codex")[seed % 2], events[seed // 2 % len(events)])
        return seed, done.returncode, done.stdout, done.stderr

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(run, range(COUNT)))
    # a payload that is whole but odd may still start a conversation: then the reply is the host's context form
    bad = [row for row in results if row[1] or row[3] or (row[2] and b"additionalContext" not in row[2])]
    assert bad == []


def test_errors_become_one_line_in_the_log(home: Path) -> None:
    assert hook(b"{", "claude-code", "PreToolUse").stdout == b""
    assert hook(b"{}", "nobody", "PreToolUse").stdout == b""
    assert hook(b"{}", "codex", "NoSuchEvent").returncode == 0
    assert hook(b"{}", "codex", "Stop", "--odd").returncode == 0
    lines = (home / ".context-mode/hook-errors.log").read_text().splitlines()
    assert len(lines) == 4
    assert "no whole JSON value" in lines[0]
    assert "known: claude-code, codex" in lines[1]
    assert "known: SessionStart" in lines[2]
    assert "--odd" in lines[3]


def test_an_output_with_lone_surrogates_is_replaced_by_text_that_every_host_reads(project: Path) -> None:
    output = {"stdout": "x\ud800" * 3_000, "stderr": "", "interrupted": False, "isImage": False}
    call = {"session_id": "s", "cwd": str(project), "tool_name": "Bash", "tool_input": {"command": "odd"}}
    done = hook(json.dumps({**call, "tool_response": output}).encode(), "claude-code", "PostToolUse")
    shown = json.loads(done.stdout)["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
    assert shown.startswith("stored whole · 12,000 B as s1\n[... 11400 B of this line left out ...]\nx\ufffdx")
    shown.encode()


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"tool_name": 5}, "the payload's tool is a int, not a text"),
        ({"cwd": ["/"]}, "the payload's cwd is a list, not a text"),
        ({"session_id": {}}, "the payload's conversation is a dict, not a text"),
        ({"tool_input": 7}, "the payload's input is a int, not an object"),
        ({"tool_name": None, "cwd": 5, "session_id": 6}, "the payload's cwd is a int, not a text"),
    ],
)
def test_values_of_wrong_types_pass_and_are_one_line_in_the_log(home: Path, odd: dict[str, object], said: str) -> None:
    payload = {"session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "ls"}, **odd}
    done = hook(json.dumps(payload).encode(), "claude-code", "PreToolUse")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    lines = (home / ".context-mode/hook-errors.log").read_text().splitlines()
    assert [line.split(": ", 1)[1] for line in lines] == [said]


def test_a_pipe_that_stays_open_is_not_waited_for() -> None:
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", LAUNCH, "hook", "codex", "Stop"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin
    process.stdin.write(b'{"session_id": "s", "last_assistant_message": ""}')
    process.stdin.flush()
    assert process.wait(20) == 0
    process.stdin.close()
    assert process.stdout
    process.stdout.close()


def test_a_huge_payload_is_drained_and_passes() -> None:
    data = b'{"tool_name": "Bash", "x": "' + b"a" * (100 << 20) + b'"}'
    done = hook(data, "claude-code", "PreToolUse")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_folder_for_own_specs_that_cannot_be_entered_switches_no_rule_off(home: Path, project: Path) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode/agents").write_text("in the way")
    (home / ".context-mode/policy.json").write_text('{"version": 1, "deny": ["Bash(touch *)"]}')
    call = {"session_id": "s", "cwd": str(project), "tool_name": "Bash", "tool_input": {"command": "touch x"}}
    done = hook(json.dumps(call).encode(), "claude-code", "PreToolUse")
    said = json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"]
    assert said == "denied by rule Bash(touch *) of ~/.context-mode/policy.json"


def test_without_a_writable_home_the_hook_still_passes(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    for extra in ({"HOME": str(blocked)}, {"CONTEXT_MODE_DATA_DIR": "/proc/none"}):
        done = subprocess.run(
            [sys.executable, "-I", "-S", LAUNCH, "hook", "claude-code", "UserPromptSubmit"],
            input=json.dumps({"session_id": "s", "cwd": str(tmp_path), "prompt": "hello"}).encode(),
            env={**os.environ, **extra}, capture_output=True, timeout=30, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_passing_hook_imports_only_what_is_listed(agent: str, tmp_path: Path) -> None:
    """The list is the price of every tool call: a new name in it needs a reason."""
    payload = {"session_id": "s", "cwd": str(tmp_path), "tool_name": "Bash", "tool_input": {"command": "ls -la"}}
    script = (
        "import sys\n"
        f"sys.path.insert(0, {str(Path(LAUNCH).parent.parent)!r})\n"
        "from context_mode_runtime.hooks.process import run_process\n"
        f"run_process([{agent!r}, 'PreToolUse'], launched=True)\n"
        "sys.stderr.write('\\n'.join(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], input=json.dumps(payload).encode(), capture_output=True, check=True
    )
    bare = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import sys; print('\\n'.join(sys.modules))"],
        capture_output=True,
        check=True,
    )
    added = set(done.stderr.decode().split()) - set(bare.stdout.decode().split())
    allowed = set(Path(__file__).with_name("modules.txt").read_text().split())
    assert added <= allowed, f"not listed: {sorted(added - allowed)}"
    assert done.stdout == b""
