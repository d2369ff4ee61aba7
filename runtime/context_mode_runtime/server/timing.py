"""Time limits of a call, counted from its receipt, and the progress that it tells."""

from __future__ import annotations

import time

from context_mode_runtime import limits
from context_mode_runtime.server.call import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.execute.run import Progress
    from context_mode_runtime.server.call import Call

_ANSWER_MS = 3_000  # for ending the processes and for the reply, inside the limit


def asked_ms(call: Call) -> int:
    """The argument `timeout_ms`, or the longest time there is. Raises ToolError for one that is out of bounds."""
    asked = call.number("timeout_ms", limits.EXEC_TIMEOUT_MS)
    if not 1 <= asked <= limits.EXEC_TIMEOUT_MS:
        raise ToolError(f"timeout_ms is between 1 and {limits.EXEC_TIMEOUT_MS}, not {asked}")
    return asked


def left_ms(call: Call, asked: int) -> int:
    """What is left of the limit that counts from receipt to answer."""
    used = int((time.monotonic() - call.running.received) * 1000)
    return max(1, min(asked, limits.EXEC_TIMEOUT_MS - _ANSWER_MS - used))


def is_over(call: Call) -> bool:
    """Whether the longest time of a call is over but for its reply; for work without a limit of its own."""
    return left_ms(call, limits.EXEC_TIMEOUT_MS) <= 1


def told(call: Call, name: str = "") -> Progress:
    """Tells the host how much was printed, and the last line; `name` says by which of several commands."""
    opening = f"{name}: " if name else ""

    def tell(printed: int, line: str) -> None:
        call.running.progress(f"{opening}{printed} B · {line[:200]}" if line else f"{opening}{printed} B")

    return tell
