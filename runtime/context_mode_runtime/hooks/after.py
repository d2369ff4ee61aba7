"""After a tool ran: its output is stored whole and replaced by the parts that matter; the journal gets a row.

On hosts whose compactions are in the middle of a run, the state block goes with it.
"""

from __future__ import annotations

import os

from context_mode_runtime import limits, notes, paths, where
from context_mode_runtime.agents import fill_pattern
from context_mode_runtime.hooks import rows
from context_mode_runtime.hooks.call import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from context_mode_runtime.hooks.call import Call
    from context_mode_runtime.store.db import Store


def decide(call: Call) -> Decision | None:
    """Replaces large text where this host can, once the text is safely stored; else passes."""
    if call.tool_class == "agent" and call.hides_subagents():
        notes.note_subagents(call.table["id"], call.conversation(), -1)
    if call.tool is None or call.tool_class == "own" or not call.policy().capture:
        return None
    row = rows.tool_row(call)
    text = _replaceable(call)
    agent, conversation = call.table["id"], call.conversation()
    state = call.at("state_block") and call.verb("context") is not None and notes.state_waits(agent, conversation)
    if row is None and text is None and not state:
        return None
    store = call.open_store()
    if store is None:
        return None
    with store:
        if row is not None:
            rows.add(store, call, row)
        short = _replace(call, store, text) if text is not None else None
        return short or (_state(call, store) if state else None)


def _state(call: Call, store: Store) -> Decision | None:
    """The state block of a compaction, where one is due."""
    from context_mode_runtime.store.state import take_state

    block = take_state(store, call.key())
    notes.note_state(call.table["id"], call.conversation(), waits=False)
    return Decision("context", text=block) if block else None


def _replaceable(call: Call) -> str | None:
    """The whole text of an output that this host lets us replace and that is over REPLACE_TRIGGER_BYTES."""
    tool = call.tool or {}
    rules = tool.get("replace")
    if not rules or not call.verb("replace") or not call.policy().routes["replace"] or not _server_wanted(call):
        return None
    if where.holds(call.payload, rules["skip"]):
        return None
    moved = tool["moved"]
    path = where.text(call.payload, moved["where"]) if moved else ""
    given = "\n".join(part for part in where.values(call.payload, tool["output"]) if isinstance(part, str))
    if call.tool_class == "shell" and _left_alone(call, given):
        return None
    text = _with_ending(_moved(call, path, moved["roots"]), given) if path else given
    return text if text and len(text.encode("utf-8", "replace")) > limits.REPLACE_TRIGGER_BYTES else None


def _left_alone(call: Call, text: str) -> bool:
    """Whether a command's output is wanted as it is, or the shell's seat has shortened it already."""
    from context_mode_runtime.shorten import asked_raw, is_short_form

    return asked_raw(call.field("command")) or is_short_form(text, call.tool_name("ctx_search"))


def _with_ending(text: str | None, given: str) -> str | None:
    """What the host moved to a file, and the exit code that it told beside it."""
    from context_mode_runtime.hooks.said import ending

    last = ending(given) if text else ""
    return f"{text}\n{last}" if last and text and not text.rstrip().endswith(last) else text


def _server_wanted(call: Call) -> bool:
    """Whether the policy lets us shorten this MCP server's outputs: not on the deny list, on the allow list if any."""
    if call.tool_class != "mcp":
        return True
    lists = {name: {_spelled(server) for server in servers} for name, servers in call.policy().mcp_servers.items()}
    named = [server for server in call.fields("server") if isinstance(server, str)]
    names = {_spelled(form) for server in named for form in (server, server.rpartition(":")[2])}
    return not names & lists["deny"] and (not lists["allow"] or bool(names & lists["allow"]))


def _spelled(server: str) -> str:
    """A server's name as it stands in tool names: hosts write other signs than letters and digits as `_`."""
    return "".join(c if c.isalnum() else "_" for c in server)


def _moved(call: Call, path: str, roots: list[str]) -> str | None:
    """The text of an output that the host moved to a file: a plain file of this user in the host's own place for it.

    None where we may not read it: then the host's own word on where it lies has to stay. `roots` are folders or files.
    """
    from context_mode_runtime.wildcard import path_matches

    if "\0" in path:
        return None
    folder = os.path.realpath(os.path.dirname(path))
    file = os.path.join(folder, os.path.basename(path))
    folders = {name: os.path.realpath(value) if os.path.isabs(value) else value for name, value in call.roots().items()}
    patterns = [fill_pattern(root, folders) for root in roots]
    if not any(path_matches(pattern, place) for pattern in patterns for place in (folder, file)):
        return None
    return _read_plain(file)


def _read_plain(path: str) -> str | None:
    try:
        handle = paths.open_plain(path, getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        own = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and status.st_nlink == 1)
        if not own or status.st_size > limits.MOVED_OUTPUT_MAX:
            return None
        with open(handle, "rb", closefd=False) as file:
            data = file.read(limits.MOVED_OUTPUT_MAX + 1)
    finally:
        os.close(handle)
    return data.decode("utf-8", "replace") if len(data) <= limits.MOVED_OUTPUT_MAX else None


def _replace(call: Call, store: Store, text: str) -> Decision | None:
    from context_mode_runtime import shorten
    from context_mode_runtime.store.journal import last_prompt
    from context_mode_runtime.store.sources import plain

    text = plain(text)
    tool = call.tool or {}
    project = call.project()
    asked = call.field("intent")
    about = shorten.About(
        label=rows.label(store, call),
        tool=call.get("tool"),
        worktree=project.worktree if project else None,
        conversation=call.key(),
        search=call.tool_name("ctx_search"),
        asked=asked,
        intent=f"{asked} {last_prompt(store, call.key())}",
    )
    shown = _cleaned(call, text)
    cut = where.holds(call.payload, tool["cut"])
    short = shorten.short_form(
        store,
        shorten.stored(store, shown, about, cut_off=cut),
        shown,
        about,
        size=len(text.encode()),
        opening=tool["replace"]["opening"] or ("stored" if cut else shorten.WHOLE),
        remarks=["the host had cut it before"] if cut else [],
    )
    return Decision("replace", output=_shaped(call, tool["replace"], short)) if short else None


def _cleaned(call: Call, text: str) -> str:
    """What a command printed as a terminal would leave it, as `ctx_execute` keeps it; other texts as they came."""
    if call.tool_class != "shell":
        return text
    from context_mode_runtime.execute.clean import clean

    return clean(text)


def _shaped(call: Call, rules: dict[str, Any], short: str) -> object:
    """The short text in the shape in which this host takes the tool's output."""
    response = call.value("response")
    if rules["shape"] == "copy" and isinstance(response, dict):
        copied = {key: value for key, value in response.items() if key not in rules["drop"]}
        _set_at(copied, rules["text_at"], short)
        for change in rules["set"]:
            _set_at(copied, change["at"], change["value"])
        return copied
    if rules["shape"] == "parts" or (rules["shape"] == "same" and isinstance(response, list)):
        return [{"type": "text", "text": short}]
    return short


def _set_at(target: dict[str, Any], keys: list[str], value: object) -> None:
    for key in keys[:-1]:
        inner = target.get(key)
        target[key] = dict(inner) if isinstance(inner, dict) else {}
        target = target[key]
    target[keys[-1]] = value
