"""`context-mode demo`: a large output, what reaches the context, a search that finds the rest. Needs no agent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

import context_mode_runtime
from context_mode_installer.groups import groups
from context_mode_installer.result import FAULT, FINDINGS, Result, UserError, Verbatim
from context_mode_installer.screen import plain, step
from context_mode_installer.system import PathError

_LINES = 3_000
_SECONDS = 60
_CODE = f"""\
for n in range({_LINES}):
    if n == 1_234: print("10:20:34 ERROR payment 7731 refused: card expired")
    elif n == 2_345: print("10:39:05 INFO the night shift is handled by Ada and Grace")
    else: print(f"10:{{n // 60:02}}:{{n % 60:02}} INFO worker-{{n % 7}} handled request {{n}} in {{n % 90}} ms")
"""
_INTENT = "why was a payment refused?"
_QUESTION = "who handles the night shift?"


def run() -> Result:
    """Runs the real server in a folder of its own, which goes afterwards. Raises UserError where it does not work."""
    with tempfile.TemporaryDirectory(prefix="context-mode-demo-") as folder:
        project = os.path.join(os.path.realpath(folder), "project")
        os.mkdir(project)
        execute = {"language": "python", "code": _CODE, "intent": _INTENT}
        with step("Running a command with a large output"):
            replies = _ask(project, [("ctx_execute", execute), ("ctx_search", {"queries": [_QUESTION], "limit": 1})])
    printed, found = replies
    size = int(printed.split(" B", 1)[0].rsplit(" ", 1)[-1].replace(",", ""))
    returned, searched = len(printed.encode()), len(found.encode())
    both = returned + searched
    lines = [
        f"1. A command prints {size:,} B in {_LINES:,} lines; the agent asks with it:",
        f"   {_INTENT}",
        f"   {returned:,} B reach its context:",
        *_quoted(printed, "payment 7731"),
        f"2. Later it asks about something else: {_QUESTION}",
        f"   Nothing runs again; a search answers from what was stored, in {searched:,} B:",
        *_quoted(found, "night shift is"),
        f"3. In all {both:,} B instead of {size:,} B: {100 * (1 - both / size):.1f} % stayed out of the context.",
        "   Nothing is lost: whole outputs lie in an index on this machine.",
        *_next(),
    ]
    data = {"printed": size, "returned": returned, "searched": searched, "search": found}
    return Result("demo", data=data, messages=tuple(lines))


def _next() -> tuple[str, Verbatim]:
    """What to do now, by whether an agent is set up. Where that can't be read, setup is what says so."""
    try:
        ready = bool(groups())
    except PathError:
        ready = False
    if ready:
        return "Next: start a new session of your agent, work as ever, and see what it kept out:", Verbatim(
            "  context-mode stats"
        )
    return "Next: set up your agents, and start a new session of one:", Verbatim("  context-mode setup")


def _quoted(text: str, around: str) -> list[str]:
    """The first line, those around the one that matters, the last one."""
    lines = text.splitlines()
    at = next((n for n, line in enumerate(lines) if around in line), 1)
    wanted = sorted({0, *range(max(1, at - 1), min(at + 2, len(lines) - 1)), len(lines) - 1})
    mark = "   " if plain() else "   |"
    out = []
    for n, before in zip(wanted, [-1, *wanted], strict=False):
        out += [f"{mark} ..."] if n > before + 1 else []
        out.append(f"{mark} {lines[n]}")
    return out


def _ask(project: str, calls: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """The texts of the replies, one call after the other over the server's own pipe."""
    launch = os.path.join(os.path.dirname(context_mode_runtime.__file__), "launch.py")
    process = subprocess.Popen(
        [sys.executable, "-I", launch, "serve"], cwd=project, text=True, encoding="utf-8",
        env={**os.environ, "CONTEXT_MODE_DATA_DIR": os.path.join(os.path.dirname(project), "data")},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    start = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "demo", "version": "1"}}
    requests: list[tuple[str, dict[str, Any]]] = [("initialize", start)]
    requests += [("tools/call", {"name": name, "arguments": arguments}) for name, arguments in calls]
    try:
        replies = [_reply(process, number, *request) for number, request in enumerate(requests)]
    finally:
        _, errors = process.communicate(timeout=_SECONDS)
    if None in replies:
        raise UserError(f"the server does not work: {errors.strip() or 'no answer'}", exit_code=FAULT)
    texts = [reply["content"][0]["text"] for reply in replies[1:] if reply]
    refused = next((text for reply, text in zip(replies[1:], texts, strict=True) if reply and reply.get("isError")), "")
    if refused:
        raise UserError(f"the demo's own calls need to run here: {refused}", exit_code=FINDINGS)
    return texts


def _reply(process: subprocess.Popen[str], number: int, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if process.stdin is None or process.stdout is None:
        return None
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    try:
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        return None
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == number:
            result: dict[str, Any] | None = answer.get("result")
            return result
    return None
