"""What `ctx_batch` does: runs its commands, each behind the gate and each with a source of its own."""

from __future__ import annotations

import threading
import time

from context_mode_runtime import jsonio, log
from context_mode_runtime.excerpt import excerpt
from context_mode_runtime.server import timing
from context_mode_runtime.server.call import ToolError
from context_mode_runtime.server.guard import Guard
from context_mode_runtime.server.journaling import note_run
from context_mode_runtime.server.keeping import keep_run, kept_bytes, label_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.execute.run import Outcome
    from context_mode_runtime.server.call import Call

_COMMANDS_MAX = 50
_SIDE_BY_SIDE_MAX = 8
_LABEL_MAX = 80
_REASON_MAX = 400
_UNSTORED_MAX = 8_000


class Ran:
    """One command of a batch: its `label`, how it `ended` in a few words, and the `number` of its source, 0 for none.

    `unstored`: what matters of an output that could not be stored.
    """

    __slots__ = ("command", "ended", "label", "notes", "number", "unstored")

    def __init__(self, label: str, command: str) -> None:
        self.label = label
        self.command = command
        self.ended = "not run"
        self.notes: list[str] = []
        self.number = 0
        self.unstored = ""

    def line(self) -> str:
        """`label: exit 0 · 239 B · s7`."""
        where = f" · s{self.number}" if self.number else ""
        notes = f" ({'; '.join(self.notes)})" if self.notes else ""
        return f"{self.label}: {self.ended}{where}{notes}"


def wanted(call: Call) -> list[Ran]:
    """The commands of the call, none of them run yet, their labels told apart. Raises ToolError."""
    given = call.arguments.get("commands")
    found = [_command(item) for item in given] if isinstance(given, list) else []
    found = [(label, command) for label, command in found if command.strip()]
    if not found:
        raise ToolError('no commands: give some, for example ["npm test", {"label": "log", "command": "git log -5"}]')
    if len(found) > _COMMANDS_MAX:
        raise ToolError(f"{len(found)} commands are too many for one batch: at most {_COMMANDS_MAX}")
    seen: dict[str, int] = {}
    out = []
    for label, command in found:
        seen[label] = seen.get(label, 0) + 1
        out.append(Ran(label if seen[label] == 1 else f"{label} ({seen[label]})", command))
    return out


def _command(item: object) -> tuple[str, str]:
    """(label, command) of one item: an object, the same as JSON text, or the bare command."""
    if isinstance(item, str) and item.lstrip().startswith('{"'):
        try:
            read = jsonio.loads(item)
        except ValueError:
            read = None
        item = read if isinstance(read, dict) and "command" in read else item
    if isinstance(item, dict):
        command = item.get("command")
        unknown = sorted(set(map(str, item)) - {"label", "command"})
        if not isinstance(command, str) or unknown:
            wrong = f"unknown: {', '.join(unknown)}" if unknown else "its command is no text"
            raise ToolError(f"a command is a text or {{label, command}}; {wrong}")
        label = item.get("label")
        return _label(label if isinstance(label, str) else "", command), command
    return _label("", str(item)), str(item)


def _label(given: str, command: str) -> str:
    first = next((line for line in command.splitlines() if line.strip()), "")
    return label_of(given or first)[:_LABEL_MAX]


def run_all(call: Call, commands: list[Ran], intent: str) -> None:
    """Runs the commands in their order, `concurrency` of them side by side; each remembers how it ended.

    `intent` picks what is shown of an output that can't be stored.
    """
    batch = _Batch(call, commands, intent)
    others = [threading.Thread(target=batch.work, name="ctx-batch", daemon=True) for _ in range(batch.width - 1)]
    for thread in others:
        thread.start()
    batch.work()
    for thread in others:
        thread.join()
    call.raw_bytes = batch.printed


class _Batch:
    """What the workers share: the waiting commands, the gate, the end of the time, turns to take and keep."""

    __slots__ = (
        "_call",
        "_ends",
        "_guard",
        "_intent",
        "_limit",
        "_share",
        "_storing",
        "_turn",
        "_waiting",
        "printed",
        "width",
    )

    def __init__(self, call: Call, commands: list[Ran], intent: str) -> None:
        """Raises ToolError for a time-out or concurrency out of bounds."""
        asked = call.number("concurrency", 1)
        if not 1 <= asked <= _SIDE_BY_SIDE_MAX:
            raise ToolError(f"concurrency is between 1 and {_SIDE_BY_SIDE_MAX}, not {asked}")
        self._limit = timing.left_ms(call, timing.asked_ms(call))
        self._ends = time.monotonic() + self._limit / 1000
        self._call = call
        self._guard = Guard(call)
        self._intent = intent
        self._share = _UNSTORED_MAX // len(commands)
        self._turn, self._storing = threading.Lock(), threading.Lock()
        self._waiting = iter(commands)
        self.printed = 0
        self.width = min(asked, len(commands))

    def work(self) -> None:
        """Takes one command after the other until none waits. Never raises: the others go on."""
        while ran := self._next():
            try:
                self._run(ran)
            except ToolError as error:
                ran.ended = " ".join(str(error).split())[:_REASON_MAX]
            except Exception as error:  # noqa: BLE001 - one command that can't be run must not end the others
                log.log_error("serve ctx_batch", error)
                ran.ended = "not run: our own fault, written to hook-errors.log"

    def _next(self) -> Ran | None:
        with self._turn:
            return next(self._waiting, None)

    def _run(self, ran: Ran) -> None:
        from context_mode_runtime.execute.errors import ExecuteError
        from context_mode_runtime.execute.run import Run, run

        self._guard.code("shell", ran.command)
        left = int((self._ends - time.monotonic()) * 1000)
        if left < 1 or self._call.running.cancel.is_set():
            ran.ended = f"not run: the {self._limit} ms were over"
            return
        spec = Run(
            "shell", ran.command, cwd=self._call.project().worktree, timeout_ms=left, sandbox=self._guard.sandbox()
        )
        spec.keep = kept_bytes(self._call)
        try:
            outcome = run(spec, cancel=self._call.running.cancel, progress=timing.told(self._call, ran.label))
        except ExecuteError as error:
            raise ToolError(str(error)) from None
        with self._storing:
            self._keep(ran, outcome)

    def _keep(self, ran: Ran, outcome: Outcome) -> None:
        from context_mode_runtime.server.printed import headline

        kept = keep_run(self._call, outcome, label=ran.label, intent=self._intent)
        self.printed += 0 if kept.problem else outcome.printed_bytes
        note_run(self._call, ran.command, outcome)
        ran.ended = headline(outcome, self._limit)
        ran.number = kept.indexed.id if kept.indexed else 0
        ran.notes = [*outcome.notes, *kept.notes()]
        if kept.problem:
            failed = outcome.exit_code != 0
            text = kept.parts or outcome.text
            ran.unstored = excerpt(text, budget=self._share, intent=self._intent, failed=failed).text
