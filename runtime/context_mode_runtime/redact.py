"""Cuts secrets and private text out before anything is written (contract, section 8). Linear in the size of the text.

A needle is found first, by plain search; only there a bounded pattern looks closer, and only then `re` is loaded. What
is cut: the value behind a key name that says secret, values with a known prefix, private PEM blocks, URL passwords,
JWT, credentials of HTTP headers, and what `private_tags` finds between `<private>` and `</private>`.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator
    from typing import AnyStr

    Span = tuple[int, int, str]

REDACTED = "[redacted]"
PRIVATE = "[private]"

_PREFIXES = (
    ("IA", 2, r"A[KSB]IA[0-9A-Z]{16}"),
    ("gh", 0, r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    ("github_pat_", 0, r"github_pat_[A-Za-z0-9_]{22,255}"),
    ("gl", 0, r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|sa)[-_][A-Za-z0-9_.-]{16,255}"),
    ("sk-", 0, r"sk-(?:[A-Za-z0-9]{20,255}|(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20,255})"),
    ("k_live_", 1, r"[srp]k_live_[0-9A-Za-z]{10,255}"),
    ("k_test_", 1, r"[srp]k_test_[0-9A-Za-z]{10,255}"),
    ("whsec_", 0, r"whsec_[0-9A-Za-z+/=]{20,255}"),
    ("xox", 0, r"xox[abeoprs](?:\.[a-z]{2,8})?-[A-Za-z0-9.-]{10,255}"),
    ("xapp-", 0, r"xapp-[A-Za-z0-9-]{10,255}"),
    ("hooks.slack.com/", 0, r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,255}"),
    ("AIza", 0, r"AIza[0-9A-Za-z_-]{35}"),
    ("ya29.", 0, r"ya29\.[0-9A-Za-z_-]{20,2000}"),
    ("npm_", 0, r"npm_[A-Za-z0-9]{36}"),
    ("pypi-Ag", 0, r"pypi-Ag[A-Za-z0-9_-]{40,1000}"),
    ("rubygems_", 0, r"rubygems_[a-f0-9]{48}"),
    ("dckr_pat_", 0, r"dckr_pat_[A-Za-z0-9_-]{20,255}"),
    ("hf_", 0, r"hf_[A-Za-z0-9]{30,100}"),
    ("hvs.", 0, r"hvs\.[A-Za-z0-9_-]{20,255}"),
    ("dop_v1_", 0, r"dop_v1_[a-f0-9]{64}"),
    ("shpat_", 0, r"shpat_[a-fA-F0-9]{32}"),
    ("SG.", 0, r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,100}"),
    ("lin_api_", 0, r"lin_api_[A-Za-z0-9]{30,100}"),
    ("tskey-", 0, r"tskey-[A-Za-z0-9-]{16,255}"),
    ("ATATT3", 0, r"ATATT3[A-Za-z0-9_=-]{40,400}"),
    ("AGE-SECRET-KEY-1", 0, r"AGE-SECRET-KEY-1[0-9A-Z]{40,80}"),
    ("eyJ", 0, r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{4,8000}\.[A-Za-z0-9_-]{0,4000}"),
)
"""(needle, how far before it the value begins, the whole value), as the issuers describe their keys."""
_PREFIXED_MIN = 15
"""Characters of the shortest of them, `xoxb-` and ten more."""
_VALUE_MARKS = bytes(
    b" x"[code in b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.+=-"] for code in range(256)
)
"""`x` for a character that such a value can hold, a space for others; the few values with a `/`, which stands in every
path, are looked for everywhere."""

_KEYS = ("password", "passwd", "passphrase", "pwd", "secret", "token", "key", "credential", "_auth")
_KINDS_OF_KEY = (
    b"api", b"api_", b"api-", b"access", b"access_", b"access-", b"private", b"private_", b"private-", b"signing_",
    b"signing-", b"encryption_", b"encryption-", b"account", b"account_", b"account-", b"auth", b"auth_", b"auth-",
    b"license_",
)  # fmt: skip
"""What stands before `key` in a name that says secret; `secret_key` is found by its first word."""
_PLAIN_WORDS = ("password", "passwd", "passphrase", "secret")
_PAGING = ("next", "page", "continuation", "pagination", "cancellation", "sync", "eos", "bos", "pad", "unk", "sep")
"""What stands before `token` in a name that says no secret."""

_SUFFIX = r"(?:[_-]?(?:key|value|hash|base64|b64|old|new|prod|dev|id|[0-9]{1,3}|s(?![A-Za-z]))){0,2}"
_PATTERNS = {
    "value": _SUFFIX
    + r"(?P<mark>\\{0,3}[\"']?\]?)(?P<sep>[ \t]{0,20}(?:=>|:=|[:=](?!=))[ \t]{0,20})"
    + r"(?:(?:[bru]{0,2}(?P<quote>\\{0,3}[\"'`])(?P<inside>(?:(?!(?P=quote))[^\r\n]){1,4000}))"
    + r"|(?P<bare>[^\s\"'`,;<>(){}\[\]]{1,4000})(?P<after>[(\[{]?))",
    "option": _SUFFIX + r"[ \t]+[\"']?(?P<bare>[^\s\"'-][^\s\"']{2,1000})",
    "paired": _SUFFIX
    + r"[\"']?[ \t]*,?\s{0,40}[\"']?value[\"']?[ \t]{0,9}[:=][ \t]{0,9}[\"']?(?P<bare>[^\s\"',}]{3,1000})",
    "element": _SUFFIX + r">(?P<bare>[^<>\s]{3,1000})</",
    "login": r"[ \t]+(?P<bare>\S{1,200})",
    "authorization": r"orization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?"
    r"(?:(?:bearer|basic|token|digest|negotiate|apikey|key|aws4-hmac-sha256)[ \t]+)?"
    r"(?P<bare>[^\s\"'<>{}$(][^\r\n\"'<>]{3,4000})",
    "bearer": r"[ \t]+(?P<bare>(?=[A-Za-z._~+/=-]{0,80}[0-9])[A-Za-z0-9._~+/=-]{16,4000})",
    "cookie": r":[ \t]*(?P<bare>[A-Za-z0-9_.%-]{1,80}=[^\r\n\"']{1,4000})",
    "url": r"://[^\s/:@\"'<>?#]{0,256}:(?P<bare>[^\s/@\"'<>]{3,256})@[^\s/@]",
    "pem": r"-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----",
    "pem inside": r"[^A-Za-z0-9+/]*(?:[A-Za-z0-9+/=]{1,3}[^A-Za-z0-9+/=])*[A-Za-z0-9+/]{4}[A-Za-z0-9+/=:,\s\"'\\.>|-]*",
    "pem body": r"(?:[\s:,-]|\\[nr])*[A-Za-z0-9+/=]{4}(?:[A-Za-z0-9+/=:,\s-]|\\[nr])*",
    "pem on": r"(?:[A-Za-z0-9+/=:,\s-]|\\[nr])*",
    "harmless": r"(?:str(?:ing)?|bytes|int|integer|float|number|bool(?:ean)?|any|none|null|nil|undefined|true|false|"
    r"object|dict|text|required|optional|unknown|void|never|yes|no|on|off|auto|default|empty|missing|invalid|expired|"
    r"bearer|basic|pass|password|passwd|secret|token|hidden|redacted|\[redacted\]|\[private\]|[*x.•_-]{3,}|changeme|"
    r"example|your[-_ ].{0,60}|my[-_](?:secret|token|password).{0,20}|<.{0,200}|\$.{0,200}|%[^%]{1,80}%|\{.{0,200}|"
    r"\.{3}.{0,20}|@.{0,80}|#[0-9a-f]{3,8}|"
    r"(?:bearer|basic|token)[ .*…]{1,9}|options?|arguments?|flags?|values?)",
    "reference": r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*[!?:]?",
    "path": r"(?s:(?:[~.]{0,2}/|[A-Za-z]:\\).{0,4000}|[a-z][a-z0-9+.-]{1,15}://.{0,4000})",
    "name": r"[A-Za-z]+(?:_[A-Za-z_]*)|[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|_[A-Za-z_]+",
    "opaque": r"[\w+/=.:~@!-]+",
    "number": r"[+-]?[0-9._]{1,12}%?",
    "names it": r"(?:name|key)[\"']?[ \t]{0,9}[:=][ \t]{0,9}[\"']?[\w.-]{0,40}\Z",
    "tag": r"<[\w.:-]{0,40}\Z",
    "after login": r"login[ \t]+\S+[ \t]+\Z",
}
_HEADERS = ((b"auth", 4, "authorization"), (b"bearer", 6, "bearer"), (b"cookie", 6, "cookie"))
_LOGIN_MAX = 520
"""Characters of `://user:password` in a URL."""
_AS_WRITTEN = ("pem", "name")
_BLOCK = 1024 * 1024
_BEFORE = 1_024
"""Characters of the block before, where a name may stand whose value is here."""
_BEHIND = 32_768
"""Characters of the next block, where the longest value may end."""
_NAME_MAX = 40
_VALUE_MIN = 3
_MIXED_MIN = 6
_LONG = 16
_LETTERS_MIN = 20
_DIGITS_MIN = 3
_NAME_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-"

_ready: dict[str, re.Pattern[str]] = {}


def redact(text: str, names: Iterable[str] = (), *, cut_off: bool = False) -> tuple[str, int]:
    """`text` with every secret replaced by `[redacted]` and private text by `[private]`, and the bytes taken out.

    `names`: further key names whose values are secret (`redact` of the policy), in any case. `cut_off`: more came
    behind `text`, or out of its middle, which may have closed a private part; one that is open goes on to the end.
    """
    spans = sorted(find_spans(text, [name.lower() for name in names if name], cut_off=cut_off))
    if not spans:
        return text, 0
    out: list[str] = []
    at = cut = 0
    for start, end, mark in spans:
        if start >= at:
            out += (text[at:start], mark)
        cut += _size(text[max(start, at) : end])
        at = max(at, end)
    out.append(text[at:])
    return "".join(out), cut


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _pattern(source: str) -> re.Pattern[str]:
    """A pattern by its name in _PATTERNS or its own text, compiled at the first use: most texts need none."""
    found = _ready.get(source)
    if found is None:
        import re

        flags = re.IGNORECASE if source in _PATTERNS and source not in _AS_WRITTEN else 0
        found = _ready[source] = re.compile(_PATTERNS.get(source, source), flags)
    return found


def places(text: AnyStr, needle: AnyStr) -> Iterator[int]:
    """Where `needle` stands, without overlap."""
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + len(needle))


def find_spans(text: str, names: list[str], private_from: int = 0, *, cut_off: bool = False) -> Iterator[Span]:
    """(start, end, what stands there instead) of all that is to be cut, unsorted; `names` in lower case.

    Private parts begin at `private_from` or behind; `cut_off` as for `redact`. Found in blocks that overlap: lower case
    of a whole long text would take five times its memory.
    """
    private = False
    for start in range(0, len(text), _BLOCK):
        base = max(start - _BEFORE, 0)
        part = text[base : start + _BLOCK + _BEHIND]
        data = part.replace("\u0130", "I").encode("ascii", "replace")  # as in `lowered`
        private = private or b"<private>" in data.lower()
        for begin, end, mark in _spans_in(part, data, names):
            if start <= base + begin < start + _BLOCK:
                yield base + begin, base + end, mark
    yield from _pem(text)
    if private:
        yield from _private(text, private_from, cut_off=cut_off)


def lowered(text: str) -> str:
    """`text` in lower case, every character at its place."""
    low = text.lower()
    return low if len(low) == len(text) else text.replace("\u0130", "I").lower()  # the one that grows


def _spans_in(text: str, data: bytes, names: list[str]) -> Iterator[Span]:
    """The spans of one block; `data`: its characters as bytes, one each, `?` for what is not ASCII."""
    yield from _prefixed(text, data)
    low = data.lower()
    found = [(at, key, False) for key in _KEYS for at in _named(low, key)]
    for name in names:
        where = places(low, name.encode()) if name.isascii() else places(lowered(text), name)
        found += [(at, name, True) for at in where]
    for at, key, own in found:
        span = _keyed(text, at, key, own=own)
        if span:
            yield (*span, REDACTED)
    yield from _credentials(text, low)


def _named(low: bytes, key: str) -> Iterator[int]:
    """Where the key name stands; of `key`, a word of many texts, the few places where it ends a secret's name."""
    found = places(low, key.encode())
    return found if key != "key" else (at for at in found if low.endswith(_KINDS_OF_KEY, max(at - _NAME_MAX, 0), at))


