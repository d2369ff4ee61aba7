"""The MCP handshake of D7, by the official Python client, in both eras of the protocol."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TextIO

from context_mode_runtime.server.tools.registry import TOOLS

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 20
"""A cold disk may make the first start slow; hosts wait 3 to 30 s."""
_ERAS = ("legacy", "auto")


class HandshakeError(Exception):
    """The server did not answer as it should: what was seen."""


def shake(argv: Sequence[str], environment: dict[str, str], cwd: str) -> list[str]:
    """Starts the server once an era and returns the names of its tools. Raises HandshakeError."""
    import anyio

    wanted = [tool.name for tool in TOOLS]
    for era in _ERAS:
        try:
            with open(os.devnull, "w", encoding="utf-8") as silence:
                listed = anyio.run(_listed, argv, environment, cwd, era, silence)
        except Exception as error:  # noqa: BLE001 - whatever the client raises: the handshake failed
            raise HandshakeError(f"the server does not answer ({era}): {_root(error)}") from None
        if listed != wanted:
            raise HandshakeError(f"the server offers {', '.join(listed) or 'no tools'}; wanted: {', '.join(wanted)}")
    return wanted


async def _listed(argv: Sequence[str], environment: dict[str, str], cwd: str, era: str, silence: TextIO) -> list[str]:
    import anyio
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(command=argv[0], args=list(argv[1:]), env=environment, cwd=cwd)
    with anyio.fail_after(SECONDS):
        async with Client(stdio_client(parameters, errlog=silence), mode=era) as client:
            listed = await client.list_tools()
    return [tool.name for tool in listed.tools]


def _root(error: BaseException) -> str:
    """The innermost reason of a group of errors, on one line."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return " ".join(f"{type(error).__name__}: {error}".split())
