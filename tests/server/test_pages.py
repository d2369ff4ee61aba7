"""ctx_index url: life time, revalidation, replacement, and a cancel, against a real web server."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fetch.web import Site, answer, redirect

from context_mode_runtime.project import Project, find_project
from context_mode_runtime.server.call import Call
from context_mode_runtime.server.calls import Running
from context_mode_runtime.server.identity import Caller
from context_mode_runtime.server.pages import index_url
from context_mode_runtime.server.session import Connection
from context_mode_runtime.store.sources import source_text

PAGE = "<h1>Retry budget</h1><p>Three attempts, then the circuit opens.</p>"
NEWER = "<h1>Retry budget</h1><p>Seven attempts, then the circuit opens.</p>"
HOUR = 3_600_000
START = 1_800_000_000_000
WAIT_S = 30
Index = Callable[..., str]


@pytest.fixture
def site() -> Iterator[Site]:
    server = Site()
    yield server
    server.close()


def allow(home: Path, site: Site, **fetch: Any) -> None:
    (home / ".context-mode").mkdir(mode=0o700, exist_ok=True)
    policy = {"version": 1, "fetch": {"privateHosts": [f"127.0.0.1:{site.port}"], **fetch}}
    (home / ".context-mode" / "policy.json").write_text(json.dumps(policy), encoding="utf-8")


@pytest.fixture
def index(home: Path, project: Path, site: Site) -> Index:
    """`index(hours, url, ...)`: what ctx_index says so many hours after the start; its project's store is real."""
    allow(home, site)
    connection = Connection(None, None, str(project))

    def call(hours: float, path: str = "/doc", **arguments: Any) -> str:
        running = Running(None, 1, None, threading.Event())
        found = find_project(str(project))
        one = Call("ctx_index", {"url": site.url + path, **arguments}, connection, (Caller(), found), running)
        try:
            return index_url(one, now=lambda: START + int(hours * HOUR))
        finally:
            one.close()

    return call


def first(text: str) -> str:
    return text.partition("\n")[0]


def unchanged(site: Site, path: str = "/doc") -> str:
    return f"Indexed 0 source(s), 0 chunk(s): unchanged, s1. Label: {site.url}{path}"


def text_of(project: Path, sid: str = "s1") -> str:
    from context_mode_runtime.store.db import Store

    found: Project | None = find_project(str(project))
    assert found is not None
    with Store.open(found.key(), name=found.name) as store:
        return source_text(store, sid)


def test_within_its_life_time_a_page_is_not_asked_for(index: Index, site: Site) -> None:
    site.pages["/doc"] = answer(PAGE)
    assert first(index(0)) == f"Indexed 1 source(s), 1 chunk(s) from s1. Label: {site.url}/doc"
    again = index(2)
    assert first(again) == unchanged(site)
    assert again.split("\n")[1].startswith("fetched 2 h ago, asked for again after 24 h")
    assert len(site.requests) == 1


@pytest.mark.parametrize(
    ("header", "asked"),
    [
        ('ETag: "v1"', 'If-None-Match: "v1"'),
        ('ETag: W/"v1"', 'If-None-Match: W/"v1"'),
        ("Last-Modified: Sat, 01 Aug 2026 10:00:00 GMT", "If-Modified-Since: Sat, 01 Aug 2026 10:00:00 GMT"),
    ],
)
def test_after_it_the_server_is_asked_for_something_newer(index: Index, site: Site, header: str, asked: str) -> None:
    site.pages["/doc"] = answer(PAGE, header)
    index(0)
    site.pages["/doc"] = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    again = index(25)
    assert again == unchanged(site) + "\nthe server has nothing newer than what was fetched 1 d ago"
    assert asked in site.requests[1].split("\r\n")
    assert index(48).split("\n")[1].startswith("fetched 23 h ago")
    assert len(site.requests) == 2


def test_a_changed_page_takes_the_place_of_the_old_one(index: Index, site: Site, project: Path) -> None:
    site.pages["/doc"] = answer(PAGE, 'ETag: "v1"')
    index(0)
    site.pages["/doc"] = answer(NEWER, 'ETag: "v2"')
    assert first(index(25)) == f"Indexed 1 source(s), 1 chunk(s) from s1. Label: {site.url}/doc"
    assert "Seven attempts" in text_of(project)
    index(50)
    assert 'If-None-Match: "v2"' in site.requests[2]


def test_the_same_page_again_is_unchanged_and_young_again(index: Index, site: Site) -> None:
    site.pages["/doc"] = answer(PAGE)
    index(0)
    assert first(index(25)) == unchanged(site)
    assert "If-" not in site.requests[1]
    index(26)
    assert len(site.requests) == 2


def test_refresh_fetches_whatever_is_known(index: Index, site: Site, project: Path) -> None:
    site.pages["/doc"] = answer(PAGE, 'ETag: "v1"')
    index(0)
    site.pages["/doc"] = answer(NEWER, 'ETag: "v1"')
    assert " from s1. " in first(index(1, refresh=True))
    assert "If-" not in site.requests[1]
    assert "Seven attempts" in text_of(project)


