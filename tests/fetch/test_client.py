from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fetch.web import Names, Resolver, Site, answer, endless, redirect, refusal

from context_mode_runtime.fetch import encodings
from context_mode_runtime.fetch.client import HEADER_MAX, fetch
from context_mode_runtime.fetch.rules import FetchError, FetchRules

HERE = Path(__file__).parent
URLS: list[dict[str, str]] = json.loads((HERE / "urls.json").read_text())
HOSTILE: Names = {
    "inner.test": ["10.0.0.1"],
    "mixed.test": ["93.184.216.34", "10.0.0.1"],
    "zone.test": ["fe80::1%eth0"],
    "empty.test": [],
}
PAGE = "<h1>Retry budget</h1><p>Three attempts, then the circuit opens.</p>"
ResolverOf = Callable[[Names], Resolver]


@pytest.mark.parametrize("case", URLS, ids=lambda case: case["url"])
def test_an_inner_odd_or_foreign_address_is_refused(case: dict[str, str], resolver_of: ResolverOf) -> None:
    text = refusal(case["url"], resolver=resolver_of(HOSTILE))
    assert case["error"] in text
    assert "secret-pw" not in text


def test_a_page_comes_as_markdown(site: Site) -> None:
    site.pages["/doc?q=1"] = answer(PAGE)
    page = fetch(site.url + "/doc?q=1#part", site.rules())
    assert (page.text, page.kind) == ("# Retry budget\n\nThree attempts, then the circuit opens.\n", "markdown")
    assert (page.status, page.url, page.printed_bytes) == (200, site.url + "/doc?q=1", len(PAGE))
    assert page.content_type == "text/html; charset=utf-8"


def test_the_request_says_what_it_can_read(site: Site) -> None:
    site.pages["/"] = answer(PAGE)
    fetch(site.url, site.rules())
    lines = site.requests[0].split("\r\n")
    assert lines[:2] == ["GET / HTTP/1.1", f"Host: 127.0.0.1:{site.port}"]
    assert f"Accept-Encoding: {encodings.accepted()}" in lines
    assert not any(line.lower().startswith(("cookie", "authorization", "referer")) for line in lines)


def test_only_the_listed_port_of_a_private_host_is_open(site: Site, other_site: Site) -> None:
    site.pages["/"] = other_site.pages["/"] = answer(PAGE)
    assert fetch(site.url, site.rules()).status == 200
    assert refusal(other_site.url, site.rules()) == (
        f"refused: 127.0.0.1:{other_site.port} (loopback). To allow it, the user adds "
        f'"127.0.0.1:{other_site.port}" to fetch.privateHosts in ~/.context-mode/policy.json'
    )
    assert other_site.requests == []


