"""ctx_upgrade: what is installed, what is newest, and the exact command; nothing is run under a working server."""

from __future__ import annotations

from context_mode_runtime.server.tools.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call

_SECONDS = 60.0


def handle(call: Call) -> str:
    """Answers for `action`; what changes files is named as a command for the user's terminal."""
    from context_mode_runtime.server import installed
    from context_mode_runtime.version import VERSION

    start = installed.command()
    if start is None:
        return "\n".join([f"context-mode {VERSION}, without its installer: {_NATIVE}", f"Or: {installed.INSTALL}"])
    action = call.text("action") or "check"
    if action == "uninstall":
        return "\n".join(_uninstall(call.connection.agent, _spelled(start)))
    lines = _checked(call, start)
    if action == "upgrade":
        lines.append("Nothing was run: this server is part of what would change.")
    lines.append("In a terminal; it sets up again what is set up, and then looks with doctor:")
    return "\n".join([*lines, f"  {_spelled(start)} upgrade"])


_NATIVE = "it came as a package of your agent, and goes or gets newer by the agent's own command."


def _checked(call: Call, start: list[str]) -> list[str]:
    from context_mode_runtime.server import installed
    from context_mode_runtime.version import VERSION

    try:
        answer = installed.ask(call, start, ["upgrade", "--check"], seconds=_SECONDS)
    except installed.AskError as error:
        return [f"context-mode {VERSION}; what is newest could not be learnt: {error}"]
    said = answer.get("messages")
    lines = [str(line) for line in said] if isinstance(said, list) else []
    data = answer.get("data")
    known = str(data.get("version")) if isinstance(data, dict) else VERSION
    if known != VERSION:
        lines.append(f"This server is still {VERSION}: start a new session of the agent.")
    return lines


def _uninstall(agent: str, command: str) -> list[str]:
    one = [f"  {command} setup --remove --agents {agent}      (this agent only)"] if agent else []
    return [
        "Nothing was run: this server is part of what would go. In a terminal:",
        f"  {command} setup --remove      (every agent; stored data stays)",
        *one,
        f"  {command} setup --remove --data      (stored data and launchers, too)",
        "Then end the running sessions of the agents, and uninstall the package: context-mode-py.",
    ]


def _spelled(start: list[str]) -> str:
    import shlex

    return shlex.join(start)


TOOL = Tool(
    name="ctx_upgrade",
    description="Which version is here, whether a newer one is out, how to upgrade or uninstall.",
    when="the user asks for the version, an update or the removal of this server.",
    properties={
        "action": {
            "type": "string",
            "enum": ["check", "upgrade", "uninstall"],
            "description": "What is wanted, e.g. check (default)",
        }
    },
    annotations={"readOnlyHint": True, "openWorldHint": True},
    handle=handle,
)
