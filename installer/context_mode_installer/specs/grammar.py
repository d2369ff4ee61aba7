"""A spec against `schemas/agent_spec.schema.json`: errors of the schema in words."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jsonschema import Draft202012Validator

from context_mode_runtime.resources import shipped

from .findings import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import ValidationError

    from .findings import Sheet
    from .load import Way

_TYPES = {"object": "a map", "array": "a list", "string": "a text", "null": "null", "boolean": "true or false"}
_TYPES |= {"integer": "a whole number", "number": "a number"}
_SHOWN = 60


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((Path(shipped("schemas")) / "agent_spec.schema.json").read_text("utf-8"))
    return schema


def check_grammar(sheet: Sheet) -> None:
    """Adds a finding for each error of the schema."""
    for error in Draft202012Validator(_schema()).iter_errors(sheet.spec):
        for leaf in _leaves(error):
            _note(sheet, leaf)


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    """The errors inside an alternative: those of the branch that was meant."""
    if error.validator not in ("anyOf", "oneOf"):
        yield error
        return
    branches: dict[object, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.schema_path[0], []).append(inner)
    meant = [inner for inner in branches.values() if not _wrong_type(inner)]
    if not meant:
        yield error
        return
    for inner in meant[0]:
        yield from _leaves(inner)


def _wrong_type(errors: list[ValidationError]) -> bool:
    return any(error.validator == "type" and not error.path for error in errors)


def _note(sheet: Sheet, error: ValidationError) -> None:
    way: Way = tuple(error.absolute_path)
    name, found, schema = _name(way), cast("dict[str, Any]", error.instance), cast("dict[str, Any]", error.schema)
    if error.validator == "required":
        for key in sorted(_lost(schema, found)):
            sheet.add(way, f"{name} lacks the key {key}", f"add it{_meaning(schema, key)}")
    elif error.validator == "additionalProperties":
        for key in [key for key in found if key not in schema["properties"]]:
            sheet.add((*way, key), f"{name} has no key {key}", nearest(key, schema["properties"]), key=True)
    else:
        sheet.add(way, f"{name} {_wrong(error)}", _right(error))


def _lost(schema: dict[str, Any], found: dict[str, Any]) -> set[str]:
    """Keys that are missing, but for those that stand there misspelt: these are told once."""
    missing = set(schema["required"]) - set(found)
    closed = schema.get("additionalProperties") is False
    unknown = [key for key in found if key not in schema["properties"]] if closed else []
    return missing - {nearest(key, schema["properties"])[len("did you mean ") : -1] for key in unknown}


def _name(way: Way) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way)
    return text.lstrip(".") or "the spec"


def _meaning(schema: Any, key: str) -> str:  # noqa: ANN401 - a schema is any JSON
    text = str(schema.get("properties", {}).get(key, {}).get("description", ""))
    return f" ({text.rstrip('.')})" if text else ""


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _wrong(error: ValidationError) -> str:
    words = {"minItems": "has too few items", "uniqueItems": "holds an item twice", "minProperties": "is empty"}
    return words.get(str(error.validator)) or f"is {_shown(error.instance)}"


def _right(error: ValidationError) -> str:
    value: Any = error.validator_value
    return _RIGHT.get(str(error.validator), lambda *_: error.message)(value, error)


def _types(value: Any, _error: ValidationError) -> str:  # noqa: ANN401 - a schema is any JSON
    names = [value] if isinstance(value, str) else value
    return f"it takes {' or '.join(_TYPES[name] for name in names)}"


def _enum(value: Any, error: ValidationError) -> str:  # noqa: ANN401 - a schema is any JSON
    words = [str(word) if word is not None else "null" for word in value]
    return nearest(error.instance, words) if isinstance(error.instance, str) else f"known: {', '.join(words)}"


def _any_of(value: Any, _error: ValidationError) -> str:  # noqa: ANN401 - a schema is any JSON
    kinds = [_definition(item).get("type", "object") for item in value]
    return f"it takes {' or '.join(_TYPES.get(str(kind), 'a map') for kind in kinds)}"


def _definition(item: dict[str, Any]) -> dict[str, Any]:
    name = str(item.get("$ref", "")).rpartition("/")[2]
    definition: dict[str, Any] = _schema()["$defs"][name] if name else item
    return definition


_RIGHT = {
    "type": _types,
    "enum": _enum,
    "const": lambda value, _: f"it must be {value}",
    "pattern": lambda value, _: f"it must fit {value}",
    "minimum": lambda value, _: f"it must be at least {value}",
    "maximum": lambda value, _: f"it must be at most {value}",
    "minLength": lambda value, _: f"it needs {value} or more signs",
    "minItems": lambda value, _: f"it needs {value} or more",
    "uniqueItems": lambda _value, _: "drop the second",
    "minProperties": lambda _value, _: "write exactly one key, or null instead of the map",
    "maxProperties": lambda _value, _: "write exactly one key; join several by all or any",
    "anyOf": _any_of,
}
