"""From payload to reply: finds the event, asks its handler, fills the host's template."""

from __future__ import annotations

from context_mode_runtime import jsonio, limits, paths, where
from context_mode_runtime.agents import load_agent
from context_mode_runtime.hooks.call import Call
from context_mode_runtime.log import log_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.agents import Table
    from context_mode_runtime.hooks.call import Decision


class Reply:
    """What goes to the host: `text`, and `code` (not 0 only for a deny by exit code, whose text goes to stderr)."""

    __slots__ = ("code", "text")

    def __init__(self, text: str, code: int = 0) -> None:
        self.text = text
        self.code = code


PASS = Reply("")


class UnknownEventError(Exception):
    """The agent has no such event."""


class Handler:
    """One event of one agent, ready to judge a payload."""

    __slots__ = ("_assume_server", "_event", "_exact", "_table", "pass_text", "timeout_ms")

    def __init__(self, table: Table, event: str, *, exact: bool, assume_server: bool) -> None:
        """`exact`: the event was asked for by the host's own name; else the payload may name another behind ours."""
        self._table = table
        self._exact = exact
        self._event = event
        self._assume_server = assume_server
        self.timeout_ms = int(table["events"][event]["timeout_ms"])
        self.pass_text = str(table["replies"]["pass"])

    def run(self, payload: dict[str, object]) -> Reply:
        """The host's reply to this payload. Whatever fails is a log line and the host's pass."""
        try:
            return self._answer(payload)
        except Exception as error:  # noqa: BLE001 - the host goes on
            log_error(f"hook {self._table['id']} {self._event}", error)
            return Reply(self.pass_text)

    def _answer(self, payload: dict[str, object]) -> Reply:
        event = self._named(payload)
        spec = self._table["events"][event]
        if where.holds(payload, spec["ignore"]):
            return Reply(self.pass_text)
        for caller in self._table["callers"]:
            if where.holds(payload, caller["when"]):
                if not _hooked(caller["agent"]):
                    return Reply(self.pass_text)
                other = prepare(caller["agent"], spec["event"], assume_server=self._assume_server)
                return other.run(payload)
        call = Call(self._table, spec["event"], event, payload, assume_server=self._assume_server)
        if misfit := call.misfit():
            log_error(f"hook {self._table['id']} {event}", misfit)
        decision = _decide(call)
        reply = _render(call, decision) if decision else None
        return reply or Reply(self.pass_text)

    def _named(self, payload: dict[str, object]) -> str:
        """The host's own name of the event, of several behind one of ours the one that the payload tells."""
        events = self._table["events"]
        if self._exact:
            return self._event
        named = where.text(payload, self._table["payload"]["event"])
        return named if named in events and events[named]["event"] == events[self._event]["event"] else self._event


def _hooked(agent: str) -> bool:
    """Whether setup put hooks in for an agent that reads another one's hook file; if not, they are not meant for it.

    Where no receipt of setup tells, they are.
    """
    try:
        with open(paths.receipt(), encoding="utf-8", errors="surrogateescape") as file:
            receipt = jsonio.loads(file.read())
    except (OSError, ValueError):
        return True
    owners = where.values(receipt, [["entries", ["each"]]])
    return any(isinstance(one, dict) and (one.get("agent"), one.get("edit")) == (agent, "hook") for one in owners)


def prepare(agent: str, event: str, *, assume_server: bool = False) -> Handler:
    """The handler of an event, named as the host names it or as we do.

    Raises UnknownAgentError, UnknownEventError.
    """
    table = load_agent(agent)
    names = table["events"]
    if event in names:
        return Handler(table, event, exact=True, assume_server=assume_server)
    for name, spec in names.items():
        if spec["event"] == event or name.lower() == event.lower():
            return Handler(table, name, exact=False, assume_server=assume_server)
    raise UnknownEventError(f"{agent} has no event {event!r}; known: {', '.join(names)}")


def _decide(call: Call) -> Decision | None:
    if call.event == "pre_tool":
        from context_mode_runtime.hooks.before import decide
    elif call.event == "post_tool":
        from context_mode_runtime.hooks.after import decide
    else:
        from context_mode_runtime.hooks.turns import decide
    return decide(call)


def _render(call: Call, decision: Decision) -> Reply | None:
    """The verb's template of this host event with its holes filled, or None where its text is over the host's limit."""
    template = call.verb(decision.verb)
    if template is None:
        return None
    holes = {
        "event": call.host_event,
        "conversation": call.conversation(),
        "subagent": call.subagent() or None,
        **decision.holes,
    }
    if template["limit"] and len(str(holes.get("text", "")).encode("utf-8", "replace")) > template["limit"]:
        return None
    channel = template["channel"]
    if channel in ("stdout_json", "bridge"):
        return Reply(jsonio.dumps(_fill(template["template"], holes)))
    text = str(_fill(template["template"], holes))
    if channel == "stderr_exit":
        return Reply(text[: limits.ROUTE_TEXT_MAX], int(call.table["replies"]["deny_code"]))
    return Reply(text)


def _fill(template: object, holes: dict[str, object]) -> object:
    """A copy of `template` with `{name}` holes filled; a text that is one hole takes the value as it is."""
    if isinstance(template, dict):
        filled = {key: _fill(value, holes) for key, value in template.items()}
        return {key: value for key, value in filled.items() if value is not None}
    if isinstance(template, list):
        return [_fill(value, holes) for value in template]
    if not isinstance(template, str) or "{" not in template:
        return template
    if template[0] == "{" and template[1:-1] in holes:
        return holes[template[1:-1]]
    for name, value in holes.items():
        template = template.replace("{" + name + "}", str(value))
    return template