def _prefixed(text: str, data: bytes) -> Iterator[Span]:
    for begin, source in _prefixes(data):
        if begin >= 0 and not (begin and text[begin - 1].isalnum()):
            found = _pattern(source).match(text, begin)
            if found:
                yield begin, found.end(), REDACTED


def _prefixes(data: bytes) -> Iterator[tuple[int, str]]:
    """Where a value with a known prefix may begin, and its pattern: most stand in long words, a tenth of most texts."""
    starts, words = _long_words(data)
    joined = b" ".join(words)
    begins = list(accumulate((len(word) + 1 for word in words), initial=0))
    for needle, back, source in _PREFIXES:
        if "/" in source:
            yield from ((at - back, source) for at in places(data, needle.encode()))
            continue
        for at in places(joined, needle.encode()):
            word = bisect_right(begins, at) - 1
            yield starts[word] + at - begins[word] - back, source


def _long_words(data: bytes) -> tuple[list[int], list[bytes]]:
    """Where the runs begin that are long enough for a prefixed value, and the runs."""
    marked = data.translate(_VALUE_MARKS)
    long = b"x" * _PREFIXED_MIN
    starts, words = [], []
    at = marked.find(long)
    while at >= 0:
        end = marked.find(b" ", at)
        end = len(data) if end < 0 else end
        starts.append(at)
        words.append(data[at:end])
        at = marked.find(long, end)
    return starts, words


