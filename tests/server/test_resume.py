"""ctx_resume over the real transport: the state block, whole rows, and the journal of our own runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from context_mode_runtime import notes
from context_mode_runtime.project import find_project
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.journal import add_row

STATE_BUDGET = 2_048
RESUME_CAP = 2_048
META = {"claudecode/toolUseId": "toolu_1"}


def _store(project: Path) -> Store:
    found = find_project(str(project))
    assert found
    return Store.open(found.key(), name=found.name)


def _known(conversation: str = "c-1") -> dict[str, str]:
    """The host's `_meta` of a call that a hook has noted for this conversation."""
    notes.note_call("claude-code", META["claudecode/toolUseId"], notes.CallNote(conversation, "", "/"))
    return META


def test_without_rows_the_block_is_empty_and_names_this_connection(serve: Any, home: Path) -> None:
    text, failed = serve().call("ctx_resume", {})
    assert not failed
    assert re.fullmatch(
        r'<context_mode_state session="mcp:\w+" upto="0">\n'
        r'more: ctx_search\(queries:\[\], scope:"session"\)\n'
        r"</context_mode_state>",
        text,
    )
    assert not list((home / ".context-mode").glob("projects/*"))


def test_what_our_tools_ran_is_in_the_block_of_an_unknown_conversation(serve: Any) -> None:
    host = serve()
    host.call("ctx_execute", {"language": "sh", "code": "echo 'E: 3 tests broken' >&2; exit 1"})
    host.call("ctx_batch", {"commands": ["true", "echo 'no such branch: wombat'; exit 2"], "queries": []})
    text, _ = host.call("ctx_resume", {})
    assert "failing #3: echo 'no such branch: wombat'; exit 2: no such branch: wombat" in text
    assert text.split("\n")[0].endswith('upto="3">')
    other, _ = serve().call("ctx_resume", {})
    assert "failing" not in other


def test_a_known_conversation_gets_its_own_rows_only(serve: Any, project: Path) -> None:
    with _store(project) as store:
        add_row(store, "claude-code:c-1", "prompt", "fix the login")
        add_row(store, "claude-code:c-2", "prompt", "write a poem")
        add_row(store, "claude-code:c-1", "edit", "login.py")
        add_row(store, "claude-code:c-1", "decision", "use tokens, no cookies " * 100)
    text, _ = serve("claude-code").call("ctx_resume", {}, _known())
    assert text.startswith('<context_mode_state session="claude-code:c-1" upto="4">\nrequest #1: fix the login\n')
    assert "editing #3: login.py" in text
    assert "... ctx_resume(4)" in text
    assert "poem" not in text
    assert len(text.encode()) <= STATE_BUDGET


def test_a_short_row_comes_whole(serve: Any, project: Path) -> None:
    with _store(project) as store:
        add_row(store, "claude-code:c-1", "failure", "npm test", detail="\x1b[31m1 failed\x1b[0m\x07")
    text, failed = serve().call("ctx_resume", {"seq": "1"})
    assert not failed
    assert re.fullmatch(
        r"#1 failure · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC · session claude-code:c-1\nnpm test\n1 failed", text
    )


def test_every_byte_of_a_long_row_can_be_had_by_the_calls_that_the_replies_name(serve: Any, project: Path) -> None:
    words = "".join(f"{n} prüfen:{'x' * (n % 90)} " for n in range(1_500))
    with _store(project) as store:
        add_row(store, "c", "prompt", words)
    host = serve()
    text, failed = host.call("ctx_resume", {"seq": 1})
    assert not failed
    assert len(text.encode()) <= RESUME_CAP
    got = text.split("\n", 1)[1].rpartition("\n")[0]
    left = re.search(r"\n(\d+) B of this row are left; more: ctx_search\((\{.*\})\)$", text)
    assert left
    assert int(left.group(1)) == len(words.encode()) - len(got.encode())
    arguments: Any = json.loads(left.group(2))
    while arguments:
        part, failed = host.call("ctx_search", arguments)
        assert not failed
        assert len(part.encode()) <= 16_384
        more = re.search(r"^  more: ctx_search\((\{.*\})\)$", part, re.MULTILINE)
        arguments = json.loads(more.group(1)) if more else None
        got += "".join(
            line[2:] for line in part.split("\n") if line.startswith("  ") and not line.startswith("  more:")
        )
    assert got == words


