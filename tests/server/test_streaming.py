"""Outputs of any size are stored whole, and the reply comes from what matters of them (F40, F44)."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests import only

from context_mode_runtime.store.db import Store
from context_mode_runtime.store.sources import find_source, source_pieces

NUMBERS = (
    "import random, sys\n"
    "r = random.Random(5)\n"
    "for n in range({lines}):\n"
    "    if n == {middle}: print('ERROR: the pump at bay 12 broke')\n"
    "    print(n, 'took', r.randrange(10**9), 'units')\n"
)
MANY = "seq 1 12400000; echo 'ERROR: the pump at bay 12 broke'; seq 12400001 12700000"
"""100 MB."""
LONG_LINE = "head -c 60000000 /dev/zero | tr '\\0' x; echo"


def digest(store: Store, sid: str) -> str:
    found = hashlib.sha256()
    for piece in source_pieces(store, find_source(store, sid).id):
        found.update(piece.encode())
    return found.hexdigest()


def printed_by(code: str, project: Path) -> str:
    """The digest of what `code` prints, without us."""
    with os.popen(f"cd {project}; ({code}) | sha256sum") as out:  # noqa: S605 - code of this file
        return out.read().split()[0]


def named(text: str) -> dict[str, Any]:
    found = re.search(r"ctx_search\((\{.*\})\)$", text)
    assert found, text
    return dict(json.loads(found.group(1)))


def running(text: str) -> str:
    """The source that a background run fills."""
    found = re.match(r"running · (s\d+)\n", text)
    assert found, text
    return found.group(1)


@pytest.mark.parametrize("code", [MANY, LONG_LINE], ids=["100 MB of lines", "one line of 60 MB"])
def test_all_of_it_is_stored_byte_by_byte(serve: Any, kept: Any, project: Path, code: str) -> None:
    host = serve()
    text, failed = host.call("ctx_execute", {"language": "sh", "code": code})
    assert not failed
    assert len(text.encode()) <= 4_096
    assert ("ERROR: the pump at bay 12 broke" in text) == ("ERROR" in code)
    sid = named(text)["source"]
    while "still being stored" in text:
        text, _ = host.call("ctx_search", {"queries": [], "source": sid})
        if not find_source(kept(), sid).live:
            break
    assert digest(kept(), sid) == printed_by(code, project)
    first, _ = host.call("ctx_search", {"queries": [], "source": sid})
    assert f"#1: {'lines 1-' if code == MANY else 'line'}" in first


def test_the_middle_of_a_long_output_is_found(serve: Any) -> None:
    host = serve()
    code = NUMBERS.format(lines=400_000, middle=200_000)
    text, _ = host.call("ctx_execute", {"language": "python", "code": code, "intent": "what happened at bay 12"})
    assert "ERROR: the pump at bay 12 broke" in text
    found = ""
    while "ERROR: the pump at bay 12 broke" not in found:
        found, failed = host.call("ctx_search", {"queries": ["pump bay broke"]})
        assert not failed
        assert "still being indexed" in found or "ERROR: the pump at bay 12 broke" in found
    assert "still being" not in host.call("ctx_search", {"queries": ["pump"]})[0].replace(found, "")


def test_killed_while_it_is_indexed_nothing_is_lost(serve: Any, kept: Any, project: Path) -> None:
    first = serve()
    code = "seq 1 3000000"
    text, _ = first.call("ctx_execute", {"language": "sh", "code": code})
    first.process.kill()
    sid = named(text)["source"]
    assert digest(kept(), sid) == printed_by(code, project)
    second = serve()
    found = ""
    while "  2999999" not in found:
        found, failed = second.call("ctx_search", {"queries": ["2999999"], "source": sid})
        assert not failed
        assert "is still being indexed, " in found or "  2999999" in found


def test_a_secret_across_two_pieces_never_reaches_the_disk(serve: Any, home: Path) -> None:
    host = serve()
    secret = "ghp_" + "a1B2c3D4e5" * 4
    code = (
        "import sys\n"
        f"secret = '{secret[:20]}' + '{secret[20:]} <private>hunter-' + '22\\nmore</private>\\n'\n"
        "for n in range(300):\n"
        "    sys.stdout.write('x' * (50_021 + n) + '\\ntoken ' + secret)\n"
    )
    text, failed = host.call("ctx_execute", {"language": "python", "code": code})
    assert not failed
    assert "B of secrets or private text were cut" in text
    host.close()
    stored = b"".join(path.read_bytes() for path in (home / ".context-mode").rglob("*") if path.is_file())
    assert secret.encode() not in stored
    assert b"hunter-22" not in stored
    assert len(stored) > 15_000_000


def test_over_the_limit_of_the_policy_the_middle_is_counted(serve: Any, kept: Any, home: Path) -> None:
    (home / ".context-mode").mkdir(mode=0o700)
    (home / ".context-mode" / "policy.json").write_text('{"version": 1, "retention": {"maxMegabytes": 10}}')
    host = serve()
    text, failed = host.call("ctx_execute", {"language": "sh", "code": "seq 1 3000000"})
    assert not failed
    assert re.match(r"exit 0 · 22888896 B\n12,403,136 B between beginning and end were not kept\n", text)
    store = kept()
    (row,) = store.db.execute("SELECT text FROM chunks WHERE text LIKE '%not kept%'").fetchall()
    assert re.search(r"^\[\.\.\. 12,403,1\d\d B not kept \.\.\.\]$", row[0], re.MULTILINE)
    assert find_source(store, named(text)["source"]).bytes < 10 * 1024 * 1024 + 50


def test_a_long_source_is_given_to_code_as_a_file(serve: Any, project: Path) -> None:
    host = serve()
    sid = named(host.call("ctx_execute", {"language": "sh", "code": "seq 1 2000000"})[0])["source"]
    code = 'sha256sum < "$FILE_PATH"; wc -l < "$FILE_PATH"'
    text, failed = host.call("ctx_execute", {"language": "sh", "code": code, "file": sid})
    assert not failed
    assert printed_by("seq 1 2000000", project) in text
    assert "2000000\n" in text


def test_a_background_run_that_prints_for_ever_is_read_piece_by_piece(serve: Any, kept: Any, project: Path) -> None:
    for n in (1, 2, 3):
        os.mkfifo(project / f"go{n}")
    host = serve()
    code = "for n in 1 2 3; do seq ${n}00000 ${n}99999; read x < go$n; done; echo last words"
    text, _ = host.call("ctx_execute", {"language": "sh", "code": code, "background": True})
    sid = running(text)

    def until(wanted: str, *queries: str) -> None:
        found = ""
        while wanted not in found:
            found, failed = host.call("ctx_search", {"queries": [*queries], "source": sid})
            assert not failed, found

    for n in (1, 2, 3):
        until(f"  {n}99999", f"{n}99999")
        (project / f"go{n}").write_text("on\n", encoding="utf-8")
    until("  last words", "last words")
    until("exit 0 · ")
    store = kept()
    assert not find_source(store, sid).live
    want = "".join(f"{n}\n" for n in range(100_000, 400_000)) + "last words\n"
    assert digest(store, sid) == hashlib.sha256(want.encode()).hexdigest()


@only.POSIX
def test_a_background_run_that_the_server_ends_with_is_kept_to_its_last_line(serve: Any, kept: Any) -> None:
    host = serve()
    code = "trap 'echo tidied up; exit' TERM; echo begun; while :; do sleep 0.05; done"
    text, _ = host.call("ctx_execute", {"language": "sh", "code": code, "background": True})
    sid = running(text)
    while "  begun" not in host.call("ctx_search", {"queries": [], "source": sid})[0]:
        pass
    host.close()
    store = kept()
    text = "".join(source_pieces(store, int(sid[1:])))
    assert (text[:6], text[-10:]) == ("begun\n", "tidied up\n")
    assert not find_source(store, sid).live