def _credentials(text: str, low: bytes) -> Iterator[Span]:
    behind = [("url", at) for at in _logins(low)]
    behind += [(name, at + length) for needle, length, name in _HEADERS for at in places(low, needle)]
    for name, at in behind:
        found = _pattern(name).match(text, at)
        if found and not _pattern("harmless").fullmatch(found.group("bare")):
            yield (*found.span("bare"), REDACTED)


def _logins(data: bytes) -> Iterator[int]:
    """Where `://` stands with an `@` not far behind it: few URLs have one."""
    return (at for at in places(data, b"://") if data.find(b"@", at, at + _LOGIN_MAX) >= 0)


def _private(text: str, start: int, *, cut_off: bool) -> Iterator[Span]:
    from context_mode_runtime import private_tags

    for at, end in private_tags.parts(lowered(text), start):
        if end >= 0 or cut_off:
            yield at, end if end >= 0 else len(text), PRIVATE


def _pem(text: str) -> Iterator[Span]:
    at = text.find("-----BEGIN ")
    while at >= 0:
        found = _pattern("pem").match(text, at)
        after = at + 1
        if found:
            close = text.find(f"-----END {found.group(1)}-----", found.end())
            inside = _pattern("pem inside").match(text, found.end())
            body = _pattern("pem body").match(text, found.end())
            if inside and inside.end() >= close > 0:
                after = close + len(found.group(0)) - 2
            elif body:
                after = body.end()
            if after > at + 1:
                yield at, after, REDACTED
        at = text.find("-----BEGIN ", after)


