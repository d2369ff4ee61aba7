"""The language page and the schema say the same words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "schemas" / "agent_spec.schema.json").read_text("utf-8"))
PAGE = (ROOT / "docs" / "spec-language.md").read_text("utf-8")


def words(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return {word for item in schema for word in words(item)}
    if not isinstance(schema, dict):
        return set()
    own = set(schema.get("properties", {}))
    return (
        own
        | {str(word) for word in schema.get("enum", []) if word}
        | {word for item in schema.values() for word in words(item)}
    )


def test_every_word_is_explained() -> None:
    assert {word for word in words(SCHEMA) if f"`{word}`" not in PAGE and f"`{word}:" not in PAGE} == set()


def test_no_word_is_explained_that_is_gone() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \|", PAGE, re.MULTILINE)
    assert set(rows) <= words(SCHEMA)


def test_every_map_is_closed_and_whole() -> None:
    maps = {"the spec": SCHEMA, **SCHEMA["$defs"]}
    for name, schema in maps.items():
        if "properties" not in schema or name == "condition" or "allOf" in schema:
            continue
        assert schema["additionalProperties"] is False, name
        assert set(schema["required"]) == set(schema["properties"]), name
