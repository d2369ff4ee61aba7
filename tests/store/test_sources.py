"""What goes in comes out, once, under a stable id; secrets don't go in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from context_mode_runtime.fetch.document import read_document
from context_mode_runtime.redact import redact
from context_mode_runtime.store.chunks import KINDS
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.errors import StoreError, UnknownSourceError
from context_mode_runtime.store.journal import add_row
from context_mode_runtime.store.purge import AmbiguousSourceError, purge_project, purge_session, purge_source
from context_mode_runtime.store.search import search
from context_mode_runtime.store.sources import (
    Indexed,
    add_source,
    check_room,
    find_source,
    list_sources,
    source_text,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text(max_size=400), kind=st.sampled_from(KINDS))
def test_text_comes_back_exactly(store: Store, text: str, kind: str) -> None:
    clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert source_text(store, add_source(store, text, label="t", kind=kind).sid) == redact(clean)[0]


def test_the_same_text_is_not_stored_twice(store: Store) -> None:
    first = add_source(store, "# A\n\none\n", label="a.md", kind="markdown", conversation="c1")
    again = add_source(store, "# A\n\none\n", label="a.md", kind="markdown", conversation="c2")
    assert (first.sid, first.chunks, first.unchanged) == ("s1", 1, False)
    assert (again.sid, again.chunks, again.unchanged) == ("s1", 0, True)
    assert add_source(store, "# A\n\none\n", label="b.md", kind="markdown").sid == "s2"
    assert add_source(store, "# A\n\none\n", label="a.md", kind="markdown", worktree="/w").sid == "s3"
    for conversation in ("c1", "c2"):
        assert search(store, "one", scope="session", conversation=conversation).hits[0].sid == "s1"


def test_each_output_is_a_source_of_its_own(store: Store) -> None:
    sids = [add_source(store, f"run {number}", label="pytest -q", kind="log").sid for number in range(3)]
    assert sids == ["s1", "s2", "s3"]
    assert find_source(store, "pytest -q").sid == "s3"


def indexed(store: Store, path: Path) -> Indexed:
    """As `ctx_index` does."""
    read = read_document(str(path))
    return add_source(store, read.text, label=path.name, kind=read.kind, origin=read.path, mark=read.mark)


def test_a_file_that_changes_while_it_is_being_stored_is_stale(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# A\n\nwalrus\n")
    read = read_document(str(path))
    path.write_text("# A\n\nmarlin\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    add_source(store, read.text, label="a.md", kind=read.kind, origin=read.path, mark=read.mark)
    (hit,) = search(store, "walrus", scope="project").hits
    assert hit.stale.startswith("stale: file changed 2023-11-14 22:13:20")


def test_a_changed_file_keeps_its_id_and_loses_its_old_words(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# A\n\nwalrus\n")
    indexed(store, path)
    path.write_text("# A\n\npenguin\n")
    done = indexed(store, path)
    assert (done.sid, done.unchanged) == ("s1", False)
    assert source_text(store, "s1") == "# A\n\npenguin\n"
    assert not search(store, "walrus", scope="project").hits
    assert store.db.execute("SELECT word FROM vocabulary WHERE word = 'walrus'").fetchall() == []
    assert indexed(store, path).unchanged


def test_a_hit_from_a_changed_file_is_stale(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# A\n\nwalrus\n")
    indexed(store, path)

    def note() -> str:
        return search(store, "walrus", scope="project").hits[0].stale

    assert note() == ""
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert note() == ""
    path.write_text("# A\n\nwalrus and more\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert note().startswith("stale: file changed 2023-11-14 22:13:20, indexed 20")
    path.write_text("# A\n\nwalrus\n")
    assert note() == ""
    path.unlink()
    assert note().startswith("stale: the file is gone")


def test_sources_are_found_by_id_label_and_beginning(store: Store) -> None:
    add_source(store, "1", label="docs/guide.md", kind="text")
    add_source(store, "2", label="docs/guide.md.bak", kind="text")
    assert find_source(store, "s2").label == "docs/guide.md.bak"
    assert find_source(store, "docs/guide.md").sid == "s1"
    assert find_source(store, "docs/guide.md.").sid == "s2"
    assert find_source(store, 1).sid == "s1"
    with pytest.raises(UnknownSourceError, match="no source 'docs/gide.md'") as error:
        find_source(store, "docs/gide.md")
    assert error.value.near[0] == "docs/guide.md"
    assert [source.sid for source in list_sources(store)] == ["s2", "s1"]


def test_secrets_and_private_text_are_in_no_file(store: Store, place: Path) -> None:
    key = "AKIA" + "QWERTYUIOPASDFGH"
    done = add_source(store, f"a {key} b\n<private>hunter-22</private>\n", label=f"run {key}", kind="log")
    add_row(store, "c", "prompt", "pw <private>hunter-22</private>", detail=key)
    assert done.cut > 20
    for file in place.parent.iterdir():
        data = file.read_bytes()
        assert b"hunter-22" not in data
        assert key.encode() not in data


def raw(place: Path) -> bytes:
    return b"".join(file.read_bytes() for file in place.parent.iterdir())


def test_purging_a_source_takes_it_out_of_the_file(store: Store, place: Path) -> None:
    for number in range(30):
        add_source(store, f"common words {number} zanzibar{number}\n" * 30, label=f"l{number}", kind="log")
    assert b"zanzibar7" in raw(place)
    assert purge_source(store, "l7") > 1
    assert b"zanzibar7" not in raw(place)
    assert b"zanzibar8" in raw(place)
    assert search(store, "zanzibar8", scope="project").hits
    with pytest.raises(UnknownSourceError):
        purge_source(store, "l7")
    add_source(store, "x", label="l8", kind="log")
    with pytest.raises(AmbiguousSourceError, match="2 sources have the label 'l8': s31, s9"):
        purge_source(store, "l8")
    assert purge_source(store, "s9") > 1


def test_purging_a_conversation_leaves_what_others_read(store: Store, place: Path) -> None:
    add_source(store, "shared walrus", label="a", kind="log", conversation="c1")
    add_source(store, "shared walrus", label="a", kind="log", conversation="c2")
    add_source(store, "own quagmire", label="b", kind="log", conversation="c1")
    add_row(store, "c1", "prompt", "about hippopotami")
    add_row(store, "c2", "prompt", "about elephants")
    assert purge_session(store, "c1") > 3
    data = raw(place)
    assert b"quagmire" not in data
    assert b"hippopotami" not in data
    assert b"elephants" in data
    assert search(store, "walrus", scope="session", conversation="c2").hits
    assert purge_session(store, "c1") == 0


def test_purging_the_project_leaves_nothing(store: Store, place: Path) -> None:
    add_source(store, "own quagmire", label="b", kind="log", conversation="c1")
    add_row(store, "c1", "prompt", "about hippopotami")
    assert purge_project(store) > 3
    assert b"quagmire" not in raw(place)
    assert b"hippopotami" not in raw(place)
    found = search(store, "quagmire", scope="project")
    assert found.nothing is not None
    assert found.nothing.kind == "empty"
    assert add_source(store, "x", label="b", kind="log").sid == "s2"


def test_a_text_of_a_million_sections_leaves_room_for_the_next_source(store: Store) -> None:
    long = "# a\nb\n" * (1 << 20)
    first = add_source(store, long, label="long.md", kind="markdown")
    second = add_source(store, "# here\nword\n", label="short.md", kind="markdown")
    assert (first.chunks < 1 << 20, source_text(store, first.sid) == long) == (True, True)
    assert source_text(store, second.sid) == "# here\nword\n"


def test_more_parts_than_a_source_can_have_are_refused(store: Store) -> None:
    check_room(store, "x.log", (1 << 20) - 1)
    with pytest.raises(StoreError, match="x.log is too long for one source: 1,048,576 parts, 1,048,575 at most"):
        check_room(store, "x.log", 1 << 20)