def test_a_name_is_looked_up_once_and_the_connection_goes_to_that_address(site: Site) -> None:
    """A name server that answers differently the second time (rebinding) gets no second time."""
    site.pages["/"] = answer(PAGE)
    asked: list[str] = []

    def rebinding(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["169.254.169.254"]

    page = fetch(
        f"http://docs.test:{site.port}/", FetchRules(private_hosts=(f"docs.test:{site.port}",)), resolver=rebinding
    )
    assert asked == ["docs.test"]
    assert page.url == f"http://docs.test:{site.port}/"
    assert f"Host: docs.test:{site.port}" in site.requests[0]


def test_a_name_that_turns_inward_between_redirects_is_refused(site: Site) -> None:
    """Each hop is looked up and judged by itself: what a name led to before counts for nothing."""
    site.pages["/"] = redirect("/inside")
    asked: list[str] = []

    def rebinding(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    rules = FetchRules(private_hosts=(f"127.0.0.1:{site.port}",))
    with pytest.raises(FetchError, match=r"refused: docs\.test:\d+ leads to 10\.0\.0\.1"):
        fetch(f"http://docs.test:{site.port}/", rules, resolver=rebinding)
    assert len(site.requests) == 1


def test_one_inner_address_among_several_is_refused(site: Site, resolver_of: ResolverOf) -> None:
    resolver = resolver_of({"docs.test": ["93.184.216.34", "10.0.0.1"]})
    with pytest.raises(FetchError, match=r"refused: docs\.test:\d+ leads to 10\.0\.0\.1"):
        fetch(f"http://docs.test:{site.port}/", FetchRules(), resolver=resolver)


def test_a_dead_address_is_passed_over_for_the_next_one(site: Site, resolver_of: ResolverOf) -> None:
    site.pages["/"] = answer(PAGE)
    rules = FetchRules(private_hosts=("docs.test",))
    page = fetch(f"http://docs.test:{site.port}/", rules, resolver=resolver_of({"docs.test": ["::1", "127.0.0.1"]}))
    assert page.status == 200


@pytest.mark.parametrize("target", ["http://10.0.0.1/", "//169.254.169.254/x", "http://127.1/", "http://inner.test/"])
def test_a_redirect_to_an_inner_address_is_refused(site: Site, resolver_of: ResolverOf, target: str) -> None:
    site.pages["/"] = redirect(target)
    text = refusal(site.url, site.rules(), resolver_of(HOSTILE))
    assert "(private)" in text or "(link-local)" in text or "unusual spelling" in text


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://x.test/", "data:text/plain,hi"])
def test_a_redirect_to_another_scheme_is_refused(site: Site, target: str) -> None:
    site.pages["/"] = redirect(target)
    assert "only http and https are fetched" in refusal(site.url, site.rules())


def test_redirects_are_followed_to_the_last_page(site: Site) -> None:
    for n, status in enumerate(("301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent")):
        site.pages[f"/{n}"] = redirect(f"/{n + 1}", status)
    site.pages["/5"] = answer(PAGE)
    assert fetch(site.url + "/0", site.rules()).url == site.url + "/5"


def test_a_circle_of_redirects_ends(site: Site) -> None:
    site.pages["/"] = redirect("/")
    assert "more than 10 redirects" in refusal(site.url, site.rules())
    assert len(site.requests) == 11


REFRESH = [
    '<meta http-equiv="refresh" content="0; url=/end">',
    "<META HTTP-EQUIV=Refresh CONTENT='1;URL=/end'>",
    '<meta charset=utf-8><meta http-equiv=refresh content="0;url=end?a=1&amp;b=2">',
]


@pytest.mark.parametrize("head", REFRESH)
def test_a_page_that_sends_its_reader_on_is_followed(site: Site, head: str) -> None:
    site.pages["/"] = answer(f"<html><head>{head}</head><body>Redirecting...</body></html>")
    site.pages["/end"] = site.pages["/end?a=1&b=2"] = answer(PAGE)
    assert "circuit opens" in fetch(site.url, site.rules()).text


def test_a_page_that_sends_its_reader_inside_is_refused(site: Site) -> None:
    site.pages["/"] = answer('<meta http-equiv="refresh" content="0; url=http://169.254.169.254/"><p>Redirecting')
    assert "(link-local)" in refusal(site.url, site.rules())


@pytest.mark.parametrize("page", ['<meta http-equiv="refresh" content="300"><p>News of the day', "<p>meta refresh"])
def test_a_page_that_only_reloads_itself_stays(site: Site, page: str) -> None:
    site.pages["/"] = answer(page)
    assert fetch(site.url, site.rules()).url == site.url + "/"


def test_a_redirect_in_raw_utf8_is_followed(site: Site) -> None:
    site.pages["/"] = redirect("/größe")
    site.pages["/gr%C3%B6%C3%9Fe"] = answer(PAGE)
    assert fetch(site.url, site.rules()).status == 200


def test_a_name_with_a_dot_at_its_end_is_the_same_name(site: Site, resolver_of: ResolverOf) -> None:
    site.pages["/"] = answer(PAGE)
    rules = FetchRules(private_hosts=("docs.test",))
    page = fetch(f"http://docs.test.:{site.port}/", rules, resolver=resolver_of({"docs.test": ["127.0.0.1"]}))
    assert page.url == f"http://docs.test:{site.port}/"


def test_credentials_stay_with_their_host(site: Site, other_site: Site) -> None:
    site.pages["/"] = redirect("/again")
    site.pages["/again"] = redirect(other_site.url + "/end")
    other_site.pages["/end"] = answer(PAGE)
    rules = site.rules(f"127.0.0.1:{other_site.port}")
    page = fetch(f"http://me:hunter-22@127.0.0.1:{site.port}/", rules)
    assert all("Authorization: Basic bWU6aHVudGVyLTIy" in request for request in site.requests)
    assert "authorization" not in other_site.requests[0].lower()
    assert "hunter-22" not in page.url


def test_credentials_of_a_redirect_are_not_used(site: Site) -> None:
    site.pages["/"] = redirect(f"http://me:pw@127.0.0.1:{site.port}/end")
    site.pages["/end"] = answer(PAGE)
    fetch(site.url, site.rules())
    assert "authorization" not in site.requests[1].lower()


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("gzip", lambda data: gzip.compress(data[:20]) + gzip.compress(data[20:])),
        ("gzip", lambda data: gzip.compress(data) + b"\0\0padding"),
        ("deflate", zlib.compress),
        ("deflate", _raw_deflate),
        ("identity", bytes),
    ],
)
def test_a_packed_body_is_unpacked(site: Site, encoding: str, pack: Callable[[bytes], bytes]) -> None:
    site.pages["/"] = answer(pack(PAGE.encode()), f"Content-Encoding: {encoding}")
    page = fetch(site.url, site.rules())
    assert "circuit opens" in page.text
    assert page.printed_bytes == len(PAGE)


