"""After a tool: large text is stored whole and comes back short, in the shape this host takes."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime.project import find_project
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.sources import source_text

from .conftest import Caller
from .test_before import validate

LINES = [f"2026-11-29 12:00:{n % 60:02d} worker-{n % 7} handled request {n}" for n in range(3_000)]
LINES[1_700] = "2026-11-29 12:00:20 worker-3 ERROR the reactor is on fire"
BIG = "\n".join(LINES) + "\n"


def store_of(project: Path) -> Store:
    found = find_project(str(project))
    assert found
    return Store.open(found.key(), name=found.name)


def stored_text(project: Path, short: str) -> str:
    match = re.search(r'"source":"(s\d+)"', short)
    assert match
    with store_of(project) as store:
        return source_text(store, match.group(1))


def test_a_large_output_is_stored_whole_and_comes_back_short(call: Caller, project: Path) -> None:
    reply = call("claude-code", "PostToolUse", "PostToolUse-Bash", {"tool_response": {"stdout": BIG, "stderr": "x"}})
    assert reply
    validate("claude-code", "PostToolUse", reply)
    output = reply["hookSpecificOutput"]["updatedToolOutput"]
    assert output["stderr"] == ""
    assert output["interrupted"] is False
    short = output["stdout"]
    assert len(short.encode()) <= 4_096
    assert "the reactor is on fire" in short
    assert 'mcp__context-mode__ctx_search({"queries":' in short
    assert stored_text(project, short) == BIG


def test_codex_takes_the_text_as_the_reason_of_a_block(call: Caller, project: Path) -> None:
    reply = call("codex", "PostToolUse", "PostToolUse-Bash", {"tool_response": BIG})
    assert reply
    validate("codex", "PostToolUse", reply)
    assert reply["decision"] == "block"
    assert len(reply["reason"].encode()) <= 4_096
    assert stored_text(project, reply["reason"]) == BIG


def test_a_script_tool_of_the_host_is_left_alone(call: Caller) -> None:
    assert call("codex", "PostToolUse", "PostToolUse-Bash", {"tool_response": BIG, "tool_use_id": "exec-1"}) is None


PASSES: list[tuple[str, str, dict[str, Any]]] = [
    ("claude-code", "PostToolUse-Bash", {"tool_response": {"stdout": "x" * 4_096}}),
    ("codex", "PostToolUse-Bash", {"tool_response": "x" * 4_096}),
    ("claude-code", "PostToolUse-Bash", {"tool_response": {"stdout": BIG, "isImage": True}}),
    ("claude-code", "PostToolUse-Read", {"tool_response": {"file": {"content": BIG}}}),
    ("claude-code", "PostToolUse-mcp", {"tool_response": [{"type": "text", "text": BIG}]}),
    ("codex", "PostToolUse-mcp", {"tool_response": {"content": [{"type": "text", "text": BIG}]}}),
    (
        "claude-code",
        "PostToolUse-mcp",
        {"tool_name": "mcp__b__s", "tool_response": [{"type": "text", "text": BIG}, {"type": "image", "data": "x"}]},
    ),
    ("claude-code", "PostToolUse-Edit", {"tool_response": {"originalFile": BIG}}),
]


@pytest.mark.parametrize(("agent", "name", "changes"), PASSES)
def test_what_is_small_shown_by_the_host_or_our_own_passes(
    agent: str, name: str, changes: dict[str, Any], call: Caller
) -> None:
    assert call(agent, "PostToolUse", name, changes) is None


def test_another_servers_text_is_shortened_and_its_lists_hold(call: Caller, home: Path) -> None:
    changes = {
        "tool_name": "mcp__browser__snapshot",
        "mcp_server": {"name": "browser"},
        "tool_response": [{"type": "text", "text": BIG}],
    }
    reply = call("claude-code", "PostToolUse", "PostToolUse-mcp", changes)
    assert reply
    (part,) = reply["hookSpecificOutput"]["updatedToolOutput"]
    assert part["type"] == "text"
    assert len(part["text"].encode()) <= 4_096
    (home / ".context-mode/policy.json").write_text('{"version": 1, "mcpServers": {"replace": {"deny": ["browser"]}}}')
    assert call("claude-code", "PostToolUse", "PostToolUse-mcp", changes) is None


def moved(home: Path, project: Path, text: str = BIG) -> tuple[Path, dict[str, Any]]:
    folder = home / ".claude/projects/-PROJECT/00000000-0000-4000-8000-000000000001/tool-results"
    folder.mkdir(parents=True)
    file = folder / "b1.txt"
    file.write_text(text)
    return file, {"tool_response": {"stdout": text[:30_000], "persistedOutputPath": str(file)}}


def test_a_moved_output_is_read_from_the_hosts_own_place(call: Caller, home: Path, project: Path) -> None:
    _, changes = moved(home, project)
    reply = call("claude-code", "PostToolUse", "PostToolUse-Bash", changes)
    assert reply
    output = reply["hookSpecificOutput"]["updatedToolOutput"]
    assert "persistedOutputPath" not in output
    assert stored_text(project, output["stdout"]) == BIG


def test_a_moved_output_elsewhere_or_behind_a_link_is_not_read(call: Caller, home: Path, project: Path) -> None:
    file, changes = moved(home, project)
    secret = home / "secret.txt"
    secret.write_text("the vault code is 1234\n" * 1_000)
    file.unlink()
    file.symlink_to(secret)
    elsewhere = {"tool_response": {"stdout": BIG[:30_000], "persistedOutputPath": str(secret)}}
    for given in (changes, elsewhere):
        reply = call("claude-code", "PostToolUse", "PostToolUse-Bash", given)
        assert reply
        short = reply["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
        assert stored_text(project, short) == BIG[:30_000]


def test_without_a_usable_store_nothing_is_replaced(call: Caller, project: Path, home: Path) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode/projects").write_text("in the way")
    changes = {"tool_response": {"stdout": BIG}}
    assert call("claude-code", "PostToolUse", "PostToolUse-Bash", changes) is None
    assert "PostToolUse" in (home / ".context-mode/hook-errors.log").read_text()


def test_capture_off_writes_nothing(call: Caller, project: Path, home: Path) -> None:
    folder = project / ".context-mode"
    folder.mkdir()
    (folder / "policy.json").write_text(json.dumps({"version": 1, "capture": "off"}))
    assert call("claude-code", "PostToolUse", "PostToolUse-Bash", {"tool_response": {"stdout": BIG}}) is None
    assert call("claude-code", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "hello"}) is None
    assert not (home / ".context-mode/projects").exists()


def test_secrets_and_private_text_reach_no_file(call: Caller, home: Path) -> None:
    key = "AKIA" + "Q7XW2M4N5P6R8S9T"
    call("claude-code", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "pw <private>hunter-22</private>"})
    call("claude-code", "PostToolUse", "PostToolUse-Bash", {"tool_response": {"stdout": f"{BIG}key {key}\n"}})
    for folder, _, names in os.walk(home / ".context-mode"):
        for name in names:
            data = Path(folder, name).read_bytes()
            assert b"hunter-22" not in data
            assert key.encode() not in data
