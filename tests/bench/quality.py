"""Retrieval: labelled queries, hit at 1, hit at 3, mean reciprocal rank. Exact, not timed.

A hit is right when it comes from the named file and holds one of the answers (white space folded); for a hard query the
snippet alone has to hold it. `tests/bench/queries/*.yaml`: `corpus` names a function of corpora.py that gives
`{label: path}`, `queries` hold `q`, `kind`, `file`, `answer` (a list) and `hard`; `holdout: true` marks a set that
nobody looks at while the ranking is changed. An inputs folder brings its own by a `queries.json` in it or beside it
(`files`, and `queries` with `q`, `kind`, `file`, `anchors`, `body_only`).

`python -m tests.bench.quality [SET ...] [--misses]` asks the store of this process, without a server. `--misses` prints
what came instead, for the sets that are not held out unless they are named.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

from ruamel.yaml import YAML
from tests.bench import corpora
from tests.bench.flavours import Hit
from tests.bench.targets import Target

from context_mode_runtime.fetch.document import read_document
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.search import search
from context_mode_runtime.store.sources import add_source

HERE = Path(__file__).parent
Set = tuple[dict[str, Path], list[dict[str, Any]]]


def fold(text: str) -> str:
    """White space as single spaces."""
    return " ".join(text.split())


def rank(hits: list[Hit], query: dict[str, Any]) -> int:
    """The place of the first right hit, from 1; 0 when there is none."""
    for place, (head, body) in enumerate(hits, 1):
        where = body if query["hard"] else f"{head}\n{body}"
        if query["file"] in head and any(fold(answer) in fold(where) for answer in query["answer"]):
            return place
    return 0


def score(ranks: list[int]) -> dict[str, float]:
    """The three figures, over `n` queries."""
    count = len(ranks)
    return {
        "n": count, "hit1": round(sum(place == 1 for place in ranks) / count, 3),
        "hit3": round(sum(0 < place <= 3 for place in ranks) / count, 3),
        "mrr": round(sum(1 / place for place in ranks if place) / count, 3),
    }  # fmt: skip


def _given(inputs: Path) -> Set | None:
    file = next((path for path in (inputs / "queries.json", inputs.parent / "queries.json") if path.is_file()), None)
    if file is None:
        return None
    held = json.loads(file.read_text(encoding="utf-8"))
    queries = [
        {**query, "answer": query["anchors"], "hard": query.get("body_only", query["kind"] == "hard")}
        for query in held["queries"]
    ]
    return {label: inputs / label for label in held["files"]}, queries


def sets(inputs: Path, scratch: Path, own: bool) -> dict[str, Set]:
    """All that there is to ask, by name; `own`: the sets of this folder, too, their corpora made below `scratch`."""
    given = _given(inputs)
    found: dict[str, Set] = {"given": given} if given else {}
    return found | (own_sets(scratch) if own else {})


def own_queries() -> dict[str, dict[str, Any]]:
    """The files of `queries/` by name."""
    files = sorted((HERE / "queries").glob("*.yaml"))
    return {file.stem: YAML(typ="safe").load(file.read_text(encoding="utf-8")) for file in files}


def own_sets(scratch: Path, names: list[str] | None = None) -> dict[str, Set]:
    """The sets of this folder, or those with these names; each corpus is made once, below `scratch`."""
    made: dict[str, dict[str, Path]] = {}
    found: dict[str, Set] = {}
    for name, held in own_queries().items():
        if names and name not in names:
            continue
        corpus = held["corpus"]
        if corpus not in made:
            made[corpus] = corpora.CORPORA[corpus](scratch / corpus)
        found[name] = made[corpus], held["queries"]
    return found


def asked_here(files: dict[str, Path], queries: list[dict[str, Any]], limit: int = 3) -> list[tuple[int, list[Hit]]]:
    """The rank and the hits of each query, asked of a store in this process that holds just `files`."""
    with tempfile.TemporaryDirectory() as place, mock.patch.dict(os.environ, {"CONTEXT_MODE_DATA_DIR": place}):
        store = Store.open("quality", name="quality")
        try:
            for label, path in files.items():
                document = read_document(str(path))
                add_source(store, document.text, label=label, kind=document.kind)
            rows = []
            for query in queries:
                found = search(store, query["q"], limit=limit, scope="project").hits
                hits = [(f"{hit.label} {hit.heading}", hit.snippet) for hit in found]
                rows.append((rank(hits, query), hits))
        finally:
            store.close()
    return rows


def _asked(target: Target, files: dict[str, Path], queries: list[dict[str, Any]]) -> dict[str, Any]:
    target.fresh()
    rows = []
    with target.client() as client:
        for label, path in files.items():
            client.done(target.flavour.index(str(path), label))
        for query in queries:
            hits = target.flavour.hits(client.done(target.flavour.search([query["q"]])).text, list(files))
            rows.append(
                {"q": query["q"], "kind": query["kind"], "hard": bool(query["hard"]), "rank": rank(hits, query)}
            )
    groups = {
        "labelled": [row["rank"] for row in rows if not row["hard"]],
        "hard": [row["rank"] for row in rows if row["hard"]],
    }
    return {**{name: score(ranks) for name, ranks in groups.items() if ranks}, "rows": rows}


def measure(targets: list[Target], inputs: Path, scratch: Path, *, own: bool = True) -> dict[str, Any]:
    """Per set and target: `labelled` and `hard` figures, and the rank of each query."""
    return {
        name: {target.name: _asked(target, files, queries) for target in targets}
        for name, (files, queries) in sets(inputs, scratch, own).items()
    }


def _line(name: str, kind: str, ranks: list[int]) -> str:
    figures = score(ranks)
    told = "  ".join(f"{key} {figures[key]:.3f}" for key in ("hit1", "hit3", "mrr"))
    return f"{name:16} {kind:8} n={figures['n']:<4} {told}"


def _missed(query: dict[str, Any], place: int, hits: list[Hit]) -> str:
    lines = [f"\n#### {query['q']}  ->  {query['file']}: {query['answer']}  rank {place}"]
    for head, body in hits:
        lines += [f"  == {head}", *(f"     {line}" for line in body.split("\n"))]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Prints the figures of each set and of all, by ordinary and hard queries."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.quality", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="*", metavar="SET", help="names of files in queries/; all without any")
    parser.add_argument("--misses", action="store_true", help="print each query that is not first, and what came")
    given = parser.parse_args(arguments)
    held = own_queries()
    if unknown := sorted(set(given.sets) - set(held)):
        parser.error(f"{', '.join(unknown)}: not among {', '.join(held)}")
    groups: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, (files, queries) in own_sets(Path(scratch), given.sets).items():
            rows = asked_here(files, queries)
            whole = "held out" if held[name].get("holdout") else "open"
            for kind, hard in (("labelled", False), ("hard", True)):
                ranks = [place for query, (place, _) in zip(queries, rows, strict=True) if query["hard"] is hard]
                if ranks:
                    print(_line(name, kind, ranks))
                for group in (f"all, {whole}", "all"):
                    groups[f"{group}:{kind}"] = groups.get(f"{group}:{kind}", []) + ranks
            if given.misses and (name in given.sets or whole == "open"):
                told = [_missed(query, *row) for query, row in zip(queries, rows, strict=True) if row[0] != 1]
                print("\n".join(told))
    for key, ranks in sorted(groups.items()):
        name, kind = key.split(":")
        if ranks:
            print(_line(name, kind, ranks))
    return 0


if __name__ == "__main__":
    sys.exit(main())
