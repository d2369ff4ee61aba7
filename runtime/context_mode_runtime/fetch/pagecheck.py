"""Is this the page that was asked for? HTTP errors, login pages, bot walls and empty script shells are not."""

from __future__ import annotations

import html
import re

from context_mode_runtime.fetch.rules import FetchError, Page
from context_mode_runtime.fetch.target import Target, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_OK = range(200, 300)
_LOGIN_WORDS = re.compile(
    r"(?:^|[/._-])(?:log-?in|sign-?in|sso|saml2?|oauth2?|authorize|authenticate|auth|session/new)(?:$|[/._?-])",
    re.IGNORECASE,
)
_PASSWORD_FIELD = re.compile(rb"""<input\b[^>]{0,400}\btype\s*=\s*["']?password""", re.IGNORECASE)
_WALLS = re.compile(
    r"just a moment\.\.\.|attention required! \| cloudflare|checking your browser|verify(?:ing)? (?:that )?you are"
    r" (?:a )?human|are you a robot|unusual traffic from your|enable cookies and reload|ddos protection by"
    r"|pardon our interruption|please complete the security check|access to this page has been denied"
    r"|performing security verification",
    re.IGNORECASE,
)
_WANTS_SCRIPT = re.compile(
    r"(?:enable|requires?|needs?|turn on|without) javascript|javascript (?:is )?(?:required|dis)", re.IGNORECASE
)
_NOSCRIPT = re.compile(rb"<noscript[^>]{0,200}>.{0,600}?javascript", re.IGNORECASE | re.DOTALL)
_LINKS = re.compile(r"\]\([^)]*\)|[#*`>|\[\]!-]")
_REFRESH = re.compile(
    rb"""<meta\b[^>]{0,200}?http-equiv\s*=\s*["']?refresh["']?[^>]{0,200}?content\s*=\s*["']?\s*[0-3](?:\.\d*)?\s*[;,]"""
    rb"""\s*url\s*=\s*["']?([^"'>]{1,2000})""",
    re.IGNORECASE,
)
_REFRESH_PAGE = 8_192
"""A page that only sends the reader on is smaller."""
_SHORT = 1_500
"""Characters: a login page or wall has fewer; a page with more text is worth having whatever it holds besides."""
_SHELL_TEXT = 400
_SHELL_SHARE = 0.02
_SHELL_SIZE = 4_096
"""From this page size on, under 400 characters and 2 % of text mean a shell that a script would fill."""


def check_status(status: int, reason: str, header: Callable[[str], str], url: str) -> None:
    """Raises FetchError unless the status is a success; says so when it means a login, a bot wall or a wait."""
    if status in _OK:
        return
    line = f"{url} answered {status} {shown(reason)}".rstrip()
    if "challenge" in header("cf-mitigated").lower():
        raise FetchError(f"{line}: a bot wall that only a browser passes; nothing was indexed")
    if status in (401, 403, 407):
        raise FetchError(f"{line}: it wants a login or keeps programs out; nothing was indexed")
    if status in (429, 503) and header("Retry-After"):
        raise FetchError(f"{line}: it asks to wait {shown(header('Retry-After'))} s; nothing was indexed")
    raise FetchError(f"{line}; nothing was indexed")


def refresh_target(body: bytes, content_type: str) -> str:
    """Where a small HTML page sends its reader within 3 seconds (`<meta http-equiv=refresh>`), else empty."""
    if len(body) > _REFRESH_PAGE or "html" not in content_type.lower():
        return ""
    found = _REFRESH.search(body)
    return html.unescape(found[1].decode("utf-8", "replace")).strip() if found else ""


def check_page(page: Page, body: bytes, first: Target) -> None:
    """Raises FetchError when a 2xx answer is a login page, a bot wall, or has no readable text.

    `first` is the target before redirects: who asks for a login page gets it.
    """
    text = page.text.strip()
    if not text:
        raise _unreadable(page, 0, body)
    if page.kind != "markdown" or len(text) >= _SHORT:
        return
    if _WALLS.search(text):
        raise FetchError(f"{shown(page.url)} is a bot wall that only a browser passes; nothing was indexed")
    if _is_login(page.url, first.url, body):
        moved = " redirects to a login page: " + shown(page.url) if page.url != first.url else " is a login page"
        raise FetchError(f"{shown(first.url)}{moved}; nothing was indexed")
    readable = len("".join(_LINKS.sub("", text).split()))
    shell = len(body) >= _SHELL_SIZE and readable < min(_SHELL_TEXT, len(body) * _SHELL_SHARE)
    if not readable or shell or (readable < _SHELL_TEXT and _needs_script(text, body)):
        raise _unreadable(page, readable, body)


def _is_login(url: str, first: str, body: bytes) -> bool:
    if _LOGIN_WORDS.search(_place(first)):
        return False
    password = _PASSWORD_FIELD.search(body) is not None
    return password or (_place(url) != _place(first) and _LOGIN_WORDS.search(_place(url)) is not None)


def _place(url: str) -> str:
    """Host and path, without scheme and query."""
    return url.partition("://")[2].partition("?")[0]


def _needs_script(text: str, body: bytes) -> bool:
    return _WANTS_SCRIPT.search(text) is not None or _NOSCRIPT.search(body) is not None


def _unreadable(page: Page, readable: int, body: bytes) -> FetchError:
    if not body:
        return FetchError(f"{shown(page.url)} is empty; nothing was indexed")
    why = f"{readable:,} characters in {len(body):,} B" if readable else f"{len(body):,} B without any"
    return FetchError(
        f"{shown(page.url)} has no readable text ({why}): its content comes by script or needs a login;"
        " nothing was indexed"
    )
