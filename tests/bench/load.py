"""Server start, indexing and searching: times and memory, targets in turns."""

from __future__ import annotations

import contextlib
import json
import statistics
import threading
import time
from pathlib import Path
from typing import Any

from tests.bench.inputs import big_corpus
from tests.bench.targets import Client, Target, in_turns, size, spread

MIB = 1 << 20
CLIENTS = (1, 4, 10)
QUERIES = (
    "asyncio event loop", "zipfile", "unicode normalization", "socket timeout", "parse xml", "email header decode",
    "tokenize source", "logging handler", "multiprocessing pool", "decimal context", "csv dialect", "http cookie",
    "sqlite", "argparse subparsers", "pathlib glob", "weakref", "base64", "subprocess pipe", "unittest mock patch",
    "statistics median",
)  # fmt: skip


def _ms(begin: float) -> float:
    return (time.perf_counter() - begin) * 1000


def _largest(folder: Path, count: int, pattern: str = "*", most: float = float("inf")) -> list[Path]:
    files = [path for path in folder.rglob(pattern) if path.is_file() and path.stat().st_size < most]
    return sorted(files, key=lambda path: (-path.stat().st_size, path))[:count]


def server(targets: list[Target], runs: int) -> dict[str, Any]:
    """Start to the end of tools/list in ms, peak memory in KiB, bytes of the list as JSON."""
    seen: dict[str, dict[str, Any]] = {}

    def start(target: Target) -> float:
        begin = time.perf_counter()
        with target.client() as client:
            tools = client.request("tools/list")["result"]["tools"]
            spent = _ms(begin)
            listed = size(json.dumps(tools, ensure_ascii=False, separators=(",", ":")))
            seen[target.name] = {"peak_kib": client.peak_kib(), "list_bytes": listed, "tools": len(tools)}
        return spent

    return {name: {"start_ms": found, **seen[name]} for name, found in in_turns(targets, runs, start).items()}


def _indexed(client: Client, files: list[Path]) -> list[float]:
    spent = []
    for path in files:
        begin = time.perf_counter()
        client.done(client.target.flavour.index(str(path), path.name))
        spent.append(_ms(begin))
    return spent


def index(targets: list[Target], runs: int, big: int) -> dict[str, Any]:
    """ms per MiB over the three largest inputs of at most 0.4 MB, over three such pages of Markdown (where there are as
    many) and, with `big`, over that many files of 1 MiB, in a store that `search` goes on with; peak memory in KiB."""
    found: dict[str, dict[str, Any]] = {target.name: {} for target in targets}
    for name, pattern in (("three", "*"), ("pages", "*.md")):
        for owner, figures in _three(targets, runs, pattern).items():
            found[owner][name] = figures
    for target in targets if big else ():
        target.fresh()
        files = big_corpus(target.project / "big", big)
        total = sum(path.stat().st_size for path in files)
        with target.client() as client:
            each = _indexed(client, files)
            found[target.name]["big"] = {
                "files": len(files), "bytes": total, "ms_per_mib": round(sum(each) / (total / MIB), 1),
                "slowest_ms": round(max(each)), "peak_kib": client.peak_kib(),
                "first_search_ms": round(_first_search(client)),
            }  # fmt: skip
    return found


def _three(targets: list[Target], runs: int, pattern: str) -> dict[str, dict[str, Any]]:
    seen: dict[str, dict[str, Any]] = {}

    def three(target: Target) -> float:
        target.fresh()
        files = _largest(target.project / "inputs", 3, pattern, 400_000)
        total = sum(path.stat().st_size for path in files)
        with target.client() as client:
            client.done(target.flavour.execute("shell", "true"))
            spent = sum(_indexed(client, files))
            seen[target.name] = {
                "bytes": total, "files": len(files), "first_search_ms": round(_first_search(client), 1),
                "peak_kib": client.peak_kib(),
            }  # fmt: skip
        return spent / (total / MIB) if total else 0.0

    timed = in_turns(targets, runs, three)
    return {name: {"ms_per_mib": value, **seen[name]} for name, value in timed.items() if seen[name]["files"] == 3}


def _first_search(client: Client) -> float:
    """ms of a search that follows at once: what an index leaves to be done shows here."""
    begin = time.perf_counter()
    client.done(client.target.flavour.search([QUERIES[0]]))
    return _ms(begin)


def _under_load(target: Target, count: int) -> dict[str, Any]:
    """All queries by each of `count` servers on one store at once."""
    spent: list[float] = []
    errors: list[str] = []

    def ask(client: Client, first: int) -> None:
        for number in range(len(QUERIES)):
            begin = time.perf_counter()
            reply = client.call(target.flavour.search([QUERIES[(number + first) % len(QUERIES)]]))
            spent.append(_ms(begin))
            if reply.error:
                errors.append(reply.text[:200])

    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(target.client()) for _ in range(count)]
        clients[0].call(target.flavour.search(["warm"]))
        threads = [threading.Thread(target=ask, args=(client, number)) for number, client in enumerate(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        peak = clients[0].peak_kib()
    return {
        "calls": len(spent), "median_ms": round(statistics.median(spent), 2), "worst_ms": round(max(spent), 2),
        "errors": errors, "peak_kib": peak,
    }  # fmt: skip


def search(targets: list[Target], runs: int, big: bool) -> dict[str, Any]:
    """Milliseconds a call over the eight largest inputs.

    With `big` also over the store that `index` left (so call it right after), with 1, 4 and 10 clients.
    """
    found: dict[str, Any] = {}
    for target in targets if big else ():
        found[target.name] = {f"big_{count}": _under_load(target, count) for count in CLIENTS}
    spent: dict[str, list[float]] = {target.name: [] for target in targets}
    with contextlib.ExitStack() as stack:
        clients = []
        for target in targets:
            target.fresh()
            clients.append(stack.enter_context(target.client()))
            _indexed(clients[-1], _largest(target.project / "inputs", 8))
        for turn in range(runs + 1):
            for query in QUERIES:
                for client in clients:
                    begin = time.perf_counter()
                    client.done(client.target.flavour.search([query]))
                    if turn:
                        spent[client.target.name].append(_ms(begin))
    for name, values in spent.items():
        found.setdefault(name, {})["eight"] = spread(values)
    return found
