"""`context-mode serve`: from the start of the process to its end."""

from __future__ import annotations

import os
import sys

from context_mode_runtime.server.peer import Peer
from context_mode_runtime.server.session import Connection
from context_mode_runtime.server.wire import claim

_GRACE_S = 0.7
_ENDING_S = 0.8
_LAST_S = 0.1


def serve(agent: str | None) -> int:
    """Serves one host on stdin and stdout until stdin ends, the host dies, or SIGINT or SIGTERM comes; 0 then.

    Ends at most two seconds later, children stopped. An agent that is not known is said on stderr and served
    without its table: the tools work, the identity is unknown.
    """
    try:
        wire = claim()
    except OSError as error:
        _say(f"no stdin or stdout: {error}")
        return 3
    peer = Peer(wire, Connection(agent, _table(agent), _start_folder()))
    grace = _GRACE_S
    try:
        for line in wire.lines():
            peer.take(line)
    except KeyboardInterrupt:
        grace = 0.0
    if not _closed(peer, grace):
        os._exit(0)  # a thread that does not end must not hold the process
    return 0


def main(arguments: list[str]) -> int:
    """`serve [--agent ID]`, for starters that come without the command line program; 2 for other arguments."""
    match [part for argument in arguments for part in argument.split("=", 1)]:
        case []:
            return serve(None)
        case ["--agent", agent]:
            return serve(agent)
    _say("usage: serve [--agent ID]")
    return 2


def _say(text: str) -> None:
    """One line for people, on stderr."""
    sys.stderr.write(f"context-mode serve: {text}\n")


def _closed(peer: Peer, grace: float) -> bool:
    while True:
        try:
            peer.calls.close(grace)
            _end_children()
            return peer.calls.close(_LAST_S)
        except KeyboardInterrupt:
            grace = 0.0


def _end_children() -> None:
    """Ends what the tools started, where they were ever loaded."""
    for name in ("context_mode_runtime.execute.run", "context_mode_runtime.server.installed"):
        module = sys.modules.get(name)
        if module is not None:
            module.stop_all(_ENDING_S)


def _table(agent: str | None) -> dict[str, object] | None:
    from context_mode_runtime.agents import PACKAGE, UnknownAgentError, load_agent

    if not agent:
        return None
    try:
        return load_agent(agent)
    except (UnknownAgentError, ValueError) as error:
        _say(str(error))
        return None
    finally:
        os.environ.pop(PACKAGE, None)  # it says how this server came here, nothing of what it starts


def _start_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
