"""Whether what setup wrote works: read back, one hook run as the host runs it, a handshake with the server.

Both run with a data folder of their own that goes afterwards, so that a probe leaves nothing behind.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import os
import tempfile
from typing import TYPE_CHECKING, Any

from context_mode_installer import formats, launchers, seats
from context_mode_installer.plan.bridge import bridge_hook, bridge_server
from context_mode_installer.plan.hooks import command_line, ours_in
from context_mode_installer.plan.ours import words_of_entry, words_of_handler
from context_mode_installer.plan.seat import launcher_of
from context_mode_installer.specs.catalog import copy_tables
from context_mode_installer.specs.where import holes, put
from context_mode_installer.transaction import FileChange, VerifyError
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from context_mode_installer.plan.host import Target
    from context_mode_installer.specs.model import AgentSpec, Surface, Verb
    from context_mode_installer.system import System

HOOK_SECONDS = 15.0
SERVER_SECONDS = 20.0
"""Generous: a cold disk and a busy machine must not undo a setup that works."""
_SEAT_CODE = 7
_PROBE = "context-mode-setup-probe"
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "setup", "version": "1"}},
}


def check_files(system: System, files: Sequence[FileChange]) -> None:
    """Reads every file back. Raises VerifyError when one isn't what was written."""
    for change in files:
        if system.state(change.path).data != change.after:
            raise VerifyError(f"{paths.tilde(change.path)} does not hold what was written")


def check_targets(system: System, targets: Sequence[Target], environment: Mapping[str, str]) -> dict[str, list[str]]:
    """`check_target` for each, side by side; what was seen to work, by agent. Raises the first VerifyError."""
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=min(len(targets), os.cpu_count() or 1) or 1)
    try:
        seen = pool.map(lambda target: check_target(system, target, environment), targets)
        return dict(zip([target.spec.id for target in targets], seen, strict=True))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def check_target(system: System, target: Target, environment: Mapping[str, str]) -> list[str]:
    """Runs a host's hook and server. Returns what was seen to work, for people. Raises VerifyError."""
    seen = []
    with tempfile.TemporaryDirectory(prefix="context-mode-") as folder:
        policy = {"version": 1, "deny": [f"Bash({_PROBE} *)"]}
        with open(os.path.join(folder, "policy.json"), "w", encoding="utf-8") as file:
            json.dump(policy, file)
        copy_tables(folder)
        link_launchers(folder)
        bare = {**environment, "CONTEXT_MODE_DATA_DIR": folder}
        if _check_hook(system, target, bare, folder):
            seen.append("hook answers")
        if _check_server(system, target, bare, folder):
            seen.append("server answers")
        if _check_seat(system, target, bare, folder):
            seen.append("shell answers")
    return seen


def link_launchers(folder: str) -> None:
    """A package's starter looks for our launchers in the data folder, which is a throw-away one for probes."""
    if os.path.isdir(paths.bin_dir()):
        with contextlib.suppress(OSError):
            os.symlink(paths.bin_dir(), os.path.join(folder, "bin"), target_is_directory=True)


def _check_hook(system: System, target: Target, environment: dict[str, str], folder: str) -> bool:
    """Runs the written command with a call that our own rule refuses; the reply has to say so."""
    payload = _payload(target.spec)
    found = written_hook(target, payload[0]) if payload else None
    if payload is None or found is None:
        return False
    ran = system.run(found, env=environment, stdin=json.dumps(payload[1]) + "\n", timeout=HOOK_SECONDS, cwd=folder)
    if _PROBE not in ran.out + ran.err:
        raise VerifyError(f"{target.spec.name}: the hook does not answer ({ran.err.strip()[:200] or 'no output'})")
    return True


def written_hook(target: Target, event: str) -> list[str] | None:
    """The words that the host would run for an event, from the file as it is now, or from our package."""
    if target.install is not None:
        return [target.install.program(launchers.HOOK), target.spec.id, event]
    if target.spec.bridge is not None:
        return bridge_hook(target, event)
    for surface, name in target.surfaces():
        for spot in ours_in(target, surface, target.config(name).value()):
            if event in command_line(target, surface, event)["arguments"] and spot.event == event:
                return as_run(surface, spot.value)
    return None


