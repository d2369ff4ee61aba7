"""Arguments as models send them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from context_mode_runtime.server.lenient import WrongArgumentsError, fitted
from context_mode_runtime.server.tools.tool import Tool

CASES = YAML(typ="safe").load((Path(__file__).parent / "cases" / "arguments.yaml").read_text(encoding="utf-8"))
PROPERTIES: dict[str, dict[str, object]] = {
    "queries": {"type": "array"},
    "limit": {"type": "integer"},
    "timeout_ms": {"type": "integer"},
    "deep": {"type": "boolean"},
    "name": {"type": "string"},
    "scope": {"type": "string", "enum": ["session", "project"]},
}


def _tool(*, strict: bool = False, required: tuple[str, ...] = ()) -> Tool:
    return Tool(
        name="ctx_any",
        description="",
        when="",
        properties=PROPERTIES,
        annotations={},
        handle=lambda call: call.tool,
        required=required,
        strict=strict,
    )


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_arguments(case: dict[str, Any]) -> None:
    tool = _tool(strict=case.get("strict", False), required=tuple(case.get("required", ())))
    if "error" in case:
        with pytest.raises(WrongArgumentsError) as raised:
            fitted(tool, case["send"])
        assert str(raised.value) == case["error"]
    else:
        assert fitted(tool, case["send"]) == case["get"]


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from([*PROPERTIES, "query", "timeout", "?"]), _ANY))
def test_whatever_comes_fits_or_is_refused(arguments: dict[str, object]) -> None:
    kinds = {"array": list, "integer": int, "boolean": bool, "string": str}
    try:
        got = fitted(_tool(), arguments)
    except WrongArgumentsError:
        return
    assert all(isinstance(value, kinds[str(PROPERTIES[name]["type"])]) for name, value in got.items())
