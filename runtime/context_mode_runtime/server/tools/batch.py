"""ctx_batch: runs several commands and answers several questions from what they print, in one call."""

from __future__ import annotations

from context_mode_runtime.server.tools.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call


def handle(call: Call) -> str:
    """One status line a command, then each query with its parts, from this batch's outputs first."""
    from context_mode_runtime.server import answering, batching, searching

    queries = searching.asked(call)
    commands = batching.wanted(call)
    batching.run_all(call, commands, " ".join(queries))
    return answering.answered(call, commands, queries)


TOOL = Tool(
    name="ctx_batch",
    description=(
        "Runs several shell commands and answers all queries from their outputs in one reply. "
        "Failed or denied ones stop no others."
    ),
    when="several commands and questions at once: one call instead of many.",
    properties={
        "commands": {
            "type": "array",
            "items": {
                "anyOf": [
                    {"type": "string"},
                    {
                        "type": "object",
                        "properties": {
                            "label": {"type": "string", "description": "e.g. log"},
                            "command": {"type": "string", "description": "e.g. git log -9"},
                        },
                        "required": ["command"],
                        "additionalProperties": False,
                    },
                ]
            },
            "description": 'Shell commands, e.g. ["npm test", {"label": "log", "command": "git log -9"}]',
        },
        "queries": {
            "type": "array",
            "items": {"type": "string"},
            "description": 'What you want to know, e.g. ["failing tests"]',
        },
        "timeout_ms": {"type": "integer", "description": "For all, at most 600000, e.g. 120000"},
        "concurrency": {"type": "integer", "description": "How many side by side, 1 to 8, e.g. 4; default 1"},
    },
    required=("commands", "queries"),
    annotations={"readOnlyHint": False, "destructiveHint": True},
    handle=handle,
)
