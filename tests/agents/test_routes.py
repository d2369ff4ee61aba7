"""Reads and fetches that are too big for the context are turned to our tools, by a call that works when pasted."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.agents.hostrun import HostRun, Played
from tests.agents.models.base import Step

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
CALL = re.compile(r"([\w.-]*ctx_\w+)\((\{.*\})\)")
FACT = "The heron colony at Brackwater counts 417 nests."


def long_text() -> str:
    """100 KB of Markdown with one fact in it."""
    parts = [
        f"## Part {n}\n\n" + f"Paragraph {n} speaks of tides, reeds and mud flats, and of nothing else. " * 9
        for n in range(150)
    ]
    parts[93] = f"## Herons\n\n{FACT}"
    return "\n\n".join(parts) + "\n"


def pasted(results: list[str]) -> Step:
    """The call that the newest tool result names, as a model would make it."""
    named = CALL.search(results[-1])
    assert named, f"no call in: {results[-1]}"
    return {"tool": named.group(1), "args": json.loads(named.group(2))}


def turned(run: HostRun, first: Step) -> Played:
    """Makes a call that is turned, then the call that the refusal names, then a search."""
    search = run.host.call("ctx_search", queries=["how many heron nests at Brackwater"])
    played = run.play([first, {"then": pasted}, search, {"text": "over"}])
    assert played.exit_code == 0, played.log
    return played


def check(played: Played) -> None:
    refused, followed, found = played.results
    assert len(refused.text.encode()) <= 2_200  # our text <= 2,000 B and the host's own words around it
    assert FACT not in refused.text
    assert "ctx_" in followed.tool
    assert re.search(r"^(exit 0 |Indexed 1 )", followed.text, re.MULTILINE), followed.text
    assert FACT in found.text


def test_a_full_read_of_a_big_file(run: HostRun) -> None:
    book = run.project / "birds.md"
    book.write_text(long_text(), encoding="utf-8")
    check(turned(run, run.host.read(book)))


@pytest.fixture
def page() -> Iterator[str]:
    """The address of a 100 KB page on this machine."""
    body = long_text().encode()

    class Page(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            """Nothing on stderr."""

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/markdown; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/birds.md"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_web_fetch(run: HostRun, page: str) -> None:
    policy = {"version": 1, "fetch": {"privateHosts": ["127.0.0.1"]}}
    (run.home / ".context-mode" / "policy.json").write_text(json.dumps(policy), encoding="utf-8")
    check(turned(run, run.host.fetch(page)))


def test_a_bounded_read_passes(run: HostRun) -> None:
    book = run.project / "birds.md"
    book.write_text(long_text(), encoding="utf-8")
    played = run.play([run.host.read(book, lines=5), {"text": "over"}])
    [result] = played.results
    assert "Paragraph 0 speaks of tides" in result.text
