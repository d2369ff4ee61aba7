"""Places, conditions and templates of the spec language."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from context_mode_installer.specs.where import (
    WhereError,
    compile_condition,
    compile_where,
    holes,
    parse_path,
    parse_template,
    put,
)
from context_mode_runtime import where

CASES = YAML(typ="safe", pure=True).load((Path(__file__).parent / "where.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES["places"], ids=lambda case: case["text"])
def test_a_place_finds_what_is_meant(case: dict[str, Any]) -> None:
    assert where.values(case["payload"], [parse_path(case["text"])]) == case["finds"]


@pytest.mark.parametrize("case", CASES["bad_places"], ids=lambda case: case["text"])
def test_a_bad_place_says_what_would_be_right(case: dict[str, Any]) -> None:
    with pytest.raises(WhereError) as raised:
        parse_path(case["text"])
    assert case["says"] in f"{raised.value}; {raised.value.right}"


@pytest.mark.parametrize("case", CASES["conditions"], ids=lambda case: json.dumps(case["condition"]))
def test_a_condition_holds_as_the_language_page_says(case: dict[str, Any]) -> None:
    compiled = compile_condition(case["condition"])
    assert [where.holds(payload, compiled) for payload in case["holds_for"]] == [True] * len(case["holds_for"])
    assert [where.holds(payload, compiled) for payload in case["not_for"]] == [False] * len(case["not_for"])


@pytest.mark.parametrize("condition", [{}, {"has": ["a"], "missing": ["b"]}, {"hass": ["a"]}, {"has": ["a b"]}])
def test_a_bad_condition_is_refused(condition: dict[str, Any]) -> None:
    with pytest.raises(WhereError):
        compile_condition(condition)


keys = st.text(min_size=1, max_size=8)
steps = st.lists(st.one_of(keys, st.sampled_from([["each"], ["json"], ["keys"]])), max_size=6)


@given(keys, steps)
def test_what_is_written_is_read_back(first: str, rest: list[Any]) -> None:
    text = "".join(
        f"[{json.dumps(step)}]" if isinstance(step, str) else "[]" if step == ["each"] else f"|{step[0]}"
        for step in [first, *rest]
    )
    assert parse_path(text) == [first, *rest]


@given(st.text(max_size=40))
def test_any_text_is_a_place_or_an_error_of_ours(text: str) -> None:
    with contextlib.suppress(WhereError):
        assert parse_path(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=6,
    )
)
def test_a_template_is_any_json(value: Any) -> None:
    assert parse_template(json.dumps(value)) == value
    assert isinstance(holes(value), set)


@pytest.mark.parametrize(
    ("place", "made"),
    [
        ("a.b", {"a": {"b": 7, "x": 1}}),
        ("a[].b", {"a": [{"type": "text", "b": 7}]}),
        ("args|json.command", {"a": {"x": 1}, "args": '{"command": 7}'}),
        ('a["k.with/dots"].b', {"a": {"x": 1, "k.with/dots": {"b": 7}}}),
    ],
)
def test_a_value_is_put_where_its_place_is_read(place: str, made: dict[str, object]) -> None:
    start: dict[str, object] = {"a": {"x": 1}}
    filled = put(start, place, 7)
    assert filled == made
    assert start == {"a": {"x": 1}}
    assert where.values(filled, compile_where([place])) == [7]
