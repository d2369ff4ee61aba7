"""Retrieval: labelled queries, hit at 1, hit at 3, mean reciprocal rank. Exact, not timed.

A hit is right when it comes from the named file and holds one of the answers (white space folded); for a hard query the
snippet alone has to hold it. `tests/bench/queries/*.yaml`: `corpus` names a function of corpora.py that gives
`{label: path}`, `queries` hold `q`, `kind`, `file`, `answer` (a list) and `hard`. An inputs folder brings its own by a
`queries.json` in it or beside it (`files`, and `queries` with `q`, `kind`, `file`, `anchors`, `body_only`).
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from tests.bench.flavours import Hit
from tests.bench.targets import Target

HERE = Path(__file__).parent
Set = tuple[dict[str, Path], list[dict[str, Any]]]


def _fold(text: str) -> str:
    return " ".join(text.split())


def rank(hits: list[Hit], query: dict[str, Any]) -> int:
    """The place of the first right hit, from 1; 0 when there is none."""
    for place, (head, body) in enumerate(hits, 1):
        where = body if query["hard"] else f"{head}\n{body}"
        if query["file"] in head and any(_fold(answer) in _fold(where) for answer in query["answer"]):
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
    """All that there is to ask, by name; `own`: the corpora of this folder, too, made below `scratch`."""
    given = _given(inputs)
    found: dict[str, Set] = {"given": given} if given else {}
    for file in sorted((HERE / "queries").glob("*.yaml")) if own else ():
        held = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
        corpora = importlib.import_module("tests.bench.corpora")
        folder = scratch / file.stem
        folder.mkdir(parents=True)
        found[file.stem] = getattr(corpora, held["corpus"])(folder), held["queries"]
    return found


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
