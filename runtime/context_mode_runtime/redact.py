"""Cuts secrets and private text out before anything is written (contract, section 8). Linear in the size of the text.

A needle is found first, by plain search; only there a bounded pattern looks closer. What is cut: the value behind a
key name that says secret, values with a known prefix, private PEM blocks, URL passwords, JWT, credentials of HTTP
headers, and all between `<private>` and `</private>`.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int, str]

REDACTED = "[redacted]"
PRIVATE = "[private]"

_TAIL = r"(?![A-Za-z0-9])"
_PREFIXES = {
    "AKIA": r"[0-9A-Z]{16}",
    "ASIA": r"[0-9A-Z]{16}",
    "ABIA": r"[0-9A-Z]{16}",
    "ACCA": r"[0-9A-Z]{16}",
    "ghp_": r"[A-Za-z0-9]{30,255}",
    "gho_": r"[A-Za-z0-9]{30,255}",
    "ghu_": r"[A-Za-z0-9]{30,255}",
    "ghs_": r"[A-Za-z0-9]{30,255}",
    "ghr_": r"[A-Za-z0-9]{30,255}",
    "github_pat_": r"[A-Za-z0-9_]{22,255}",
    "glpat-": r"[A-Za-z0-9_.-]{16,255}",
    "gldt-": r"[A-Za-z0-9_.-]{16,255}",
    "glrt-": r"[A-Za-z0-9_.-]{16,255}",
    "sk-": r"(?:[A-Za-z0-9]{20,255}|(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20,255})",
    "sk_live_": r"[0-9A-Za-z]{10,255}",
    "sk_test_": r"[0-9A-Za-z]{10,255}",
    "rk_live_": r"[0-9A-Za-z]{10,255}",
    "rk_test_": r"[0-9A-Za-z]{10,255}",
    "whsec_": r"[0-9A-Za-z+/=]{20,255}",
    "xox": r"[abeoprs](?:\.[a-z]{2,8})?-[A-Za-z0-9.-]{10,255}",
    "xapp-": r"[A-Za-z0-9-]{10,255}",
    "hooks.slack.com/services/": r"[A-Za-z0-9/]{20,255}",
    "AIza": r"[0-9A-Za-z_-]{35}",
    "ya29.": r"[0-9A-Za-z_-]{20,2000}",
    "npm_": r"[A-Za-z0-9]{36}",
    "pypi-": r"Ag[A-Za-z0-9_-]{40,1000}",
    "rubygems_": r"[a-f0-9]{48}",
    "dckr_pat_": r"[A-Za-z0-9_-]{20,255}",
    "hf_": r"[A-Za-z0-9]{30,100}",
    "hvs.": r"[A-Za-z0-9_-]{20,255}",
    "dop_v1_": r"[a-f0-9]{64}",
    "shpat_": r"[a-fA-F0-9]{32}",
    "SG.": r"[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,100}",
    "glsa_": r"[A-Za-z0-9_]{30,100}",
    "lin_api_": r"[A-Za-z0-9]{30,100}",
    "tskey-": r"[A-Za-z0-9-]{16,255}",
    "ATATT3": r"[A-Za-z0-9_=-]{40,400}",
    "AGE-SECRET-KEY-1": r"[0-9A-Z]{40,80}",
    "eyJ": r"[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{4,8000}\.[A-Za-z0-9_-]{0,4000}",
}
_PREFIX = {start: re.compile(re.escape(start) + rest) for start, rest in _PREFIXES.items()}

_KEYS = (
    "password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "api_key", "api-key", "accesskey",
    "access_key", "access-key", "secretkey", "privatekey", "private_key", "private-key", "signing_key", "signing-key",
    "encryption_key", "encryption-key", "accountkey", "account_key", "sharedaccesskey", "authkey", "auth_key",
    "credential", "credentials", "_auth",
)  # fmt: skip
_SUFFIX = r"(?:[_-]?(?:key|value|hash|base64|b64|old|new|prod|dev|id|[0-9]{1,3})){0,2}"
_SEPARATOR = r"(?P<mark>\\{0,3}[\"']?\]?)(?P<sep>[ \t]{0,20}(?:=>|:=|[:=](?!=))[ \t]{0,20})"
_QUOTED = r"(?:[bru]{0,2}(?P<quote>\\{0,3}[\"'`])(?P<inside>(?:(?!(?P=quote))[^\r\n]){1,4000}))"
_BARE = r"(?P<bare>[^\s\"'`,;<>(){}\[\]]{1,4000})(?P<after>[(\[{]?)"
_VALUE = re.compile(rf"{_SUFFIX}{_SEPARATOR}(?:{_QUOTED}|{_BARE})", re.IGNORECASE)
_OPTION = re.compile(rf"{_SUFFIX}[ \t]+(?P<quote>[\"']?)(?P<bare>[^\s\"'-][^\s\"']{{2,1000}})", re.IGNORECASE)
_PAIRED = re.compile(
    rf"{_SUFFIX}[\"']?[ \t]*,?\s{{0,40}}[\"']?value[\"']?[ \t]*[:=][ \t]*[\"']?(?P<bare>[^\s\"',}}]{{3,1000}})",
    re.IGNORECASE,
)
_ELEMENT = re.compile(rf"{_SUFFIX}>(?P<bare>[^<>\s]{{3,1000}})</", re.IGNORECASE)
_NETRC = re.compile(r"[ \t]+(?P<bare>\S{1,200})")
_HARMLESS = re.compile(
    r"(?:str(?:ing)?|bytes|int|integer|float|number|bool(?:ean)?|any|none|null|nil|undefined|true|false|object|dict|text|"
    r"required|optional|unknown|void|never|yes|no|on|off|auto|default|empty|missing|invalid|expired|bearer|basic|"
    r"password|passwd|secret|token|hidden|redacted|\[redacted\]|\[private\]|"
    r"[*x.•_-]{3,}|x{3,}|changeme|example|your[-_ ].{0,60}|my[-_](?:secret|token|password).{0,20}|"
    r"<.{0,200}|\$.{0,200}|%[^%]{1,80}%|\{.{0,200}|\.{3}.{0,20}|@.{0,80})",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*[!?:]?")
_PATH = re.compile(r"(?:[~.]{0,2}/|[A-Za-z]:\\).{0,4000}|[a-z][a-z0-9+.-]{1,15}://.{0,4000}", re.DOTALL)
_NUMBER = re.compile(r"[+-]?[0-9._]{1,12}%?")
_PLAIN = ("password", "passwd", "passphrase", "secret")
_PAGING = ("next", "page", "continuation", "pagination", "nextpage", "cancellation", "sync", "eos", "bos", "pad", "unk")
_HEADER = re.compile(
    r"orization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?"
    r"(?:(?:bearer|basic|token|digest|negotiate|apikey|key|aws4-hmac-sha256)[ \t]+)?"
    r"(?P<bare>[^\s\"'<>{}$(][^\r\n\"'<>]{3,4000})",
    re.IGNORECASE,
)
_BEARER = re.compile(r"[ \t]+(?P<bare>(?=[A-Za-z._~+/=-]{0,80}[0-9])[A-Za-z0-9._~+/=-]{16,4000})")
_COOKIE = re.compile(r":[ \t]*(?P<bare>[A-Za-z0-9_.%-]{1,80}=[^\r\n\"']{1,4000})")
_URL = re.compile(r"://[^\s/:@\"'<>?#]{0,256}:(?P<bare>[^\s/@\"'<>]{1,256})@[^\s/@]")
_PEM = re.compile(r"-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----")
_PEM_BODY = re.compile(r"(?:[A-Za-z0-9+/=:,\s-]|\\[nr])*")
_WORDISH = re.compile(r"[A-Za-z0-9]")


def redact(text: str) -> tuple[str, int]:
    """`text` with every secret replaced by `[redacted]` and private text by `[private]`, and the bytes taken out."""
    spans = sorted(_spans(text))
    if not spans:
        return text, 0
    out: list[str] = []
    at = cut = 0
    for start, end, mark in spans:
        if start < at:
            if end > at:
                cut += _size(text[at:end])
                at = end
            continue
        out += (text[at:start], mark)
        cut += _size(text[start:end])
        at = end
    out.append(text[at:])
    return "".join(out), cut


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _spans(text: str) -> Iterator[Span]:
    low = text.lower()
    if len(low) != len(text):
        low = text.replace("\u0130", "I").lower()  # the one character whose lower case is longer
    yield from _private(low)
    yield from _pem(text)
    for start, pattern in _PREFIX.items():
        for at in _finds(text, start):
            if at == 0 or not text[at - 1].isalnum():
                found = pattern.match(text, at)
                if found:
                    yield at, found.end(), REDACTED
    for key in _KEYS:
        for at in _finds(low, key):
            span = _keyed(text, low, at, at + len(key), key)
            if span:
                yield (*span, REDACTED)
    yield from _headers(text, low)


def _finds(text: str, needle: str) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + len(needle))


def _private(low: str) -> Iterator[Span]:
    at = low.find("<private>")
    while at >= 0:
        close = low.find("</private>", at)
        end = len(low) if close < 0 else close + len("</private>")
        yield at, end, PRIVATE
        at = low.find("<private>", end)


def _pem(text: str) -> Iterator[Span]:
    at = text.find("-----BEGIN ")
    while at >= 0:
        found = _PEM.match(text, at)
        after = at + 1
        if found:
            close = text.find(f"-----END {found.group(1)}-----", found.end())
            body = _PEM_BODY.match(text, found.end())
            after = body.end() if close < 0 and body else close + len(found.group(0)) - 2
            yield at, after, REDACTED
        at = text.find("-----BEGIN ", after)


def _keyed(text: str, low: str, at: int, end: int, key: str) -> tuple[int, int] | None:
    """The span of the value that belongs to the key name at `text[at:end]`, or None when it is no secret."""
    found = _VALUE.match(text, end)
    if found:
        return _value(found, text, low, at, key)
    name = low[max(at - 40, 0) : at]
    dashed = name.rstrip("abcdefghijklmnopqrstuvwxyz0123456789_-") if "--" in name else name
    if len(dashed) < len(name) and name[len(dashed) :].startswith("--"):
        found = _OPTION.match(text, end)
        return found.span("bare") if found and _is_value(found.group("bare"), loose=True) else None
    if "login" in name and key == "password":
        found = _NETRC.match(text, end)
        return found.span("bare") if found and re.search(r"login[ \t]+\S+[ \t]+$", name) else None
    found = _PAIRED.match(text, end) if re.search(r"(?:name|key)[\"']?[ \t]*[:=][ \t]*[\"']?[\w.-]*$", name) else None
    found = found or (_ELEMENT.match(text, end) if re.search(r"<[\w.:-]*$", name) else None)
    return found.span("bare") if found and _is_value(found.group("bare"), loose=True) else None


def _value(found: re.Match[str], text: str, low: str, at: int, key: str) -> tuple[int, int] | None:
    before = low[max(at - 16, 0) : at].rstrip("_-")
    if key == "_auth" and at and text[at - 1] not in ":/\n":
        return None
    if key == "token" and before.endswith(_PAGING):
        return None
    if key == "pwd" and (not before or not (before[-1].isalpha() or text[at - 1] in "_-\"'") or before.endswith("old")):
        return None
    if found.group("inside") is not None:
        inside = found.group("inside")
        return found.span("inside") if _is_quoted(inside, key) else None
    bare = found.group("bare")
    if found.group("after"):
        return None
    upper = text[at : at + len(key)].isupper() and found.group("sep") == "="
    loose = upper or _in_query(low, at) or (key in _PLAIN and _is_line(text, at, found))
    start = found.start("bare")
    cut = bare.split("&", 1)[0] if "=" in found.group("sep") else bare
    if "." in cut and not upper and _REFERENCE.fullmatch(cut):
        return None
    return (start, start + len(cut)) if _is_value(cut, loose=loose) else None


def _in_query(low: str, at: int) -> bool:
    """Whether the key stands in the query part of a URL."""
    head = low[max(at - 40, 0) : at].rstrip("abcdefghijklmnopqrstuvwxyz_-")
    return head.endswith(("?", "&"))


def _is_line(text: str, at: int, found: re.Match[str]) -> bool:
    """Whether key and value stand alone on their line, as in YAML and INI files."""
    begin = text.rfind("\n", max(at - 80, 0), at) + 1
    head = text[begin:at].strip(" \t-")
    after = text[found.end() : found.end() + 1]
    return after in ("", "\n", "\r") and re.fullmatch(r"[\w.-]*", head) is not None


def _is_quoted(inside: str, key: str) -> bool:
    value = inside.strip()
    if len(value) < 3 or value[0] in ",)" or _HARMLESS.fullmatch(value) or _NUMBER.fullmatch(value):
        return False
    if _PATH.fullmatch(value):
        return False
    if any(map(str.isspace, value)):
        return key in ("password", "passphrase", "secret") and any(not (c.isalpha() or c in " .,'!?:") for c in value)
    return key in ("password", "passwd", "passphrase", "pwd", "secret") or not value.isalpha() or len(value) >= 20


def _is_value(bare: str, *, loose: bool) -> bool:
    """Whether an unquoted value is a secret and no code: `loose` also takes plain words."""
    if len(bare) < 3 or _HARMLESS.fullmatch(bare) or _NUMBER.fullmatch(bare) or _PATH.fullmatch(bare):
        return False
    if loose:
        return True
    if not any(c.isdigit() for c in bare) or not any(c.isalpha() for c in bare):
        return False
    return len(bare) >= 6 and (
        _REFERENCE.fullmatch(bare) is None or (len(bare) >= 16 and "." not in bare and "_" not in bare)
    )


def _headers(text: str, low: str) -> Iterator[Span]:
    for needle, pattern in (("auth", _HEADER), ("bearer", _BEARER), ("cookie", _COOKIE), ("://", _URL)):
        for at in _finds(low, needle):
            found = pattern.match(text, at + (0 if needle == "://" else len(needle)))
            if found and not _HARMLESS.fullmatch(found.group("bare")):
                yield (*found.span("bare"), REDACTED)
