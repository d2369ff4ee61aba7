"""curl and wget by where the body goes (field report F19)."""

from __future__ import annotations

from context_mode_runtime.shell.hosts import host_allowed
from context_mode_runtime.shell.output import reaches_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from context_mode_runtime.shell.commands import Command

_CURL_VALUES = frozenset("AbcCdDeEFhHKmoPQrtTuUwxXyYz")
_CURL_LONG = frozenset(
    [
        "abstract-unix-socket",
        "cacert",
        "capath",
        "cert",
        "cert-type",
        "ciphers",
        "config",
        "connect-timeout",
        "connect-to",
        "continue-at",
        "cookie",
        "cookie-jar",
        "create-file-mode",
        "crlfile",
        "curves",
        "data",
        "data-ascii",
        "data-binary",
        "data-raw",
        "data-urlencode",
        "delegation",
        "dns-interface",
        "dns-servers",
        "doh-url",
        "dump-header",
        "egd-file",
        "engine",
        "etag-compare",
        "etag-save",
        "expect100-timeout",
        "form",
        "form-string",
        "ftp-account",
        "ftp-method",
        "ftp-port",
        "happy-eyeballs-timeout-ms",
        "haproxy-clientip",
        "header",
        "hostpubmd5",
        "hostpubsha256",
        "hsts",
        "interface",
        "json",
        "keepalive-time",
        "key",
        "key-type",
        "krb",
        "libcurl",
        "limit-rate",
        "local-port",
        "login-options",
        "mail-auth",
        "mail-from",
        "mail-rcpt",
        "max-filesize",
        "max-redirs",
        "max-time",
        "netrc-file",
        "noproxy",
        "oauth2-bearer",
        "output",
        "output-dir",
        "parallel-max",
        "pass",
        "pinnedpubkey",
        "preproxy",
        "proto",
        "proto-default",
        "proto-redir",
        "proxy",
        "proxy-cacert",
        "proxy-cert",
        "proxy-header",
        "proxy-user",
        "pubkey",
        "quote",
        "range",
        "rate",
        "referer",
        "request",
        "request-target",
        "resolve",
        "retry",
        "retry-delay",
        "retry-max-time",
        "socks4",
        "socks4a",
        "socks5",
        "socks5-hostname",
        "speed-limit",
        "speed-time",
        "stderr",
        "telnet-option",
        "tftp-blksize",
        "time-cond",
        "tls-max",
        "trace",
        "trace-ascii",
        "tlsuser",
        "tlspassword",
        "unix-socket",
        "upload-file",
        "url",
        "url-query",
        "user",
        "user-agent",
        "variable",
        "write-out",
    ]
)
_CURL_SENDS = frozenset(
    [
        "data",
        "data-ascii",
        "data-binary",
        "data-raw",
        "data-urlencode",
        "form",
        "form-string",
        "json",
        "upload-file",
        "quote",
        "mail-from",
    ]
)
_CURL_QUIET = frozenset(("head", "version", "help", "manual", "config"))
_CURL_LETTERS = {
    "o": "output",
    "O": "remote-name",
    "I": "head",
    "d": "data",
    "F": "form",
    "T": "upload-file",
    "X": "request",
    "G": "get",
    "V": "version",
    "h": "help",
    "M": "manual",
    "K": "config",
    "Q": "quote",
}
_WGET_VALUES = frozenset("aoeiBtOTwQPUIADlRXD")
_WGET_LONG = frozenset(
    [
        "output-document",
        "output-file",
        "append-output",
        "input-file",
        "tries",
        "timeout",
        "wait",
        "quota",
        "directory-prefix",
        "user-agent",
        "header",
        "user",
        "password",
        "method",
        "referer",
        "accept",
        "reject",
        "domains",
        "level",
        "base",
        "execute",
        "load-cookies",
        "save-cookies",
    ]
)
_WGET_QUIET = frozenset(
    ["spider", "version", "help", "post-data", "post-file", "body-data", "body-file", "method", "background"]
)
_STDOUT = frozenset(("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/stderr", "/dev/tty"))


def _options(
    words: list[str], values: frozenset[str], long_values: frozenset[str], letters: dict[str, str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """The options as (long name or letter, value) and the operands."""
    found: list[tuple[str, str]] = []
    operands: list[str] = []
    at = 1
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            operands += words[at:]
            break
        if word.startswith("--"):
            name, cut, value = word[2:].partition("=")
            if not cut and name in long_values and at < len(words):
                value = words[at]
                at += 1
            found.append((name, value))
        elif word.startswith("-") and len(word) > 1:
            at = _cluster(words, at, values, letters, found)
        elif word:
            operands.append(word)
    return found, operands


def _cluster(
    words: list[str], at: int, values: frozenset[str], letters: dict[str, str], found: list[tuple[str, str]]
) -> int:
    """`-sSo file`: letters up to one that takes the rest of the word, or the next word, as its value."""
    word = words[at - 1]
    for place, letter in enumerate(word[1:], 2):
        name = letters.get(letter, letter)
        if letter not in values:
            found.append((name, ""))
            continue
        value = word[place:]
        if not value and at < len(words):
            value = words[at]
            at += 1
        found.append((name, value))
        break
    return at


def curl_urls(words: list[str]) -> list[str]:
    """The addresses whose bodies `curl` prints; empty when it prints none."""
    options, operands = _options(words, _CURL_VALUES, _CURL_LONG, _CURL_LETTERS)
    names = {name for name, _ in options}
    urls = operands + [value for name, value in options if name == "url"]
    if not urls or names & _CURL_QUIET:
        return []
    if names & _CURL_SENDS and "get" not in names:
        return []
    if any(name == "request" and value.upper() != "GET" for name, value in options):
        return []
    if "remote-name-all" in names:
        return []
    outputs = [value for name, value in options if name == "output"]
    kept = sum(1 for name, _ in options if name == "remote-name")
    kept += sum(1 for value in outputs if value not in _STDOUT)
    return urls[kept:]


def wget_urls(words: list[str]) -> list[str]:
    """The addresses whose bodies `wget` prints: only with `-O -`."""
    options, operands = _options(
        words, _WGET_VALUES, _WGET_LONG, {"O": "output-document", "V": "version", "b": "background"}
    )
    names = {name for name, _ in options}
    if any(name in names for name in _WGET_QUIET if name != "method"):
        return []
    if any(name == "method" and value.upper() != "GET" for name, value in options):
        return []
    outputs = [value for name, value in options if name == "output-document"]
    return operands if outputs and outputs[-1] in _STDOUT else []


_FETCHERS: dict[str, Callable[[list[str]], list[str]]] = {
    "curl": curl_urls,
    "curlie": curl_urls,
    "wget": wget_urls,
    "wget2": wget_urls,
}


def printed_urls(command: Command, allow_hosts: Sequence[str]) -> list[str]:
    """The addresses that `command` (curl, wget) prints where the model sees it; empty: it passes."""
    fetcher = _FETCHERS.get(command.name.lower())
    if fetcher is None or not reaches_model(command):
        return []
    return [url for url in fetcher(command.words) if not host_allowed(url, allow_hosts)]
