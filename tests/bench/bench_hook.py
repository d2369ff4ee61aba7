"""CPU of a passing hook over a bare interpreter: `python tests/bench/bench_hook.py [--runs 40] [--json]`.

The two (and the launcher of an installed setup, where there is one) run in turns; user + system time of the finished
process and its children, medians, and the ratio of each pair. The promise: a passing `pre_tool` costs at most 2.5
times `python -I -S -c pass`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import context_mode_runtime

LAUNCH = str(Path(context_mode_runtime.__file__).with_name("launch.py"))
PAYLOAD = {
    "session_id": "00000000-0000-4000-8000-000000000001",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls -la src", "description": "list"},
    "tool_use_id": "call_1",
}


def cpu_ms(argv: list[str], data: bytes, env: dict[str, str], cwd: str) -> float:
    """User and system time of one finished process tree, in ms."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, input=data, env=env, cwd=cwd, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measure(runs: int) -> dict[str, object]:
    """Medians of each way to run, and medians of the ratios pair by pair."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as project:
        env = {**os.environ, "HOME": home}
        data = json.dumps({**PAYLOAD, "cwd": project}).encode()
        ways = {"bare": [sys.executable, "-I", "-S", "-c", "pass"]}
        for agent in sorted(path.stem for path in Path(LAUNCH).parent.joinpath("_generated").glob("*.json")):
            ways[agent] = [sys.executable, "-I", "-S", LAUNCH, "hook", agent, "pre_tool"]
        rows: dict[str, list[float]] = {name: [] for name in ways}
        for run in range(runs + 3):
            for name, argv in ways.items():
                spent = cpu_ms(argv, data, env, project)
                if run >= 3:
                    rows[name].append(spent)
    ratios = {
        name: statistics.median(one / bare for one, bare in zip(values, rows["bare"], strict=True))
        for name, values in rows.items()
    }
    return {"cpu_ms": {name: round(statistics.median(values), 2) for name, values in rows.items()},
            "ratio": {name: round(value, 2) for name, value in ratios.items()}}  # fmt: skip


def main() -> None:
    """Prints the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure(options.runs)
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result["cpu_ms"].items():  # type: ignore[attr-defined]
        print(f"{name:16} {value:8.2f} ms CPU   x{result['ratio'][name]:.2f}")  # type: ignore[index]


if __name__ == "__main__":
    main()
