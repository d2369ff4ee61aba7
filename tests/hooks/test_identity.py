"""What hooks tell the server about who is calling, by every way of the spec language."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from context_mode_installer import launchers
from context_mode_runtime import notes, paths

from .conftest import Caller, reply_of

SEARCH = {"queries": ["where does the ibis nest"], "limit": 3}


def heron(conversation: str, project: Path) -> dict[str, Any]:
    return {
        "hook_event_name": "beforeTool", "session_id": conversation, "sessionId": conversation, "cwd": str(project),
        "tool_name": "@context-mode/ctx_search", "tool_args": json.dumps(SEARCH),
    }  # fmt: skip


def test_a_call_of_our_tool_is_noted_by_what_it_is(
    made_up: None, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTEXT_MODE_HOST_PID", "999999")
    assert reply_of("heron", "beforeTool", heron("c-1", project)).text == ""
    note = notes.match_note("heron", 999_999, "ctx_search", {"limit": 3, "queries": SEARCH["queries"]})
    assert note
    assert (note.conversation, note.subagent, note.folder) == ("c-1", "", str(project))
    assert notes.match_note("heron", 999_998, "ctx_search", SEARCH) is None
    assert notes.match_note("heron", 999_999, "ctx_search", {"queries": ["other"]}) is None


HOST = """
import subprocess, sys
subprocess.run(sys.argv[1], shell=True, check=True)
subprocess.run([*sys.argv[2:]], check=True)
from context_mode_runtime import notes
import os
print(notes.match_note("heron", os.getpid(), "ctx_search", {"queries": ["a"]}) is not None)
"""


@pytest.mark.parametrize("form", ["exec {}", "{}; true", "sh -c '{}; true'; true"])
def test_the_hosts_process_is_found_behind_launcher_and_shells(
    form: str, made_up: None, tmp_path: Path, project: Path
) -> None:
    launcher = tmp_path / "hook"
    launcher.write_text(launchers.text(launchers.HOOK, launchers.this_interpreter(), windows=False))
    launcher.chmod(0o700)
    payload = tmp_path / "payload.json"
    payload.write_text(json.dumps({**heron("c-1", project), "tool_args": '{"queries": ["a"]}'}))
    command = form.format(f"{launcher} heron beforeTool < {payload}")
    done = subprocess.run([sys.executable, "-c", HOST, command, "true"], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


RACE = """
import sys
from context_mode_runtime import notes
sys.stdin.readline()
notes.note_match("one", 7, "t", {"a": 1}, notes.CallNote(sys.argv[1], "", "/p"))
"""


def test_two_callers_at_one_moment_are_never_taken_for_one() -> None:
    for _ in range(6):
        (Path(paths.run_dir()) / "matches/one").mkdir(parents=True, exist_ok=True)
        for file in (Path(paths.run_dir()) / "matches/one").iterdir():
            file.unlink()
        racers = [
            subprocess.Popen([sys.executable, "-c", RACE, f"c{n % 2}"], stdin=subprocess.PIPE, text=True)
            for n in range(4)
        ]
        for racer in racers:
            assert racer.stdin
            racer.stdin.write("\n")
            racer.stdin.flush()
        assert [racer.wait() for racer in racers] == [0] * 4
        for racer in racers:
            with racer:
                pass
        assert notes.match_note("one", 7, "t", {"a": 1}) is None


def test_old_matches_are_swept() -> None:
    for n in range(3):
        notes.note_match("one", 7, "t", {"a": n}, notes.CallNote("c", "", "/p"))
        (old,) = [file for file in (Path(paths.run_dir()) / "matches/one").iterdir() if "lock" not in file.name]
        os.utime(old, (1, 1))
    notes.note_match("one", 7, "t", {"a": 9}, notes.CallNote("c", "", "/p"))
    files = [file for file in (Path(paths.run_dir()) / "matches/one").iterdir() if "lock" not in file.name]
    assert len(files) == 1


def test_an_argument_is_added_where_a_bridge_may(made_up: None, project: Path) -> None:
    payload = {
        "type": "tool_call", "toolName": "ctx_search", "input": {"queries": ["a"]}, "toolCallId": "t1",
        "ctx": {"session": "c-1", "cwd": str(project)},
    }  # fmt: skip
    reply = json.loads(reply_of("otter", "tool_call", payload).text)
    assert reply == {"set_input": {"queries": ["a"], "_ctx_session": "c-1"}}
    unknown = json.loads(reply_of("otter", "tool_call", {**payload, "ctx": {"cwd": str(project)}}).text)
    assert unknown == {}


def test_meta_is_added_where_the_host_takes_it(made_up: None, project: Path) -> None:
    reply = json.loads(reply_of("heron", "beforeMcp", heron("c-1", project)).text)
    assert reply == {"metaToUse": {"context-mode/conversation": "c-1"}}


def test_no_way_of_identity_approves(call: Caller) -> None:
    for agent, tool in (("claude-code", "mcp__context-mode__ctx_search"), ("codex", "mcp__context_mode__ctx_search")):
        assert call(agent, "PreToolUse", "PreToolUse-mcp", {"tool_name": tool, "tool_input": SEARCH}) is None


SERVED = """
import json, subprocess, sys
hook, server, payload = sys.argv[1:]
with open(payload) as file:
    subprocess.run([hook, "heron", "beforeTool"], stdin=file, check=True)
call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ctx_resume", "arguments": {}}}
ran = subprocess.run([server, "--agent", "heron"], input=json.dumps(call) + "\\n", capture_output=True, text=True)
print(json.loads(ran.stdout)["result"]["content"][0]["text"])
"""


def test_the_server_behind_its_launcher_finds_the_note(made_up: None, tmp_path: Path, project: Path) -> None:
    programs = []
    for name in (launchers.HOOK, launchers.SERVE):
        (tmp_path / name).write_text(launchers.text(name, launchers.this_interpreter(), windows=False))
        (tmp_path / name).chmod(0o700)
        programs.append(str(tmp_path / name))
    payload = tmp_path / "payload.json"
    call = {"tool_name": "@context-mode/ctx_resume", "tool_args": "{}"}
    payload.write_text(json.dumps({**heron("c-1", project), **call}))
    done = subprocess.run(
        [sys.executable, "-c", SERVED, *programs, str(payload)], cwd=project, capture_output=True, text=True, check=True
    )
    assert 'session="heron:c-1"' in done.stdout