def key_block_end(text: str) -> int:
    """Where a private PEM block that began before `text` ends in it."""
    found = _pattern("pem on").match(text)
    return found.end() if found else 0


def _keyed(text: str, at: int, key: str, *, own: bool = False) -> tuple[int, int] | None:
    """The span of the value that belongs to the key name at `at`, or None when it is no secret.

    `own`: the policy names this key, so that any value is one.
    """
    end = at + len(key)
    name = lowered(text[max(at - _NAME_MAX, 0) : at])
    if not own and not _says_secret(text, name, at, key):
        return None
    found = _pattern("value").match(text, end)
    if found and own:
        return found.span("bare" if found.group("inside") is None else "inside")
    if found:
        return _value(found, text, name, at, key)
    found = _other_form(text, name, end)
    return found.span("bare") if found and _is_value(found.group("bare"), loose=True) else None


def _says_secret(text: str, name: str, at: int, key: str) -> bool:
    """Whether the key with what stands before it names a secret: `api_key` does, `primary_key` doesn't."""
    stem = name.rstrip("_-")
    if key == "token":
        return not stem.endswith(_PAGING)
    if key == "_auth":
        return not at or text[at - 1] in ":/\n"
    if key == "pwd":
        return bool(name) and name[-1] in "abcdefghijklmnopqrstuvwxyz0123456789_-\"'" and not stem.endswith("old")
    return True


