"""Before a tool runs: the rules first, then the routes that keep large outputs out (contract, section 6)."""

from __future__ import annotations

import os

from context_mode_runtime import jsonio, limits, notes, paths, where
from context_mode_runtime.hooks.call import Decision
from context_mode_runtime.shell.triggers import possible
from context_mode_runtime.wildcard import path_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from context_mode_runtime.hooks.call import Call
    from context_mode_runtime.policy.verdicts import Verdict


def decide(call: Call) -> Decision | None:
    """Denies, asks or passes. A call of one of our own tools is noted, so that the server knows who makes it.

    With a pass goes the state block of a compaction, where this is its place.
    """
    decision = _decide(call)
    if decision is None and call.tool_class == "shell":
        _note_for_seat(call)
    return decision or _state(call)


def _note_for_seat(call: Call) -> None:
    """Tells the shell's seat, where it was ever set up and is on, whose command is about to run, and what for."""
    seat = call.table.get("shell_seat")
    if not seat or not seat["conversation"] or not call.conversation():
        return
    if not os.path.isdir(os.path.join(paths.bin_dir(), "seat", call.table["id"])):
        return
    policy = call.policy()
    if not policy.seated:
        return
    from context_mode_runtime.redact import redact

    asked = redact(call.field("intent"), policy.redact)[0]
    notes.note_command(call.table["id"], call.conversation(), call.field("command"), call.subagent(), asked)


def _state(call: Call) -> Decision | None:
    """A state block that waits; not for a sub-agent that has its conversation's id."""
    if not call.at("state_block") or not call.verb("context"):
        return None
    agent, conversation = call.table["id"], call.conversation()
    if not notes.state_waits(agent, conversation):
        return None
    if call.hides_subagents() and notes.subagents_at_work(agent, conversation):
        return None
    from context_mode_runtime.hooks.turns import take_state_block

    block = take_state_block(call)
    return Decision("context", text=block) if block else None


def _decide(call: Call) -> Decision | None:
    verdict = _judge(call)
    refusal = _refusal(call, verdict) if verdict else None
    if refusal:
        return refusal
    if call.tool_class == "own" or call.table["events"][call.host_event]["use"] == "identity":
        return _own(call)
    if call.tool_class == "agent" and call.hides_subagents():
        given = call.value("input")
        asked = [text for text in given.values() if isinstance(text, str)] if isinstance(given, dict) else []
        notes.note_subagents(call.table["id"], call.conversation(), 1, asked)
    text = _ROUTES[call.tool_class](call) if call.tool_class in _ROUTES and call.verb("deny") else None
    if text is None:
        return None
    from context_mode_runtime.hooks.follow import can_follow

    return Decision("deny", reason=text) if can_follow(call) else None


def _own(call: Call) -> Decision | None:
    """Notes who calls one of our tools, or puts it into the call, by the ways of identity that this host has."""
    conversation = call.conversation()
    if not conversation:
        return None
    identity = call.table["identity"]
    ways = [way["way"] for way in identity["request"]]
    call_id = where.text(call.payload, identity["hook"]["call"])
    project = call.project()
    note = notes.CallNote(conversation, call.subagent(), project.worktree if project else call.cwd())
    if "join" in ways and call_id:
        notes.note_call(call.table["id"], call_id, note)
    given = call.value("input")
    if "match" in ways and call.tool_class == "own":
        name = call.get("tool")
        notes.note_match(call.table["id"], notes.host_process(), name[name.rfind("ctx_") :], given or {}, note)
    if call.verb("add_meta"):
        return Decision("add_meta")
    added = _added(identity["request"], {"conversation": conversation, "subagent": note.subagent, "call": call_id})
    if not added or not isinstance(given, dict) or not call.verb("set_input"):
        return None
    return Decision("set_input", input={**given, **added})


def _added(request: list[dict[str, Any]], told: dict[str, str]) -> dict[str, str]:
    """The arguments by which the way `argument` tells the server who is calling: the last keys of its paths."""
    ways = [way for way in request if way["way"] == "argument"]
    return {way[name][0][-1]: value for way in ways for name, value in told.items() if value and way[name]}


