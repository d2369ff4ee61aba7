"""The protocol of one connection: each message in, its answer out, tools in threads of their own."""

from __future__ import annotations

from context_mode_runtime import log
from context_mode_runtime.paths import NoHomeError
from context_mode_runtime.server import eras, lenient, messages
from context_mode_runtime.server.call import Call, ToolError
from context_mode_runtime.server.calls import Calls
from context_mode_runtime.server.identity import Caller
from context_mode_runtime.server.instructions import instructions
from context_mode_runtime.server.messages import Fault
from context_mode_runtime.server.tools import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.server.calls import Running
    from context_mode_runtime.server.messages import Message
    from context_mode_runtime.server.session import Connection
    from context_mode_runtime.server.tools.tool import Tool
    from context_mode_runtime.server.wire import Wire

    Body = dict[str, object]

_ROOTS_ID = "roots"
_ROOTS_NEWS = ("notifications/initialized", "notifications/roots/list_changed")
_ERROR_MAX = 2_000
_OUR_FAULT = "our own fault, written to hook-errors.log"


class Peer:
    """Our end of the pipe. `take` is called by the reading thread only."""

    __slots__ = ("_connection", "_seen", "_wire", "calls")

    def __init__(self, wire: Wire, connection: Connection) -> None:
        """Reads nothing and writes nothing yet."""
        self._wire = wire
        self._connection = connection
        self._seen = False
        self.calls = Calls(wire)

    def take(self, line: bytes | None) -> None:
        """Does what one line asks for. Nothing that a line holds ends the connection."""
        try:
            message = messages.parse(line)
            if message is not None:
                self._take(message)
        except Fault as fault:
            self._wire.send(messages.error(fault.ident, fault))

    def _take(self, message: Message) -> None:
        if message.method is None:
            self._take_answer(message)
        elif message.id is None:
            self._take_notification(message.method, message.params)
        else:
            self._mark_first()
            self._take_request(message.method, message)

    def _mark_first(self) -> None:
        if not self._seen:
            self._seen = True
            self._connection.mark(self._connection.project({}, Caller()))

    def _take_answer(self, message: Message) -> None:
        if message.id == _ROOTS_ID:
            self._connection.take_roots(message.answer)
            self._connection.mark(self._connection.project({}, Caller()))

    def _take_notification(self, method: str, params: Body) -> None:
        if method == "notifications/cancelled":
            ident = params.get("requestId")
            if isinstance(ident, (str, int, float)):
                self.calls.cancel(ident)
        elif method in _ROOTS_NEWS and self._connection.wants_roots():
            self._wire.send(messages.request(_ROOTS_ID, "roots/list"))

    def _take_request(self, method: str, message: Message) -> None:
        try:
            modern = eras.stateless(method, message.params)
            if method == "tools/call":
                self._call(message, modern=modern)
            else:
                self._wire.send(messages.result(message.id, self._answer(method, message.params, modern=modern)))
        except Fault as fault:
            self._wire.send(messages.error(message.id, fault))
        except Exception as error:  # noqa: BLE001 - one bad request must not end the others
            log.log_error(f"serve {method}", error)
            self._wire.send(messages.error(message.id, Fault(messages.INTERNAL_ERROR, _OUR_FAULT)))

    def _answer(self, method: str, params: Body, *, modern: bool) -> Body:
        connection = self._connection
        if method == "tools/list":
            listed = registry.listed(connection.part("server").get("tool_meta"))
            return eras.finished(listed, modern=modern, cacheable=True)
        if method == "server/discover":
            return eras.finished(eras.discover(instructions(connection, registry.TOOLS)), modern=True, cacheable=True)
        if method == "initialize":
            offered = params.get("capabilities")
            connection.asks_roots = isinstance(offered, dict) and "roots" in offered
            return eras.initialize(params, instructions(connection, registry.TOOLS))
        if method == "ping" and not modern:
            return {}
        raise Fault(messages.METHOD_NOT_FOUND, f"unknown method {method}")

    def _call(self, message: Message, *, modern: bool) -> None:
        tool = registry.named(message.params.get("name"))
        if tool is None:
            known = ", ".join(tool.name for tool in registry.TOOLS)
            raise Fault(messages.INVALID_PARAMS, f"unknown tool {message.params.get('name')}; known: {known}")
        params = message.params

        def work(running: Running) -> Body:
            body = _ran(tool, params, self._connection, running)
            return messages.result(message.id, eras.finished(body, modern=modern))

        self.calls.start(message.id, eras.meta(params).get("progressToken"), work)


def _ran(tool: Tool, params: Body, connection: Connection, running: Running) -> Body:
    """The result of one call: one text block, `isError` only when it could not be done."""
    try:
        return _text(_handled(tool, _prepared(tool, params, connection, running)))
    except (ToolError, lenient.WrongArgumentsError, NoHomeError) as error:
        return {**_text(str(error)[:_ERROR_MAX]), "isError": True}
    except Exception as error:  # noqa: BLE001 - the model gets one line, the log the rest
        log.log_error(f"serve {tool.name}", error)
        return {**_text(f"{tool.name}: {_OUR_FAULT}"), "isError": True}


def _handled(tool: Tool, call: Call) -> str:
    from context_mode_runtime.server.guard import check_tool

    try:
        check_tool(call.connection, call.found, tool.name, call.arguments)
        text = "\n".join([tool.handle(call), *(f"  ({notice})" for notice in call.notices())])
        call.count(len(text.encode(errors="replace")))
    finally:
        call.running.after = _upkeep(call)
        call.close()
    return text


def _upkeep(call: Call) -> Callable[[], None] | None:
    """What keeps a store that was used small, for after the answer."""
    project = call.found if call.used_store else None
    if project is None:
        return None
    from context_mode_runtime.server.upkeep import tidy

    return lambda: tidy(project)


def _prepared(tool: Tool, params: Body, connection: Connection, running: Running) -> Call:
    caller = connection.caller(params)
    connection.await_roots()
    project = connection.project(params, caller)
    connection.mark(project)
    given = params.get("arguments") or {}
    if not isinstance(given, dict):
        raise lenient.WrongArgumentsError("arguments is not an object")
    arguments = lenient.fitted(tool, connection.without_identity(given))
    return Call(tool.name, arguments, connection, (caller, project), running)


def _text(text: str) -> Body:
    return {"content": [{"type": "text", "text": text}]}
