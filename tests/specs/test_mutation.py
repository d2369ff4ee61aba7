"""No key of any spec can be lost, misspelt or retyped without a finding."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from context_mode_installer.specs.check import check_document
from context_mode_installer.specs.load import Document, load_file

HERE = Path(__file__).parent
SPECS = [*sorted((HERE.parents[1] / "agent_specs").glob("*.yaml")), *sorted((HERE / "extra").glob("*.yaml"))]
SCHEMA = json.loads((HERE.parents[1] / "schemas" / "agent_spec.schema.json").read_text("utf-8"))
KINDS = ("drop", "rename", "retype")
Way = tuple[Any, ...]


def keys(value: Any, way: Way = ()) -> Iterator[Way]:
    """The way to every key of every map."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        if isinstance(value, dict):
            yield (*way, step)
        yield from keys(item, (*way, step))


def changed(spec: Any, way: Way, kind: str) -> Any:
    """The spec with one key dropped, misspelt or given a value of a type it never has; what is around it is copied."""
    spec = {**spec, way[0]: copy.deepcopy(spec[way[0]])}
    inner = spec
    for step in way[:-1]:
        inner = inner[step]
    value = inner.pop(way[-1])
    if kind == "rename":
        inner[f"{way[-1]}s"] = value
    if kind == "retype":
        inner[way[-1]] = 7.5 if isinstance(value, dict | list) else {"a": "map"}
    return spec


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("file", SPECS, ids=lambda file: file.stem)
def test_the_grammar_refuses_every_such_change(file: Path, kind: str) -> None:
    spec = load_file(file).value
    whole = Draft202012Validator(SCHEMA)
    sections = {
        name: Draft202012Validator(
            {"$ref": f"#/properties/{name}", **{key: SCHEMA[key] for key in ("properties", "$defs")}}
        )
        for name in spec
    }
    passed = []
    for way in keys(spec):
        broken = changed(spec, way, kind)
        section = sections[way[0]]
        if whole.is_valid(broken) if len(way) == 1 else section.is_valid(broken[way[0]]):
            passed.append(way)
    assert passed == []


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_the_check_says_where(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(SPECS))
    document = LOADED[file]
    way = data.draw(st.sampled_from(list(keys(document.value))))
    kind = data.draw(st.sampled_from(KINDS))
    findings = check_document(
        Document(file.name, changed(document.value, way, kind), document.places, document.keys), file
    )
    assert findings
    assert all(finding.line >= 1 and finding.column >= 1 and finding.wrong and finding.right for finding in findings)
    around = document.place(way[:-1])
    assert any((finding.line, finding.column) >= around for finding in findings)


LOADED = {file: load_file(file) for file in SPECS}
