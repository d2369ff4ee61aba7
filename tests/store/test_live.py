"""Sources that grow: stored at once, indexed in steps that any process can go on with."""

from __future__ import annotations

import contextlib
import hashlib
import random
from pathlib import Path

import pytest

from context_mode_runtime.store import health, unindexed
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.errors import StoreBusyError, UnknownSourceError
from context_mode_runtime.store.live import LiveSource, open_live
from context_mode_runtime.store.purge import purge_project, purge_source
from context_mode_runtime.store.retention import prune
from context_mode_runtime.store.search import search
from context_mode_runtime.store.sources import Placed, add_source, find_source, now_ms, source_pieces, source_text

LINES = "".join(f"line {n} of worker{n % 13} took {n * 7919 % 1000} ms\n" for n in range(60_000))


def grow(store: Store, label: str = "build") -> LiveSource:
    return open_live(store, Placed(label, "c", None, "ctx_execute", None))


def stored(store: Store, text: str, label: str = "build") -> str:
    live = grow(store, label)
    for at in range(0, len(text), 100_000):
        live.append(store, text[at : at + 100_000])
    return live.close(store).sid


def refuse(*_: object) -> None:
    raise StoreBusyError("context.db", "others write")


def try_to_flush(live: LiveSource, store: Store) -> None:
    with contextlib.suppress(StoreBusyError):
        live.flush(store)


def index(store: Store, sid: str, steps: int = 1_000_000) -> None:
    catching = unindexed.Catching(int(sid[1:]))
    while steps and catching.step(store):
        steps -= 1


def test_it_is_searchable_while_it_grows_and_holds_back_what_is_unfinished(store: Store, place: Path) -> None:
    live = grow(store)
    sid = live.indexed.sid
    live.append(store, "start walrus\nAKIAQWERTY")
    live.flush(store)
    index(store, sid)
    assert search(store, "walrus", source=sid).hits[0].n == 1
    assert source_text(store, sid) == "start walrus\n"
    live.append(store, "UIOPASDFGH\n<private>")
    live.flush(store)
    live.append(store, "hunter-22\n" * 100)
    live.append(store, "</private>\n")
    for number in range(3_000):
        live.append(store, f"line {number}\n")
        if number % 100 == 0:
            live.flush(store)
            index(store, sid)
    live.append(store, "last")
    assert find_source(store, sid).live
    assert live.close(store).cut > 1_000
    index(store, sid)
    text = source_text(store, sid)
    assert text == "start walrus\n[redacted]\n[private]\n" + "".join(f"line {n}\n" for n in range(3_000)) + "last"
    assert find_source(store, sid).bytes == len(text)
    assert not find_source(store, sid).live
    assert store.db.execute("SELECT count(*) FROM chunks").fetchone() == (find_source(store, sid).chunks,)
    assert store.db.execute("SELECT count(*) FROM unindexed").fetchone() == (0,)
    assert search(store, "walruss", source=sid).fixed == [("walruss", "walrus")]
    assert b"hunter-22" not in place.read_bytes() + place.with_name("context.db-wal").read_bytes()
    assert health.damaged_tables(store) == []


def test_of_an_output_with_a_gap_what_is_open_is_private(store: Store, place: Path) -> None:
    for cut_off, want in ((True, "one\n[private]"), (False, "one\n<private>hunter-22\n")):
        live = grow(store)
        live.append(store, "one\n<private>hunter-22\n")
        assert source_text(store, live.close(store, cut_off=cut_off).sid) == want


def test_a_slow_run_does_not_leave_a_chunk_for_every_look(store: Store) -> None:
    live = grow(store)
    for number in range(200):
        live.append(store, f"tick {number}\n")
        live.flush(store)
        index(store, live.indexed.sid)
    live.close(store)
    assert find_source(store, "build").chunks == 2


def test_the_text_comes_back_byte_by_byte_and_all_of_it_is_found(store: Store) -> None:
    sid = stored(store, LINES)
    digest = hashlib.sha256()
    for piece in source_pieces(store, int(sid[1:])):
        digest.update(piece.encode())
        assert len(piece) < 1_000_000
    assert digest.hexdigest() == hashlib.sha256(LINES.encode()).hexdigest()
    assert unindexed.waiting(store) == [(1, find_source(store, sid).chunks, find_source(store, sid).chunks)]
    index(store, sid)
    assert unindexed.waiting(store) == []
    assert "line 59999 " in search(store, "59999", source=sid).hits[0].snippet
    assert "line 4321 " in search(store, "4321", source=sid).hits[0].snippet


REPORT = "==== FAILURES ====\n" + "".join(f"____ test_{n} ____\n{LINES[:3_000]}wrong {n}\n" for n in range(40))
TABLE = "id,name,city\n" + "".join(f"{n},name {n},Oslo\n" for n in range(900))

RECORDS = "".join(f"Name: pod-{n}\nNode: n{n % 3}\n{LINES[: n % 7 * 700]}\nEvents: none\n\n" for n in range(60))


