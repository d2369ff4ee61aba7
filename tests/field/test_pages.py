"""F57 to F59 and F74: what the server fetches and what it says instead, against a real web server."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from tests.fetch.web import Site, answer, redirect

from .conftest import Policy


@pytest.fixture
def site() -> Iterator[Site]:
    server = Site()
    yield server
    server.close()


INNER = [
    "http://169.254.169.254/", "http://[::ffff:a9fe:a9fe]/", "http://[64:ff9b::a9fe:a9fe]/",
    "http://[2002:a9fe:a9fe::]/", "http://127.0.0.1:9/", "file:///etc/passwd",
]  # fmt: skip


def test_f57_no_inner_address_is_asked(serve: Any) -> None:
    host = serve()
    for url in INNER:
        text, failed = host.call("ctx_index", {"url": url})
        assert failed, (url, text)
        assert "\n" not in text
    assert "nothing is indexed" in host.call("ctx_search", {"queries": []})[0]


def test_f57_a_page_that_leads_inside_is_refused(serve: Any, policy: Policy, site: Site) -> None:
    policy(fetch={"privateHosts": [f"127.0.0.1:{site.port}"]})
    site.pages["/"] = redirect("http://10.0.0.1/")
    text, failed = serve().call("ctx_index", {"url": site.url + "/"})
    assert failed
    assert "10.0.0.1" in text


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy"])
def test_f58_a_proxy_that_is_set_is_named_where_the_direct_way_fails(serve: Any, policy: Policy, name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    policy(fetch={"privateHosts": [f"127.0.0.1:{port}"]})
    host = serve(env={name: "http://127.0.0.1:9"})
    text, failed = host.call("ctx_index", {"url": f"http://127.0.0.1:{port}/"})
    assert failed
    assert f"{name} is set but not used" in text
    assert '"proxy": "environment"' in text


SHELL = "<html><head><script>" + "var a = 'x';\n" * 3_200 + "</script></head><body><p>" + "text " * 16 + "</p></body>"
WALLS = {
    "a script shell": (answer(SHELL), "has no readable text"),
    "a login": (answer("<p>log in</p>", status="401 Unauthorized"), "401"),
    "a bot wall": (answer("<p>no robots</p>", status="403 Forbidden"), "403"),
}


@pytest.mark.parametrize(("page", "words"), WALLS.values(), ids=WALLS)
def test_f59_what_is_no_page_is_not_indexed(serve: Any, policy: Policy, site: Site, page: bytes, words: str) -> None:
    policy(fetch={"privateHosts": [f"127.0.0.1:{site.port}"]})
    site.pages["/"] = page
    host = serve()
    text, failed = host.call("ctx_index", {"url": site.url + "/"})
    assert failed
    assert words in text
    assert "nothing is indexed" in host.call("ctx_search", {"queries": []})[0]


def test_f74_only_the_listed_port_is_open(serve: Any, policy: Policy, site: Site) -> None:
    policy(fetch={"privateHosts": [f"127.0.0.1:{site.port}"]})
    site.pages["/"] = answer("<h1>Local</h1><p>The dev server of the numbat.</p>")
    host = serve()
    assert not host.call("ctx_index", {"url": site.url + "/"})[1]
    text, failed = host.call("ctx_index", {"url": f"http://127.0.0.1:{site.port + 1}/"})
    assert failed
    assert f"127.0.0.1:{site.port + 1}" in text
