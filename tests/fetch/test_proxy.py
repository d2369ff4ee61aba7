from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator

import pytest
from tests.fetch.web import Answer, Names, Resolver, Site, answer, endless, redirect

from context_mode_runtime.fetch.client import fetch
from context_mode_runtime.fetch.rules import FetchError, FetchRules

PAGE = "<h1>From behind</h1><p>It came by way of the proxy.</p>"
ResolverOf = Callable[[Names], Resolver]


@pytest.fixture
def unknown(resolver_of: ResolverOf) -> Resolver:
    """The name server behind a company's wall: it knows nothing."""
    return resolver_of({})


@pytest.fixture
def proxy() -> Iterator[Site]:
    """A proxy that answers plain requests itself and refuses tunnels."""
    server = Site()
    server.pages["http://docs.test/page"] = answer(PAGE)
    yield server
    server.close()


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
def test_a_proxy_variable_is_named_when_the_direct_way_fails(
    monkeypatch: pytest.MonkeyPatch, unknown: Resolver, name: str
) -> None:
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    with pytest.raises(FetchError) as caught:
        fetch("https://docs.test/", FetchRules(), resolver=unknown)
    assert str(caught.value) == (
        f"docs.test was not found: name or service not known. {name} is set but not used: "
        '"fetch": {"proxy": "environment"} in ~/.context-mode/policy.json goes through that proxy, '
        "which then looks up the names, so that inner addresses behind a name are no longer kept out"
    )


def test_the_variable_of_the_other_scheme_is_not_named(monkeypatch: pytest.MonkeyPatch, unknown: Resolver) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with pytest.raises(FetchError, match=r"^docs\.test was not found: name or service not known$"):
        fetch("http://docs.test/", FetchRules(), resolver=unknown)


def test_a_proxy_variable_alone_changes_nothing(monkeypatch: pytest.MonkeyPatch, site: Site, proxy: Site) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    site.pages["/"] = answer(PAGE)
    assert fetch(site.url, site.rules()).status == 200
    assert proxy.requests == []


def test_the_policy_can_send_it_through_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, proxy: Site, unknown: Resolver
) -> None:
    monkeypatch.setenv("http_proxy", f"http://me:pw@127.0.0.1:{proxy.port}")
    page = fetch("http://docs.test/page", FetchRules(proxy="environment"), resolver=unknown)
    assert "by way of the proxy" in page.text
    assert "Proxy-Authorization: Basic bWU6cHc=" in proxy.requests[0]
    assert "Host: docs.test\r\n" in proxy.requests[0]


def test_no_proxy_is_respected(monkeypatch: pytest.MonkeyPatch, proxy: Site, unknown: Resolver) -> None:
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.setenv("no_proxy", "docs.test")
    with pytest.raises(FetchError, match=r"docs\.test was not found"):
        fetch("http://docs.test/page", FetchRules(proxy="environment"), resolver=unknown)
    assert proxy.requests == []


def test_the_policy_can_name_a_proxy(proxy: Site, unknown: Resolver) -> None:
    rules = FetchRules(proxy=f"127.0.0.1:{proxy.port}")
    assert fetch("http://docs.test/page", rules, resolver=unknown).url == "http://docs.test/page"


@pytest.mark.parametrize("url", ["http://169.254.169.254/", "http://inner.test/", "http://2130706433/"])
def test_what_can_be_judged_here_is_refused_all_the_same(proxy: Site, resolver_of: ResolverOf, url: str) -> None:
    with pytest.raises(FetchError, match=r"refused|unusual"):
        fetch(url, FetchRules(proxy=proxy.url), resolver=resolver_of({"inner.test": ["10.0.0.1"]}))
    assert proxy.requests == []


def test_a_refused_tunnel_is_named(proxy: Site, unknown: Resolver) -> None:
    with pytest.raises(FetchError, match=rf"the proxy 127\.0\.0\.1:{proxy.port} refused docs\.test:443: 404"):
        fetch("https://docs.test/", FetchRules(proxy=proxy.url), resolver=unknown)


