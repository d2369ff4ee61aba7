"""What one expression of Python code is worth, as far as its text says it: literals, joined, split, formatted."""

from __future__ import annotations

import _ast
import os

from context_mode_runtime.policy.literals import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Protocol

    class Names(Protocol):
        """Who knows what names and other expressions are worth."""

        def of(self, node: _ast.AST | None) -> list[Value]:
            """What `node` can be worth."""

        def named(self, name: str) -> list[Value]:
            """What a name can be worth."""

        def combined(self, nodes: Sequence[_ast.AST | None]) -> Iterator[tuple[Value, ...]]:
            """What several expressions can be worth together, None for one that isn't known."""


Value = str | list[str] | None
"""A text, a list of texts, or None: the text doesn't say. HOLE stands for the part of a text that isn't known."""
_KNOWN_NAMES = {"sys.executable": "python3", "os.sep": "/", "os.linesep": "\n"}


def last_name(node: _ast.AST) -> str:
    """`c` of `a.b.c`, or an empty string."""
    if isinstance(node, _ast.Attribute):
        return node.attr
    return node.id if isinstance(node, _ast.Name) else ""


def worth(v: Names, node: _ast.AST) -> list[Value]:
    """All that `node` can be worth by the names of `v`, each once; nothing when that isn't known."""
    made = _BY_KIND.get(type(node))
    found: list[Value] = []
    for value in made(v, node) if made else ():
        if value is not None and value not in found:
            found.append(value)
    return found


def added(left: Value, right: Value) -> Value:
    """`left + right`, with a hole for a side that isn't known."""
    if isinstance(left, list) or isinstance(right, list):
        lists = [[HOLE] if side is None else [side] if isinstance(side, str) else side for side in (left, right)]
        return lists[0] + lists[1]
    if left is None and right is None:
        return None
    return (HOLE if left is None else left) + (HOLE if right is None else right)


def _constant(_v: Names, node: _ast.Constant) -> Iterator[Value]:
    value = node.value
    if isinstance(value, bytes):
        yield value.decode("utf-8", "surrogateescape")
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int) and abs(value) < 1 << 63:
        yield str(value)


def _attribute(v: Names, node: _ast.Attribute) -> list[Value]:
    known = _KNOWN_NAMES.get(f"{last_name(node.value)}.{node.attr}")
    return v.named(node.attr) if known is None else [known]


def _formatted(v: Names, node: _ast.JoinedStr) -> Iterator[Value]:
    parts = [one.value if isinstance(one, _ast.FormattedValue) else one for one in node.values]
    for values in v.combined(parts):
        yield "".join(map(_text, values))


def _sequence(v: Names, node: _ast.List | _ast.Tuple) -> Iterator[Value]:
    for values in v.combined([one.value if isinstance(one, _ast.Starred) else one for one in node.elts]):
        yield [text for value in values for text in (value if isinstance(value, list) else [_text(value)])]


def _operation(v: Names, node: _ast.BinOp) -> Iterator[Value]:
    made = _OPERATORS.get(type(node.op))
    for left, right in v.combined([node.left, node.right]) if made else ():
        yield made(left, right) if made else None


def _put_in(left: Value, right: Value) -> Value:
    """`"%s" % x`."""
    if not isinstance(left, str):
        return None
    for value in right if isinstance(right, list) else [_text(right)]:
        left = _filled(left, ("%s", "%r", "%d", "%b"), value)
    return left


def _below(left: Value, right: Value) -> Value:
    """`Path("a") / "b"`."""
    return None if left is None and right is None else os.path.join(_text(left), _text(right))


_OPERATORS: dict[type, Callable[[Value, Value], Value]] = {_ast.Add: added, _ast.Mod: _put_in, _ast.Div: _below}


def _filled(text: str, holes: tuple[str, ...], value: str) -> str:
    """`text` with the first of its holes filled."""
    places = [(text.find(hole), hole) for hole in holes if hole in text]
    at, hole = min(places, default=(-1, ""))
    return text[:at] + value + text[at + len(hole) :] if at >= 0 else text


def _one_or_other(v: Names, node: _ast.IfExp) -> list[Value]:
    return [*v.of(node.body), *v.of(node.orelse)]


def _first_true(v: Names, node: _ast.BoolOp) -> Iterator[Value]:
    """`a or b`: what is nothing by the text is passed over."""
    for choice in node.values:
        last = choice is node.values[-1] or not isinstance(node.op, _ast.Or)
        if last or not isinstance(choice, _ast.Constant) or choice.value:
            yield from v.of(choice)


def _subscript(v: Names, node: _ast.Subscript) -> Iterator[Value]:
    """An item of a list or table: any, where the text doesn't say which."""
    if isinstance(node.value, _ast.Dict):
        for one in node.value.values:
            yield from v.of(one)
    elif isinstance(node.slice, _ast.Slice):
        back = node.slice.lower is node.slice.upper is None and _is_minus_one(node.slice.step)
        for value in v.of(node.value) if back else ():
            yield value[::-1] if value is not None else None
    else:
        for value, at in v.combined([node.value, node.slice]):
            if isinstance(value, list):
                place = int(at) if isinstance(at, str) and at.isdigit() else -1
                yield from [value[place]] if 0 <= place < len(value) else value


