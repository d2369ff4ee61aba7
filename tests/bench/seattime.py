"""The shell's seat: what it adds to a command, beside the hook process that others start before each one."""

from __future__ import annotations

import os
import statistics
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.bench import hooktime
from tests.bench.targets import Ran, Target, ran, size, spent

from context_mode_installer import launchers, seats
from context_mode_installer.specs.catalog import find_spec

AGENT = "claude-code"
SHELL = "/bin/bash"
COMMANDS = {
    "true": "true",
    "2 KB printed": "head -c 2000 /dev/zero | tr '\\0' x",
    "200 KB stored": "seq -f 'row %g of the export' 8800",
}
"""By what the command does."""


def _launcher(target: Target) -> Path:
    root = target.home / ".context-mode"
    seat = find_spec(AGENT).shell_seat.seat
    assert seat
    with patch.dict(os.environ, {"CONTEXT_MODE_DATA_DIR": str(root)}):
        use = launchers.this_interpreter()._replace(root=str(root))
        path = Path(seats.path_of(AGENT, SHELL))
        path.parent.mkdir(parents=True)
        path.write_text(seats.text_of(AGENT, seat, SHELL, use), encoding="utf-8")
    path.chmod(launchers.MODE)
    return path


def measure(targets: list[Target], runs: int) -> dict[str, Any]:
    """Wall and CPU ms of commands by the bare shell and by the seat, and of each target's passing hook. In turns."""
    times: dict[str, list[Ran]] = {}
    for target in targets:
        target.fresh()
    first, row = targets[0], next(one for one in hooktime.agents() if one["agent"] == AGENT)
    launcher = _launcher(first)
    for turn in range(runs + 1):
        done = {}
        for name, command in COMMANDS.items():
            text = f'true && eval "{command}" < /dev/null && pwd -P >| {first.home / "cwd"}'
            done[f"bare/{name}"] = ran([SHELL, "-c", text], b"", first.env(), first.project)
            done[f"seat/{name}"] = ran([str(launcher), "-c", text], b"", first.env(), first.project)
        done["seat/left alone"] = ran([str(launcher), "-c", "true"], b"", first.env(), first.project)
        for target in targets:
            payload = hooktime.payload(row, "pass", target)
            done[f"hook/{target.name}"] = target.run_hook("pre_tool", payload, AGENT)
        if turn:
            for key, one in done.items():
                times.setdefault(key, []).append(one)
    base = statistics.median(one.ms for one in times["bare/true"])
    return {
        key: {
            **spent(found),
            "over_true": round(statistics.median(one.ms for one in found) - base, 2),
            "bytes": size(found[-1].out),
        }
        for key, found in times.items()
    }
