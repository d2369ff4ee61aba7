"""Which route a shell command takes: to our tools, and why. Contract, section 6; field report F19."""

from __future__ import annotations

from context_mode_runtime.shell.builds import builds
from context_mode_runtime.shell.commands import Command, commands
from context_mode_runtime.shell.dumps import dumped
from context_mode_runtime.shell.requests import inline_urls, printed_urls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
"""Words without which a text can't take the route: looked for before anything is read."""


class Route:
    """Why a text is routed: `kind` (`curl`, `inlineHttp`, `build`, `dump`), its addresses and its files."""

    __slots__ = ("command", "kind", "paths", "urls")

    def __init__(self, kind: str, command: Command, urls: list[str], paths: list[str]) -> None:
        self.kind = kind
        self.command = command
        self.urls = urls
        self.paths = paths


def route(
    text: str,
    dialect: str = "bash",
    *,
    allow_hosts: Sequence[str] = (),
    routes: Mapping[str, bool] | None = None,
    size_of: Callable[[str], int | None],
) -> Route | None:
    """The first route, in the contract's order, that `text` takes, or None: it passes.

    `routes` switches kinds off, `allow_hosts` lets hosts (with their sub-domains) through, `size_of` gives the size in
    bytes of a file named in the text, or None.
    """
    lower = text.lower()
    kinds = [kind for kind, words in _TRIGGERS.items() if _on(routes, kind) and any(word in lower for word in words)]
    if not kinds:
        return None
    found = commands(text, dialect)
    for kind in kinds:
        for command in found:
            if command.words and command.words[0]:
                made = _take(kind, command, allow_hosts, size_of)
                if made is not None:
                    return made
    return None


def _on(routes: Mapping[str, bool] | None, kind: str) -> bool:
    return routes is None or routes.get(kind, True)


def _take(
    kind: str, command: Command, allow_hosts: Sequence[str], size_of: Callable[[str], int | None]
) -> Route | None:
    if kind == "curl":
        urls = printed_urls(command, allow_hosts)
        return Route(kind, command, urls, []) if urls else None
    if kind == "inlineHttp":
        named = inline_urls(command, allow_hosts)
        return None if named is None else Route(kind, command, named, [])
    if kind == "build":
        return Route(kind, command, [], []) if builds(command) else None
    paths = dumped(command, size_of)
    return Route(kind, command, [], paths) if paths else None
