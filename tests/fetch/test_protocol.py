"""Servers that bend or break HTTP: interim answers, lies about sizes, what never ends. One plain error or the page."""

from __future__ import annotations

import pytest
from tests.fetch.web import Answer, Site, answer, endless, redirect

from context_mode_runtime.fetch.client import fetch
from context_mode_runtime.fetch.rules import FetchError

PAGE = answer("hello there", kind="text/plain")
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (b"HTTP/1.1 100 Continue\r\n\r\n" + PAGE, "hello there"),
        (b"HTTP/1.1 102 Processing\r\n\r\n" + PAGE, "hello there"),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n" * 2 + PAGE, "hello there"),
        (HEAD + b"Content-Length: 2\r\n\r\nhello", "he"),
        (HEAD + b"Content-Length: -5\r\n\r\nhello", "hello"),
        (HEAD + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\nhello", "hello"),
        (CHUNKED + b"5\r\nhello\r\n0\r\nX-Trailer: y\r\n\r\n", "hello"),
    ],
    ids=["100", "102", "103 twice", "short length", "negative length", "absurd length", "trailer"],
)
def test_a_page_comes_all_the_same(site: Site, sent: bytes, text: str) -> None:
    site.pages["/"] = sent
    assert fetch(site.url, site.rules()).text == text


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "answered 101"),
        (endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "headers are over 262,144 B"),
        (endless(b"", b"HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n"), "headers are over 262,144 B"),
        (endless(CHUNKED + b"5\r\nhello\r\n0\r\n", b"X: y\r\n"), "no whole answer within 400 ms"),
        (endless(CHUNKED + b"5;", b"x" * 1_000), "does not speak proper HTTP"),
        (CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n", "a chunk of a negative size"),
        (CHUNKED + b"f" * 19 + b"\r\nhello", "does not speak proper HTTP"),
        (answer("hello", "Content-Encoding: gzip, gzip", kind="text/plain"), "gzip, gzip, which was not asked for"),
        (HEAD + b"Content-Length: 50\r\n\r\nhello", "ended after 5 B, 45 B early"),
        (HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello", "does not speak proper HTTP"),
        (redirect("file:///etc/passwd"), "only http and https"),
        (redirect("data:text/plain,x"), "only http and https"),
        (redirect("//169.254.169.254/"), "(link-local)"),
        (redirect("ht\ttp://10.0.0.1/"), "(private)"),
        (redirect("http://ok@10.0.0.1/"), "(private)"),
    ],
    ids=[
        *("101", "endless 100", "endless 103", "endless trailers", "endless extension", "negative chunk", "huge chunk"),
        *("nested packing", "long length", "both lengths"),
        *("to file", "to data", "to a host only", "a tab in the scheme", "user in the place"),
    ],
)
def test_what_breaks_the_rules_is_one_plain_error(site: Site, sent: Answer, error: str) -> None:
    site.pages["/"] = sent
    with pytest.raises(FetchError) as caught:
        fetch(site.url, site.rules(timeout_ms=400 if "400 ms" in error else 30_000))
    assert error in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_body_of_a_redirect_is_not_read_and_its_cookie_is_not_kept(site: Site) -> None:
    site.pages["/"] = endless(b"HTTP/1.1 302 Found\r\nSet-Cookie: a=b\r\nLocation: /page\r\n\r\n", b"x" * 1_000)
    site.pages["/page"] = PAGE
    assert fetch(site.url, site.rules()).text == "hello there"
    assert "cookie" not in site.requests[1].lower()
