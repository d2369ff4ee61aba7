"""Files of variables: what they say, and that an entry goes in and out without another byte changed."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from context_mode_installer import formats

CASES: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("env.yaml").read_text("utf-8"))
NAME = ("BASH_ENV",)
VALUES = st.text(string.ascii_letters + string.digits + "/._- #'\"\\$", max_size=40)
LINES = st.lists(st.sampled_from(["A=1", "# x", "", "export B='c d'", 'C="e"', "no entry"]), max_size=5)


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_what_it_says(case: dict[str, Any]) -> None:
    data = case["bytes"].encode()
    assert formats.read("env", data) == case["says"]
    new = formats.set_value("env", data, NAME, "/a b/seat.env")
    assert formats.read("env", new) == {**case["says"], "BASH_ENV": "/a b/seat.env"}
    assert new.startswith(data)
    assert formats.remove("env", new, NAME, before=data).rstrip(b"\n") == data.rstrip(b"\n")


@given(VALUES, LINES)
def test_any_value_comes_back(value: str, lines: list[str]) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    new = formats.set_value("env", data, NAME, value)
    assert formats.get(formats.read("env", new), NAME) == value
    assert formats.set_value("env", formats.set_value("env", new, NAME, "other"), NAME, value) == new
    assert formats.remove("env", new, NAME, before=data) == data


@pytest.mark.parametrize("value", [1, True, ["x"], {"a": "b"}])
def test_it_holds_texts_only(value: object) -> None:
    with pytest.raises(formats.ShapeError):
        formats.set_value("env", b"A=1\n", NAME, value)
    with pytest.raises(formats.ShapeError):
        formats.append_item("env", b"A=1\n", NAME, value)
    with pytest.raises(formats.ShapeError):
        formats.set_value("env", b"A=1\n", ("A", "b"), "x")