TUNNELS: dict[str, tuple[Answer, str]] = {
    "nothing": (b"", "refused docs.test:443"),
    "407": (b"HTTP/1.1 407 Login needed\r\n\r\n", "refused docs.test:443: 407 Login needed"),
    "redirect": (redirect("https://other.test/"), "refused docs.test:443: 302 Found"),
    "redirect inside": (redirect("http://169.254.169.254/"), "refused docs.test:443: 302 Found"),
    "error page": (answer("<p>Blocked", status="403 Forbidden"), "refused docs.test:443: 403 Forbidden"),
    "another protocol": (b"SMTP ready " + b"x" * 70_000, "refused docs.test:443: ready xxx"),
    "garbage": (b"\x00\xff\x1b[31m\r\n\r\n" * 40, "refused docs.test:443"),
    "signs in the status": (b"HTTP/1.1 500 a\x1b[31mb\r\n\r\n", "refused docs.test:443: 500 a [31mb"),
    "endless headers": (endless(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"), "does not end its answer about docs.test:443"),
    "endless line": (endless(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 4_096), "does not end its answer about docs.test:443"),
    "cut short": (b"HTTP/1.1 200 OK\r\nX: y\r\n", "does not end its answer about docs.test:443"),
}


@pytest.mark.parametrize(("said", "error"), TUNNELS.values(), ids=TUNNELS)
def test_a_tunnel_that_does_not_open_is_named(unknown: Resolver, proxy: Site, said: Answer, error: str) -> None:
    proxy.pages["docs.test:443"] = said
    rules = FetchRules(proxy=f"http://me:pw@127.0.0.1:{proxy.port}")
    with pytest.raises(FetchError) as caught:
        fetch("https://docs.test/", rules, resolver=unknown)
    assert error in str(caught.value)
    assert str(caught.value).isprintable()
    assert not any(secret in str(caught.value) for secret in ("me:pw", "bWU6cHc="))
    assert "Proxy-Authorization: Basic bWU6cHc=" in proxy.requests[0]
    assert len(proxy.requests) == 1


def test_a_proxy_that_drips_ends_at_the_time_limit(unknown: Resolver, proxy: Site) -> None:
    def drip(connection: socket.socket, _request: bytes) -> None:
        for sign in b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10_000:
            connection.sendall(bytes((sign,)))
            if proxy.release.wait(0.02):
                return

    proxy.pages["docs.test:443"] = drip
    with pytest.raises(FetchError, match="no whole answer within 300 ms"):
        fetch("https://docs.test/", FetchRules(proxy=proxy.url, timeout_ms=300), resolver=unknown)


@pytest.mark.parametrize(
    "proxy_text", ["http://me:pw@127.0.0.1:1", "https://me:pw@127.0.0.1:1", "http://me:pw@unknown.test:1"]
)
def test_what_a_proxy_is_called_with_is_never_said(unknown: Resolver, proxy_text: str) -> None:
    with pytest.raises(FetchError) as caught:
        fetch("https://docs.test/", FetchRules(proxy=proxy_text), resolver=unknown)
    assert "pw" not in str(caught.value)


def test_what_a_proxy_is_called_with_stays_with_the_proxy(
    monkeypatch: pytest.MonkeyPatch, unknown: Resolver, proxy: Site, site: Site
) -> None:
    """What is not to go through it does not get its credentials, and a page's own do not go to it."""
    proxy.pages["http://docs.test/page"] = redirect(site.url + "/")
    site.pages["/"] = answer(PAGE)
    monkeypatch.setenv("http_proxy", f"http://me:pw@127.0.0.1:{proxy.port}")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    fetch("http://docs.test/page", site.rules(proxy="environment"), resolver=unknown)
    assert "Proxy-Authorization" in proxy.requests[0]
    assert "authorization" not in site.requests[0].lower()


LEFT_OUT = ("docs.test", "DOCS.test", ".test", "test", "a.test, docs.test", "*", "docs.test:80")
NOT_LEFT_OUT = ("docs.test:81", "ocs.test", "docs.test.other", "")


@pytest.mark.parametrize(
    ("value", "direct"), [*((value, True) for value in LEFT_OUT), *((value, False) for value in NOT_LEFT_OUT)]
)
def test_what_no_proxy_leaves_out(
    monkeypatch: pytest.MonkeyPatch, proxy: Site, unknown: Resolver, value: str, *, direct: bool
) -> None:
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.setenv("no_proxy", value)
    rules = FetchRules(proxy="environment")
    if direct:
        with pytest.raises(FetchError, match=r"docs\.test was not found"):
            fetch("http://docs.test/page", rules, resolver=unknown)
    else:
        assert "by way of the proxy" in fetch("http://docs.test/page", rules, resolver=unknown).text
    assert bool(proxy.requests) is not direct


def test_a_proxy_that_stalls_or_breaks_is_named(unknown: Resolver, proxy: Site) -> None:
    proxy.pages["docs.test:443"] = proxy.hold
    with pytest.raises(FetchError, match="no whole answer within 300 ms"):
        fetch("https://docs.test/", FetchRules(proxy=proxy.url, timeout_ms=300), resolver=unknown)

    def reset(connection: socket.socket, _request: bytes) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    proxy.pages["docs.test:443"] = reset
    with pytest.raises(FetchError, match=rf"the proxy 127\.0\.0\.1:{proxy.port} failed: connection reset"):
        fetch("https://docs.test/", FetchRules(proxy=proxy.url), resolver=unknown)


def test_a_tunnel_carries_what_follows(unknown: Resolver, proxy: Site) -> None:
    """The far end speaks no TLS here: that it is reached at all shows that the tunnel was taken."""
    heard = threading.Event()

    def tunnel(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        if connection.recv(3) == b"\x16\x03\x01":
            heard.set()

    proxy.pages["docs.test:443"] = tunnel
    with pytest.raises(FetchError, match=r"no TLS connection to docs\.test:443"):
        fetch("https://docs.test/", FetchRules(proxy=proxy.url), resolver=unknown)
    assert heard.is_set()


def test_a_proxy_of_another_kind_is_refused(unknown: Resolver) -> None:
    with pytest.raises(FetchError, match="is not an http:// proxy"):
        fetch("http://docs.test/", FetchRules(proxy="https://127.0.0.1:1"), resolver=unknown)


def test_a_policy_table_is_read_with_its_defaults() -> None:
    rules = FetchRules.from_policy({"privateHosts": ["a:1", 7], "maxBytes": -1, "timeoutMs": 5.0, "proxy": None})
    assert (rules.private_hosts, rules.proxy, rules.max_bytes, rules.timeout_ms) == (("a:1",), "off", 16_777_216, 5)
