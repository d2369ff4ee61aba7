"""JSON for the hook path: the interpreter's own C scanner, without the `re` that `json` imports (+10 ms CPU a start).

`loads` and `dumps` fall back to the `json` module where the C accelerator is missing.
"""

from __future__ import annotations

try:
    import _json

    _ACCELERATED = True
except ImportError:  # another Python than CPython
    _ACCELERATED = False

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Pairs = Callable[[list[tuple[str, object]]], dict[str, object]]

_WHITE = " \t\n\r"
_ENDS = 1_024


def is_likely(text: str) -> bool:
    """Whether a text begins and ends as an object or an array does."""
    return text[:_ENDS].lstrip()[:1] + text[-_ENDS:].rstrip()[-1:] in ("{}", "[]")


class _Context:
    """What the C scanner asks of a decoder: Python's own number types, control characters in strings."""

    strict = False
    object_hook = None
    parse_float = float
    memo: dict[str, str]

    def __init__(self, pairs: Pairs | None) -> None:
        self.object_pairs_hook = pairs

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


def first_value(text: str, start: int = 0, pairs: Pairs | None = None) -> tuple[object, int]:
    """The first JSON value of `text` from `start` on and the index behind it; `pairs` makes an object of its pairs.

    Raises ValueError when there is no whole value.
    """
    size = len(text)
    while start < size and text[start] in _WHITE:
        start += 1
    if not _ACCELERATED:
        import json

        try:
            return json.JSONDecoder(strict=False, object_pairs_hook=pairs).raw_decode(text, start)
        except RecursionError:
            raise ValueError("nested too deep") from None
    try:
        value, end = _json.make_scanner(_Context(pairs))(text, start)  # type: ignore[arg-type]  # any object with those fields
    except (StopIteration, SystemError):  # the latter for an open string while nobody has imported `json`
        raise ValueError("no whole JSON value") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value, end


def loads(text: str, doubled: set[str] | None = None) -> object:
    """The one JSON value that `text` holds. Raises ValueError on anything else, rest behind the value included.

    `doubled` takes up the keys that stand twice in one object; the last one counts, as everywhere.
    """
    value, end = first_value(text, 0, None if doubled is None else _noting(doubled))
    if text[end:].strip(_WHITE):
        raise ValueError("text behind the JSON value")
    return value


def _noting(doubled: set[str]) -> Pairs:
    def table(pairs: list[tuple[str, object]]) -> dict[str, object]:
        seen: set[str] = set()
        for key, _ in pairs:
            (doubled if key in seen else seen).add(key)
        return dict(pairs)

    return table


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
