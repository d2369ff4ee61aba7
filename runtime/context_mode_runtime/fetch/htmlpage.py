"""An HTML page to Markdown: by the converter package where it is installed, else by our own."""

from __future__ import annotations

import re

from context_mode_runtime.fetch.htmltext import plain_markdown
from context_mode_runtime.fetch.htmltokens import VOID

_DEPTH_MAX = 800
"""html-to-markdown leaves out what is nested deeper than a little over 1,000 elements; then ours takes over."""
_PACKAGE_MAX = 1_000_000
"""Characters: html-to-markdown takes 70 times the page's size in memory (measured, 3.21), ours 8 times."""
_TAGS = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_UNCLOSED = VOID | frozenset({"p", "li", "dt", "dd", "tr", "td", "th", "option", "thead", "tbody", "tfoot", "colgroup"})
_INSTALL = "install context-mode-py with pip for better results"


def html_to_text(text: str) -> tuple[str, str]:
    """(Markdown, note) of an HTML page, by the converter package where it is, else by our own. Never raises."""
    note = ""
    if len(text) <= _PACKAGE_MAX and _depth(text) <= _DEPTH_MAX:
        converted = _by_package(text)
        if converted is not None:
            return converted, ""
        note = f"converted by the plain built-in converter; {_INSTALL}"
    return plain_markdown(text), note


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
