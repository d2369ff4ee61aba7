from __future__ import annotations

import re
import sys
from pathlib import Path

import html_to_markdown
import pypdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject
from syrupy.assertion import SnapshotAssertion

from context_mode_runtime.fetch import charset, kinds
from context_mode_runtime.fetch.convert import NotTextError, to_text
from context_mode_runtime.fetch.htmlpage import html_to_text
from context_mode_runtime.fetch.htmltext import plain_markdown

HERE = Path(__file__).parent
PAGES = sorted((HERE / "pages").glob("*.html"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_by_our_own_converter(page: Path, snapshot: SnapshotAssertion) -> None:
    assert plain_markdown(page.read_text()) == snapshot


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_word_is_lost_by_the_converter_package(page: Path) -> None:
    text, note = html_to_text(page.read_text())
    assert note == ""
    ours = re.sub(r"\]\([^)]*\)|<a href.*|Turn it on", "", plain_markdown(page.read_text()))
    assert not set(re.findall(r"\w+", ours)) - set(re.findall(r"\w+", text))


def test_without_the_package_the_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "html_to_markdown", None)
    text, note = html_to_text("<h1>Title</h1><p>words</p>")
    assert text == "# Title\n\nwords\n"
    assert note == "converted by the plain built-in converter; install context-mode-py with pip for better results"


DEEP = [
    "<div>",
    "<table><tr><td>",
    "<ul><li>",
    "<blockquote>",
    "<b>",
    "<a href=x>",
    "<span><p>",
    "<details>",
    "<section>",
]


@pytest.mark.parametrize("tag", DEEP)
@pytest.mark.parametrize("convert", [plain_markdown, lambda text: html_to_text(text)[0]], ids=["own", "package"])
def test_ten_thousand_levels_keep_their_text(tag: str, convert: object) -> None:
    assert callable(convert)
    text = convert("<p>before</p>" + tag * 10_000 + "deep words" + "<p>after</p>")
    assert "deep words" in text
    assert "before" in text


HOSTILE = [
    "<", "<!--", "<a '", '<a x="', "<a x=' >", "</", "<![CDATA[", "&", "<title>", "<script>", "<pre>", "<svg>", "<a>x",
    "<!", "<table>", "<td>", "<textarea>", "<p x=\"'", "<li>",
]  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_page_takes_linear_time(piece: str) -> None:
    """30,000 repeats: anything quadratic doesn't end within the limit."""
    plain_markdown(piece * 30_000)


@given(st.text(alphabet="<>/abtdrpule \"'=!-[]&;#x1\n|`", max_size=200))
def test_any_markup_converts(text: str) -> None:
    html_to_text(text)
    plain_markdown(text)


@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<table>",
                "<tr>",
                "<td>",
                "</table>",
                "<li>",
                "<ul>",
                "</ul>",
                "<pre>",
                "</pre>",
                "<h2>",
                "</h2>",
                "<a href=u>",
                "</a>",
                "<blockquote>",
                "<br>",
                "<code>",
            ]
        )
    )
)
def test_our_own_converter_keeps_every_word(tags: list[str]) -> None:
    page = "".join(f"{tag}word{n} " for n, tag in enumerate(tags))
    text = plain_markdown(page)
    for n in range(len(tags)):
        assert f"word{n}" in text


@given(
    st.binary(max_size=300), st.sampled_from(["", "utf-8", "latin-1", "utf-16", "punycode", "zip", "x" * 50, "\x00"])
)
def test_any_bytes_decode(data: bytes, declared: str) -> None:
    for markup in (False, True):
        charset.decode(data, declared, markup=markup, web=True).encode()


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_named(data: bytes) -> None:
    try:
        text, kind, _ = to_text(data, "", "file", web=False)
    except NotTextError:
        return
    text.encode()
    assert kind in ("markdown", "code", "json", "log", "text")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"one\0two three four five\n" * 900, ""),
        ("漢字 zebra\0\n".encode() * 900, ""),
        (b"caf\xe9 without NUL\n" * 900, ""),
        (b"caf\xe9 with\0NUL\n" * 900, "binary data"),
        (b"\0\1\2abc" * 900, "binary data"),
        ("wide".encode("utf-16-le") * 900, "binary data"),
    ],
)
def test_a_few_nul_characters_make_no_binary(data: bytes, what: str) -> None:
    assert kinds.not_text(data) == what
    if not what:
        assert to_text(data, "", "a.log", web=False)[0].count("\0") == data.count(b"\0")


