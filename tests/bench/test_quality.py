"""The labelled queries: each has its answer in one place, and no set ranks worse than it did."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.bench import corpora, quality

FLOORS: dict[str, dict[str, dict[str, int]]] = YAML(typ="safe").load(
    (Path(__file__).parent / "floors.yaml").read_text(encoding="utf-8")
)
SETS = quality.own_queries()
GROWN = {"docs", "source"}
"""Corpora of texts that change with the interpreter: read in 3.11 with the locked packages."""
CHANGED = 0 if sys.version_info[:2] == (3, 11) else 3
"""Answers that another interpreter's texts may word anew."""
RIGHT_MAX = 6
"""Times that answers may stand in a file: twins, where one is as right as the other."""


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, quality.Set]:
    return quality.own_sets(tmp_path_factory.mktemp("corpora"))


def gone(files: dict[str, Path], queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The queries whose file holds no answer."""
    texts = {label: quality.fold(path.read_text(encoding="utf-8")) for label, path in files.items()}
    return [
        query
        for query in queries
        if not any(quality.fold(answer) in texts.get(query["file"], "") for answer in query["answer"])
    ]


def test_each_corpus_is_asked_enough() -> None:
    for corpus in corpora.CORPORA:
        queries = [query for held in SETS.values() if held["corpus"] == corpus for query in held["queries"]]
        kept = [len(held["queries"]) for held in SETS.values() if held["corpus"] == corpus and held.get("holdout")]
        assert len(queries) >= 25, corpus
        assert 3 * sum(query["hard"] for query in queries) >= len(queries), corpus
        assert 4 * sum(kept) >= len(queries), corpus


@pytest.mark.parametrize("name", SETS)
def test_the_answer_is_in_the_file_and_not_in_the_query(name: str, sets: dict[str, quality.Set]) -> None:
    files, queries = sets[name]
    missing = gone(files, queries)
    assert len(missing) <= (CHANGED if SETS[name]["corpus"] in GROWN else 0), [query["q"] for query in missing]
    for query in queries:
        text = quality.fold(files[query["file"]].read_text(encoding="utf-8")) if query["file"] in files else ""
        assert sum(text.count(quality.fold(answer)) for answer in query["answer"]) <= RIGHT_MAX, query
        asked = quality.fold(query["q"]).lower()
        assert not query["hard"] or not any(quality.fold(answer).lower() in asked for answer in query["answer"]), query


@pytest.mark.parametrize("name", SETS)
def test_no_set_ranks_worse_than_it_did(name: str, sets: dict[str, quality.Set]) -> None:
    files, queries = sets[name]
    missing = gone(files, queries)
    rows = quality.asked_here(files, queries)
    for kind, hard in (("labelled", False), ("hard", True)):
        places = [row[0] for query, row in zip(queries, rows, strict=True) if query["hard"] is hard]
        lost = sum(query["hard"] is hard for query in missing)
        floor = FLOORS[name][kind]
        assert sum(place == 1 for place in places) >= floor["hit1"] - lost, (name, kind, places)
        assert sum(0 < place <= 3 for place in places) >= floor["hit3"] - lost, (name, kind, places)
