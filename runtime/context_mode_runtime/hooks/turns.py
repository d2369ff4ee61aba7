"""The turns of a conversation: its start, prompts, compactions, stops, sub-agents."""

from __future__ import annotations

from context_mode_runtime import limits, notes, where
from context_mode_runtime.hooks import rows
from context_mode_runtime.hooks.call import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.hooks.call import Call
    from context_mode_runtime.store.db import Store

_MESSAGE_MAX = 2_000


def decide(call: Call) -> Decision | None:
    """Keeps what the event tells and adds what the conversation needs, at most one text a reply.

    Of a conversation that the host does not name nothing is kept; its start is told how it works all the same.
    """
    key = call.key()
    if key is None:
        told = how_to(call) if call.event == "session_start" and call.policy().inject and call.verb("context") else ""
        return Decision("context", text=told) if told else None
    if call.event in ("session_start", "prompt_submit"):
        project = call.project()
        notes.note_conversation(call.table["id"], call.conversation(), project.worktree if project else call.cwd())
        if call.hides_subagents() and notes.subagents_at_work(call.table["id"], call.conversation()):
            if notes.subagent_was_asked(call.table["id"], call.conversation(), call.get("prompt")):
                return None
            notes.note_subagents(call.table["id"], call.conversation(), 0)
    text = _HANDLERS[call.event](call, key) if call.event in _HANDLERS else None
    return Decision("context", text=text) if text and call.verb("context") else None


def _session_start(call: Call, key: str) -> str | None:
    block = _state_block(call)
    if block:
        return block
    if not call.policy().inject:
        return None
    texts = [how_to(call)]
    if call.at("resumed") and _has_rows(call, key):
        texts.append("There is earlier work in this conversation: " + _session_search(call))
    return "\n".join(filter(None, texts))


_WITH_A_TOOL = ("pre_tool", "post_tool")
"""Places of a state block that come often: a note says when one waits, so that no other call opens the store for it."""


def _state_due(call: Call) -> bool:
    """Whether this is the place for a state block; a prompt is, too, where the spec waits for the next tool."""
    place = call.table["compaction"]["state_block"]
    waits = bool(place) and place["event"] in _WITH_A_TOOL and call.event == "prompt_submit"
    return waits or call.at("state_block")


def _prompt(call: Call, key: str) -> str | None:
    policy = call.policy()
    prompt = call.get("prompt")
    block = _state_block(call)
    store = call.open_store() if policy.capture and prompt.strip() else None
    if store is None:
        return block
    from context_mode_runtime.hooks.said import decisions

    with store:
        match = _match_block(store, key, prompt) if policy.inject and not block else ""
        rows.add(store, call, rows.Row("prompt", prompt))
        for words in decisions(prompt, policy.redact):
            rows.add(store, call, rows.Row("decision", words))
    return block or match or None


def _match_block(store: Store, key: str, prompt: str) -> str:
    """After a compaction, what the journal before it has on the prompt at hand; once."""
    from context_mode_runtime.store.match import match_block
    from context_mode_runtime.store.state import take_match

    upto = take_match(store, key)
    return match_block(store, key, prompt, upto=upto) if upto else ""


def _pre_compact(call: Call, key: str) -> str | None:
    from context_mode_runtime.store.state import hold_state

    store = call.open_store() if call.policy().capture else None
    if store is not None:
        with store:
            held = hold_state(store, key)
        place = call.table["compaction"]["state_block"]
        if held and place and place["event"] in _WITH_A_TOOL:
            notes.note_state(call.table["id"], call.conversation(), waits=True)
    return None


def _state_block(call: Call) -> str | None:
    """The stored state block, where the spec says that this event is its place; given out once."""
    return take_state_block(call) if _state_due(call) else None


def take_state_block(call: Call) -> str | None:
    """The stored state block, from now on no more.

    Where nothing comes before a compaction, this event is the first word of it: the block is made now.
    """
    store, key = call.open_store(), call.key()
    if store is None:
        return None
    from context_mode_runtime.store.state import hold_state, take_state

    with store:
        if call.table["compaction"]["before"] is None and call.at("state_block") and call.policy().capture:
            hold_state(store, key)
        block = take_state(store, key)
    notes.note_state(call.table["id"], call.conversation(), waits=False)
    return block or None


def _has_rows(call: Call, key: str) -> bool:
    from context_mode_runtime.store.journal import rows as journal_rows

    store: Store | None = call.open_store()
    if store is None:
        return False
    with store:
        return bool(journal_rows(store, key, limit=1))


def _stop(call: Call, _key: str) -> str | None:
    from context_mode_runtime.hooks.said import decisions

    _keep(call, rows.Row("answer", call.get("message"), room=_MESSAGE_MAX))
    for words in decisions(call.get("message"), call.policy().redact, labelled=True):
        _keep(call, rows.Row("decision", words))
    return None


def _subagent_start(call: Call, _key: str) -> str | None:
    kind = where.text(call.payload, call.table["identity"]["hook"]["subagent_type"])
    _keep(call, rows.Row("subagent", f"started {kind or 'sub-agent'} {call.subagent()}"), parent=True)
    return None


def _subagent_stop(call: Call, _key: str) -> str | None:
    text = f"ended {call.subagent()}: {call.get('message')}"
    _keep(call, rows.Row("subagent", text, room=_MESSAGE_MAX), parent=True)
    return None


def _keep(call: Call, row: rows.Row, *, parent: bool = False) -> None:
    if not row.text.strip() or not call.policy().capture:
        return
    store = call.open_store()
    if store is not None:
        with store:
            rows.add(store, call, row, parent=parent)


def _session_search(call: Call) -> str:
    return f'{call.tool_name("ctx_search")}({{"queries":[],"scope":"session"}})'


def how_to(call: Call) -> str:
    """What we do here, in whole lines of at most HOWTO_MAX bytes, made from the routes that are on; empty: nothing."""
    policy = call.policy()
    execute, index, search = (call.tool_name(tool) for tool in ("ctx_execute", "ctx_index", "ctx_search"))
    inputs = [words for route, words in _INPUTS if policy.routes[route]]
    lines = []
    if policy.sandbox == "off" and any(policy.routes[route] for route in _COMMANDS):
        lines.append(f"Commands with much output: {execute} (say the intent).")
    if inputs:
        lines.append(f"{' and '.join(inputs).capitalize()}: {index}, then {search}.")
    if policy.capture and policy.routes["replace"] and call.table["replies"]["verbs"].get("replace"):
        lines.append(f"An output that was stored names its source; {search} finds the rest.")
    hint = call.table["server"]["load_hint"]
    return _fitting([_OPENING, *lines, *([hint] if hint else [])]) if lines else ""


def _fitting(lines: list[str]) -> str:
    while len("\n".join(lines).encode()) > limits.HOWTO_MAX:
        lines.pop()
    return "\n".join(lines)


_OPENING = "context-mode keeps large outputs out of this conversation and gives back the part you ask for."
_COMMANDS = ("curl", "inlineHttp", "build", "dump")
_INPUTS = (("read", "large files"), ("webfetch", "web pages"))

_HANDLERS = {
    "session_start": _session_start,
    "prompt_submit": _prompt,
    "pre_compact": _pre_compact,
    "stop": _stop,
    "subagent_start": _subagent_start,
    "subagent_stop": _subagent_stop,
}