def test_lines_with_bad_bytes_survive() -> None:
    assert to_text(b"ok\nerr caf\xe9\nend\n", "", "out.txt", web=False)[0] == "ok\nerr caf\ufffd\nend\n"


CONTENT = [
    ("#!/bin/sh\necho hi\n", "code"),
    ('{"a": [1, 2]}\n', "json"),
    ("[1,\n2]", "json"),
    ("".join(f"2026-11-29T10:00:0{n}Z INFO line\n" for n in range(8)), "log"),
    ("".join(f"Nov 29 10:00:0{n} host app: line\n" for n in range(8)), "log"),
    ("Some prose.\n\nMore of it.\n", "text"),
    ("", "text"),
]


@pytest.mark.parametrize(("text", "kind"), CONTENT)
def test_a_nameless_text_is_known_by_its_content(text: str, kind: str) -> None:
    assert kinds.by_content(text) == kind


NAMES = [
    ("README.md", "markdown"), ("a/b/App.TSX", "code"), ("Dockerfile", "code"), ("x.tar.json", "json"),
    ("s.log", "log"),
    ("i.htm", "html"), ("p.PDF", "pdf"), ("notes.txt", ""), ("LICENSE", ""), (".gitignore", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), NAMES)
def test_a_name_tells_the_kind(name: str, kind: str) -> None:
    assert kinds.by_name(name) == kind


def test_a_package_that_gives_up_is_stepped_in_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object) -> None:
        raise RuntimeError("no more")

    monkeypatch.setattr(html_to_markdown, "convert", give_up)
    assert html_to_text("<p>words</p>")[0] == "words\n"


def pdf(*pages: str, password: str = "") -> bytes:
    """A PDF with one line of text on each page; an empty text makes an empty page."""
    import io

    writer = pypdf.PdfWriter()
    for text in pages:
        page = writer.add_blank_page(300, 300)
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode() if text else b"")
        page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_pdf_comes_as_text() -> None:
    text, kind, note = to_text(pdf("First page", "", "Third page"), "application/pdf", "http://a.test/x")
    assert (text, kind) == ("First page\n\nThird page\n", "text")
    assert note == "3 PDF page(s), 1 of them without readable text"


def test_a_broken_page_does_not_spoil_the_others() -> None:
    broken = pdf("Good", "Bad").replace(b"(Bad) Tj", b"(Bad Tj  ")
    text, _, note = to_text(broken, "application/pdf", "http://a.test/x")
    assert (text, note) == ("Good\n", "2 PDF page(s), 1 of them without readable text")


def test_a_slow_pdf_comes_as_far_as_it_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 61.0])
    monkeypatch.setattr("context_mode_runtime.fetch.convert.time.monotonic", lambda: next(clock))
    text, _, note = to_text(pdf("One", "Two", "Three"), "", "x.pdf", web=False)
    assert (text, note) == ("One\n", "3 PDF page(s), only the first 1 read within 60 s")


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (pdf("", ""), "without any text (scanned pages?)"),
        (pdf("Locked", password="secret"), "locked with a password"),
        (pdf("Cut off")[:200], "is a damaged PDF (200 B)"),
    ],
)
def test_a_pdf_without_readable_text_is_named(data: bytes, error: str) -> None:
    with pytest.raises(NotTextError) as caught:
        to_text(data, "", "x.pdf", web=False)
    assert error in str(caught.value)


def test_without_pypdf_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(NotTextError, match="its text needs pypdf: install context-mode-py with pip"):
        to_text(pdf("x"), "", "x.pdf", web=False)
