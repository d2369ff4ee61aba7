"""Index and search times beside a reference: `python tests/bench/bench_store.py [MEGABYTES]`.

The text is the running interpreter's own library, files in sorted order. The reference is the same chunks put into
a plain full-text table (FTS5, porter, external content) by one transaction: what SQLite alone costs. CPU times.
"""

from __future__ import annotations

import glob
import os
import sqlite3
import statistics
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable

from context_mode_runtime.redact import redact
from context_mode_runtime.store.chunks import chunk
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.search import search
from context_mode_runtime.store.sources import add_source
from context_mode_runtime.store.words import vocabulary_of

QUERIES = (
    "parse arguments", "socket timeout", "UnicodeDecodeError", "os.path.join", "temporary directory cleanup",
    "how do I open a url", "thread pool executor shutdown", "asynciterater", "recieve mesage", "wsgiref/handlers.py",
)  # fmt: skip


def texts(size: int) -> list[tuple[str, str]]:
    """(label, text) of library files until `size` bytes are reached."""
    out: list[tuple[str, str]] = []
    for path in sorted(glob.glob(sysconfig.get_paths()["stdlib"] + "/**/*.py", recursive=True)):
        with open(path, encoding="utf-8", errors="replace") as file:
            out.append((path, file.read()))
        size -= len(out[-1][1])
        if size <= 0:
            break
    return out


def cpu_ms(work: Callable[[], object]) -> float:
    """CPU milliseconds of one run."""
    begin = time.process_time()
    work()
    return (time.process_time() - begin) * 1000


def reference(parts: list[str]) -> float:
    """CPU milliseconds for the chunks in a plain full-text table."""
    with tempfile.TemporaryDirectory() as folder:
        db = sqlite3.connect(os.path.join(folder, "plain.db"), isolation_level=None)
        db.execute("PRAGMA journal_mode = wal")
        db.execute("CREATE TABLE c(id INTEGER PRIMARY KEY, text TEXT)")
        db.execute(
            "CREATE VIRTUAL TABLE w USING fts5(text, content='c', content_rowid='id', tokenize='porter unicode61')"
        )

        def work() -> None:
            db.execute("BEGIN")
            db.executemany("INSERT INTO c VALUES(?, ?)", enumerate(parts))
            db.executemany("INSERT INTO w(rowid, text) VALUES(?, ?)", enumerate(parts))
            db.execute("COMMIT")

        spent = cpu_ms(work)
        db.close()
        return spent


def main(megabytes: float) -> None:
    """Prints one line a measure."""
    files = texts(int(megabytes * 1_000_000))
    size = sum(len(text.encode()) for _, text in files) / 1_000_000
    chunks = [part.text for _, text in files for part in chunk(text, "code")]
    print(f"{len(files)} files, {size:.1f} MB, {len(chunks)} chunks")
    plain = reference(chunks)
    steps = {
        "plain full-text table": plain,
        "redact": cpu_ms(lambda: [redact(text) for _, text in files]),
        "chunk": cpu_ms(lambda: [chunk(text, "code") for _, text in files]),
        "words": cpu_ms(lambda: [vocabulary_of([part.text for part in chunk(text, "text")]) for _, text in files]),
    }
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CONTEXT_MODE_DATA_DIR"] = folder
        with Store.open("bench", name="bench") as store:
            steps["add_source, all"] = cpu_ms(
                lambda: [add_source(store, text, label=label, kind="code") for label, text in files]
            )
            searches(store)
    for name, spent in steps.items():
        print(f"{name:24} {spent / size:8.1f} ms/MB {spent / plain:6.1f} x plain")


def searches(store: Store) -> None:
    """Latency of ten queries, three rounds, beside the fastest full-text query there is."""
    floor = cpu_ms(
        lambda: store.db.execute("SELECT rowid FROM chunk_words WHERE chunk_words MATCH 'socket' LIMIT 3").fetchall()
    )
    spent = []
    for _ in range(3):
        spent += [cpu_ms(lambda query=query: search(store, query, scope="project")) for query in QUERIES]  # type: ignore[misc]
    spent.sort()
    print(
        f"search: median {statistics.median(spent):.1f} ms, slowest {spent[-1]:.1f} ms, one bare MATCH {floor:.2f} ms"
    )
    print(f"file: {os.path.getsize(store.path) / 1_000_000:.1f} MB")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 5)
