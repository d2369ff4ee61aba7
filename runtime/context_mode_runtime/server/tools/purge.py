"""ctx_purge: deletes stored text for good."""

from __future__ import annotations

from context_mode_runtime.server.call import ToolError, UnusableStoreError
from context_mode_runtime.server.tools.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.db import Store

_SCOPES = ("session", "source", "project")


def handle(call: Call) -> str:
    """Deletes what exactly one argument names, and says how many rows went."""
    from context_mode_runtime.server import background
    from context_mode_runtime.store.errors import StoreError, UnknownSourceError
    from context_mode_runtime.store.purge import AmbiguousSourceError

    scope = _scope(call)
    try:
        store = _opened(call)
        gone = _DELETE[scope](call, store) if store else 0
        if store:
            background.forget(store)
    except (AmbiguousSourceError, UnknownSourceError) as error:
        raise ToolError(error.reason) from None
    except StoreError as error:
        raise UnusableStoreError("not deleted", error) from None
    return f"ctx_purge: deleted {gone} rows (scope: {scope}). This cannot be undone."


def _scope(call: Call) -> str:
    given = [name for name in _SCOPES if name in call.arguments]
    if len(given) != 1:
        raise ToolError(f"give exactly one of session, source, project ({', '.join(given) or 'none'} given)")
    value = call.arguments[given[0]]
    if not value or (isinstance(value, str) and not value.strip()):
        raise ToolError(f"argument {given[0]} names nothing: nothing is deleted")
    return given[0]


def _opened(call: Call) -> Store | None:
    """The store; None when there is none yet and so nothing to delete. Raises ToolError for a name in it."""
    from context_mode_runtime.server.searching import opened

    store = opened(call)
    call.raw_bytes = None
    if store is None and any(isinstance(value, str) for value in call.arguments.values()):
        raise ToolError("nothing is stored in this project yet")
    return store


def _session(call: Call, store: Store) -> int:
    """The caller's own conversation with its sub-agents, or the one that is named."""
    from context_mode_runtime.store import purge

    wanted = call.arguments["session"]
    if not isinstance(wanted, str):
        found = purge.conversations(store, call.session())
    else:
        found = purge.conversations(store, wanted) or purge.conversations(store, f"{call.connection.agent}:{wanted}")
        if not found:
            raise ToolError(f"no conversation {wanted!r} in this project")
    return sum(purge.purge_session(store, conversation) for conversation in found)


def _source(call: Call, store: Store) -> int:
    from context_mode_runtime.store.purge import purge_source

    return purge_source(store, call.text("source"))


def _project(_call: Call, store: Store) -> int:
    from context_mode_runtime.store.purge import purge_project

    return purge_project(store)


_DELETE = {"session": _session, "source": _source, "project": _project}

TOOL = Tool(
    name="ctx_purge",
    description="Deletes stored text for good, only when the user asks. Give exactly one argument.",
    when="delete stored text, only when the user asks.",
    properties={
        "session": {
            "anyOf": [{"type": "boolean"}, {"type": "string"}],
            "description": "true (this conversation) or an id, e.g. true",
        },
        "source": {"type": "string", "description": "Id or exact label of one source, e.g. s7"},
        "project": {"type": "boolean", "description": "All of this project, e.g. true"},
    },
    annotations={"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False},
    handle=handle,
    strict=True,
)
