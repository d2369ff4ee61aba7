"""The two eras of MCP on one pipe, told apart by each request alone.

Handshake era: 2024-11-05 to 2025-11-25 with `initialize`. Stateless era: 2026-07-28, the version in every request's
`_meta`. A host may open with one and go on with the other (a probe that timed out), so nothing is locked.
"""

from __future__ import annotations

from context_mode_runtime.server.messages import INVALID_PARAMS, UNSUPPORTED_VERSION, Fault
from context_mode_runtime.version import VERSION

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = ("2026-07-28",)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
SERVER_INFO: dict[str, object] = {"name": "context-mode", "version": VERSION}
"""Without a title: a host may name our tools after it once it knows it, and otherwise before."""
CAPABILITIES: dict[str, object] = {"tools": {}}
_FRESH_MS = 300_000  # how long a host may keep a list: it changes with an upgrade only


def meta(params: dict[str, object]) -> dict[str, object]:
    """The request's `_meta`, empty when it has none."""
    found = params.get("_meta")
    return found if isinstance(found, dict) else {}


def stateless(method: str, params: dict[str, object]) -> bool:
    """Whether this request belongs to the stateless era. Raises Fault for a version that we do not speak."""
    if method == "initialize":
        return False
    requested = meta(params).get(VERSION_KEY)
    if requested is None:
        return method == "server/discover"
    if not isinstance(requested, str):
        raise Fault(INVALID_PARAMS, "the protocol version is a string")
    if requested not in STATELESS:
        data = {"supported": list(STATELESS), "requested": requested}
        raise Fault(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    return True


def initialize(params: dict[str, object], instructions: str) -> dict[str, object]:
    """The answer to `initialize`: the version that was asked for when we know it, else our newest of that era."""
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in HANDSHAKE else HANDSHAKE[-1],
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER_INFO,
        "instructions": instructions,
    }


def discover(instructions: str) -> dict[str, object]:
    """The answer to `server/discover`, still to be `finished`."""
    return {
        "supportedVersions": list(STATELESS),
        "capabilities": CAPABILITIES,
        "instructions": instructions,
        "_meta": {SERVER_KEY: SERVER_INFO},
    }


def finished(body: dict[str, object], *, modern: bool, cacheable: bool = False) -> dict[str, object]:
    """`body` with what the stateless era wants on every result, and on those that a host may keep."""
    if not modern:
        return body
    kept: dict[str, object] = {"ttlMs": _FRESH_MS, "cacheScope": "private"} if cacheable else {}
    return {"resultType": "complete", **body, **kept}
