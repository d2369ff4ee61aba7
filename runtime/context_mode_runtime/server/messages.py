"""JSON-RPC 2.0: what one line holds, and the shapes that go back."""

from __future__ import annotations

from context_mode_runtime import jsonio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Ident: TypeAlias = str | int | float | None

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022
"""MCP 2026-07-28, unsupported protocol version."""


class Fault(Exception):  # noqa: N818 - JSON-RPC calls it an error object, the class is its carrier
    """An error answer: code, one line of text, and data where the protocol wants some."""

    def __init__(self, code: int, message: str, data: object = None, ident: Ident = None) -> None:
        """The three members of a JSON-RPC error object (no `data` when it is None) and the id where it was readable."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.ident = ident


class Message:
    """One message: a request (`method`, `id`), a notification (`method`), or an answer to a request of ours (`id`)."""

    __slots__ = ("answer", "id", "method", "params")

    def __init__(self, method: str | None, ident: Ident, params: dict[str, object], answer: object) -> None:
        """`answer` is the `result` of an answer; None for an error and for everything else."""
        self.method = method
        self.id = ident
        self.params = params
        self.answer = answer


def parse(line: bytes | None) -> Message | None:
    """The message in `line`, None for a blank one. Raises Fault with the protocol's code for anything else.

    A line of None was too long to be kept.
    """
    if line is None:
        raise Fault(INVALID_REQUEST, "the message is too long")
    if not line.strip():
        return None
    try:
        value = jsonio.loads(line.decode())
    except UnicodeDecodeError:
        raise Fault(PARSE_ERROR, "the line is not UTF-8") from None
    except ValueError:
        raise Fault(PARSE_ERROR, "the line is not JSON") from None
    if isinstance(value, list):
        raise Fault(INVALID_REQUEST, "batches are not supported: send one message a line")
    if not isinstance(value, dict):
        raise Fault(INVALID_REQUEST, "a message is a JSON object")
    return _message(value)


def _message(value: dict[str, object]) -> Message:
    method, ident, params = value.get("method"), value.get("id"), value.get("params", {})
    if isinstance(ident, bool) or not isinstance(ident, (str, int, float, type(None))):
        raise Fault(INVALID_REQUEST, "id is a string or a number")
    if method is None and "id" in value and ("result" in value or "error" in value):
        return Message(None, ident, {}, value.get("result"))
    if not isinstance(method, str) or ("id" in value and ident is None):
        raise Fault(INVALID_REQUEST, "a message has a method, a request an id that is not null", None, ident)
    return Message(method, ident, params if isinstance(params, dict) else {}, None)


def result(ident: Ident, body: object) -> dict[str, object]:
    """A successful answer."""
    return {"jsonrpc": "2.0", "id": ident, "result": body}


def error(ident: Ident, fault: Fault) -> dict[str, object]:
    """An error answer; `ident` is None where the request's id could not be read."""
    body: dict[str, object] = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        body["data"] = fault.data
    return {"jsonrpc": "2.0", "id": ident, "error": body}


def request(ident: str, method: str) -> dict[str, object]:
    """A request of ours, without parameters."""
    return {"jsonrpc": "2.0", "id": ident, "method": method}


def notification(method: str, params: dict[str, object]) -> dict[str, object]:
    """A notification of ours."""
    return {"jsonrpc": "2.0", "method": method, "params": params}
