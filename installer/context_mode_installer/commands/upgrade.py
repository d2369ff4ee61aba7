"""`context-mode upgrade`: by the program that brought us, then setup for what is set up, then doctor."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from context_mode_installer.groups import Group, groups, packaged
from context_mode_installer.origin import Origin, find_origin, newest
from context_mode_installer.places import find_places
from context_mode_installer.result import FINDINGS, Result, UserError, Verbatim
from context_mode_installer.screen import complain
from context_mode_installer.specs.catalog import find_spec
from context_mode_installer.system import PathError
from context_mode_runtime import paths
from context_mode_runtime.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

_UPDATE_SECONDS = 900
_STEP_SECONDS = 300
_ASK = "import context_mode_installer.cli, context_mode_runtime.version as v; print(v.VERSION)"
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


class _Ran(NamedTuple):
    """`code` None: it could not be started or took too long."""

    code: int | None
    out: str
    last: str


def run(*, check: bool) -> Result:
    """Says what is installed and the command; without `check` runs it. Exit 1 when a step fails, and says which."""
    origin = find_origin()
    latest = newest(origin)
    data: dict[str, Any] = {
        "version": VERSION, "newest": latest, "origin": origin.kind, "commit": origin.commit,
        "command": origin.command, "advice": origin.advice, "done": False,
    }  # fmt: skip
    lines = [_installed(origin), _known(origin, latest)]
    if check or latest == VERSION or origin.command is None:
        lines.append(_way(origin))
        missing = not check and origin.command is None
        return Result("upgrade", "findings" if missing else "ok", FINDINGS if missing else 0, data, tuple(lines))
    return _upgraded(origin, data, lines)


def _installed(origin: Origin) -> str:
    commit = f" ({origin.commit})" if origin.commit else ""
    return f"context-mode {VERSION}{commit}, installed by: {origin.shown}"


def _known(origin: Origin, latest: str | None) -> str:
    if latest == VERSION:
        return "It is the newest."
    if latest:
        return f"{latest} is out."
    if origin.indexed:
        return "The newest version could not be learnt."
    return "It does not come from an index, so nothing says whether there is a newer one."


def _way(origin: Origin) -> str:
    return Verbatim(f"To upgrade: {origin.command}") if origin.command else f"To upgrade: {origin.advice}"


def _upgraded(origin: Origin, data: dict[str, Any], lines: list[str]) -> Result:
    """The update, then everything else in new processes: the code of this one may be gone by then."""
    for step in origin.steps:
        complain(f"running: {shlex.join(step)}")
        ran = _run(step, _UPDATE_SECONDS)
        if ran.code != 0:
            return _failed(step, ran, data, lines)
    version = _version()
    if version is None:
        return _failed(origin.steps[-1], _Ran(1, "", "what it left does not start"), data, lines)
    data |= {"done": True, "version": version, "was": VERSION}
    lines.append(f"context-mode {VERSION} -> {version}" if version != VERSION else f"context-mode {version}, renewed")
    try:
        agents = wanted()
    except PathError as error:
        raise UserError(str(error), exit_code=FINDINGS) from None
    return _set_up_again(agents, data, lines)


def _failed(step: Sequence[str], ran: _Ran, data: dict[str, Any], lines: list[str]) -> Result:
    version = _version()
    lines.append(f"Failed: {shlex.join(step)}: {ran.last or 'no word why'}")
    if version is None:
        lines.append(f"context-mode does not start any more; install it again: {shlex.join(step)}")
    else:
        lines.append(f"context-mode {version} is still there, and no config was changed.")
    data |= {"version": version, "failed": shlex.join(step)}
    return Result("upgrade", "findings", FINDINGS, data, tuple(lines))


def _run(argv: Sequence[str], seconds: float) -> _Ran:
    program = shutil.which(argv[0])
    if program is None:
        return _Ran(None, "", f"{argv[0]} was not found on PATH")
    try:
        done = subprocess.run(
            [program, *argv[1:]], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
            timeout=seconds, check=False, cwd=paths.home(), env={**os.environ, **_QUIET},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return _Ran(None, "", f"no end within {seconds:.0f} s")
    except OSError as error:
        return _Ran(None, "", error.strerror or str(error))
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    errors = [line for line in said if line.lower().startswith(("error", "fatal"))]
    return _Ran(done.returncode, done.stdout, (errors or said or [""])[-1 if not errors else 0][:300])


def _version() -> str | None:
    """What is installed now, asked of a new process that loads the whole command line."""
    ran = _run([sys.executable, "-P", "-c", _ASK], _STEP_SECONDS)
    return ran.out.strip() or None if ran.code == 0 else None


def wanted() -> dict[Group, list[str]]:
    """What is set up, and the agents that have a package of ours only: setup has the host renew that (R05)."""
    found = groups()
    known = {agent for agents in found.values() for agent in agents}
    new = [agent for agent in packaged() if agent not in known]
    if new:
        way = Group("user", None, approved=False)
        found[way] = [*found.get(way, []), *new]
    return found


def _set_up_again(found: dict[Group, list[str]], data: dict[str, Any], lines: list[str]) -> Result:
    data["agents"] = sorted({agent for agents in found.values() for agent in agents})
    for group, agents in found.items():
        words = ["setup", "--agents", ",".join(agents), *([] if group.approved else ["--no-approve"])]
        words += ["--scope", "project", "--project", group.project] if group.project else []
        answer = _ours(words)
        if answer is None or answer["exit_code"] != 0:
            said = answer["messages"][0] if answer and answer["messages"] else "no answer"
            lines.append(f"Failed: context-mode {shlex.join(words)}: {said}")
            return Result("upgrade", "findings", FINDINGS, data, tuple(lines))
        lines.append(f"set up again: {', '.join(agents)}")
    lines += [line for agent in data["agents"] for line in _profiles(agent)]
    return _looked_at(data, lines)


def _profiles(agent: str) -> list[str]:
    profiles = find_places(find_spec(agent), os.environ).profiles()
    return [f"{agent}: profile {one}" for one in profiles]


def _looked_at(data: dict[str, Any], lines: list[str]) -> Result:
    if not data["agents"]:
        return Result("upgrade", data=data, messages=(*lines, "No agent is set up. To set up: context-mode setup"))
    answer = _ours(["doctor", "--offline", "--agents", ",".join(data["agents"])])
    rows = answer["data"].get("checks", []) if answer else []
    data["checks"] = rows
    bad = [row for row in rows if row["status"] in ("FAIL", "WARN")]
    lines += [f"{row['status']}  {row['id']} {row['agent']}: {row['detail']}" for row in bad]
    failed = answer is None or answer["exit_code"] != 0
    lines.append("Doctor found faults: context-mode doctor" if failed else f"doctor: {len(rows)} checks, no failure")
    lines.append("Start new sessions of the agents: running ones keep the old version.")
    return Result("upgrade", "findings" if failed else "ok", FINDINGS if failed else 0, data, tuple(lines))


def _ours(words: Sequence[str]) -> dict[str, Any] | None:
    """One command of the new version; its `--json` object."""
    ran = _run([sys.executable, "-P", "-m", "context_mode_installer.cli", *words, "--json"], _STEP_SECONDS)
    try:
        answer = json.loads(ran.out)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None
