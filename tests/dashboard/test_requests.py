"""Who gets an answer from the dashboard, and what stands in every answer."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.dashboard import made
from tests.dashboard.conftest import Started

from context_mode_installer.dashboard.routes import Routes
from context_mode_installer.dashboard.server import Dashboard
from context_mode_runtime.server.browsing import Browser

TABLE = YAML(typ="safe").load(Path(__file__).with_name("requests.yaml").read_text(encoding="utf-8"))
SENTENCE = re.compile(r"[A-Z][^<>{}]+\.?\n")


def words_of(server: Dashboard, project: Path) -> dict[str, str]:
    """What a case's braces stand for; texts are stored for a case with `{key}`, none for one with `{here}`."""
    token, once = server.url.split("/")[3], server.url_once.split("/")[3]
    return {
        "token": token, "half": token[:16], "once": once, "port": str(server.server_port), "key": made.key_of(project),
        "here": made.key_of(project),
        "long": "a" * 70_000, "words": "+".join(f"word{n}" for n in range(2_000)),
    }  # fmt: skip


def asked(server: Dashboard, case: dict[str, Any], words: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one raw request."""
    lines = [f"{case.get('method', 'GET')} {case['path']} HTTP/1.1"]
    lines += [f"Host: {host}" for host in case.get("hosts", ["127.0.0.1:{port}"])]
    body = case.get("body", "")
    text = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", body])
    for name, value in words.items():
        text = text.replace("{" + name + "}", value)
    with socket.create_connection(("127.0.0.1", server.server_port), 30) as connection:
        connection.sendall(text.encode())
        answer = http.client.HTTPResponse(connection, method=case.get("method", "GET"))
        answer.begin()
        return answer.status, dict(answer.getheaders()), answer.read()


@pytest.mark.parametrize("case", TABLE["requests"], ids=lambda case: case["name"])
def test_a_request(case: dict[str, Any], served: Dashboard, project: Path) -> None:
    if "{key}" in case["path"]:
        made.add_texts(project)
    words = words_of(served, project)
    status, headers, body = asked(served, case, words)
    assert status == case["status"], body
    assert {name: headers.get(name) for name in TABLE["headers"]} == TABLE["headers"]
    assert not [name for name in headers if name.lower().startswith(("access-control", "server", "set-cookie"))]
    assert (body == b"") == bool(case.get("empty"))
    assert case.get("says", "") in body.decode()
    assert not {words["token"], words["once"]} & set(re.findall(r"[\w-]{32}", body.decode()))
    if status != 200 and body and headers["Content-Type"].startswith("text/plain"):
        assert SENTENCE.fullmatch(body.decode())


def test_the_word_for_one_time_leads_to_the_page_once(served: Dashboard, project: Path) -> None:
    case = {"path": "/{once}/"}
    words = words_of(served, project)
    status, headers, _ = asked(served, case, words)
    assert (status, headers["Location"]) == (303, served.url)
    assert asked(served, case, words)[0] == 403


def test_every_start_has_a_token_of_its_own(start: Callable[..., Started], project: Path) -> None:
    first, second = start(project), start(project)
    assert first.url.split("/")[3] != second.url.split("/")[3]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", first.url)
    assert urllib.request.urlopen(first.url, timeout=30).status == 200
    port = first.url.split(":")[2].split("/")[0]
    assert first.stop() == (
        0,
        "context-mode: open this address in a browser; it is private to you, and Ctrl-C ends it\n",
    )
    again = start(project, "--port", port)
    assert again.url.startswith(f"http://127.0.0.1:{port}/")


def test_the_browser_is_led_there_by_an_address_that_works_once(
    start: Callable[..., Started], project: Path, tmp_path: Path
) -> None:
    pipe, opener = tmp_path / "pipe", tmp_path / "opener"
    os.mkfifo(pipe)
    opener.write_text(f'#!/bin/sh\nprintf %s "$1" > {pipe}\n')
    opener.chmod(0o755)
    running = start(project, opens={"BROWSER": str(opener), "DISPLAY": ":9"})
    given = pipe.read_text()
    assert given.split("/")[3] not in running.url
    with urllib.request.urlopen(given, timeout=30) as answer:
        assert (answer.status, answer.url) == (200, running.url)
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(given, timeout=30)


def test_nobody_is_asked_for_a_name(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("getfqdn", "gethostbyaddr", "getaddrinfo", "getnameinfo"):
        monkeypatch.setattr(socket, name, lambda *_: pytest.fail("a name server was asked"))
    with Dashboard(0, Routes(Browser(str(project)))) as server:
        assert server.url.startswith("http://127.0.0.1:")


def test_a_port_that_is_taken_is_said(run_cli: Any, project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run_cli("dashboard", "--no-open", "--port", str(port), cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--port {port}: another program listens on 127.0.0.1:{port}; name another one" in done.stderr
    assert run_cli("dashboard", "--port", "70000", cwd=project).returncode == 2


def test_looking_changes_nothing(served: Dashboard, project: Path, home: Path) -> None:
    made.add_calls(project, made.CALLS)
    made.add_texts(project)
    (home / ".context-mode" / "hook-errors.log").write_text("2026-11-30 a line\n")

    def state() -> dict[str, bytes]:
        files = [file for file in (home / ".context-mode").rglob("*") if file.is_file()]
        return {str(file): file.read_bytes() for file in files if "context.db-" not in file.name}

    key = made.key_of(project)
    before = state()
    routes = ["projects", "changes", "health", f"source?project={key}&source=s1"]
    routes += [f"conversation?project={key}&name=claude-code:c-1"]
    routes += [f"{name}?project={one}" for one in ("", key) for name in ("sources", "conversations", "search", "stats")]
    for route in routes:
        more = "&query=the+pament+refused" if route.startswith("search") else ""
        with urllib.request.urlopen(f"{served.url}api/{route}{more}", timeout=30) as answer:
            json.load(answer)
    assert state() == before
