"""Hook time: the whole process, over the bare interpreter, for each agent by its captured payloads."""

from __future__ import annotations

import contextlib
import json
import shutil
import statistics
import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from tests.bench.targets import Ran, Target, ran, size, spent

HERE = Path(__file__).parent
PAYLOADS = HERE.parent / "payloads"
COMMANDS = {
    "pass": "git status",
    "deny": "echo ok && sudo ls",
    "route": "curl https://example.com/a",
    "replace": "git log",
}
LARGE = 200_000
Case = tuple[str, str, str]
"""Target, agent, case."""


def agents() -> list[dict[str, str]]:
    """The rows of agents.yaml."""
    rows: list[dict[str, str]] = YAML(typ="safe").load((HERE / "agents.yaml").read_text(encoding="utf-8"))
    return rows


def bare() -> dict[str, list[str]]:
    """The interpreters by themselves, those that are there."""
    ways = {"python -I -S": [sys.executable, "-I", "-S", "-c", "pass"]}
    node = shutil.which("node")
    return ways | ({"node": [node, "-e", "0"]} if node else {})


def _put(value: Any, changes: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _put(one, changes) for key, one in value.items()}
    if isinstance(value, list):
        return [_put(one, changes) for one in value]
    if isinstance(value, str):
        for old, new in changes.items():
            value = value.replace(old, new)
    return value


def _command(value: Any) -> str | None:
    """The first value of a key `command`."""
    if isinstance(value, dict):
        found = [value["command"]] if isinstance(value.get("command"), str) else map(_command, value.values())
        return next((one for one in found if one), None)
    return None


def payload(row: dict[str, str], case: str, target: Target) -> dict[str, Any]:
    """The captured payload with the case's command and, for `replace`, 200 KB printed."""
    file = PAYLOADS / row["agent"] / f"{row['after' if case == 'replace' else 'before']}.json"
    captured = json.loads(file.read_text(encoding="utf-8"))
    changes = {"$PROJECT": str(target.project), "$HOME": str(target.home), "$TMP": str(target.home / "tmp")}
    changes[_command(captured) or ""] = COMMANDS[case]
    if case == "replace":
        lines = "".join(f"row {number} of the export holds {number * 7919}\n" for number in range(LARGE // 24))
        changes[row["printed"]] = lines[:LARGE]
    made: dict[str, Any] = _put(captured, changes)
    return made


def _did(case: str, reply: Ran) -> dict[str, Any]:
    return {"code": reply.code, "answered": bool(reply.out.strip()), "bytes": size(reply.out), "case": case}


def measure(targets: list[Target], runs: int) -> dict[str, Any]:
    """Wall and CPU ms by target, agent and case, the ratio to bare Python, and what came back. In turns.

    A first round warms. A target whose hook command has no `{agent}` gets the first agent's payloads only.
    """
    times: dict[str, list[Ran]] = {}
    replies: dict[str, dict[str, Any]] = {}
    cases = [
        (target, row, case)
        for row in agents() for case in COMMANDS for target in targets
        if "{agent}" in target.hook or row["agent"] == "claude-code"
    ]  # fmt: skip
    with contextlib.ExitStack() as servers:
        for target in targets:
            target.fresh()
            servers.enter_context(target.client())
        for turn in range(runs + 1):
            done = {f"bare/{name}": ran(way, b"", {"PATH": ""}, HERE) for name, way in bare().items()}
            for target, row, case in cases:
                event = "post_tool" if case == "replace" else "pre_tool"
                key = f"{target.name}/{row['agent']}/{case}"
                done[key] = target.run_hook(event, payload(row, case, target), row["agent"])
                replies[key] = _did(case, done[key])
            if turn:
                for key, one in done.items():
                    times.setdefault(key, []).append(one)
    base = statistics.median(one.ms for one in times["bare/python -I -S"])
    return {
        key: {
            **spent(found),
            "over_python": round(statistics.median(one.ms for one in found) / base, 2),
            **replies.get(key, {}),
        }
        for key, found in times.items()
    }
