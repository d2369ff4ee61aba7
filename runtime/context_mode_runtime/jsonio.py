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
_ENDS = 1_024


def is_likely(text: str) -> bool:
    """Whether a text begins and ends as an object or an array does."""
    return text[:_ENDS].lstrip()[:1] + text[-_ENDS:].rstrip()[-1:] in ("{}", "[]")


class _Context:
    """What the C scanner asks of a decoder: Python's own number types, no hooks, control characters in strings."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    memo: dict[str, str]

    @staticmethod
    def parse_int(text: str) -> float:
        """A whole number; one of more digits than Python reads (4,300) as the infinite float that it is in JSON."""
        try:
            return int(text)
        except ValueError:
            return float(text)

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

        try:
            return json.JSONDecoder(strict=False).raw_decode(text, start)
        except RecursionError:
            raise ValueError("nested too deep") from None
    try:
        value, end = _json.make_scanner(_Context())(text, start)  # type: ignore[arg-type]  # any object with those fields
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


def dumps(value: object, *, ordered: bool = False) -> str:
    r"""Compact JSON on one line; characters stand as they are, lone surrogates as `\udxxx`. `ordered`: keys sorted."""
    if not _ACCELERATED:
        import json

        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=ordered)
    return "".join(_pieces(value, ordered=ordered))


def _string(text: str) -> str:
    quoted = _json.encode_basestring(text)
    try:
        quoted.encode()
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in quoted)
    return quoted


def _pieces(value: object, *, ordered: bool) -> list[str]:
    """The parts of the text in order. Without recursion: what a host sends may be nested as deep as it likes."""
    out: list[str] = []
    waiting: list[tuple[str, object]] = [("", value)]
    while waiting:
        before, item = waiting.pop()
        out.append(before)
        if isinstance(item, dict):
            keys = sorted(item) if ordered else item
            waiting += _items("{}", [(_string(str(key)) + ":", item[key]) for key in keys])
        elif isinstance(item, (list, tuple)):
            waiting += _items("[]", [("", one) for one in item])
        elif item is not _NOTHING:
            out.append(_scalar(item))
    return out


_NOTHING = object()


def _items(brackets: str, items: list[tuple[str, object]]) -> list[tuple[str, object]]:
    """Texts and the values behind them, the last first, as a stack takes them."""
    found = [("," + before if n else before, item) for n, (before, item) in enumerate(items)]
    return [(brackets[1], _NOTHING), *reversed(found), (brackets[0], _NOTHING)]


def _scalar(value: object) -> str:
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, (int, float)):
        return _number(value)
    raise TypeError(f"not JSON: {type(value).__name__}")


def _number(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN is the one value unlike itself
        return "null"
    return repr(value)
