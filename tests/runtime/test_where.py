"""Paths and conditions in their compiled form."""

import pytest

from context_mode_runtime import where

PAYLOAD = {
    "tool": "mcp__browser__snapshot",
    "empty": "  ",
    "input": {"path": "a.py", "operations": [{"path": "x"}, {"mode": "Line"}, {"path": "y"}]},
    "text": '{"inner": {"deep": [1, 2]}}',
    "prompt": "see https://a.example/1 and https://b.example/2",
    "nothing": None,
    "flag": True,
    "count": 1,
}

CASES = [
    ([["input", "path"]], ["a.py"]),
    ([["input", "operations", ["each"], "path"]], ["x", "y"]),
    ([["missing"], ["nothing"], ["tool"]], ["mcp__browser__snapshot"]),
    ([["text", ["json"], "inner", "deep", ["each"]]], [1, 2]),
    ([["tool", ["find", "^mcp__(.+?)__"]]], ["browser"]),
    ([["prompt", ["find", r"https?://\S+"]]], ["https://a.example/1", "https://b.example/2"]),
    ([["input", ["keys"]]], ["path", "operations"]),
    ([["tool", "inner"], ["input", ["each"]], ["tool", ["json"]], ["count", ["find", "1"]], ["flag", ["keys"]]], []),
]


@pytest.mark.parametrize(("path", "expected"), CASES)
def test_a_where_finds_the_values_of_its_first_alternative(path: list[list[object]], expected: list[object]) -> None:
    assert where.values(PAYLOAD, path) == expected
    assert where.find(PAYLOAD, path) == (expected[0] if expected else None)


CONDITIONS = [
    (None, False),
    (["has", [["tool"]]], True),
    (["has", [["nothing"]]], False),
    (["missing", [["nothing"]]], True),
    (["empty", [["empty"]]], True),
    (["empty", [["absent"]]], True),
    (["empty", [["tool"]]], False),
    (["equals", [["flag"]], True], True),
    (["equals", [["count"]], True], False),
    (["starts", [["tool"]], "mcp__"], True),
    (["starts", [["absent"]], ""], False),
    (["matches", [["prompt"]], "b\\.example"], True),
    (["matches", [["count"]], "1"], False),
    (["equals", [["input", "operations", ["each"], "path"]], "x"], False),
    (["matches", [["input", "operations", ["each"], "path"]], "^[xy]$"], True),
    (["all", [["has", [["tool"]]], ["has", [["absent"]]]]], False),
    (["any", [["has", [["tool"]]], ["has", [["absent"]]]]], True),
    (["not", ["has", [["absent"]]]], True),
]


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS)
def test_a_condition_holds_when_every_value_fits(condition: list[object] | None, *, expected: bool) -> None:
    assert where.holds(PAYLOAD, condition) is expected
