"""What a fetch may do (policy key `fetch`), its outcome, and its one kind of error."""

from __future__ import annotations

import os

from context_mode_runtime import paths

MAX_BYTES = 16 * 1024 * 1024
"""Default limit of a body, as sent and as unpacked; it stands in memory two or three times while it is converted."""
TIMEOUT_MS = 30_000
"""Default time for the whole fetch, all redirects included."""
_VALIDATOR_MAX = 1_000
MAX_REDIRECTS = 10
"""As curl and browsers: more than ten is a loop."""
PROXY_OFF = "off"
PROXY_ENVIRONMENT = "environment"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class FetchError(Exception):
    """A page that can't be had, or isn't what was asked for: one line, what and how to mend."""


class FetchRules:
    """The policy's `fetch` table, checked: private hosts, proxy (`off`, `environment`, a URL), bytes, milliseconds."""

    __slots__ = ("max_bytes", "private_hosts", "proxy", "timeout_ms")

    def __init__(
        self,
        *,
        private_hosts: tuple[str, ...] = (),
        proxy: str = PROXY_OFF,
        max_bytes: int = MAX_BYTES,
        timeout_ms: int = TIMEOUT_MS,
    ) -> None:
        """Takes checked values; `from_policy` takes a table as it stands in the file."""
        self.private_hosts = private_hosts
        self.proxy = proxy
        self.max_bytes = max_bytes
        self.timeout_ms = timeout_ms

    @classmethod
    def from_policy(cls, table: Mapping[str, object]) -> FetchRules:
        """Reads `privateHosts`, `proxy`, `maxBytes` and `timeoutMs`; a missing or unfit value means the default."""
        hosts = table.get("privateHosts")
        proxy = table.get("proxy")
        return cls(
            private_hosts=tuple(h for h in hosts if isinstance(h, str)) if isinstance(hosts, (list, tuple)) else (),
            proxy=proxy if isinstance(proxy, str) and proxy else PROXY_OFF,
            max_bytes=_positive(table.get("maxBytes"), MAX_BYTES),
            timeout_ms=_positive(table.get("timeoutMs"), TIMEOUT_MS),
        )


class Known:
    """What is known of a page that was fetched before: `url` after redirects, `etag` and `modified` as it was told."""

    __slots__ = ("etag", "modified", "url")

    def __init__(self, url: str, etag: str, modified: str) -> None:
        """Empty texts for what the server did not tell."""
        self.url = url
        self.etag = etag
        self.modified = modified

    @property
    def conditions(self) -> tuple[str, ...]:
        """Header lines that ask for the page only when it is another one (RFC 9110, 13.1)."""
        etag = (f"If-None-Match: {self.etag}",) if _is_header_value(self.etag) else ()
        return (*etag, *((f"If-Modified-Since: {self.modified}",) if _is_header_value(self.modified) else ()))


def _is_header_value(text: str) -> bool:
    return bool(text) and text.isascii() and text.isprintable() and len(text) <= _VALIDATOR_MAX


class Page:
    """One fetched text.

    `url` is the address it came from after redirects, without a password; `kind` is the kind of text for chunking
    (`markdown`, `code`, `json`, `log`, `text`); `printed_bytes` counts the body as unpacked; `note` says in a few words
    what the reader should know about the conversion, or is empty. `etag` and `modified` are what the server said, for
    the next time; `unchanged`: it has nothing newer than what is known, and there is no text.
    """

    __slots__ = (
        *("content_type", "etag", "kind", "modified", "note", "printed_bytes", "status", "text", "unchanged", "url"),
    )

    def __init__(self, *, url: str, status: int, content_type: str, body: bytes) -> None:
        """A page whose text is still to be made: `text`, `kind` and `note` are empty."""
        self.url = url
        self.status = status
        self.content_type = content_type
        self.printed_bytes = len(body)
        self.text = self.etag = self.modified = ""
        self.unchanged = False
        self.kind = "text"
        self.note = ""


def setting_file() -> str:
    """The user's policy file, as error texts name it."""
    return paths.tilde(os.path.join(paths.data_root(), "policy.json"))


def _positive(value: object, default: int) -> int:
    fit = isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 1
    return int(value) if fit and isinstance(value, (int, float)) else default
