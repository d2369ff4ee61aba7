"""After a tool: large text is stored whole and comes back short, in the shape this host takes."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime.project import find_project
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.journal import rows as journal_rows
from context_mode_runtime.store.sources import list_sources, source_text

from .conftest import Caller, reply_of
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


def test_large_json_is_cut_by_key_path(call: Caller, project: Path) -> None:
    crates = json.dumps([{"title": f"crate {n}", "note": "w" * 900} for n in range(40)], indent=1)
    reply = call("claude-code", "PostToolUse", "PostToolUse-Bash", {"tool_response": {"stdout": crates, "stderr": ""}})
    assert reply
    assert stored_text(project, reply["hookSpecificOutput"]["updatedToolOutput"]["stdout"]) == crates
    with store_of(project) as store:
        assert "31 crate 31" in [row[0] for row in store.db.execute("SELECT heading FROM chunks")]


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


@pytest.mark.parametrize(
    "how", ["behind a link", "elsewhere", "hard link", "too large", "gone", "NUL", "folder", "pipe"]
)
def test_a_moved_output_that_we_may_not_read_stays_with_the_host(
    how: str, call: Caller, home: Path, project: Path
) -> None:
    """Replacing would take away the only word on where the whole of it lies."""
    file, changes = moved(home, project)
    secret = home / "secret.txt"
    secret.write_text("the vault code is 1234\n" * 1_000)
    if how in ("behind a link", "hard link", "gone", "folder", "pipe"):
        file.unlink()
    if how == "behind a link":
        file.symlink_to(secret)
    elif how == "hard link":
        file.hardlink_to(secret)
    elif how == "folder":
        file.mkdir()
    elif how == "pipe":
        os.mkfifo(file)
    elif how == "too large":
        with file.open("ab") as handle:
            handle.truncate(17 << 20)
    elif how in ("elsewhere", "NUL"):
        changes["tool_response"]["persistedOutputPath"] = str(secret) if how == "elsewhere" else "a\0b"
    assert call("claude-code", "PostToolUse", "PostToolUse-Bash", changes) is None
    with store_of(project) as store:
        assert not list_sources(store)
        assert journal_rows(store, "claude-code:00000000-0000-4000-8000-000000000001")


def test_a_home_with_signs_of_globs_in_its_name(
    call: Caller, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = home / "a[b]*"
    odd.mkdir()
    monkeypatch.setenv("HOME", str(odd))
    _, changes = moved(odd, project)
    reply = call("claude-code", "PostToolUse", "PostToolUse-Bash", changes)
    assert reply
    assert stored_text(project, reply["hookSpecificOutput"]["updatedToolOutput"]["stdout"]) == BIG


def test_a_conversation_called_like_a_glob_reads_no_other_conversations_output(
    call: Caller, project: Path, home: Path
) -> None:
    _, changes = moved(home, project)
    assert call("claude-code", "PostToolUse", "PostToolUse-Bash", {**changes, "session_id": "*"}) is None


def test_a_moved_output_named_by_a_file_pattern(
    made_up: None, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    file = tmp_path / "otter-7.log"
    file.write_text(BIG)
    payload = {
        "toolName": "bash", "input": {"command": "make"}, "ctx": {"cwd": str(project), "session": "s"},
        "content": [{"type": "text", "text": BIG[-9_000:]}], "details": {"fullOutputPath": str(file)},
    }  # fmt: skip
    reply = json.loads(reply_of("otter", "tool_result", payload).text)
    (part,) = reply["content"]
    assert stored_text(project, part["text"]) == BIG


def test_the_exit_code_beside_a_moved_output_stays(
    call: Caller, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    file = tmp_path / "pi-bash-7.log"
    file.write_text(BIG)
    told = f"{BIG[-9_000:]}\n[Full output: {file}]\n\nCommand exited with code 3"
    changes = {"content": [{"type": "text", "text": told}], "details": {"fullOutputPath": str(file)}}
    reply = call("pi", "tool_result", "tool_result-bash-error", {"event": changes})
    assert reply
    (part,) = reply["content"]
    assert "Command exited with code 3" in part["text"].splitlines()
    assert "the reactor is on fire" in part["text"]
    assert stored_text(project, part["text"]) == f"{BIG}\nCommand exited with code 3"


def test_what_the_host_had_cut_is_not_called_whole(call: Caller) -> None:
    reply = call("codex", "PostToolUse", "PostToolUse-Bash", {"tool_response": "Warning: truncated output\n" + BIG})
    assert reply
    assert "whole" not in reply["reason"].splitlines()[0]
    assert "the host had cut it before" in reply["reason"].splitlines()[0]


def test_of_what_the_host_had_cut_an_open_private_part_goes_to_the_end(call: Caller, project: Path) -> None:
    output = "Warning: truncated output\n" + BIG + "\n<private>hunter-22\n" + BIG
    reply = call("codex", "PostToolUse", "PostToolUse-Bash", {"tool_response": output})
    assert reply
    assert stored_text(project, reply["reason"]).endswith(f"{BIG}\n[private]")


def test_without_an_intent_the_call_reads_the_source_from_its_beginning(call: Caller) -> None:
    reply = call("codex", "PostToolUse", "PostToolUse-Bash", {"tool_response": BIG})
    assert reply
    assert 'mcp__context_mode__ctx_search({"queries":[],"source":"s1"})' in reply["reason"]


@pytest.mark.parametrize("size", [4_097, 4_100, 4_300, 5_000])
@pytest.mark.parametrize("text", ["x", "é", "\x01", "ab\n", '"\\'])
def test_a_replacement_is_shorter_than_what_it_replaces(size: int, text: str, call: Caller) -> None:
    given = (text * size)[: size if text.isascii() else size // 2 + 1]
    changes = {"tool_input": {"command": "echo " + '"\x01' * 200}, "tool_response": given}
    reply = call("codex", "PostToolUse", "PostToolUse-Bash", changes)
    assert reply is None or len(reply["reason"].encode()) < len(given.encode())


SERVERS = YAML(typ="safe").load(Path(__file__).with_name("servers.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", SERVERS, ids=lambda case: f"{case['agent']} {case['tool']} {case['policy']}")
def test_lists_of_servers_by_any_of_their_names(case: dict[str, Any], call: Caller, home: Path) -> None:
    (home / ".context-mode").mkdir()
    policy = {"version": 1, "mcpServers": {"replace": case["policy"]}}
    (home / ".context-mode/policy.json").write_text(json.dumps(policy))
    parts = [{"type": "text", "text": BIG}]
    changes = {
        "tool_name": case["tool"],
        "mcp_server": {"name": case["server"]} if "server" in case else None,
        "tool_response": {"content": parts} if case["agent"] == "codex" else parts,
    }
    assert (call(case["agent"], "PostToolUse", "PostToolUse-mcp", changes) is not None) == case["replaced"]


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


def test_no_cut_of_ours_leaves_half_a_secret(call: Caller, home: Path) -> None:
    """What is shortened before it is written is freed of secrets first: half a key is no key to any pattern."""
    key = "ghp_" + "Q7xW2m4N5p6R8s9T" * 2
    for where in range(80, 125, 3):
        command = "curl -s " + "x" * where + f" https://h/?k={key} <private>hunter-{where}</private>"
        call(
            "claude-code",
            "PostToolUse",
            "PostToolUse-Bash",
            {"tool_input": {"command": command}, "tool_response": {"stdout": BIG + str(where)}},
        )
    for room in (5, 15, 30):
        prompt = "x " * (8_192 - room // 2) + f"<private>hunter-22 {'y' * 100}</private>"
        call("claude-code", "UserPromptSubmit", "UserPromptSubmit", {"prompt": prompt})
        call("claude-code", "Stop", "Stop", {"last_assistant_message": prompt[-2_000 - 100 :]})
    for folder, _, names in os.walk(home / ".context-mode"):
        for name in names:
            data = Path(folder, name).read_bytes()
            assert b"hunter" not in data
            assert key[:12].encode() not in data


def test_words_of_the_policy_are_cut_too(call: Caller, home: Path) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode/policy.json").write_text('{"version": 1, "redact": ["plumage"]}')
    call(
        "claude-code", "PostToolUse", "PostToolUse-Bash", {"tool_response": {"stdout": BIG + "plumage=aubergine-77\n"}}
    )
    call("claude-code", "UserPromptSubmit", "UserPromptSubmit", {"prompt": "plumage=aubergine-77"})
    for folder, _, names in os.walk(home / ".context-mode/projects"):
        assert not any(b"aubergine-77" in Path(folder, name).read_bytes() for name in names)


def test_control_sequences_of_a_commands_output_are_neither_stored_nor_shown(call: Caller, project: Path) -> None:
    coloured = "".join(f"\x1b[32mline {n}\x1b[0m\r\n" for n in range(1_000)) + "10%\r100%\n"
    reply = call("codex", "PostToolUse", "PostToolUse-Bash", {"tool_response": coloured})
    assert reply
    assert "\x1b" not in reply["reason"]
    assert f"{len(coloured):,} B as" in reply["reason"]
    assert stored_text(project, reply["reason"]) == "".join(f"line {n}\n" for n in range(1_000)) + "100%\n"


def test_an_event_by_our_name_is_what_the_payload_says(call: Caller, project: Path) -> None:
    call("claude-code", "post_tool", "PostToolUseFailure-Bash", {"tool_input": {"command": "pytest"}, "error": "no"})
    with store_of(project) as store:
        (row,) = journal_rows(store, "claude-code:00000000-0000-4000-8000-000000000001")
    assert (row.kind, row.detail) == ("failure", "no")