def _judge(call: Call) -> Verdict | None:
    policy = call.policy()
    if not (policy.deny or policy.ask or policy.closed):
        return None
    from context_mode_runtime.policy import gate
    from context_mode_runtime.policy.verdicts import strictest

    project = call.project()
    root = project.worktree if project else call.cwd()
    if call.tool_class == "shell":
        return gate.judge_command(
            policy, call.field("command"), dialect=_dialect(call), cwd=call.folder(), project=root
        )
    word = _RULE_WORDS.get(call.tool_class)
    if word == "WebFetch":
        return strictest(*[gate.judge_tool(policy, word, str(url)) for url in call.fields("url") or [""]])
    if word:
        found = [gate.judge_path(policy, str(p), cwd=call.cwd(), project=root, tool=word) for p in call.fields("path")]
        return strictest(*found)
    return gate.judge_tool(policy, call.get("tool"), jsonio.dumps(call.value("input")))


def _dialect(call: Call) -> str:
    return str(call.tool.get("dialect") or "bash") if call.tool else "bash"


_RULE_WORDS = {"read": "Read", "search": "Read", "edit": "Edit", "fetch": "WebFetch"}


def _refusal(call: Call, verdict: Verdict) -> Decision | None:
    """Deny as deny; ask where the host can, else deny: a rule that asks is never passed over.

    What no rule names but can't be read passes where the host can't ask.
    """
    if verdict.decision == "ask":
        if call.verb("ask"):
            return Decision("ask", reason=verdict.reason)
        if not verdict.rule:
            return None
        return Decision("deny", reason=f"denied: it {verdict.reason}, and hooks of this host can't ask")
    return Decision("deny", reason=verdict.reason) if call.verb("deny") else None


def _fetch(call: Call) -> str | None:
    urls = list(dict.fromkeys(str(url) for url in call.fields("url")))
    policy = call.policy()
    if not policy.routes["webfetch"] or not all(url.startswith(("http://", "https://")) for url in urls):
        return None
    from context_mode_runtime.shell.hosts import host_allowed

    if all(host_allowed(url, policy.allow_hosts) for url in urls):
        return None
    way = f"Then ask it with {call.tool_name('ctx_search')}; or save it with curl -o FILE."
    return _text(call, "This page", "ctx_index", way, *({"url": url} for url in urls))


def _shell(call: Call) -> str | None:
    command = call.field("command")
    policy = call.policy()
    if policy.sandbox != "off" or not possible(command, policy.routes):
        return None
    from context_mode_runtime.shell.routes import route

    found = route(
        command,
        dialect=_dialect(call),
        allow_hosts=policy.allow_hosts,
        routes=policy.routes,
        size_of=lambda path: _size(path, call.folder()),
    )
    if found is None:
        return None
    from context_mode_runtime.hooks.follow import code_in_place

    language, code = code_in_place(call, command, _dialect(call))
    if not language:
        return None
    what, way = (_SHELL_TEXTS | _OTHER_TEXTS.get(_dialect(call), {}))[found.kind]
    arguments = {"language": language, "code": code}
    intent = call.field("intent")
    text = _text(call, what, "ctx_execute", way, {**arguments, "intent": intent}) if intent else None
    return text or _text(call, what, "ctx_execute", way, arguments)


_SHELL_TEXTS = {
    "curl": ("This download", "A download that goes to a file (curl -o FILE) passes."),
    "inlineHttp": ("This request", "Code that writes the body to a file and prints little passes as a script file."),
    "build": ("This build", "A build whose output goes to a file (> build.log 2>&1) passes."),
    "dump": ("This file", "A part of it (head -n 50 FILE, sed -n 1,80p FILE) passes."),
}
_OTHER_TEXTS = {
    "powershell": {
        "curl": ("This download", "A download that goes to a file (curl.exe -o FILE) passes."),
        "inlineHttp": ("This request", "A request whose body goes to a file (-OutFile FILE) passes."),
        "dump": ("This file", "A part of it (Get-Content FILE -TotalCount 50) passes."),
    }
}
"""Where a shell's own way is another one."""


