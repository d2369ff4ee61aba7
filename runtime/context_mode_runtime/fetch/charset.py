"""From bytes to text: byte-order mark, declared charset, `<meta>`, UTF-8, Windows-1252. Never raises."""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LATIN = frozenset({"ascii", "iso8859-1", "cp1252"})
"""Names that the web has always used for Windows-1252 (WHATWG Encoding)."""
_TEXT_CODECS = (
    r"(utf-(8|16|32)|iso8859-|iso2022_(jp|kr)|cp\d|koi8-|mac-|gb2312|gbk|gb18030|hz|big5|euc_|shift_jis|johab|tis-620)"
)
"""The Python codecs that are charsets; others (`punycode`, `unicode_escape`) are slow or no charsets at all."""
_META = rb"""(?i)(?:<meta[^>]{0,400}?charset|<\?xml[^>]{0,200}?encoding)\s*=\s*["']?\s*([\w.:-]{1,40})"""
_META_WITHIN = 4_096


def decode(data: bytes, declared: str = "", *, markup: bool = False, web: bool = False) -> str:
    """The text of `data`; bytes that don't fit become U+FFFD.

    `declared` is the charset that came with it, or empty; with `markup` a `<meta>` or XML declaration counts, too.
    A byte-order mark wins over both. Without any: UTF-8; with `web` Windows-1252 where that explains the bytes better.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data.decode(name, "replace")
    name = _known(declared) or (_known(_declared_inside(data)) if markup else "")
    if name:
        return data.decode(name, "replace")
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    if web and bad and bad > sum(1 for c in text if c > "\x7f") - bad:
        return data.decode("cp1252", "replace")
    return text


def has_mark(data: bytes) -> bool:
    """Whether `data` starts with a byte-order mark, so that NUL bytes say nothing."""
    return data.startswith(tuple(mark for mark, _ in _MARKS))


def of_content_type(content_type: str) -> str:
    """The `charset` of a Content-Type value, empty without one."""
    found = re.search(r"""charset\s*=\s*["']?\s*([\w.:-]{1,40})""", content_type, re.IGNORECASE)
    return found[1] if found else ""


def _declared_inside(data: bytes) -> str:
    found = re.search(_META, data[:_META_WITHIN])
    name = found[1].decode("ascii", "replace") if found else ""
    return "utf-8" if name.lower().startswith(("utf-16", "utf-32")) else name


def _known(name: str) -> str:
    try:
        codec = codecs.lookup(name).name if name else ""
    except (LookupError, ValueError):
        return ""
    if codec == "utf-8":
        return codec
    if codec in _LATIN:
        return "cp1252"
    if codec in ("gb2312", "gbk"):
        return "gb18030"
    return codec if re.match(_TEXT_CODECS, codec) else ""
