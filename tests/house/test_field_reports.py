"""The map of field reports: every id and every test that it names is there, and what is due is not open."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

TESTS = Path(__file__).resolve().parents[1]
ROWS: list[dict[str, Any]] = YAML(typ="safe").load((TESTS / "field_reports.yaml").read_text(encoding="utf-8"))
WANTED = [*(f"F{n:02}" for n in range(1, 79)), *(f"R{n:02}" for n in range(1, 31))]
DUE = {f"F{n:02}" for n in (*range(26, 60), *range(65, 69))}
ELSEWHERE = {"F39": "Windows"}
"""What is due and has no test: the case is of a system that is not here."""


@functools.cache
def _functions(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@functools.cache
def _texts(file: str) -> str:
    """The test file with its data: everything beside it that could hold the name of a case."""
    folder = (TESTS / file).parent
    suffixes = {".yaml", ".json", ".txt"}
    data = [path for path in folder.rglob("*") if path.suffix in suffixes and path.is_file()]
    names = [path.stem for path in folder.rglob("*.*")]
    return "\n".join([path.read_text("utf-8", "replace") for path in (TESTS / file, *data)] + names)


def test_every_report_is_there_once() -> None:
    assert [row["id"] for row in ROWS] == WANTED
    assert all(row.keys() == {"id", "right", "tests", "open"} for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_what_a_report_names_is_there(row: dict[str, Any]) -> None:
    assert row["tests"] or row["open"]
    assert len(row["tests"]) == len(set(row["tests"]))
    for name in row["tests"]:
        file, _, function = name.partition("::")
        function, _, case = function.partition("[")
        assert (TESTS / file).is_file(), name
        assert function in _functions(file), name
        assert case.removesuffix("]") in _texts(file), name


@pytest.mark.parametrize("row", [row for row in ROWS if row["id"] in DUE], ids=lambda row: row["id"])
def test_what_is_due_is_shown(row: dict[str, Any]) -> None:
    if row["id"] in ELSEWHERE:
        assert ELSEWHERE[row["id"]] in row["open"]
    else:
        assert row["tests"]
        assert row["open"] is None


def test_a_test_with_an_id_in_its_name_stands_in_the_map() -> None:
    told = {name.partition("[")[0] for row in ROWS for name in row["tests"]}
    ids = tuple(f"test_{row['id'].lower()}_" for row in ROWS)
    named = {
        f"{file.relative_to(TESTS).as_posix()}::{function}"
        for file in TESTS.rglob("test_*.py")
        for function in _functions(file.relative_to(TESTS).as_posix())
        if function.startswith(ids)
    }
    assert named - told == set()
