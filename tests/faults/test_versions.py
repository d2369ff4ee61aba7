"""Two versions of us at one store: the newer one moves it on, the older one steps aside and says so."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.store.test_db import WRITER

from context_mode_runtime.project import find_project
from context_mode_runtime.store import migrations
from context_mode_runtime.store.sources import add_source

from .conftest import AGENT, Figure, Hooks, printed, store_of, texts_of

PROCESSES = 8


def test_a_newer_version_moves_the_store_on_while_we_run(
    hooks: Hooks, serve: Any, project: Path, figure: Figure
) -> None:
    host = serve(AGENT)
    assert host.call("ctx_index", {"text": printed("pangolin"), "label": "early"})[0].startswith("Indexed 1 source(s)")
    assert hooks.stores("wombat")
    with store_of(project) as store:
        path = store.path
    newer = sqlite3.connect(path)
    with newer:
        newer.execute("ALTER TABLE journal ADD COLUMN mood TEXT")
        newer.execute(f"PRAGMA user_version = {migrations.LATEST + 1}")
    count = newer.execute("SELECT (SELECT count(*) FROM sources), (SELECT count(*) FROM journal)").fetchone()
    for old in (host, serve(AGENT)):
        for tool, arguments in (("ctx_index", {"text": "x"}), ("ctx_search", {"queries": ["pangolin"]})):
            text, failed = old.call(tool, arguments)
            assert failed
            assert "upgrade" in text
        assert old.call("ctx_execute", {"language": "sh", "code": "echo fine"})[0].startswith("exit 0 · 5 B\nfine\n")
    assert hooks.denies()
    assert not hooks.stores("quokka")
    after = newer.execute("SELECT (SELECT count(*) FROM sources), (SELECT count(*) FROM journal)").fetchone()
    newer.close()
    assert after == count
    figure("store of a newer version: rule held, command ran, tools said to upgrade, 0 rows written")


def test_many_processes_open_an_older_store_at_once(hooks: Hooks, project: Path, figure: Figure) -> None:
    """The file of the first version, with a text in it; each process finds it, one moves it on."""
    with store_of(project) as store:
        path = store.path
        add_source(store, printed("pangolin"), label="early", kind="log")
    _back_to_the_first(path)
    found = find_project(str(project))
    assert found
    writers = [
        subprocess.Popen(
            [sys.executable, WRITER, found.key(), f"w{n}", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for n in range(PROCESSES)
    ]
    for writer in writers:
        assert (writer.communicate()[1], writer.returncode) == (b"", 0)
    texts = texts_of(project)
    assert texts["early"] == printed("pangolin")
    assert len(texts) == 1 + PROCESSES
    assert hooks.stores("wombat")
    figure(
        f"store of the first version, opened by {PROCESSES} processes at once: moved on once, {len(texts)} texts whole"
    )


def _back_to_the_first(path: str) -> None:
    """Takes out what later steps added."""
    db = sqlite3.connect(path)
    with db:
        db.execute("DROP TABLE unindexed")
        db.execute("DROP INDEX ledger_conversation")
        db.execute("CREATE INDEX ledger_conversation ON ledger(conversation)")
        for column in ("page_url", "page_etag", "page_modified", "page_fetched"):
            db.execute(f"ALTER TABLE sources DROP COLUMN {column}")
        first = sqlite3.connect(":memory:")
        migrations.m001_first(first)
        ask = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY name"
        names = [[row[0] for row in one.execute(ask)] for one in (db, first)]
        assert names[0] == names[1]  # else a new step needs a line here
        db.execute("PRAGMA user_version = 1")
        first.close()
    db.close()
