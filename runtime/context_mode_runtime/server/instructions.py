"""What tool-searching hosts show the model of us: which tools there are and when to use which (contract: 1,400 B)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.session import Connection
    from context_mode_runtime.server.tools.tool import Tool

_OPENING = (
    "Keeps large tool output out of the conversation: it is stored for this project, the part that matters comes back, "
    "and the rest is one search away."
)


def instructions(connection: Connection, tools: list[Tool]) -> str:
    """One line a tool that is offered, named as this host spells it, and how to find a tool that was not loaded."""
    lines = [_OPENING, *(f"- {connection.spelled(tool.name)}: {tool.when}" for tool in tools)]
    hint = connection.part("server").get("load_hint")
    return "\n".join([*lines, hint] if isinstance(hint, str) and hint else lines)
