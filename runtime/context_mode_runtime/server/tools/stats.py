"""ctx_stats: what was kept out of the context."""

from __future__ import annotations

from context_mode_runtime.server.call import UnusableStoreError
from context_mode_runtime.server.tools.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call


def handle(call: Call) -> str:
    """The savings report of this conversation, this project and all projects."""
    from context_mode_runtime.server import savings, savings_text
    from context_mode_runtime.store.errors import StoreError

    key = call.project().key()
    books = savings.Books()
    try:
        books.check(key)
    except StoreError as error:
        raise UnusableStoreError("the store can't be read", error) from None
    return savings_text.text(savings.Report(books, key, call.session()))


TOOL = Tool(
    name="ctx_stats",
    description="How many bytes were kept out of the context, net of our own cost.",
    when="what was saved.",
    properties={},
    annotations={"readOnlyHint": True, "openWorldHint": False},
    handle=handle,
)
