"""The small texts of the spec language: places in a payload (WHERE), conditions, JSON templates.

A place is written `a.b`, `a["key.with/dots"].b`, `a[].b` (every item), then `|json` (the text there holds JSON; more
steps may follow), `|keys`, or `|find:REGEX` (every match, group 1 where there is one; always the last step).
"""

from __future__ import annotations

import json
import re
from typing import Any

Step = str | list[str]
"""`"name"`, `["each"]`, `["json"]`, `["keys"]` or `["find", regex]`."""
Steps = list[Step]
Where = list[Steps]
"""Alternatives; the first that finds something wins."""
Condition = list[Any] | None
"""`[op, ...]`: see `compile_condition`."""

VALUE_OPS = ("equals", "starts", "matches")
WHERE_OPS = ("has", "missing", "empty")
JOIN_OPS = ("all", "any")
_OPS = (*WHERE_OPS, *VALUE_OPS, *JOIN_OPS, "not")
_ESCAPE = "a sign that is meant as itself takes a backslash before it"

_NAME = re.compile(r"[^.\[\]|\"\s]+")
_QUOTED = re.compile(r'\["((?:[^"\\]|\\.)+)"\]')


class TextError(ValueError):
    """A small text that cannot be read: what is wrong, with the column in it, and in `right` what would be right."""

    def __init__(self, wrong: str, right: str) -> None:
        super().__init__(wrong)
        self.right = right


class WhereError(TextError):
    """A place or a condition that cannot be read."""


def parse_path(text: str) -> Steps:
    """The steps of one place. Raises WhereError with the column in the text and what would be right there."""
    steps: Steps = []
    at = _first(text, steps)
    while at < len(text):
        at = _next(text, at, steps)
    return steps


def _first(text: str, steps: Steps) -> int:
    quoted = _QUOTED.match(text)
    name = quoted or _NAME.match(text)
    if name is None:
        raise WhereError(f"{text!r} does not begin with the name of a field", 'write a.b, or ["a key"].b')
    steps.append(_unquoted(quoted[1]) if quoted else name[0])
    return name.end()


def _unquoted(name: str) -> str:
    try:
        return str(json.loads(f'"{name}"'))
    except json.JSONDecodeError as error:
        raise WhereError(
            f"the name in quotes cannot be read: {error.msg}", 'write it as JSON does: ["a \\"key\\""]'
        ) from None


def _next(text: str, at: int, steps: Steps) -> int:
    if text.startswith("[]", at):
        steps.append(["each"])
        return at + 2
    if text[at] == "|":
        return _pipe(text, at, steps)
    quoted = _QUOTED.match(text, at)
    if quoted:
        steps.append(_unquoted(quoted[1]))
        return quoted.end()
    name = _NAME.match(text, at + 1) if text[at] == "." else None
    if name is None:
        right = 'here fit .name, ["name"], [], |json, |keys and |find:REGEX'
        raise WhereError(f"{text!r} cannot be read from its column {at + 1}", right)
    steps.append(name[0])
    return name.end()


def _pipe(text: str, at: int, steps: Steps) -> int:
    for word in ("json", "keys"):
        end = at + 1 + len(word)
        if text.startswith(word, at + 1) and (end == len(text) or text[end] in ".[|"):
            steps.append([word])
            return end
    if not text.startswith("find:", at + 1):
        raise WhereError(f"{text!r} cannot be read from its column {at + 1}", "here fit |json, |keys and |find:REGEX")
    pattern = text[at + len("|find:") :]
    try:
        groups = re.compile(pattern, re.MULTILINE).groups
    except re.error as error:
        raise WhereError(f"{pattern!r} is no regular expression: {error}", _ESCAPE) from None
    if not pattern or groups > 1:
        raise WhereError(f"{pattern!r} is empty or has several groups", "one group is what is taken; others begin (?:")
    steps.append(["find", pattern])
    return len(text)


def compile_where(alternatives: list[str]) -> Where:
    """The steps of each alternative. Raises WhereError."""
    return [parse_path(text) for text in alternatives]


def compile_condition(condition: dict[str, Any] | None) -> Condition:
    """`["has", WHERE]`, `["equals", WHERE, value]`, `["all", [c...]]`, `["not", c]`, or None.

    Raises WhereError when a place, an operator or a pattern cannot be read.
    """
    if condition is None:
        return None
    if len(condition) != 1:
        raise WhereError("a condition has exactly one key", f"one of {', '.join(_OPS)}; join several by all or any")
    ((op, rest),) = condition.items()
    if op in WHERE_OPS:
        return [op, compile_where(rest)]
    if op in VALUE_OPS:
        return [op, compile_where(rest["where"]), _value(op, rest["value"])]
    if op in JOIN_OPS:
        return [op, [compile_condition(item) for item in rest]]
    if op == "not":
        return [op, compile_condition(rest)]
    raise WhereError(f"{op!r} is no condition", f"there are {', '.join(_OPS)}")


def _value(op: str, value: object) -> object:
    if op == "matches":
        try:
            re.compile(str(value))
        except re.error as error:
            raise WhereError(f"{value!r} is no regular expression: {error}", _ESCAPE) from None
    return value


def parse_template(text: str) -> Any:  # noqa: ANN401 - any JSON
    """The JSON value in `text`, its holes left in. Raises TextError."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        right = """JSON in single quotes, for instance '{"key": "{hole}"}'"""
        raise TextError(f"not JSON at its column {error.colno}: {error.msg}", right) from None


HOLE = re.compile(r"\{([a-z_]+)\}")
"""A hole of a template or of a path template."""


def holes(value: Any) -> set[str]:  # noqa: ANN401 - any JSON
    """The names of all holes in a parsed template."""
    if isinstance(value, str):
        return set(HOLE.findall(value))
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return {name for item in value for name in holes(item)} if isinstance(value, list) else set()


def put(payload: dict[str, Any], place: str, value: object) -> dict[str, Any]:
    """A copy of the payload with `value` where `place` says; items of a list and texts with JSON are made for it."""
    steps = parse_path(place)
    filled = _into(payload, steps, value)
    return filled if isinstance(filled, dict) else payload


def _into(target: object, steps: list[Any], value: object) -> object:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        inner = target if isinstance(target, dict) else {}
        return {**inner, step: _into(inner.get(step), rest, value)}
    if step[0] == "each":
        return [_into(target[0] if isinstance(target, list) and target else {"type": "text"}, rest, value)]
    if step[0] == "json":
        return json.dumps(_into({}, rest, value))
    return value