@pytest.mark.parametrize(
    ("report", "step"), [(REPORT, 997), (TABLE, 20), (RECORDS, 9_001)], ids=["titles", "columns", "records"]
)
def test_what_comes_in_pieces_has_the_headings_of_the_whole(
    report: str, step: int, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = add_source(store, report, label="whole", kind="log").sid
    live = grow(store)
    for at in range(0, len(report), step):
        live.append(store, report[at : at + step])
        with monkeypatch.context() as patch:
            patch.setattr(LiveSource, "_grow", refuse)
            try_to_flush(live, store)
        live.flush(store)
    live.close(store)
    rows = store.db.execute("SELECT id >> 20, heading, text FROM chunks ORDER BY id").fetchall()
    by_source = [[row[1:] for row in rows if row[0] == number] for number in (int(whole[1:]), live.indexed.id)]
    assert by_source[0] == by_source[1]
    assert any(heading for heading, _ in by_source[1])


def test_the_same_output_again_is_not_kept_twice(store: Store) -> None:
    sid = stored(store, LINES)
    assert stored(store, LINES) == sid
    assert add_source(store, LINES, label="build", kind="log", conversation="c").unchanged
    assert stored(store, LINES, label="other") != sid
    assert store.db.execute("SELECT count(*) FROM sources").fetchone() == (2,)
    assert store.db.execute("SELECT count(DISTINCT id >> 20) FROM chunks").fetchone() == (2,)


def test_another_process_goes_on_with_the_index(store: Store, place: Path) -> None:
    sid = stored(store, LINES)
    index(store, sid, steps=1)
    with Store.open(place.parent.name, name="project") as other:
        left = unindexed.waiting(other)[0]
        assert left[1] == left[2] - unindexed.STEP
        index(other, sid)
    assert unindexed.waiting(store) == []
    assert "line 4321 " in search(store, "4321", source=sid).hits[0].snippet
    assert "line 59999 " in search(store, "59999", source=sid).hits[0].snippet
    assert health.damaged_tables(store) == []


def test_half_indexed_text_can_be_rebuilt_and_deleted(store: Store, place: Path) -> None:
    sid = stored(store, LINES.replace("worker7", "zanzibar"))
    index(store, sid, steps=1)
    health.rebuild(store)
    assert unindexed.waiting(store) == []
    index(store, sid)
    assert search(store, "zanzibar", source=sid).hits
    second = stored(store, LINES.replace("worker7", "timbuktu"), label="second")
    index(store, second, steps=1)
    assert purge_source(store, sid) > 1_000
    assert purge_source(store, second) > 1_000
    assert health.damaged_tables(store) == []
    for table in ("chunks", "unindexed", "vocabulary", "readers"):
        assert store.db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # noqa: S608 - our own names
    assert not any(word in file.read_bytes() for file in place.parent.iterdir() for word in (b"zanzibar", b"timbuktu"))


def test_a_purge_that_was_interrupted_is_finished_by_the_next_one(store: Store, place: Path) -> None:
    words = random.Random(3)
    text = "".join(f"{''.join(words.choices('abcdefghijklmnop', k=9))} said {n}\n" for n in range(60_000))
    sid = stored(store, text)
    index(store, sid)

    def die() -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("time.sleep", lambda _: die())
        purge_source(store, sid)
    assert 0 < len(source_text(store, sid)) < len(text)
    assert text.startswith(source_text(store, sid))
    assert purge_source(store, sid) > 200
    assert store.db.execute("SELECT count(*) FROM vocabulary").fetchone() == (0,)
    assert store.db.execute("SELECT count(*) FROM meta WHERE key LIKE 'words of%'").fetchone() == (0,)
    assert health.damaged_tables(store) == []
    found = b"".join(file.read_bytes() for file in place.parent.iterdir())
    assert not any(line.split()[0].encode() in found for line in text.split("\n")[:25_000:100])


def test_words_that_the_end_of_a_part_cuts_do_not_outlive_a_purge(store: Store) -> None:
    letters = random.Random(3)
    line = "".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=2_000_000))
    done = add_source(store, line, label="line", kind="log")
    assert store.db.execute("SELECT count(*) FROM vocabulary").fetchone() == (0,)
    spaced = " ".join(line[at : at + 39] for at in range(0, 400_000, 39)) + line
    done = add_source(store, spaced, label="spaced", kind="log")
    purge_source(store, done.sid)
    assert store.db.execute("SELECT count(*) FROM vocabulary").fetchone() == (0,)


def test_a_source_that_is_deleted_while_it_grows_stays_deleted(store: Store) -> None:
    live = grow(store)
    live.append(store, "one\n")
    live.flush(store)
    purge_project(store)
    live.append(store, "two\n")
    with pytest.raises(UnknownSourceError):
        live.flush(store)
    assert store.db.execute("SELECT count(*) FROM chunks").fetchone() == (0,)


def test_what_could_not_be_written_is_written_later(store: Store, place: Path) -> None:
    live = grow(store)
    store.db.execute("PRAGMA busy_timeout = 1")
    with Store.open(place.parent.name, name="project") as other, other.write():
        live.append(store, "one\n")
        with pytest.raises(Exception, match="busy"):
            live.flush(store)
    live.append(store, "two\n")
    live.close(store)
    assert source_text(store, live.indexed.sid) == "one\ntwo\n"


def test_endless_different_words_leave_a_bounded_vocabulary(store: Store) -> None:
    words = random.Random(3)
    text = "".join(f"{''.join(words.choices('abcdefghijklmnop', k=9))}\n" for _ in range(60_000))
    index(store, stored(store, text))
    assert store.db.execute("SELECT count(*) FROM vocabulary").fetchone()[0] < 27_000
    assert search(store, text.split("\n")[-2], source="build").hits


def test_a_source_whose_process_died_is_not_kept_for_ever(store: Store) -> None:
    live = grow(store)
    live.append(store, "one\n")
    live.flush(store)
    day = 86_400_000
    prune(store, days=30, megabytes=0, now_ms=now_ms() + 2 * day)
    assert not find_source(store, "build").live
    prune(store, days=30, megabytes=0, now_ms=now_ms() + 32 * day)
    assert store.db.execute("SELECT count(*) FROM sources").fetchone() == (0,)
