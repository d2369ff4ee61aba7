"""Arguments as models send them, made into what the published schema says (field report F65).

Taken: a list as JSON text or as one bare string, numbers and booleans as text, whole numbers as floats, an old name
for a new one. Not taken: an unknown name, which is said together with the nearest known one.
"""

from __future__ import annotations

import os

from context_mode_runtime import jsonio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.tools.tool import Tool

_OTHER_NAMES = {"timeout": "timeout_ms", "query": "queries", "command": "commands"}
_PATHS = frozenset(("path", "file"))
_TRUTH = {"true": True, "false": False}


class WrongArgumentsError(Exception):
    """Arguments that fit nothing: one line that says which and what would be right."""


def fitted(tool: Tool, arguments: dict[str, object]) -> dict[str, object]:
    """`arguments` with every value of its property's type, those that are null left out. Raises WrongArgumentsError."""
    named = {_known_name(tool, name): value for name, value in arguments.items()} if not tool.strict else arguments
    out: dict[str, object] = {}
    for name, value in named.items():
        if name not in tool.properties:
            raise WrongArgumentsError(_unknown(tool, name))
        if value is not None:
            got = _value(tool, name, value)
            out[name] = got if name in _PATHS and _is_path(got) else _encodable(got)
    missing = [name for name in tool.required if name not in out]
    if missing:
        raise WrongArgumentsError(f"missing argument: {', '.join(missing)}")
    return out


def _is_path(value: object) -> bool:
    """The system takes it, also one with bytes that are no UTF-8, as Python writes them."""
    try:
        return isinstance(value, str) and bool(os.fsencode(value))
    except UnicodeEncodeError:
        return False


def _encodable(value: object) -> object:
    """The same with lone surrogates as U+FFFD: no file, process or database takes them."""
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in value) if _lone(value) else value
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return value


def _lone(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _known_name(tool: Tool, name: str) -> str:
    other = _OTHER_NAMES.get(name, name)
    return other if name not in tool.properties and other in tool.properties else name


def _unknown(tool: Tool, name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, tool.properties, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(tool.properties) or 'none'}"
    return f"unknown argument {name}: {hint}"


def _value(tool: Tool, name: str, value: object) -> object:
    kinds = _kinds(tool.properties[name])
    got = value if tool.strict else _LENIENT[kinds[0]](value)
    if not any(_fits(kind, got) for kind in kinds):
        raise WrongArgumentsError(f"argument {name} is not {' or '.join(_SAID[kind] for kind in kinds)}")
    allowed = tool.properties[name].get("enum")
    if isinstance(allowed, list) and got not in allowed:
        raise WrongArgumentsError(f"argument {name} is one of {', '.join(map(str, allowed))}, not {got}")
    return got


def _kinds(schema: dict[str, object]) -> list[str]:
    """The types that a property may have: one, or those of its `anyOf`."""
    either = schema.get("anyOf")
    one = [part.get("type") for part in either if isinstance(part, dict)] if isinstance(either, list) else []
    return [str(kind) for kind in one] or [str(schema.get("type", "string"))]


def _fits(wanted: str, value: object) -> bool:
    if wanted == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if wanted == "array":
        return isinstance(value, list) and all(isinstance(item, (str, dict)) for item in value)
    return isinstance(value, bool if wanted == "boolean" else str)


def _integer(value: object) -> object:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _boolean(value: object) -> object:
    return _TRUTH.get(value.strip().lower(), value) if isinstance(value, str) else value


def _string(value: object) -> object:
    return jsonio.dumps(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _array(value: object) -> object:
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, str):
        return [_string(item) for item in value] if isinstance(value, list) else value
    if value.lstrip().startswith("["):
        try:
            read = jsonio.loads(value)
        except ValueError:
            return [value]
        return [_string(item) for item in read] if isinstance(read, list) else [value]
    return [value] if value.strip() else []


_LENIENT = {"integer": _integer, "boolean": _boolean, "string": _string, "array": _array}
_SAID = {"integer": "a whole number", "boolean": "true or false", "string": "a text", "array": "a list of texts"}
