"""D5 hook replies, D6 hook time, D7 MCP handshake: the very commands that stand in the host's files, run."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from context_mode_installer.doctor import handshake
from context_mode_installer.doctor.model import Outcome, Subject, failed, passed, skipped, warned
from context_mode_installer.doctor.probes import Probe, probes
from context_mode_installer.native.make import declared
from context_mode_installer.plan.bridge import bridge_events, bridge_hook
from context_mode_installer.plan.hooks import ours_in
from context_mode_installer.verify import as_run, written_hook, written_server
from context_mode_runtime import paths, resources

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = 20
_RUNS = 5
_SLOW = 3.0
"""More bare interpreter starts than this for a passing hook is a warning; at home it is about two."""


def replies(subject: Subject) -> Outcome:
    """D5: one probe for every event; each reply has to fit the host's own closed form."""
    commands = _hook_commands(subject)
    if not commands:
        return failed("no hook of ours to run", subject.setup)
    schema = _schema(subject)
    wrong = []
    done = probes(subject.host.spec, subject.environment["PWD"])
    for probe in done:
        if probe.event in commands:
            problem = _probe(subject, commands[probe.event], probe, schema)
            wrong += [f"{probe.name}: {problem}"] if problem else []
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if wrong[1:] else ""
        return failed(wrong[0] + more, subject.setup)
    return passed(f"{len(done)} probes of {len(commands)} events, each reply in the host's form")


def _hook_commands(subject: Subject) -> dict[str, list[str]]:
    """The words that the host, or the bridge in it, runs, by its event."""
    found: dict[str, list[str]] = {}
    for target in subject.targets:
        if target.spec.bridge is not None:
            found |= {event: words for event in bridge_events(target) if (words := bridge_hook(target, event))}
            continue
        if target.install is not None:
            found |= {event: written_hook(target, event) or [] for event in declared(target.spec)}
            continue
        for surface, name in target.surfaces():
            for spot in ours_in(target, surface, target.config(name).value()):
                found[spot.event] = as_run(surface, spot.value)
    return found


def _schema(subject: Subject) -> dict[str, object]:
    own = Path(paths.user_specs_dir(), f"{subject.agent}.replies.json")
    shipped = Path(resources.shipped("schemas"), "replies", f"{subject.agent}.schema.json")
    loaded: dict[str, object] = json.loads((own if own.is_file() else shipped).read_text("utf-8"))
    return loaded


def _probe(subject: Subject, argv: Sequence[str], probe: Probe, schema: dict[str, object]) -> str | None:
    """Runs one probe; what is wrong with the reply, or None."""
    try:
        done = _run(_assuming(argv, probe.event), subject, probe)
    except subprocess.TimeoutExpired:
        return f"no end within {_SECONDS} s"
    except OSError as error:
        return f"can't be started: {error.strerror}"
    codes = {0, subject.host.spec.replies.deny_code}
    if done.returncode not in codes:
        return f"exit code {done.returncode}"
    denied = done.returncode != 0
    text = (done.stderr if denied else done.stdout).decode("utf-8", "replace").strip()
    if not denied and text in ("", subject.host.spec.replies.pass_):
        return "passes where it should answer" if probe.expects_reply else None
    plain = denied or _speaks_text(subject, probe.event)
    return _misfit(text, {**schema, "$ref": f"#/$defs/{_form(subject, probe)}"}, plain=plain)


def _form(subject: Subject, probe: Probe) -> str:
    """The name of the reply's form: the host's event, for a host with a bridge ours."""
    ours = {host.name: event.event for event in subject.host.spec.events for host in event.hosts}
    return ours[probe.event] if subject.host.spec.bridge else probe.event


def _speaks_text(subject: Subject, event: str) -> bool:
    """Whether the host takes plain text on stdout from a hook of this event."""
    return any(verb.event == event and verb.channel == "stdout_text" for verb in subject.host.spec.replies.verbs)


def _misfit(text: str, schema: dict[str, object], *, plain: bool) -> str | None:
    """Why the host would not take a reply, or None."""
    try:
        reply = text if plain else json.loads(text)
    except ValueError as error:
        return f"a reply that is no JSON: {error}"
    worst = best_match(Draft202012Validator(schema).iter_errors(reply))
    return None if worst is None else f"a reply that the host does not take: {worst.json_path}: {worst.message}"


def _assuming(argv: Sequence[str], event: str) -> list[str]:
    """The same command with the word that stands for a live server behind its event."""
    if argv[1:2] in (["-c"], ["/C"]):
        before, word, after = argv[-1].rpartition(f" {event}")
        return [*argv[:-1], f"{before}{word} --assume-server{after}"]
    return [*argv, "--assume-server"]


def _run(argv: Sequence[str], subject: Subject, probe: Probe) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        argv, input=json.dumps(probe.payload).encode(), capture_output=True, timeout=_SECONDS, check=False,
        env=dict(subject.environment), cwd=subject.environment["PWD"],
    )  # fmt: skip


def hook_time(subject: Subject) -> Outcome:
    """D6: a passing hook beside a bare interpreter, in turns; a warning at most."""
    commands = _hook_commands(subject)
    wanted = [probe for probe in probes(subject.host.spec, subject.environment["PWD"]) if probe.event in commands]
    if not wanted:
        return skipped("no hook of ours to run")
    probe = next((one for one in wanted if not one.expects_reply and " " in one.name), wanted[0])
    bare, hook = [], []
    for _ in range(_RUNS):
        bare.append(_timed([sys.executable, "-I", "-S", "-c", "pass"], subject, probe))
        hook.append(_timed(commands[probe.event], subject, probe))
    ratio = statistics.median(hook) / statistics.median(bare)
    text = f"{statistics.median(hook) * 1000:.0f} ms, {ratio:.1f} times a bare Python"
    return passed(text) if ratio <= _SLOW else warned(f"{text}: slow", "context-mode setup")


def _timed(argv: Sequence[str], subject: Subject, probe: Probe) -> float:
    began = time.perf_counter()
    _run(argv, subject, probe)
    return time.perf_counter() - began


def mcp_handshake(subject: Subject) -> Outcome:
    """D7: the official client opens the entry's command in both eras and lists our tools."""
    words = next((words for words in map(written_server, subject.targets) if words), None)
    if words is None:
        return failed("no MCP entry of ours to start", subject.setup)
    if not os.access(words[0], os.X_OK):
        return failed(f"{paths.tilde(words[0])} can't be started", subject.setup)
    try:
        tools = handshake.shake(words, dict(subject.environment), subject.environment["PWD"])
    except handshake.HandshakeError as error:
        return failed(str(error), subject.setup)
    return passed(f"{len(tools)} tools: {', '.join(tools)}")
