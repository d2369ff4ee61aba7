"""JSON for the hook path reads and writes what the standard module does."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_mode_runtime import jsonio

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_what_is_written_reads_back_with_both_modules(value: object) -> None:
    text = jsonio.dumps(value)
    assert "\n" not in text
    assert json.loads(text) == value == jsonio.loads(text)


@given(st.text())
def test_any_text_is_a_value_or_a_value_error(text: str) -> None:
    try:
        value = jsonio.loads(text)
    except ValueError:
        return
    assert value == json.loads(text, strict=False) or value != value  # noqa: PLR0124


def test_lone_surrogates_stay_escapes() -> None:
    assert jsonio.dumps({"a": "\ud800é"}) == '{"a":"\\ud800é"}'
    jsonio.dumps("\ud800").encode()


@pytest.mark.parametrize("text", ["", " ", "{", '{"a"', "[1,", "nul", "[" * 100_000, '{"a":1} x'])
def test_what_is_not_one_whole_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        jsonio.loads(text)


def test_keys_that_stand_twice_are_told() -> None:
    doubled: set[str] = set()
    assert jsonio.loads('{"a": 1, "b": [{"c": 1, "c": 2}], "a": {"b": 3}}', doubled) == {"a": {"b": 3}, "b": [{"c": 2}]}
    assert doubled == {"a", "c"}


def test_the_first_value_and_where_it_ends() -> None:
    assert jsonio.first_value(' {"a": 1}  {"b": 2}') == ({"a": 1}, 9)


def test_what_is_nested_deep_is_written_all_the_same() -> None:
    value: object = 1
    for _ in range(50_000):
        value = {"a": [value]}
    assert jsonio.dumps(value).count("[") == 50_000


def test_a_number_of_more_digits_than_python_reads_is_read() -> None:
    assert jsonio.loads("[" + "1" * 5_000 + ",12]") == [float("inf"), 12]
