"""ctx_search: gives back the parts of stored texts that answer a query."""

from __future__ import annotations

from context_mode_runtime.server.tools.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call


def handle(call: Call) -> str:
    """Searches; without queries it lists the sources, or reads one of them in order."""
    from context_mode_runtime.server import searching

    queries = searching.asked(call)
    if queries:
        return searching.searched(call, queries)
    return searching.read(call) if call.text("source") else searching.listed(call)


TOOL = Tool(
    name="ctx_search",
    description=("Searches what is stored of this project: outputs, files, pages. Put all questions into one call."),
    when="ask what was stored: earlier output, indexed files and pages, what was kept of this conversation.",
    properties={
        "queries": {
            "type": "array",
            "items": {"type": "string"},
            "description": 'What to look for, e.g. ["retry limit"]; [] lists sources, or reads `source` in order',
        },
        "source": {"type": "string", "description": "Id, label or its beginning, e.g. s7"},
        "scope": {
            "type": "string",
            "enum": ["session", "worktree", "project"],
            "description": "e.g. session; default worktree",
        },
        "limit": {"type": "integer", "description": "Hits a query, e.g. 5; default 3"},
        "offset": {"type": "integer", "description": "First part of `source` to read, e.g. 4"},
    },
    annotations={"readOnlyHint": True, "openWorldHint": False},
    handle=handle,
)
