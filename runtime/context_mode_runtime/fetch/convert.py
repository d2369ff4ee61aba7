"""Bytes of any kind to text that can be indexed: HTML and PDF converted, text decoded, the rest refused by name."""

from __future__ import annotations

import io
import re
import time

from context_mode_runtime.fetch import charset, kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pypdf import PdfReader

_PDF_SECONDS = 60.0
_NOT_TEXT_TYPES = ("image/", "audio/", "video/", "font/")
_JSON_TYPES = r"(application|text)/(\S+\+)?(json|x-ndjson|jsonl)\b"
_CODE_TYPES = r"(application|text)/(x-)?(javascript|ecmascript|typescript|css|python|sh|shellscript|sql)\b"


class NotTextError(Exception):
    """The data is no text and can't be turned into any: `is a PNG image (12,345 B), not text`."""


def to_text(data: bytes, content_type: str, url: str, *, web: bool = True) -> tuple[str, str, str]:
    """(text, kind, note) of a body that came as `content_type` from `url` (or from a path, with `web` false).

    The kind is one of the chunker's: `markdown`, `code`, `json`, `log`, `text`. The note says how it was converted, or
    is empty. Raises NotTextError for data that is no text and for a PDF without any.
    """
    media, name = content_type.partition(";")[0].strip().lower(), _path_of(url) if web else url
    if kinds.is_pdf(data) or media == "application/pdf":
        return _from_pdf(data)
    what = kinds.not_text(data) or (f"{media} data" if media.startswith(_NOT_TEXT_TYPES) and "svg" not in media else "")
    if what:
        raise NotTextError(f"is {what} ({len(data):,} B), not text")
    kind = _kind(data, media, name)
    text = charset.decode(data, charset.of_content_type(content_type), markup=kind == "html", web=web)
    if kind == "html":
        from context_mode_runtime.fetch.htmlpage import html_to_text

        text, note = html_to_text(text)
        return text, "markdown", note
    return text, kind or kinds.by_content(text), ""


def _path_of(url: str) -> str:
    from urllib.parse import urlsplit

    return urlsplit(url).path


def _kind(data: bytes, media: str, name: str) -> str:
    if media and re.match(_JSON_TYPES, media):
        return "json"
    if "html" in media:
        return "html"
    if media == "text/markdown":
        return "markdown"
    named = kinds.by_name(name)
    if named not in ("html", "pdf", ""):
        return named
    if media and re.match(_CODE_TYPES, media):
        return "code"
    plain = media.startswith("text/plain")
    return "html" if not plain and (named == "html" or kinds.is_html(data)) else ""


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


def _pdf_pages(reader: PdfReader) -> list[str]:
    """The text of each page, empty for a page that can't be read or comes after the time limit."""
    end = time.monotonic() + _PDF_SECONDS
    texts: list[str] = []
    for page in reader.pages:
        if time.monotonic() > end:
            break
        try:
            texts.append(page.extract_text().strip())
        except Exception:  # noqa: BLE001 - one bad page doesn't spoil the others
            texts.append("")
    return texts
