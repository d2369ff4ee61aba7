"""ctx_purge over the real transport: exactly what was named, really gone, no lenient reading (F65)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime import notes

CASES = YAML(typ="safe").load((Path(__file__).parent / "cases" / "purge.yaml").read_text(encoding="utf-8"))
REPLY = r"ctx_purge: deleted (\d+) rows \(scope: {}\)\. This cannot be undone\."


def _meta(conversation: str) -> dict[str, str]:
    notes.note_call("claude-code", f"toolu_{conversation}", notes.CallNote(conversation, "", "/"))
    return {"claudecode/toolUseId": f"toolu_{conversation}"}


def _bytes(home: Path) -> bytes:
    """All that lies in our data folder: databases, logs of databases, everything."""
    return b"".join(path.read_bytes() for path in (home / ".context-mode").rglob("*") if path.is_file()).lower()


def _deleted(answer: tuple[str, bool], scope: str) -> int:
    text, failed = answer
    assert not failed, text
    found = re.fullmatch(REPLY.format(scope), text)
    assert found, text
    return int(found.group(1))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_what_is_not_exactly_one_thing_deletes_nothing(serve: Any, case: dict[str, Any]) -> None:
    host = serve()
    for text, label in (("alpha one", "twice"), ("beta two", "twice"), ("gamma three", "once")):
        host.call("ctx_index", {"text": text, "label": label})
    assert host.call("ctx_purge", case["arguments"]) == (case["error"], True)
    assert host.call("ctx_search", {"queries": []})[0].count("\n") == 2


@pytest.mark.parametrize("name", ["s1", "diary"])
def test_a_source_goes_from_file_and_log(serve: Any, home: Path, name: str) -> None:
    host = serve()
    host.call("ctx_index", {"text": "the zygomorphic heron\n" * 400, "label": "diary"})
    host.call("ctx_index", {"text": "the patient pangolin\n" * 400, "label": "other"})
    assert b"zygomorphic" in _bytes(home)
    assert _deleted(host.call("ctx_purge", {"source": name}), "source") > 0
    left = _bytes(home)
    assert b"zygomorphic" not in left
    assert b"heron" not in left
    assert b"pangolin" in left
    assert host.call("ctx_search", {"queries": ["zygomorphic heron"]})[0].count("#") == 0
    assert "the patient pangolin" in host.call("ctx_search", {"queries": ["pangolin"]})[0]


def test_a_failure_that_quotes_the_source_goes_with_it(serve: Any, home: Path) -> None:
    host = serve()
    host.call("ctx_execute", {"language": "sh", "code": "cat <<E\nzygomorphic failure\nE\nexit 3"})
    assert "zygomorphic failure" in host.call("ctx_resume", {})[0]
    _deleted(host.call("ctx_purge", {"source": "s1"}), "source")
    assert b"zygomorphic" not in _bytes(home)


def test_this_conversation_goes_and_the_others_stay(serve: Any, home: Path) -> None:
    host = serve("claude-code")
    host.call("ctx_execute", {"language": "sh", "code": "echo zygomorphic; exit 1"}, _meta("c-1"))
    host.call("ctx_execute", {"language": "sh", "code": "echo pangolin; exit 1"}, _meta("c-2"))
    assert _deleted(host.call("ctx_purge", {"session": True}, _meta("c-1")), "session") > 0
    left = _bytes(home)
    assert b"zygomorphic" not in left
    assert b"pangolin" in left
    assert "failing" in host.call("ctx_resume", {}, _meta("c-2"))[0]


@pytest.mark.parametrize("name", ["c-1", "claude-code:c-1"])
def test_another_conversation_is_named_by_the_hosts_id_or_by_ours(serve: Any, home: Path, name: str) -> None:
    host = serve("claude-code")
    host.call("ctx_execute", {"language": "sh", "code": "echo zygomorphic"}, _meta("c-1"))
    host.call("ctx_execute", {"language": "sh", "code": "echo pangolin"}, _meta("c-10"))
    assert _deleted(host.call("ctx_purge", {"session": name}, _meta("c-10")), "session") > 0
    left = _bytes(home)
    assert b"zygomorphic" not in left
    assert b"pangolin" in left


def test_a_conversation_takes_its_sub_agents_along(serve: Any, home: Path) -> None:
    host = serve("claude-code")
    notes.note_call("claude-code", "toolu_sub", notes.CallNote("c-1", "agent-7", "/"))
    host.call("ctx_execute", {"language": "sh", "code": "echo zygomorphic"}, {"claudecode/toolUseId": "toolu_sub"})
    _deleted(host.call("ctx_purge", {"session": True}, _meta("c-1")), "session")
    assert b"zygomorphic" not in _bytes(home)


def test_a_project_goes_whole(serve: Any, home: Path) -> None:
    host, other = serve(), serve()
    host.call("ctx_index", {"text": "the zygomorphic heron\n" * 400, "label": "diary"})
    other.call("ctx_execute", {"language": "sh", "code": "echo zygomorphic; exit 1"})
    assert _deleted(host.call("ctx_purge", {"project": True}), "project") > 0
    assert b"zygomorphic" not in _bytes(home)
    assert host.call("ctx_search", {"queries": []})[0] == "  nothing is indexed in this project yet"
    assert "from s3." in host.call("ctx_index", {"text": "new", "label": "new"})[0]


def test_nothing_stored_is_nothing_deleted(serve: Any, home: Path) -> None:
    host = serve()
    assert _deleted(host.call("ctx_purge", {"project": True}), "project") == 0
    assert _deleted(host.call("ctx_purge", {"session": True}), "session") == 0
    assert host.call("ctx_purge", {"source": "s1"}) == ("nothing is stored in this project yet", True)
    assert not list((home / ".context-mode").glob("projects/*"))


def test_a_running_command_is_not_stored_again(serve: Any, home: Path, project: Path) -> None:
    host = serve()
    os.mkfifo(project / "go")
    code = "echo zygomorphic; echo up > go; exec sleep 600"
    host.call("ctx_execute", {"language": "sh", "code": code, "background": True})
    (project / "go").read_text()
    assert "zygomorphic" in host.call("ctx_search", {"queries": [], "source": "s1"})[0]
    _deleted(host.call("ctx_purge", {"project": True}), "project")
    host.call("ctx_search", {"queries": []})
    assert host.close() == 0
    assert b"zygomorphic" not in _bytes(home)
