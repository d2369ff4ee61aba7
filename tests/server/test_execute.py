"""ctx_execute over the real transport."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

CASES = YAML(typ="safe").load((Path(__file__).parent / "cases" / "execute.yaml").read_text(encoding="utf-8"))
SHORT_REPLY = 4_096
LINES = "for n in range(20_000): print('line', n, 'of the report' if n != 12_345 else 'ZEBRA-7781 was refused')"


def _set_up(case: dict[str, Any], home: Path, project: Path) -> None:
    if "policy" in case:
        (home / ".context-mode").mkdir(mode=0o700)
        (home / ".context-mode" / "policy.json").write_text(json.dumps(case["policy"]), encoding="utf-8")
    for name, text in case.get("files", {}).items():
        (project / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_replies(serve: Any, home: Path, project: Path, case: dict[str, Any]) -> None:
    _set_up(case, home, project)
    before = sorted(path.name for path in project.iterdir())
    text, failed = serve().call("ctx_execute", case["arguments"])
    assert failed == ("error" in case), text
    assert text == case.get("text", text)
    assert text.startswith(case.get("starts", case.get("error", "")))
    assert case.get("holds", "") in text
    assert len(text.encode()) >= case.get("longer", 0)
    assert sorted(path.name for path in project.iterdir()) == before


def test_more_than_the_cap_is_short_and_comes_back_by_the_call_that_the_reply_names(serve: Any) -> None:
    host = serve()
    text, failed = host.call("ctx_execute", {"language": "python", "code": LINES, "intent": "what was refused"})
    assert not failed
    assert text.startswith("exit 0 · ")
    assert len(text.encode()) <= SHORT_REPLY
    assert "ZEBRA-7781 was refused" in text
    named = re.search(r"ctx_search\((\{.*\})\)$", text)
    assert named, text
    found, failed = host.call("ctx_search", json.loads(named.group(1)))
    assert not failed
    assert "ZEBRA-7781" in found


def test_the_whole_text_can_be_read_in_order(serve: Any) -> None:
    host = serve()
    text, _ = host.call("ctx_execute", {"language": "python", "code": LINES})
    named = re.search(r"ctx_search\((\{.*\})\)$", text)
    assert named, text
    arguments = json.loads(named.group(1))
    assert arguments["queries"] == []
    shown: list[str] = []
    while arguments:
        part, failed = host.call("ctx_search", arguments)
        assert not failed
        more = re.search(r"^  more: ctx_search\((\{.*\})\)$", part, re.MULTILINE)
        arguments = json.loads(more.group(1)) if more else None
        shown += [line[2:] for line in part.split("\n") if line.startswith("  line ")]
    assert shown == [
        f"line {n} of the report" if n != 12_345 else f"line {n} ZEBRA-7781 was refused" for n in range(20_000)
    ]


def test_output_that_came_back_whole_is_found_again(serve: Any) -> None:
    host = serve()
    code = "print('\\n'.join(f'row {n} quokka' if n == 150 else f'row {n} of many words' for n in range(300)))"
    text, _ = host.call("ctx_execute", {"language": "python", "code": code})
    assert "row 150 quokka" in text
    found, _ = host.call("ctx_search", {"queries": ["quokka"]})
    assert "row 150 quokka" in found


def test_json_that_a_run_printed_is_found_by_key_path(serve: Any) -> None:
    host = serve()
    code = "import json; print(json.dumps([{'title': f'crate {n}', 'note': 'w' * 900} for n in range(40)]))"
    host.call("ctx_execute", {"language": "python", "code": code})
    found, _ = host.call("ctx_search", {"queries": ["crate 31"]})
    assert ": 31 crate 31\n" in found


def test_a_source_is_given_to_the_code(serve: Any) -> None:
    host = serve()
    host.call("ctx_index", {"text": "alpha\nbeta\n", "label": "greek"})
    code = "print(FILE_CONTENT.splitlines()[1])"
    assert host.call("ctx_execute", {"language": "python", "code": code, "file": "s1"})[0] == "exit 0 · 5 B\nbeta"


def test_secrets_do_not_reach_the_disk_and_the_reply_says_so(serve: Any, home: Path) -> None:
    host = serve()
    secret = "ghp_" + "a1B2c3D4e5" * 4
    text, _ = host.call("ctx_execute", {"language": "sh", "code": f"echo token={secret}"})
    assert "B of secrets or private text were cut" in text
    host.close()
    stored = b"".join(path.read_bytes() for path in (home / ".context-mode").rglob("*") if path.is_file())
    assert secret.encode() not in stored


def test_without_a_usable_store_commands_run_and_the_reply_names_path_and_reason(serve: Any, home: Path) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode" / "projects").write_text("in the way", encoding="utf-8")
    host = serve()
    text, failed = host.call("ctx_execute", {"language": "sh", "code": "echo hello"})
    assert not failed
    assert text.startswith("exit 0 · 6 B\nhello\n(not stored: ~/.context-mode/projects")
    text, failed = host.call("ctx_execute", {"language": "python", "code": LINES})
    assert not failed
    assert len(text.encode()) <= 16_384 + 400
    assert "not stored: ~/.context-mode/projects" in text
    assert host.call("ctx_search", {"queries": ["x"]})[1]


def test_a_background_run_is_read_while_it_runs_and_ends_with_the_server(serve: Any, project: Path) -> None:
    host = serve()
    os.mkfifo(project / "pid")
    code = "echo ready-now; echo $$ > pid; exec sleep 600"
    text, failed = host.call("ctx_execute", {"language": "sh", "code": code, "background": True})
    assert not failed
    running = re.match(r"running · (s\d+)\n", text)
    assert running, text
    child = int((project / "pid").read_text(encoding="utf-8"))
    found, _ = host.call("ctx_search", {"queries": [], "source": running.group(1)})
    assert "  ready-now" in found
    host.close()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_a_damaged_store_is_kept_and_told(serve: Any, home: Path) -> None:
    host = serve()
    host.call("ctx_index", {"text": "x", "label": "x"})
    host.close()
    (store,) = (home / ".context-mode" / "projects").glob("*/context.db")
    store.write_bytes(b"no database at all, but long enough to be looked at" * 40)
    text, failed = serve().call("ctx_execute", {"language": "sh", "code": "echo hello"})
    assert not failed
    assert text.startswith("exit 0 · 6 B\nhello\n")
    assert "is kept as ~/.context-mode/projects/" in text