def test_the_conditions_go_to_the_page_that_gave_them(index: Index, site: Site) -> None:
    """A redirect may lead elsewhere the next time; a date of one page says nothing about another."""
    site.pages["/doc"] = redirect("/a")
    site.pages["/a"] = answer(PAGE, 'ETag: "a1"')
    index(0)
    index(25)
    assert ["If-None-Match" in request for request in site.requests] == [False, False, False, True]
    site.pages["/doc"] = redirect("/b")
    site.pages["/b"] = answer(NEWER)
    assert " from s1. " in first(index(50))
    assert "If-None-Match" not in site.requests[-1]


def test_a_page_that_fails_leaves_the_old_one(index: Index, site: Site, project: Path) -> None:
    site.pages["/doc"] = answer(PAGE)
    index(0)
    site.pages["/doc"] = answer("gone", status="404 Not Found")
    with pytest.raises(Exception, match="answered 404"):
        index(25)
    assert "Three attempts" in text_of(project)


def test_a_not_modified_that_nobody_asked_for_is_an_error(index: Index, site: Site) -> None:
    site.pages["/doc"] = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    with pytest.raises(Exception, match="answered 304"):
        index(0)


def test_another_label_is_another_source(index: Index, site: Site) -> None:
    site.pages["/doc"] = answer(PAGE)
    index(0)
    assert first(index(1, label="api")) == "Indexed 1 source(s), 1 chunk(s) from s2. Label: api"
    assert "unchanged, s2. Label: api" in first(index(2, label="api"))
    assert len(site.requests) == 2


def test_credentials_do_not_reach_the_store(index: Index, site: Site, home: Path) -> None:
    site.pages["/doc?token=hunter22hunter22"] = answer(PAGE, 'ETag: "v1"')
    with_login = f"http://me:hunter22-pw@127.0.0.1:{site.port}/doc?token=hunter22hunter22"
    index(0, url=with_login)
    assert "unchanged, s1" in index(1, url=with_login)
    data = b"".join(path.read_bytes() for path in home.rglob("context.db*"))
    assert b"hunter22" not in data


def test_over_the_wire(serve: Any, home: Path, site: Site) -> None:
    """The life time of the policy, and every kind of text that a server sends."""
    allow(home, site, ttlHours=0.000_000_1)
    site.pages["/doc"] = answer(PAGE, 'ETag: "v1"')
    site.pages["/data"] = answer('{"retry": {"attempts": 3}}', kind="application/json")
    host = serve()
    assert host.call("ctx_index", {"url": site.url + "/doc"})[0].startswith("Indexed 1 source(s)")
    assert host.call("ctx_index", {"url": site.url + "/data", "label": "data"})[0].startswith("Indexed 1 source(s)")
    assert "circuit opens" in host.call("ctx_search", {"queries": ["circuit"]})[0]
    assert "data #1: " in host.call("ctx_search", {"queries": ["attempts"], "source": "data"})[0]
    site.pages["/doc"] = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    assert "nothing newer" in host.call("ctx_index", {"url": site.url + "/doc"})[0]
    allow(home, site)
    assert "fetched less than a minute ago" in host.call("ctx_index", {"url": site.url + "/doc"})[0]


@pytest.mark.parametrize(
    "sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 900\r\n\r\nsome"]
)
def test_a_cancelled_fetch_lets_go_of_the_server_and_gets_no_answer(
    serve: Any, home: Path, site: Site, sent: bytes
) -> None:
    allow(home, site, timeoutMs=600_000)
    begun, gone = threading.Event(), threading.Event()

    def stall(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(sent)
        begun.set()
        if select.select([connection], [], [], WAIT_S)[0]:
            with contextlib.suppress(ConnectionError):  # a client that goes before it has read resets the connection
                assert not connection.recv(1)
            gone.set()

    site.pages["/doc"] = stall
    host = serve()
    params = {"name": "ctx_index", "arguments": {"url": site.url + "/doc"}}
    host.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
    assert begun.wait(WAIT_S)
    host.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    assert gone.wait(WAIT_S)
    assert host.call("ctx_search", {"queries": []})[0] == "  nothing is indexed in this project yet"
    assert host.close() == 0
    assert 7 not in [message.get("id") for message in host.messages]


def test_a_store_from_before_pages_were_noted_is_brought_up_to_date(index: Index, site: Site, home: Path) -> None:
    site.pages["/doc"] = answer(PAGE)
    index(0)
    [path] = home.rglob("context.db")
    with sqlite3.connect(path) as db:
        for column in ("page_url", "page_etag", "page_modified", "page_fetched"):
            db.execute(f"ALTER TABLE sources DROP COLUMN {column}")
        db.execute("PRAGMA user_version = 2")
    db.close()
    assert first(index(0)) == unchanged(site)
