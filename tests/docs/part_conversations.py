"""What each agent lets us know and say of a long conversation, from its spec."""

from __future__ import annotations

import os
import tempfile
from unittest import mock

from tests.docs.pages import table

from context_mode_installer.specs.catalog import usable_specs
from context_mode_installer.specs.model import AgentSpec
from context_mode_runtime.store import journal
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.state import state_block

WHEN = {
    "session_start": "with the session start that follows", "prompt_submit": "with the next prompt",
    "pre_tool": "with the next tool or prompt", "post_tool": "with the next tool's result or prompt",
}  # fmt: skip
WAYS = {
    "meta": "in each request", "added_meta": "in each request, by a hook", "join": "by the id of the tool call",
    "argument": "by an argument that our bridge adds", "match": "by the call itself: tool and arguments",
    "variable": "by a variable of the process",
}  # fmt: skip
BY_HAND = "not told; `ctx_resume` has it"


def hosts() -> str:
    head = "agent", "conversation is told", "compaction is told", "state block", "a resumed conversation", "sub-agents"
    return table(*head, [row(spec) for spec in usable_specs()])


def row(spec: AgentSpec) -> tuple[str, ...]:
    before = next(event for event in spec.events if event.event == "pre_compact")
    block = spec.compaction.state_block
    ways = list(dict.fromkeys(WAYS[way.way] for way in spec.identity.request))
    return (
        spec.name,
        ", else ".join(ways) or "not told",
        _told(before.absent is None, block is not None),
        f"once, {'with the first request after it' if spec.bridge else WHEN[block.event]}" if block else BY_HAND,
        "told in one line" if spec.compaction.resumed else BY_HAND,
        "by themselves" if spec.identity.hook.subagent or _requests_tell(spec) else "with their conversation",
    )


def _told(before: bool, after: bool) -> str:
    return {(True, True): "yes", (False, True): "after it", (True, False): "before it"}.get((before, after), "no")


def _requests_tell(spec: AgentSpec) -> bool:
    return any(way.subagent for way in spec.identity.request)


ROWS = (
    ("prompt", "fix login", None), ("edit", "src/login.py", None), ("decision", "bcrypt stays", None),
    ("command", "sh build_docs.sh", None), ("task", "mend test_login", "open"), ("task", "read the docs", "done"),
    ("failure", "sh check_login.sh", "FAILED tests/test_login.py::test_login - assert False"),
)  # fmt: skip
"""Kind, text and detail of a short conversation's rows."""


def state() -> str:
    """The state block of a short conversation, by the store's own code."""
    with (
        tempfile.TemporaryDirectory() as home,
        mock.patch.dict(os.environ, {"HOME": os.path.realpath(home)}, clear=True),
        Store.open("docs", name="docs") as store,
    ):
        for kind, text, detail in ROWS:
            journal.add_row(store, "codex:4f1c", kind, text, detail=detail)
        return f"```text\n{state_block(store, 'codex:4f1c')}\n```"
