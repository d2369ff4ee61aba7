"""After a tool ran: its output is stored whole and replaced by the parts that matter; the journal gets a row."""

from __future__ import annotations

import os

from context_mode_runtime import jsonio, limits, where
from context_mode_runtime.agents import fill
from context_mode_runtime.hooks import rows
from context_mode_runtime.hooks.call import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from context_mode_runtime.hooks.call import Call
    from context_mode_runtime.store.db import Store


def decide(call: Call) -> Decision | None:
    """Replaces large text where this host can, once the text is safely stored; else passes."""
    if call.tool is None or call.tool_class == "own" or not call.policy().capture:
        return None
    row = rows.tool_row(call)
    text = _replaceable(call)
    if row is None and text is None:
        return None
    store = call.open_store()
    if store is None:
        return None
    with store:
        if row is not None:
            rows.add(store, call, row)
        return _replace(call, store, text) if text is not None else None


def _replaceable(call: Call) -> str | None:
    """The whole text of an output that this host lets us replace and that is over REPLACE_TRIGGER_BYTES."""
    tool = call.tool or {}
    rules = tool.get("replace")
    if not rules or not call.verb("replace") or not call.policy().routes["replace"] or not _server_wanted(call):
        return None
    if where.holds(call.payload, rules["skip"]):
        return None
    text = _moved(call, tool["moved"])
    if text is None:
        parts = [part for part in where.values(call.payload, tool["output"]) if isinstance(part, str)]
        text = "\n".join(parts)
    return text if len(text.encode("utf-8", "replace")) > limits.REPLACE_TRIGGER_BYTES else None


def _server_wanted(call: Call) -> bool:
    """Whether the policy lets us shorten this MCP server's outputs: not on the deny list, on the allow list if any."""
    if call.tool_class != "mcp":
        return True
    lists = call.policy().mcp_servers
    server = call.field("server")
    return server not in lists["deny"] and (not lists["allow"] or server in lists["allow"])


def _moved(call: Call, rules: dict[str, Any] | None) -> str | None:
    """The text of an output that the host moved to a file: a plain file of this user in the host's own place for it."""
    path = where.text(call.payload, rules["where"]) if rules else ""
    if not rules or not path:
        return None
    from context_mode_runtime.policy.wildcard import path_matches

    folder = os.path.realpath(os.path.dirname(path))
    folders = {name: os.path.realpath(value) if os.path.isabs(value) else value for name, value in call.roots().items()}
    if not any(path_matches(fill(root, folders), folder) for root in rules["roots"]):
        return None
    return _read_plain(os.path.join(folder, os.path.basename(path)))


def _read_plain(path: str) -> str | None:
    import stat

    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    with open(handle, "rb") as file:
        status = os.fstat(file.fileno())
        own = not hasattr(os, "getuid") or status.st_uid == os.getuid()
        if not stat.S_ISREG(status.st_mode) or not own or status.st_size > limits.MOVED_OUTPUT_MAX:
            return None
        return file.read().decode("utf-8", "replace")


def _replace(call: Call, store: Store, text: str) -> Decision | None:
    from context_mode_runtime.excerpt import short_reply
    from context_mode_runtime.store import ledger
    from context_mode_runtime.store.sources import add_source

    tool = call.tool or {}
    project = call.project()
    label = rows.label(call)
    stored = add_source(
        store,
        text,
        label=label,
        kind="log",
        conversation=call.key(),
        worktree=project.worktree if project else None,
        tool=call.get("tool"),
    )
    size = len(text.encode("utf-8", "replace"))
    opening = tool["replace"]["opening"]
    cut = where.holds(call.payload, tool["cut"])
    notes = [
        *(["the host had cut it before"] if cut else []),
        *([f"{stored.cut:,} B of secrets or private text cut"] if stored.cut else []),
    ]
    head = f"{opening or 'stored whole'} · {size:,} B as {stored.sid}" + (f" ({', '.join(notes)})" if notes else "")
    pointer = f"{call.tool_name('ctx_search')}({jsonio.dumps({'queries': _queries(call), 'source': stored.sid})})"
    intent = " ".join([call.field("intent"), rows.last_prompt(store, call)])
    short = short_reply(head, text, pointer=pointer, intent=intent)
    sent = len(short.encode("utf-8", "replace"))
    if sent >= size:
        return None
    ledger.add_call(store, call.get("tool"), size, sent, call.key())
    return Decision("replace", output=_shaped(call, tool["replace"], short))


def _queries(call: Call) -> list[str]:
    """What to ask the stored text for: what the call was for, else its command."""
    intent = call.field("intent") or call.field("command") or call.get("tool")
    return [" ".join(intent.split())[:120]]


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
