"""ctx_resume: what this conversation was doing, or one row of the journal."""

from __future__ import annotations

from context_mode_runtime.server.tools.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call


def handle(call: Call) -> str:
    """The state block of the conversation; with `seq` that row, and how to read on when it is long."""
    from context_mode_runtime.server import journaling, searching
    from context_mode_runtime.store.state import empty_block, state_block

    store = searching.opened(call)
    seq = call.arguments.get("seq")
    if isinstance(seq, int):
        return journaling.first_piece(call, journaling.find_row(store, seq))
    return (state_block(store, call.session()) if store else "") or empty_block(call.session())


TOOL = Tool(
    name="ctx_resume",
    description=(
        "What this conversation was doing: request, edits, failure, decisions, tasks. With seq one journal row whole."
    ),
    when="after a compaction: what was kept of requests, edits, failures, decisions.",
    properties={"seq": {"type": "integer", "description": "Number of the row, e.g. 12"}},
    annotations={"readOnlyHint": True, "openWorldHint": False},
    handle=handle,
)
