"""Which route a shell command takes: to our tools, and why. Contract, section 6; field report F19."""

from __future__ import annotations

from context_mode_runtime.shell.builds import builds
from context_mode_runtime.shell.commands import Command, commands
from context_mode_runtime.shell.dumps import dumped
from context_mode_runtime.shell.inline import inline_urls
from context_mode_runtime.shell.transfers import printed_urls
from context_mode_runtime.shell.triggers import possible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


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
    kinds = possible(text, routes)
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