def test_a_row_that_is_not_there_is_an_error_that_says_which_are(serve: Any, project: Path) -> None:
    host = serve()
    assert host.call("ctx_resume", {"seq": 1}) == ("no row #1 in this project's journal; it is empty", True)
    with _store(project) as store:
        add_row(store, "c", "prompt", "x")
    for seq in (0, 2, -1, 10**30):
        text, failed = host.call("ctx_resume", {"seq": seq})
        assert failed
        assert text == f"no row #{seq} in this project's journal; it holds #1 to #1"
    assert host.call("ctx_search", {"queries": [], "source": "journal 9"})[1]
    text, failed = host.call("ctx_search", {"queries": [], "source": "journal 1", "offset": 9})
    assert (text, failed) == ("  journal 1 has 1 piece(s), none from 9 on", False)


def test_rows_of_another_project_can_not_be_had(serve: Any, project: Path, tmp_path: Path) -> None:
    with _store(project) as store:
        add_row(store, "c", "prompt", "x")
    other = tmp_path / "elsewhere"
    other.mkdir()
    assert serve(cwd=other).call("ctx_resume", {"seq": 1})[1]


def test_the_call_that_the_block_names_lists_and_finds_the_rows_of_this_conversation(serve: Any, project: Path) -> None:
    with _store(project) as store:
        add_row(store, "claude-code:c-1", "prompt", "fix the login of wombats")
        add_row(store, "claude-code:c-2", "prompt", "wombats in the zoo")
    host = serve("claude-code")
    text, failed = host.call("ctx_search", {"queries": [], "scope": "session"}, _known())
    assert not failed
    assert text == '  prompt #1: fix the login of wombats\n  whole: mcp__context-mode__ctx_resume({"seq":1})'
    text, failed = host.call("ctx_search", {"queries": ["wombat login"], "scope": "session"}, _known())
    assert not failed
    assert text == 'Query "wombat login":\njournal #1: prompt\n  fix the login of wombats'


def test_capture_off_keeps_no_journal_of_what_our_tools_run(serve: Any, home: Path) -> None:
    (home / ".context-mode").mkdir(mode=0o700)
    (home / ".context-mode" / "policy.json").write_text('{"version": 1, "capture": "off"}', encoding="utf-8")
    host = serve()
    assert host.call("ctx_execute", {"language": "sh", "code": "exit 1"})[0] == "exit 1 · 0 B"
    assert 'upto="0"' in host.call("ctx_resume", {})[0]


def test_a_secret_that_the_cut_would_halve_does_not_reach_the_journal(serve: Any, home: Path) -> None:
    host = serve()
    key = "\n".join(
        [
            "-----BEGIN RSA PRIVATE KEY-----",
            *(f"error{n:03}zygomorphic" * 3 for n in range(60)),
            "-----END RSA PRIVATE KEY-----",
        ]
    )
    secret = "ghp_" + "a1B2c3D4e5" * 4
    host.call(
        "ctx_execute",
        {"language": "sh", "code": f"cat <<E >&2\n{key}\nE\necho {'x' * 1_900} {secret} {'y' * 90}; exit 1"},
    )
    assert 'upto="1"' in host.call("ctx_resume", {})[0]
    host.close()
    stored = b"".join(path.read_bytes() for path in (home / ".context-mode").rglob("*") if path.is_file())
    assert b"zygomorphic" not in stored
    assert b"ghp_" not in stored