def _other_form(text: str, name: str, end: int) -> re.Match[str] | None:
    """A value in another form than `key = value`: an option, a netrc line, a name and value pair, an XML element."""
    if name.rstrip(_NAME_LETTERS) != name and name[len(name.rstrip(_NAME_LETTERS)) :].startswith("--"):
        return _pattern("option").match(text, end)
    if "login" in name and _pattern("after login").search(name):
        return _pattern("login").match(text, end)
    if ("name" in name or "key" in name) and _pattern("names it").search(name):
        return _pattern("paired").match(text, end)
    return _pattern("element").match(text, end) if "<" in name and _pattern("tag").search(name) else None


def _value(found: re.Match[str], text: str, name: str, at: int, key: str) -> tuple[int, int] | None:
    inside = found.group("inside")
    if inside is not None:
        return found.span("inside") if _is_quoted(inside, key) else None
    bare = found.group("bare")
    upper = text[at : at + len(key)].isupper() and found.group("sep") == "="
    cut = bare.split("&", 1)[0] if "=" in found.group("sep") else bare
    if found.group("after") or ("." in cut and not upper and _pattern("reference").fullmatch(cut)):
        return None
    begin = name.rstrip(_NAME_LETTERS)
    in_call = begin.endswith(("?", "&")) or name[len(begin) :].startswith("--")
    telling = key in _PLAIN_WORDS or sum(map(str.isdigit, cut)) >= _DIGITS_MIN
    loose = upper or in_call or (telling and _is_line(text, at, found.end()) and not _is_variable(cut, found))
    start = found.start("bare")
    return (start, start + len(cut)) if _is_value(cut, loose=loose) else None


def _is_variable(bare: str, found: re.Match[str]) -> bool:
    """Whether an unquoted value looks like a name in code: `user_password`, `SecretText`, or a word behind ` = `."""
    return _fits("name", bare) or (found.group("sep").startswith(" ") and bare.isalpha())


def _is_line(text: str, at: int, end: int) -> bool:
    """Whether key and value stand alone on their line, as in YAML and INI files."""
    begin = text.rfind("\n", max(at - 2 * _NAME_MAX, 0), at) + 1
    head = text[begin:at].strip(" \t-").lower()
    return text[end : end + 1] in ("", "\n", "\r") and not head.strip(_NAME_LETTERS + ".")


def _is_quoted(inside: str, key: str) -> bool:
    value = inside.strip()
    if (
        len(value) < _VALUE_MIN
        or value[0] in ",)"
        or any(_fits(name, value) for name in ("harmless", "number", "path"))
    ):
        return False
    if any(map(str.isspace, value)):
        return key in _PLAIN_WORDS and any(not (c.isalpha() or c in " .,'!?:") for c in value)
    if key in (*_PLAIN_WORDS, "pwd"):
        return True
    return _fits("opaque", value) and (not value.isalpha() or len(value) >= _LETTERS_MIN)


def _is_value(bare: str, *, loose: bool) -> bool:
    """Whether an unquoted value is a secret and no code: `loose` also takes plain words."""
    if len(bare) < _VALUE_MIN or any(_fits(name, bare) for name in ("harmless", "number", "path")):
        return False
    if loose:
        return True
    if not (any(map(str.isdigit, bare)) and any(map(str.isalpha, bare)) and len(bare) >= _MIXED_MIN):
        return False
    return not _fits("reference", bare) or (len(bare) >= _LONG and "." not in bare and "_" not in bare)


def _fits(name: str, value: str) -> bool:
    return _pattern(name).fullmatch(value) is not None
