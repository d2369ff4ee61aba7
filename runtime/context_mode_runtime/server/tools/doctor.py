"""ctx_doctor: the checks of doctor for the agent that asks."""

from __future__ import annotations

from context_mode_runtime.server.tools.tool import Tool
from context_mode_runtime.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call

_SECONDS = 120.0
_HEAD = ["Check", "Status", "Detail", "Fix"]


def handle(call: Call) -> str:
    """Asks the installer's own doctor, in a process of its own; without it the runtime looks at itself."""
    from context_mode_runtime import limits
    from context_mode_runtime.redact import redact
    from context_mode_runtime.server import installed, selfcheck

    start = installed.command()
    if start is None:
        lines, rows = selfcheck.environment(call.connection.agent), selfcheck.rows(call)
    else:
        lines, rows = _asked(call, start)
    text, _ = redact("\n".join([*lines, "", *(" | ".join(row) for row in [_HEAD, *rows])]))
    return _capped(text, limits.OUTPUT_CAP)


def _asked(call: Call, start: list[str]) -> tuple[list[str], list[list[str]]]:
    from context_mode_runtime.server import installed, selfcheck

    agent = call.connection.agent
    words = ["doctor", "--offline", *(["--agents", agent] if agent else [])]
    try:
        answer = installed.ask(call, start, words, seconds=_SECONDS)
    except installed.AskError as error:
        rows = [["D2 python", "FAIL", f"doctor did not answer: {error}", "context-mode doctor"]]
        return selfcheck.environment(agent), rows + selfcheck.rows(call)
    said, data = answer.get("messages"), answer.get("data")
    messages = [str(line) for line in said] if isinstance(said, list) else []
    checks = data.get("checks") if isinstance(data, dict) else None
    if not isinstance(checks, list) or not checks:
        return messages, []
    rows = [_row(one, several=not agent) for one in checks if isinstance(one, dict)]
    return messages[:2], [*_older(str(data.get("version")) if isinstance(data, dict) else VERSION), *rows]


def _older(installed: str) -> list[list[str]]:
    """A row of its own where this process began before an upgrade."""
    if installed == VERSION:
        return []
    return [["D1 version", "WARN", f"this server is still {VERSION}, installed is {installed}", "start a new session"]]


def _row(check: dict[str, object], *, several: bool) -> list[str]:
    from context_mode_runtime.server.selfcheck import TITLES

    name = str(check.get("id"))
    title = f"{name} {TITLES.get(name, '')}".rstrip() + (f" ({check.get('agent')})" if several else "")
    return [title, *(str(check.get(key) or "-") for key in ("status", "detail", "fix"))]


def _capped(text: str, most: int) -> str:
    """Whole lines up to `most` bytes, and a word about the rest."""
    if len(text.encode()) <= most:
        return text
    note = "... cut; whole: context-mode doctor -v"
    kept: list[str] = []
    room = most - len(note)
    for line in text.split("\n"):
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, note])


TOOL = Tool(
    name="ctx_doctor",
    description="Checks this installation for this agent, by effect.",
    when="something of this server does not work: what is wrong, and the command that mends it.",
    properties={},
    annotations={"readOnlyHint": True, "openWorldHint": False},
    handle=handle,
)