def _is_minus_one(node: _ast.AST | None) -> bool:
    return isinstance(node, _ast.UnaryOp) and isinstance(node.op, _ast.USub) and getattr(node.operand, "value", 0) == 1


def _call(v: Names, node: _ast.Call) -> Iterator[Value]:
    """The few functions that only turn a text into another."""
    name = last_name(node.func)
    method, function = _METHODS.get(name), _FUNCTIONS.get(name)
    if not method and not function:
        return
    own = node.func.value if isinstance(node.func, _ast.Attribute) else None
    count = len(node.args)
    for mine, *rest in v.combined([own, *node.args, *(key.value for key in node.keywords)]):
        given, keys = rest[:count], rest[count:]
        if method and isinstance(mine, str) and mine != HOLE:
            yield method(mine, given, {k.arg or "": _text(value) for k, value in zip(node.keywords, keys, strict=True)})
        elif function and given:
            yield _tried(function, given)


def _tried(function: Callable[[list[Value]], Value], given: list[Value]) -> Value:
    try:
        return function(given)
    except (ValueError, OverflowError):
        return None


def _text(value: Value) -> str:
    return value if isinstance(value, str) else HOLE


def _joined_by(own: str, given: list[Value], _keys: dict[str, str]) -> Value:
    return own.join(given[0]) if given and isinstance(given[0], list) else None


def _split_by(own: str, given: list[Value], _keys: dict[str, str]) -> Value:
    return own.split(given[0]) if given and isinstance(given[0], str) and given[0] else own.split()


def _replaced(own: str, given: list[Value], _keys: dict[str, str]) -> Value:
    old, new = (_text(given[n]) if n < len(given) else HOLE for n in (0, 1))
    return own.replace(old, new) if old else own


def _format(own: str, given: list[Value], keys: dict[str, str]) -> Value:
    for at, value in enumerate(given):
        own = own.replace("{" + str(at) + "}", _text(value))
        own = _filled(own, ("{}", "{!s}"), _text(value))
    for key, text in keys.items():
        own = own.replace("{" + key + "}", text)
    return own


def _path(given: list[Value]) -> Value:
    return os.path.join(*[_text(value) for value in given])


def _words(given: list[Value]) -> Value:
    """`shlex.split`: as a shell would."""
    import shlex

    return shlex.split(_text(given[0])) if isinstance(given[0], str) else None


def _character(given: list[Value]) -> Value:
    return chr(int(_text(given[0]), 10))


def _base64(given: list[Value]) -> Value:
    import binascii

    return binascii.a2b_base64(_text(given[0]).encode()).decode("utf-8", "surrogateescape")


def _hex(given: list[Value]) -> Value:
    return bytes.fromhex(_text(given[0])).decode("utf-8", "surrogateescape")


def _same(given: list[Value]) -> Value:
    return given[0]


_METHODS: dict[str, Callable[[str, list[Value], dict[str, str]], Value]] = {
    "join": _joined_by,
    "split": _split_by,
    "replace": _replaced,
    "format": _format,
    "joinpath": lambda own, given, _keys: os.path.join(own, *[_text(value) for value in given]),
    "splitlines": lambda own, _given, _keys: own.splitlines(),
    "lower": lambda own, _given, _keys: own.lower(),
    "upper": lambda own, _given, _keys: own.upper(),
    **dict.fromkeys(
        ("strip", "lstrip", "rstrip", "encode", "decode", "expanduser", "resolve", "absolute", "as_posix"),
        lambda own, _given, _keys: own,
    ),
}
_FUNCTIONS: dict[str, Callable[[list[Value]], Value]] = {
    **dict.fromkeys(
        ("str", "bytes", "list", "tuple", "fsencode", "fsdecode", "quote", "expanduser", "expandvars"), _same
    ),
    **dict.fromkeys(("abspath", "realpath", "normpath", "dedent", "StringIO", "BytesIO"), _same),
    **dict.fromkeys(("Path", "PurePath", "PosixPath", "join"), _path),
    "split": _words,
    "chr": _character,
    **dict.fromkeys(("b64decode", "standard_b64decode", "urlsafe_b64decode", "decodebytes", "a2b_base64"), _base64),
    **dict.fromkeys(("fromhex", "unhexlify", "a2b_hex"), _hex),
}


def _inner(v: Names, node: _ast.Await | _ast.NamedExpr | _ast.FormattedValue) -> list[Value]:
    return v.of(node.value)


def _items(v: Names, node: _ast.Starred) -> Iterator[Value]:
    """Each item of a list, one after the other."""
    for value in v.of(node.value):
        yield from value if isinstance(value, list) else [value]


_BY_KIND: dict[type, Callable[[Names, Any], Iterable[Value]]] = {
    _ast.Constant: _constant,
    _ast.Name: lambda v, node: v.named(node.id),
    _ast.Attribute: _attribute,
    _ast.JoinedStr: _formatted,
    _ast.List: _sequence,
    _ast.Tuple: _sequence,
    _ast.Starred: _items,
    _ast.BinOp: _operation,
    _ast.IfExp: _one_or_other,
    _ast.BoolOp: _first_true,
    _ast.Subscript: _subscript,
    _ast.Call: _call,
    **dict.fromkeys((_ast.Await, _ast.NamedExpr, _ast.FormattedValue), _inner),
}
