"""Words without which a command can't take a route: looked for before any scanner is loaded."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TRIGGERS = {
    "curl": ("curl", "wget"),
    "inlineHttp": (
        *("requests", "http", "urlopen", "fetch(", "axios", "got(", "invoke-", "iwr", "irm", "uri.open", "open-uri"),
        *("lwp::", "curl_exec"),
    ),
    "build": ("gradle", "mvn", "sbt", "ant", "mill", "bazel", "buck", "msbuild", "xcodebuild", "devenv"),
    "dump": (
        *("cat", "tac", "nl", "less", "more", "most", "bat", "type", "rev", "view", "pygmentize", "strings", "xxd"),
        *("hexdump", "od", "head", "tail", "get-content", "gc"),
    ),
}
"""By kind of route, in the order in which they are tried."""


def possible(text: str, routes: Mapping[str, bool] | None = None) -> list[str]:
    """The kinds of route that are on and that `text` could take."""
    lower = text.lower()
    return [
        kind
        for kind, words in _TRIGGERS.items()
        if (routes is None or routes.get(kind, True)) and any(word in lower for word in words)
    ]
