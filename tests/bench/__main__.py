"""The bench: bytes, answers, retrieval, times and memory of this checkout and, in turns in the same run, of others."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.agents.install import MissingAgentError
from tests.bench import hooktime, inputs, load, net, quality, report, savings, seattime
from tests.bench.targets import Target, ours, peer

PARTS = ("hook", "seat", "server", "index", "search", "quality", "bytes", "net")


def _about(argv: Sequence[str]) -> dict[str, Any]:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return {
        "date": time.strftime("%Y-%m-%d"), "commit": commit.stdout.strip() or "unknown", "machine": platform.platform(),
        "cores": os.cpu_count(), "load": [round(value, 1) for value in os.getloadavg()],
        "python": platform.python_version(), "command": shlex.join(["python", "-m", "tests.bench", *argv]),
    }  # fmt: skip


def _prepared(given: str | None, place: Path) -> dict[str, dict[str, object]]:
    """The inputs in `place/inputs`: made, or copied from the given folder with its queries."""
    folder = place / "inputs"
    if given is None:
        return inputs.make(folder, place / "scratch")
    for path in (path for path in Path(given).rglob("*") if path.is_file()):
        to = folder / path.relative_to(given)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(path.read_bytes())
    beside = Path(given).parent / "queries.json"
    if beside.is_file():
        (place / "queries.json").write_bytes(beside.read_bytes())
    return inputs.digests(folder)


def run(args: argparse.Namespace, place: Path, argv: Sequence[str]) -> dict[str, Any]:
    """The result of the chosen parts; all work is done below `place`."""
    result: dict[str, Any] = {
        "about": _about(argv),
        "inputs": _prepared(args.inputs, place),
        "parts": {},
        "load_after": {},
    }
    wanted = [
        ours(),
        *([peer()] if args.peer else []),
        *[(name, server, hook, flavour) for name, server, hook, flavour in args.target],
    ]
    targets = [Target(*one, place / "targets", place / "inputs") for one in wanted]
    result["targets"] = [target.name for target in targets]
    chosen = set(args.only.split(","))
    only = set(args.rows.split(",")) if args.rows else None
    parts: dict[str, Callable[[], Any]] = {
        "hook": lambda: hooktime.measure(targets, args.runs),
        "seat": lambda: seattime.measure(targets, args.runs),
        "server": lambda: load.server(targets, args.runs),
        "index": lambda: load.index(targets, args.runs, args.big),
        "search": lambda: load.search(targets, args.runs, bool(args.big) and "index" in chosen),
        "quality": lambda: quality.measure(targets, place / "inputs", place / "corpora"),
        "bytes": lambda: savings.measure(targets, args.runs, args.long, only),
        "net": net.measure,
    }
    for name in PARTS:
        if name in chosen:
            result["parts"][name] = parts[name]()
            result["load_after"][name] = round(os.getloadavg()[0], 1)
            print(f"{name}: done", file=sys.stderr, flush=True)
    return result


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--peer", action="store_true", help="npm context-mode beside us, installed into the tests' cache"
    )
    parser.add_argument(
        "--target", nargs=4, action="append", default=[], metavar=("NAME", "SERVER", "HOOK", "FLAVOUR"),
        help="any other; HOOK holds {event} and may hold {agent}; FLAVOUR: ours or peer",
    )  # fmt: skip
    parser.add_argument("--inputs", metavar="DIR", help="take these inputs instead of making them")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas (default: all)")
    parser.add_argument("--rows", help="names of work.yaml, with commas (default: all)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each case (default: 5)")
    parser.add_argument(
        "--big", type=int, default=0, metavar="MIB", help="index this many files of 1 MiB, too, and search them"
    )
    parser.add_argument("--long", type=int, default=40, help="outputs of the long conversation (default: 40)")
    parser.add_argument("--out", help="the result as JSON (the report goes beside it as .md)")
    parser.add_argument("--docs", action="store_true", help="write the report into docs/benchmarks.md")
    return parser


def main(argv: Sequence[str]) -> int:
    """Measures, prints the report, writes what was asked for."""
    parser = _parser()
    args = parser.parse_args(argv)
    unknown = set(args.only.split(",")) - set(PARTS)
    if unknown:
        parser.error(f"--only: {', '.join(sorted(unknown))}: not among {', '.join(PARTS)}")
    if args.inputs and not Path(args.inputs).is_dir():
        parser.error(f"--inputs: {args.inputs} is no folder")
    place = Path(tempfile.mkdtemp(prefix="context-mode-bench-")).resolve()
    try:
        result = run(args, place, argv)
    except MissingAgentError as error:
        parser.error(f"not to be had here: {error}; leave out --peer, or net by --only")
    finally:
        shutil.rmtree(place, ignore_errors=True)
    text = report.markdown(result)
    if args.out:
        Path(args.out).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        Path(args.out).with_suffix(".md").write_text(text, encoding="utf-8")
    if args.docs:
        report.write_docs(text)
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
