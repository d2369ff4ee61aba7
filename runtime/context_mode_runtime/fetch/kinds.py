"""What a text is, by name and by content: the chunker's kinds, and names for what is no text."""

from __future__ import annotations

import codecs
import os
import re

from context_mode_runtime import jsonio
from context_mode_runtime.fetch import charset

_BY_EXTENSION = {
    "markdown": "md mdx markdown mkd rmd qmd",
    "json": "json json5 jsonc jsonl ndjson geojson ipynb webmanifest har",
    "log": "log out err trace",
    "html": "html htm xhtml",
    "pdf": "pdf",
    "code": (
        "adb ads asm awk bash bat c cc cjs clj cljs cls cmake cmd coffee cpp cs css cts cu cxx d dart dockerfile ejs el"
        " elm erl ex exs f90 fish fs fsx gd go gradle graphql groovy h hcl hh hpp hrl hs hxx inc java jl js jsx kt kts"
        " less lisp lua m mjs mk ml mli mm mts nim nix pas php pl pm proto ps1 psm1 py pyi pyx r rake rb rs s sass"
        " scala scm scss sh sol sql sv svelte swift tcl tf tfvars thrift ts tsx v vb vhd vue wat zig zsh"
    ),
}
_EXTENSIONS = {extension: kind for kind, names in _BY_EXTENSION.items() for extension in names.split()}
_CODE_NAMES = frozenset(
    {"dockerfile", "makefile", "gnumakefile", "rakefile", "gemfile", "jenkinsfile", "cmakelists.txt"}
)
_MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"RIFF", "a media file (RIFF)"),
    (b"PK\x03\x04", "a ZIP archive (or an office file)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x7fELF", "an ELF program"),
    (b"MZ", "a Windows program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\xca\xfe\xba\xbe", "a compiled program"),
    (b"\x00asm", "a WebAssembly program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0", "an old office file"),
    (b"OggS", "an Ogg media file"),
    (b"ID3", "an MP3 file"),
    (b"wOF", "a font"),
)
"""First bytes -> what it is; they count only where the rest doesn't look like text."""
_SNIFF = 8_192
_HTML_START = rb"(?is)\s*(?:<!--.*?-->\s*)?<(?:!doctype html|html|head|body)\b"
_LOG_LINE = r"\W{0,2}(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)"
_LOG_LINES = 5
_CONTROL_SHARE = 0.1
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b"))


def by_name(path: str) -> str:
    """The kind that a file name (or the path of a URL) tells, empty when it tells nothing."""
    name = os.path.basename(path).lower()
    if name in _CODE_NAMES:
        return "code"
    return _EXTENSIONS.get(name.rpartition(".")[2], "") if "." in name else ""


def by_content(text: str) -> str:
    """`code` for a `#!` line, `json` for what begins and ends like it, `log` for lines with times, else `text`."""
    start = text[:_SNIFF].lstrip("\ufeff \t\r\n")
    if start.startswith("#!"):
        return "code"
    if jsonio.is_likely(text):
        return "json"
    lines = [line for line in start.split("\n")[:20] if line.strip()]
    timed = sum(1 for line in lines if re.search(_LOG_LINE, line[:40]))
    return "log" if len(lines) >= _LOG_LINES and timed * 2 > len(lines) else "text"


def not_text(data: bytes) -> str:
    """What `data` is when it is no text (`a PNG image`, `binary data`), else empty. PDFs are told by `is_pdf`.

    Text may hold any bytes but for more than a tenth of control characters in its first 8 KiB; with NUL among them
    the rest is UTF-8, or a byte-order mark stands before it all.
    """
    start = data[:_SNIFF]
    if charset.has_mark(start):
        return ""
    controls = len(start) - len(start.translate(None, _CONTROLS))
    if controls <= len(start) * _CONTROL_SHARE and (b"\x00" not in start or _is_utf8(start)):
        return ""
    return next((name for magic, name in _MAGIC if start.startswith(magic)), "binary data")


def _is_utf8(start: bytes) -> bool:
    """Whether all of it is, but for a character that the end cuts."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True


def is_pdf(data: bytes) -> bool:
    """Whether a PDF header stands in the first 1,024 bytes (ISO 32000-1, annex H)."""
    return data[:1024].lstrip().startswith(b"%PDF-")


def is_html(data: bytes) -> bool:
    """Whether `data` begins like an HTML page."""
    return re.match(_HTML_START, data[:_SNIFF]) is not None