def _read(call: Call) -> str | None:
    """A read of whole files that are named: each one that is too large has its call."""
    if not call.policy().routes["read"]:
        return None
    large = {}
    for path in map(str, call.fields("path")):
        size = _size(path, call.cwd()) if path else None
        if size is not None and size > limits.OUTPUT_CAP and not _whole(call, path):
            large[os.path.normpath(os.path.join(call.cwd(), os.path.expanduser(path)))] = size
    if not large or _bounded(call):
        return None
    total = sum(large.values())
    what = f"This file ({total:,} B)" if len(large) == 1 else f"Each of {len(large)} files ({total:,} B)"
    way = f"Then ask it with {call.tool_name('ctx_search')}."
    if call.tool and call.tool["range"]:
        way += f" A {call.get('tool')} with a line range passes, for an edit."
    return _text(call, what, "ctx_index", way, *({"path": path} for path in large))


def _bounded(call: Call) -> bool:
    """Whether the read has a range: any, or, where the host always sends one, one that leaves part of the file out."""
    rules = call.tool["range"] if call.tool else None
    if not rules:
        return False
    given = [where.find(call.payload, one) for one in rules["where"]]
    if not rules["always"]:
        return any(value is not None for value in given)
    first, last = (*[int(value) if isinstance(value, (int, float)) else 0 for value in given], 0, 0)[:2]
    return first > 1 or (last > 0 and _goes_on(os.path.join(call.cwd(), os.path.expanduser(call.field("path"))), last))


def _goes_on(path: str, line: int) -> bool:
    """Whether a file goes on behind a line; not when its first lines alone are over _LOOK_MAX."""
    try:
        with open(paths.open_plain(path), "rb") as file:
            for block in iter(lambda: file.read(_BLOCK), b""):
                count = block.count(b"\n")
                if count >= line:
                    return len(block.split(b"\n", line)[line]) > 0 or bool(file.read(1))
                line -= count
                if file.tell() >= _LOOK_MAX:
                    break
    except OSError:
        pass
    return False


_BLOCK = 65_536
_LOOK_MAX = 16_777_216


def _whole(call: Call, path: str) -> bool:
    """Whether the file passes whole: what the host shows itself, skills, rules, memory files."""
    texts = call.table["texts"]
    if path.rpartition(".")[2].lower() in texts["shown"]:
        return True
    from context_mode_runtime.agents import fill_pattern

    folders = call.roots()
    absolute = os.path.normpath(os.path.join(call.cwd(), os.path.expanduser(path)))
    return any(path_matches(fill_pattern(pattern, folders), absolute) for pattern in texts["whole"])


def _size(path: str, cwd: str) -> int | None:
    """The size of a plain file, or None."""
    import stat

    try:
        status = os.stat(os.path.join(cwd, os.path.expanduser(path)))
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _text(call: Call, what: str, tool: str, way: str, *calls: dict[str, str]) -> str | None:
    """The routing text, each call on a line of its own; None where it is over ROUTE_TEXT_MAX: the call passes."""
    hint = call.table["server"]["load_hint"]
    lines = [
        f"{what} is routed to keep the output small: it is stored whole, and you get the part you need.",
        *(f"{call.tool_name(tool)}({_one_line(arguments)})" for arguments in calls),
        *([hint] if hint else []),
        way,
    ]
    text = "\n".join(lines)
    return text if len(text.encode("utf-8", "replace")) <= limits.ROUTE_TEXT_MAX else None


def _one_line(arguments: dict[str, str]) -> str:
    """As JSON, in which what some readers take for a line's end is escaped, too."""
    text = jsonio.dumps(arguments)
    for sign in "\x85\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


_ROUTES = {"fetch": _fetch, "shell": _shell, "read": _read}