def as_run(surface: Surface, handler: object) -> list[str]:
    """The words that start a handler as the host does: program and arguments, or its shell and the one string."""
    program = formats.get(handler, surface.command.program_at)
    if surface.command.form == "argv":
        return words_of_handler(handler, surface.command)
    if os.name == "posix":
        return ["/bin/sh", "-c", str(program)]
    for key, text in surface.group.items():
        if isinstance(text, str) and "{command_windows}" in text:
            program = formats.get(handler, (key,))
    shell = ["powershell", "-NoProfile", "-Command"] if surface.command.windows == "powershell" else ["cmd.exe", "/C"]
    return [*shell, str(program)]


def _payload(spec: AgentSpec) -> tuple[str, dict[str, Any]] | None:
    """A shell call of the first event that can be refused, in the host's form."""
    verb = _deny(spec)
    tool = next((one for one in spec.tools if one.class_ == "shell"), None)
    if verb is None or tool is None:
        return None
    field = next((one for one in tool.fields if one.name == "command"), None)
    out: dict[str, Any] = {}
    for where, value in (
        (spec.payload["event"], verb.event),
        (spec.payload["tool"], tool.names[0]),
        (field.where if field else (), f"{_PROBE} now"),
        *(((place,), _PROBE) for place in spec.identity.hook.conversation),
    ):
        if where:
            out = put(out, where[0], value)
    return str(verb.event), out


def _deny(spec: AgentSpec) -> Verb | None:
    return next((one for one in spec.replies.verbs if one.verb == "deny"), None)


def _check_server(system: System, target: Target, environment: dict[str, str], folder: str) -> bool:
    words = written_server(target)
    if words is None:
        return False
    lines = json.dumps(_INITIALIZE) + "\n"
    ran = system.run(words, env=environment, stdin=lines, timeout=SERVER_SECONDS, cwd=folder)
    name = _server_name(ran.out)
    if name != "context-mode":
        raise VerifyError(f"{target.spec.name}: the server does not answer ({ran.err.strip()[:200] or 'no output'})")
    return True


def written_server(target: Target) -> list[str] | None:
    """What the host starts as our server: by the package, by the MCP entry, or by a bridge that offers our tools."""
    if target.install is not None:
        return [target.install.program(launchers.SERVE), "--agent", target.spec.id]
    return server_entry(target) or bridge_server(target)


def server_entry(target: Target) -> list[str] | None:
    """The words of the MCP entry as it stands in the file now, or None."""
    for edit in target.spec.edits_in(target.scope):
        if edit.kind == "key" and "serve" in holes(edit.value) and target.holds(edit.only):
            entry = target.config(edit.file or "").get(target.keys(edit.at))
            words = [target.started(word) for word in words_of_entry(entry, edit.value)]
            if words:
                return words
    return None


def _check_seat(system: System, target: Target, environment: Mapping[str, str], folder: str) -> bool:
    launcher = launcher_of(target)
    problem = seat_problem(system, target, launcher, environment, folder) if launcher else ""
    if problem:
        raise VerifyError(f"{target.spec.name}: {problem}")
    return launcher is not None


def seat_problem(system: System, target: Target, launcher: str, environment: Mapping[str, str], folder: str) -> str:
    """Runs a command that ends with 7 by the shell's seat, as the host runs one of the model's; empty when all is well.

    Once as the host marks it, once by the real shell behind it alone.
    """
    seat = target.spec.shell_seat.seat
    marks = seat.marks if seat else ()
    program, variables = seats.started(launcher)
    told = {**environment, **variables}
    for command in (f"exit {_SEAT_CODE}", *(f"exit {_SEAT_CODE} # {mark}" for mark in marks)):
        ran = system.run([program, "-c", command], env=told, stdin="", timeout=HOOK_SECONDS, cwd=folder)
        if ran.code != _SEAT_CODE:
            return f"the shell's seat gives {ran.code} for `{command}` ({ran.err.strip()[:200] or 'no output'})"
    return ""


def _server_name(out: str) -> object:
    try:
        reply = json.loads(out.split("\n", 1)[0])
    except ValueError:
        return None
    return formats.get(reply, ("result", "serverInfo", "name"))
