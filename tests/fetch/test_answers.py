"""What a page is in: its charset, its kind, what is no page and no text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fetch.web import Site, answer, redirect, refusal

from context_mode_runtime.fetch.client import fetch

HERE = Path(__file__).parent
CHARSETS: list[tuple[str, bytes, str]] = [
    ("text/html; charset=iso-8859-1", b"<p>caf\xe9 \x80 words</p>", "café € words\n"),
    ("text/html; charset=utf-8", "<p>naïve words</p>".encode(), "naïve words\n"),
    ("text/html", b"<meta charset='windows-1251'><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>", "Привет\n"),
    ("text/html", "<p>plain ütf</p>".encode(), "plain ütf\n"),
    ("text/html", b"<p>caf\xe9 without a word on it</p>", "café without a word on it\n"),
    ("text/html; charset=unicode_escape", b"<p>C:\\u0041 stays</p>", "C:\\u0041 stays\n"),
    ("text/html; charset=nonsense", "<p>still rëad</p>".encode(), "still rëad\n"),
    ("text/html; charset=iso-8859-1", b"\xef\xbb\xbf" + "<p>mark wins ü</p>".encode(), "mark wins ü\n"),
    ("text/plain; charset=utf-16", "two byte words".encode("utf-16"), "two byte words"),
    ("text/html; charset=gb2312", "<p>一字 朱镕基</p>".encode("gbk"), "一字 朱镕基\n"),
    ("text/plain; charset=shift_jis", "日本語".encode("shift_jis"), "日本語"),
    ("text/plain", ("größer und schöner, " * 4).encode() + b"\xe9", "größer und schöner, " * 4 + "\ufffd"),
]


@pytest.mark.parametrize(("kind", "body", "expected"), CHARSETS, ids=[f"{n} {c[0]}" for n, c in enumerate(CHARSETS)])
def test_the_charset_is_found(site: Site, kind: str, body: bytes, expected: str) -> None:
    site.pages["/"] = answer(body, kind=kind)
    assert fetch(site.url, site.rules()).text == expected


KINDS: list[tuple[str, str, str, str]] = [
    ("/a", "application/json", '{"a": 1}', "json"),
    ("/a", "application/problem+json; charset=utf-8", '{"a": 1}', "json"),
    ("/a.md", "text/plain", "# Title", "markdown"),
    ("/a", "text/markdown", "# Title", "markdown"),
    ("/a.py", "text/plain", "import os", "code"),
    ("/a", "application/javascript", "let a", "code"),
    ("/a.txt", "text/plain", "<html><body>shown as text", "text"),
    ("/a", "application/octet-stream", "just some words", "text"),
    ("/a", "application/octet-stream", "<!DOCTYPE html><p>found out", "markdown"),
    ("/feed", "application/rss+xml", "<rss><title>x</title></rss>", "text"),
    ("/a", "application/xhtml+xml", "<html><p>strict</p></html>", "markdown"),
    ("/x.log", "text/plain", "hello", "log"),
]


@pytest.mark.parametrize(("path", "media", "body", "kind"), KINDS)
def test_the_kind_is_found(site: Site, path: str, media: str, body: str, kind: str) -> None:
    site.pages[path] = answer(body, kind=media)
    page = fetch(site.url + path, site.rules())
    assert page.kind == kind
    assert kind == "markdown" or page.text == body


ANSWERS: list[dict[str, Any]] = json.loads((HERE / "answers.json").read_text())


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: case["name"])
def test_what_is_not_the_page_is_said(site: Site, case: dict[str, Any]) -> None:
    body = "".join(part if isinstance(part, str) else part["repeat"] * part["times"] for part in case["body"])
    site.pages[case["path"]] = answer(body, *case["headers"], status=case["status"], kind=case["type"])
    for path, to in case["redirects"].items():
        site.pages[path] = redirect(to)
    start = site.url + (next(iter(case["redirects"])) if case["redirects"] else case["path"])
    if case["error"] is None:
        assert fetch(start, site.rules()).text
    else:
        text = refusal(start, site.rules())
        assert case["error"] in text
        assert "nothing was indexed" in text


BINARY: list[tuple[str, bytes, str]] = [
    ("image/png", b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "is a PNG image (48 B), not text"),
    ("application/octet-stream", b"\x7fELF" + b"\0" * 40, "is an ELF program (44 B), not text"),
    ("application/zip", b"PK\x03\x04" + b"\0" * 40, "is a ZIP archive (or an office file) (44 B), not text"),
    ("text/plain", bytes(range(256)), "is binary data (256 B), not text"),
    ("video/mp4", b"aaaa", "is video/mp4 data (4 B), not text"),
    ("application/pdf", b"%PDF-1.7 broken", "is a damaged PDF (15 B)"),
]


@pytest.mark.parametrize(("media", "body", "error"), BINARY)
def test_what_is_no_text_is_named(site: Site, media: str, body: bytes, error: str) -> None:
    site.pages["/"] = answer(body, kind=media)
    assert error in refusal(site.url, site.rules())
