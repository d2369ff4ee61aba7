"""JSON for the hook path: the interpreter's own C scanner, without the `re` that `json` imports (+10 ms CPU a start).

`loads` and `dumps` fall back to the `json` module where the C accelerator is missing.
"""

from __future__ import annotations

try:
    import _json

    _ACCELERATED = True
except ImportError:  # another Python than CPython
    _ACCELERATED = False

_WHITE = " \t\n\r"


class _Context:
    """What the C scanner asks of a decoder: Python's own number types, no hooks, control characters in strings."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    memo: dict[str, str]

    @staticmethod
    def parse_constant(name: str) -> float:
        """`NaN` and `Infinity`, which some hosts print."""
        return float(name.replace("Infinity", "inf"))


def first_value(text: str, start: int = 0) -> tuple[object, int]:
    """The first JSON value of `text` from `start` on and the index behind it.

    Raises ValueError when there is no whole value.
    """
    size = len(text)
    while start < size and text[start] in _WHITE:
        start += 1
    if not _ACCELERATED:
        import json

        return json.JSONDecoder(strict=False).raw_decode(text, start)
    try:
        value, end = _json.make_scanner(_Context())(text, start)  # type: ignore[arg-type]
    except (StopIteration, SystemError):  # the latter for an open string while nobody has imported `json`
        raise ValueError("no whole JSON value") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value, end


def loads(text: str) -> object:
    """The one JSON value that `text` holds. Raises ValueError on anything else, rest behind the value included."""
    value, end = first_value(text)
    if text[end:].strip(_WHITE):
        raise ValueError("text behind the JSON value")
    return value


def dumps(value: object) -> str:
    r"""Compact JSON on one line; characters stand as they are, lone surrogates as `\udxxx`."""
    if not _ACCELERATED:
        import json

        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return "".join(_pieces(value))


def _string(text: str) -> str:
    quoted = _json.encode_basestring(text)
    try:
        quoted.encode()
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in quoted)
    return quoted


def _pieces(value: object) -> list[str]:
    if value is None or value is True or value is False:
        return [{None: "null", True: "true", False: "false"}[value]]
    if isinstance(value, str):
        return [_string(value)]
    if isinstance(value, (int, float)):
        return [_number(value)]
    if isinstance(value, dict):
        return _joined("{}", [[_string(str(key)), ":", *_pieces(item)] for key, item in value.items()])
    if isinstance(value, (list, tuple)):
        return _joined("[]", [_pieces(item) for item in value])
    raise TypeError(f"not JSON: {type(value).__name__}")


def _number(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN is the one value unlike itself
        return "null"
    return repr(value)


def _joined(brackets: str, items: list[list[str]]) -> list[str]:
    out = [brackets[0]]
    for n, item in enumerate(items):
        if n:
            out.append(",")
        out += item
    out.append(brackets[1])
    return out
