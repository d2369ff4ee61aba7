"""ctx_execute: runs code and returns what matters of its output."""

from __future__ import annotations

import os

from context_mode_runtime.server.call import ToolError, UnusableStoreError
from context_mode_runtime.server.tools.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_mode_runtime.execute.run import Outcome, Run
    from context_mode_runtime.execute.script import File
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.server.guard import Guard

_LANGUAGES = (
    "shell sh bash zsh dash ksh fish python javascript typescript ruby go rust php perl r elixir csharp powershell"
)


def handle(call: Call) -> str:
    """Runs the code in the project. A command that fails or is timed out is an answer, not an error."""
    from context_mode_runtime.execute.errors import ExecuteError
    from context_mode_runtime.execute.run import Run, run
    from context_mode_runtime.server import timing
    from context_mode_runtime.server.keeping import kept_bytes

    language, code, asked = call.text("language"), call.text("code"), timing.asked_ms(call)
    folder = call.project().worktree
    guard = call.guard()
    guard.code(language, code)
    left = timing.left_ms(call, asked)
    spec = Run(language, code, cwd=folder, timeout_ms=left, file=_file(call, guard), sandbox=guard.sandbox())
    spec.keep = kept_bytes(call)
    try:
        if call.flag("background"):
            return _background(call, spec)
        outcome = run(spec, cancel=call.running.cancel, progress=timing.told(call))
    except ExecuteError as error:
        raise ToolError(str(error)) from None
    return _reply(call, outcome, left)


def _reply(call: Call, outcome: Outcome, limit_ms: int) -> str:
    from context_mode_runtime.server.journaling import note_run
    from context_mode_runtime.server.keeping import keep_run
    from context_mode_runtime.server.printed import headline, reply

    kept = keep_run(call, outcome, label=_label(call), intent=call.text("intent"))
    call.raw_bytes = None if kept.problem else outcome.printed_bytes
    note_run(call, f"{call.text('language')}: {call.text('code')}", outcome)
    return reply(call, outcome, headline(outcome, limit_ms), kept, call.text("intent"))


def _file(call: Call, guard: Guard) -> File | None:
    """Path and text for the code: of a stored source by its id, else of a file in or outside the project."""
    name = call.text("file")
    if not name:
        return None
    if "\0" in name:
        raise ToolError("file holds a NUL character")
    path = os.path.join(call.project().worktree, os.path.expanduser(name))
    if name[:1] == "s" and name[1:].isdigit() and not os.path.exists(path):
        return "", _source_pieces(call, name)
    path = os.path.abspath(path)
    guard.path(path)
    from context_mode_runtime.fetch.document import read_document

    try:
        return path, read_document(path, judge=guard.given).text
    except OSError as error:
        raise ToolError(str(error)) from None


def _source_pieces(call: Call, name: str) -> Iterator[str]:
    from context_mode_runtime.store.errors import StoreError, StoreMissingError, UnknownSourceError
    from context_mode_runtime.store.sources import find_source, source_pieces

    try:
        store = call.store(create=False)
        source = find_source(store, name)
        refused = call.guard().stored(source.origin)
        if refused:
            raise ToolError(refused)
        return source_pieces(store, source.id)
    except (StoreMissingError, UnknownSourceError) as error:
        raise ToolError(f"file {name}: {error.reason}") from None
    except StoreError as error:
        raise UnusableStoreError(f"file {name}: the store can't be read", error) from None


def _label(call: Call) -> str:
    first = next((line.strip() for line in call.text("code").splitlines() if line.strip()), "")
    return f"{call.text('language')}: {first}"


def _background(call: Call, spec: Run) -> str:
    from context_mode_runtime.server import background

    return background.start(call, spec, _label(call))


TOOL = Tool(
    name="ctx_execute",
    description=(
        "Runs code or a shell command in the project. Up to 16 KB of output comes back; of more, the parts that "
        "answer `intent`, and ctx_search finds the rest."
    ),
    when="run what may print much (tests, builds, logs, git, curl, scripts over data); say your `intent`.",
    properties={
        "language": {"type": "string", "enum": _LANGUAGES.split(), "description": "e.g. shell"},
        "code": {"type": "string", "description": "What to run, e.g. npm test"},
        "intent": {"type": "string", "description": "What you want to know, e.g. which tests fail"},
        "file": {
            "type": "string",
            "description": "Path or source id; the code gets FILE_PATH and FILE_CONTENT, e.g. app.log",
        },
        "timeout_ms": {"type": "integer", "description": "At most 600000, e.g. 120000"},
        "background": {"type": "boolean", "description": "Return at once and let it run, e.g. true"},
    },
    required=("language", "code"),
    annotations={"readOnlyHint": False, "destructiveHint": True},
    handle=handle,
)
