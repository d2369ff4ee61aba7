"""What the dashboard answers under its token: the page's own files, and what it shows as JSON."""

from __future__ import annotations

import inspect
import json
import urllib.parse
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from context_mode_runtime.log import log_error
from context_mode_runtime.server.browsing import Browser, UnknownError
from context_mode_runtime.store.errors import StoreError
from context_mode_runtime.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).parent / "page"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_JSON = "application/json; charset=utf-8"
_PLAIN = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a media type, the body."""

    status: HTTPStatus
    kind: str
    body: bytes


def said(status: HTTPStatus, text: str) -> Answer:
    """One plain sentence."""
    return Answer(status, _PLAIN, f"{text}\n".encode())


class Routes:
    """Looks every path up in a table: there is no way from a path to another file."""

    def __init__(self, browser: Browser) -> None:
        """Reads the page's files. Raises OSError."""
        self._files = {
            ("" if file.name == "index.html" else file.name): Answer(
                HTTPStatus.OK, _TYPES[file.suffix], file.read_bytes()
            )
            for file in PAGE.iterdir()
            if file.suffix in _TYPES
        }
        self._data: dict[str, Callable[..., dict[str, object]]] = {
            "projects": lambda: {**browser.projects(), "version": VERSION},
            "changes": lambda: {"stamp": browser.stamp()},
            "stats": browser.stats,
            "sources": browser.sources,
            "source": browser.source,
            "search": browser.search,
            "conversations": browser.conversations,
            "conversation": browser.conversation,
            "health": browser.health,
        }

    def answer(self, target: str) -> Answer:
        """The answer to a path behind the token, with its query."""
        path, _, query = target.partition("?")
        if path in self._files:
            return self._files[path]
        found = self._data.get(path.removeprefix("api/")) if path.startswith("api/") else None
        return _called(found, path, query) if found else said(HTTPStatus.NOT_FOUND, "There is no such page here.")


def _called(found: Callable[..., dict[str, object]], path: str, query: str) -> Answer:
    """What it gives for the parameters of the query. A fault of our own is said on the page, and the page lives."""
    try:
        arguments = inspect.signature(found).bind(**dict(urllib.parse.parse_qsl(query, keep_blank_values=True)))
    except TypeError as error:
        return _as_json(HTTPStatus.BAD_REQUEST, {"error": f"wrong parameters: {error}"})
    try:
        return _as_json(HTTPStatus.OK, found(*arguments.args, **arguments.kwargs))
    except UnknownError as error:
        return _as_json(HTTPStatus.NOT_FOUND, {"error": str(error)})
    except StoreError as error:
        return _as_json(HTTPStatus.SERVICE_UNAVAILABLE, {"error": f"the store can't be read: {error}"})
    except Exception as error:  # noqa: BLE001 - the one place where our own faults end
        log_error(f"dashboard {path}", error)
        return _as_json(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": f"a fault of our own: {error}"})


def _as_json(status: HTTPStatus, data: dict[str, object]) -> Answer:
    return Answer(status, _JSON, json.dumps(data, ensure_ascii=True).encode())
