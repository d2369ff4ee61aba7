"""Paths and conditions of the spec language, in their compiled form (docs/spec-language.md).

A WHERE is a list of alternatives, each a list of steps: a key, `["each"]`, `["json"]`, `["find", regex]`, `["keys"]`.
A condition is `null` or `[word, ...]`. No payload makes anything here raise: what is not there is not found.
"""

from __future__ import annotations

from context_mode_runtime import jsonio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Where = Sequence[Sequence[object]]


def values(payload: object, where: Where) -> list[object]:
    """All values of the first alternative that finds any; null counts as nothing."""
    for steps in where:
        found = [payload]
        for step in steps:
            found = _take(found, step)
        found = [value for value in found if value is not None]
        if found:
            return found
    return []


def find(payload: object, where: Where | None) -> object:
    """The first value, or None."""
    found = values(payload, where) if where else []
    return found[0] if found else None


def text(payload: object, where: Where | None) -> str:
    """The first value when it is a string, else the empty string."""
    value = find(payload, where)
    return value if isinstance(value, str) else ""


def holds(payload: object, condition: Sequence[object] | None) -> bool:
    """Whether the condition holds; over several values, whether it holds for each. `null` never holds."""
    if condition is None:
        return False
    word, *rest = condition
    return _WORDS[str(word)](payload, *rest)


def _take(found: list[object], step: object) -> list[object]:
    if isinstance(step, str):
        return [value[step] for value in found if isinstance(value, dict) and step in value]
    out: list[object] = []
    for value in found:
        out += _STEPS[step[0]](value, *step[1:])  # type: ignore[index]  # a list by the spec's schema
    return out


def _each(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _json(value: object) -> list[object]:
    try:
        return [jsonio.loads(value)] if isinstance(value, str) else []
    except ValueError:
        return []


def _find(value: object, pattern: str) -> list[object]:
    import re

    if not isinstance(value, str):
        return []
    return [match.group(match.re.groups and 1) for match in re.finditer(pattern, value, re.MULTILINE)]


def _keys(value: object) -> list[object]:
    return list(value) if isinstance(value, dict) else []


def _empty(payload: object, where: Where) -> bool:
    return not any(value.strip() if isinstance(value, str) else value for value in values(payload, where))


def _every(test: Callable[[object, object], bool]) -> Callable[..., bool]:
    def over(payload: object, where: Where, wanted: object) -> bool:
        found = values(payload, where)
        return bool(found) and all(test(value, wanted) for value in found)

    return over


def _matches(value: object, pattern: object) -> bool:
    import re

    return isinstance(value, str) and re.search(str(pattern), value) is not None


_STEPS: dict[str, Callable[..., list[object]]] = {"each": _each, "json": _json, "find": _find, "keys": _keys}
_WORDS: dict[str, Callable[..., bool]] = {
    "has": lambda payload, where: bool(values(payload, where)),
    "missing": lambda payload, where: not values(payload, where),
    "empty": _empty,
    "equals": _every(lambda value, wanted: value == wanted and type(value) is type(wanted)),
    "starts": _every(lambda value, wanted: isinstance(value, str) and value.startswith(str(wanted))),
    "matches": _every(_matches),
    "all": lambda payload, conditions: all(holds(payload, condition) for condition in conditions),
    "any": lambda payload, conditions: any(holds(payload, condition) for condition in conditions),
    "not": lambda payload, condition: not holds(payload, condition),
}