@pytest.mark.parametrize(
    ("body", "encoding", "error"),
    [
        (gzip.compress(PAGE.encode())[:-12], "gzip", "its body is damaged: it ends early"),
        (b"\x1f\x8b\x08junk" * 9, "gzip", "its body is damaged"),
        (b"", "gzip", "is empty"),
        (b"\x0b\x02\x80", "compress", "packed the body as compress, which was not asked for"),
        (b"\x0b\x02\x80", "gzip, gzip", "packed the body as gzip, gzip, which was not asked for"),
    ],
    ids=["cut", "junk", "empty", "compress", "twice"],
)
def test_a_body_that_cannot_be_unpacked_is_an_error(site: Site, body: bytes, encoding: str, error: str) -> None:
    site.pages["/"] = answer(body, f"Content-Encoding: {encoding}")
    assert error in refusal(site.url, site.rules())


def test_a_gzip_bomb_stops_at_the_limit(site: Site) -> None:
    site.pages["/"] = answer(gzip.compress(b"a" * 50_000_000), "Content-Encoding: gzip")
    assert "is too large: more, unpacked, the limit is 1,000,000 B" in refusal(
        site.url, site.rules(max_bytes=1_000_000)
    )


def test_a_body_over_the_limit_is_not_read(site: Site) -> None:
    site.pages["/told"] = answer("x" * 2_000)
    site.pages["/untold"] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + b"x" * 200_000
    assert "is too large: 2,000 B, the limit is 1,000 B" in refusal(site.url + "/told", site.rules(max_bytes=1_000))
    assert "is too large: more" in refusal(site.url + "/untold", site.rules(max_bytes=100_000))


def test_a_chunked_body_is_joined(site: Site) -> None:
    pieces = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (b"<h1>One", b"</h1>", b"<p>two words here</p>"))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    site.pages["/"] = head + pieces + b"0\r\n\r\n"
    assert fetch(site.url, site.rules()).text == "# One\n\ntwo words here\n"


def test_a_body_that_is_cut_short_is_an_error(site: Site) -> None:
    site.pages["/"] = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\nContent-Type: text/plain\r\n\r\nonly this"
    assert "the connection ended after 9 B, 491 B early" in refusal(site.url, site.rules())


def test_a_connection_that_breaks_is_an_error(site: Site) -> None:
    def reset(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 500\r\n\r\nonly")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    site.pages["/"] = reset
    assert f"the connection to 127.0.0.1:{site.port} broke: Connection reset" in refusal(site.url, site.rules())


def test_a_name_of_this_machine_is_looked_up_by_the_system(site: Site) -> None:
    site.pages["/"] = answer(PAGE)
    url = f"http://localhost:{site.port}/"
    assert fetch(url, FetchRules(private_hosts=(f"localhost:{site.port}",))).url == url
    assert f"refused: localhost:{site.port} leads to " in refusal(url)


@pytest.mark.parametrize(
    ("head", "line"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n"),
        (b"HTTP/1.1 200 OK\r\nX-Long: ", b"y" * 4_096),
        (b"", b"z" * 4_096),
        (b"", b"HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"f" * 4_096),
    ],
    ids=["lines", "one line", "status line", "interim answers", "chunk size"],
)
def test_endless_headers_end(site: Site, head: bytes, line: bytes) -> None:
    site.pages["/"] = endless(head, line)
    text = refusal(site.url, site.rules())
    assert "does not speak proper HTTP" in text or f"headers are over {HEADER_MAX:,} B" in text


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Ty",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nsome",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nso",
    ],
    ids=["no answer", "in the headers", "in the body", "in a chunk"],
)
def test_a_stalled_answer_ends_at_the_time_limit(site: Site, sent: bytes) -> None:
    def stall(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(sent)
        site.release.wait()

    site.pages["/"] = stall
    assert "no whole answer within 300 ms (fetch.timeoutMs)" in refusal(site.url, site.rules(timeout_ms=300))


def test_a_dripping_answer_ends_at_the_time_limit(site: Site) -> None:
    """A byte now and then keeps no read waiting for long, and ends all the same."""

    def drip(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n")
        while not site.release.wait(0.02):
            connection.sendall(b"x")

    site.pages["/"] = drip
    assert "no whole answer within 300 ms" in refusal(site.url, site.rules(timeout_ms=300))


def test_a_name_server_that_does_not_answer_ends_at_the_time_limit() -> None:
    release = threading.Event()

    def silent(_host: str, _port: int) -> list[str]:
        release.wait()
        return []

    assert "the name server did not answer in time" in refusal("http://a.test/", FetchRules(timeout_ms=200), silent)
    release.set()


@pytest.mark.parametrize(
    "garbage", [b"SSH-2.0-OpenSSH_9.6\r\n", b"\x15\x03\x01\x00\x02\x02\x16", b"HTTP/9.9 abc\r\n\r\n"]
)
def test_a_server_of_another_protocol_is_named(site: Site, garbage: bytes) -> None:
    site.pages["/"] = garbage
    assert f"127.0.0.1:{site.port} does not speak proper HTTP" in refusal(site.url, site.rules())


def test_a_closed_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    text = refusal(f"http://127.0.0.1:{port}/", FetchRules(private_hosts=("127.0.0.1",)))
    assert text == f"no connection to 127.0.0.1:{port}: connection refused"
