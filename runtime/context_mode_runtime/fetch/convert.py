"""Bytes of any kind to text that can be indexed: HTML and PDF converted, text decoded, the rest refused by name."""

from __future__ import annotations

import io
import re
import time
from urllib.parse import urlsplit

from context_mode_runtime.fetch import charset, kinds
from context_mode_runtime.fetch.htmltext import plain_markdown
from context_mode_runtime.fetch.htmltokens import VOID

_DEPTH_MAX = 800
"""html-to-markdown leaves out what is nested deeper than a little over 1,000 elements; then ours takes over."""
_PACKAGE_MAX = 1_000_000
"""Characters: html-to-markdown takes 70 times the page's size in memory (measured, 3.21), ours 8 times."""
_PDF_SECONDS = 60.0
_TAGS = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_UNCLOSED = VOID | frozenset({"p", "li", "dt", "dd", "tr", "td", "th", "option", "thead", "tbody", "tfoot", "colgroup"})
_NOT_TEXT_TYPES = ("image/", "audio/", "video/", "font/")
_JSON_TYPES = re.compile(r"(application|text)/(\S+\+)?(json|x-ndjson|jsonl)\b")
_CODE_TYPES = re.compile(r"(application|text)/(x-)?(javascript|ecmascript|typescript|css|python|sh|shellscript|sql)\b")
_INSTALL = "install context-mode-py with pip for better results"


class NotTextError(Exception):
    """The data is no text and can't be turned into any: `is a PNG image (12,345 B), not text`."""


def to_text(data: bytes, content_type: str, url: str, *, web: bool = True) -> tuple[str, str, str]:
    """(text, kind, note) of a body that came as `content_type` from `url` (or from a path, with `web` false).

    The kind is one of the chunker's: `markdown`, `code`, `json`, `log`, `text`. The note says how it was converted, or
    is empty. Raises NotTextError for data that is no text and for a PDF without any.
    """
    media, name = content_type.partition(";")[0].strip().lower(), urlsplit(url).path if web else url
    if kinds.is_pdf(data) or media == "application/pdf":
        return _from_pdf(data)
    what = kinds.not_text(data) or (f"{media} data" if media.startswith(_NOT_TEXT_TYPES) and "svg" not in media else "")
    if what:
        raise NotTextError(f"is {what} ({len(data):,} B), not text")
    kind = _kind(data, media, name)
    text = charset.decode(data, charset.of_content_type(content_type), markup=kind == "html", web=web)
    if kind == "html":
        text, note = html_to_text(text)
        return text, "markdown", note
    return text, kind or kinds.by_content(text), ""


def html_to_text(text: str) -> tuple[str, str]:
    """(Markdown, note) of an HTML page, by the converter package where it is, else by our own. Never raises."""
    note = ""
    if len(text) <= _PACKAGE_MAX and _depth(text) <= _DEPTH_MAX:
        converted = _by_package(text)
        if converted is not None:
            return converted, ""
        note = f"converted by the plain built-in converter; {_INSTALL}"
    return plain_markdown(text), note


def _kind(data: bytes, media: str, name: str) -> str:
    if _JSON_TYPES.match(media):
        return "json"
    if "html" in media:
        return "html"
    if media == "text/markdown":
        return "markdown"
    named = kinds.by_name(name)
    if named not in ("html", "pdf", ""):
        return named
    if _CODE_TYPES.match(media):
        return "code"
    plain = media.startswith("text/plain")
    return "html" if not plain and (named == "html" or kinds.is_html(data)) else ""


def _depth(text: str) -> int:
    """How deep elements are nested, by a count that may be too high on sloppy pages, never too low."""
    depth = deepest = 0
    for found in _TAGS.finditer(text):
        closing, name = found.groups()
        if name.lower() in _UNCLOSED:
            continue
        depth += -1 if closing else 1
        deepest = max(deepest, depth)
        depth = max(depth, 0)
    return deepest


def _by_package(text: str) -> str | None:
    try:
        from html_to_markdown import ConversionOptions, PreprocessingOptions, convert
    except ImportError:
        return None
    options = ConversionOptions(
        extract_metadata=False,
        compact_tables=True,
        inline_data_media="alt_text_only",
        preprocessing=PreprocessingOptions(enabled=False),
    )
    try:
        converted = convert(text, options).content
    except Exception:  # noqa: BLE001 - whatever a foreign converter raises, the text is still to be had
        return None
    return _with_title(text, converted or "")


def _with_title(source: str, converted: str) -> str:
    """Puts the page's title first when no heading of the first level is there."""
    import html

    found = re.search(r"<title[^>]{0,200}>([^<]{1,400})", source[:65_536], re.IGNORECASE)
    title = " ".join(html.unescape(found[1]).split()) if found else ""
    if not title or re.search(r"^# ", converted, re.MULTILINE) or not converted.strip():
        return converted
    return f"# {title}\n\n{converted.lstrip()}"


def _from_pdf(data: bytes) -> tuple[str, str, str]:
    size = f"({len(data):,} B)"
    try:
        import logging

        import pypdf
    except ImportError:
        raise NotTextError(f"is a PDF {size}; its text needs pypdf: install context-mode-py with pip") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        pages, total = ([], 0) if locked else (_pdf_pages(reader), len(reader.pages))
    except Exception as error:  # noqa: BLE001 - damaged files make it raise many kinds of errors
        raise NotTextError(f"is a damaged PDF {size}: {type(error).__name__}") from None
    if locked:
        raise NotTextError(f"is a PDF {size} locked with a password")
    texts = [text for text in pages if text]
    if not texts:
        raise NotTextError(f"is a PDF {size} without any text (scanned pages?)")
    note = f"{total} PDF page(s)"
    if len(texts) < len(pages):
        note += f", {len(pages) - len(texts)} of them without readable text"
    if len(pages) < total:
        note += f", only the first {len(pages)} read within {_PDF_SECONDS:.0f} s"
    return "\n\n".join(texts) + "\n", "text", note


def _pdf_pages(reader: object) -> list[str]:
    """The text of each page, empty for a page that can't be read or comes after the time limit."""
    end = time.monotonic() + _PDF_SECONDS
    texts: list[str] = []
    for page in reader.pages:  # type: ignore[attr-defined]
        if time.monotonic() > end:
            break
        try:
            texts.append(page.extract_text().strip())
        except Exception:  # noqa: BLE001 - one bad page doesn't spoil the others
            texts.append("")
    return texts
