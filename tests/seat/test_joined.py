"""The seat and the hooks beside it: one form for a long output, one row in the journal, one conversation."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests import only
from tests.seat.conftest import AGENT, Stand

from context_mode_runtime import paths
from context_mode_runtime.hooks.run import prepare

COMMAND = """\
for i in $(seq 400); do
  echo "$i: took $((i * 7 % 90)) ms"
  [ $i = 250 ] && echo 'warning: slow disk vol-7319'
done
true"""
ASKED = "Look for slow disks"
pytestmark = only.POSIX


def hook(stand: Stand, event: str, **more: Any) -> dict[str, Any]:
    """One hook call of the conversation; its reply as an object."""
    call = {"tool_name": "Bash", "tool_input": {"command": COMMAND, "description": ASKED}, "tool_use_id": "t1"}
    payload = {"session_id": "talk-1", "cwd": str(stand.project), "hook_event_name": event, **call, **more}
    reply = prepare(AGENT, event, assume_server=True).run(payload).text
    answer: dict[str, Any] = json.loads(reply) if reply else {}
    return answer


def ledger() -> list[tuple[str, str, int, int]]:
    """Conversation, tool, bytes seen and returned of each call of the one project."""
    [path] = Path(paths.data_root()).glob("projects/*/context.db")
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT conversation, tool, raw, returned FROM ledger").fetchall()


def replaced(stand: Stand, text: str, **more: Any) -> str | None:
    """What a hook makes of an output afterwards."""
    response = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    reply = hook(stand, "PostToolUse", tool_response=response, **more)
    return reply["hookSpecificOutput"]["updatedToolOutput"]["stdout"] if reply else None


def test_it_comes_back_as_from_a_hook(stand: Stand) -> None:
    whole = stand.bare(COMMAND).out.decode()
    hook(stand, "PreToolUse")
    seated = stand.seated(COMMAND).out.decode()
    assert "warning: slow disk vol-7319" in seated
    assert f'{{"queries":["{ASKED}"],"source":"s1"}}' in seated
    assert replaced(stand, whole) == seated
    assert len(stand.stored()) == 1


def test_a_hook_leaves_a_short_form_alone(stand: Stand) -> None:
    short = stand.seated(COMMAND).out.decode()
    assert replaced(stand, short) is None
    assert replaced(stand, "a line before it\n" * 300 + short + "\na line behind it") is None
    assert len(stand.stored()) == 1


@pytest.mark.parametrize(("command", "variable"), [(f"CTX_RAW=1 {COMMAND}", "0"), (COMMAND, "1")])
def test_what_is_asked_for_as_it_is_no_hook_shortens(
    stand: Stand, command: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CTX_RAW", variable)
    assert replaced(stand, stand.bare(COMMAND).out.decode(), tool_input={"command": command}) is None


def test_it_counts_for_the_conversation(stand: Stand) -> None:
    whole, short = stand.bare(COMMAND).out, stand.seated(COMMAND).out
    assert ledger() == [(f"{AGENT}:talk-1", "Bash", len(whole), len(short))]


@pytest.mark.parametrize(("others", "of"), [((), "a7"), (("a7",), "a7"), (("a8",), None), (("",), None)])
def test_a_sub_agent_is_told_by_its_command(stand: Stand, others: tuple[str, ...], of: str | None) -> None:
    for agent in ("a7", *others):
        hook(stand, "PreToolUse", **({"agent_id": agent, "agent_type": "general-purpose"} if agent else {}))
    stand.seated(COMMAND)
    [(conversation, *_)] = ledger()
    assert conversation == (f"{AGENT}:talk-1:{of}" if of else f"{AGENT}:talk-1")


@pytest.mark.parametrize(
    ("policy", "noted"), [({}, True), ({"routes": {"seat": "off"}}, False), ({"capture": "off"}, False)]
)
def test_a_command_is_noted_where_the_seat_reads_it(stand: Stand, policy: dict[str, Any], noted: bool) -> None:
    folder = stand.project / ".context-mode"
    folder.mkdir()
    (folder / "policy.json").write_text(json.dumps({"version": 1, **policy}))
    hook(stand, "PreToolUse")
    assert bool(list(Path(paths.run_dir()).glob("commands/*/*"))) is noted


def test_secrets_and_private_text_stay_out_of_the_store(stand: Stand) -> None:
    token = "ghp_" + "a1B2" * 9
    printed = f"echo 'token: {token}'; echo '<priv''ate>inner</private>'; seq 1 3000"
    seated = stand.seated(printed).out.decode()
    assert token in stand.bare(printed).out.decode()
    assert "of secrets or private text cut" in seated
    [text] = stand.stored()
    assert token not in text
    assert "inner" not in text
