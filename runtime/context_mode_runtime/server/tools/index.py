"""ctx_index: makes a file, a folder, a text or a page searchable."""

from __future__ import annotations

import os

from context_mode_runtime.server.call import ToolError
from context_mode_runtime.server.tools.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call

_INPUTS = ("path", "text", "url")


def handle(call: Call) -> str:
    """Stores and indexes what the one of `path`, `text` and `url` names."""
    from context_mode_runtime.server import indexing, pages

    given = [name for name in _INPUTS if call.text(name)]
    if len(given) != 1:
        raise ToolError(f"give exactly one of path, text, url ({', '.join(given) or 'none'} given)")
    if given == ["text"]:
        return indexing.index_text(call)
    if given == ["url"]:
        return pages.index_url(call)
    if "\0" in call.text("path"):
        raise ToolError("path holds a NUL character")
    path = os.path.abspath(os.path.join(call.project().worktree, os.path.expanduser(call.text("path"))))
    return indexing.index_folder(call, path) if os.path.isdir(path) else indexing.index_file(call, path)


TOOL = Tool(
    name="ctx_index",
    description=(
        "Makes a file, folder, text or web page searchable with ctx_search, without showing it. "
        "Give one of path, text, url."
    ),
    when="instead of reading long files, folders or web pages whole: index them, then search.",
    properties={
        "path": {"type": "string", "description": "File or folder, e.g. docs/"},
        "text": {"type": "string", "description": "e.g. meeting notes"},
        "url": {"type": "string", "description": "e.g. https://example.com/api"},
        "label": {"type": "string", "description": "Name in results, e.g. api docs"},
        "include": {"type": "array", "items": {"type": "string"}, "description": 'Only these files, e.g. ["*.md"]'},
        "exclude": {"type": "array", "items": {"type": "string"}, "description": 'Not these, e.g. ["vendor/**"]'},
        "refresh": {"type": "boolean", "description": "Fetch again though not old, e.g. true"},
    },
    annotations={"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True},
    handle=handle,
)
