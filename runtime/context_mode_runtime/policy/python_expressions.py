"""What one expression of Python code is worth, as far as its text says it: literals, joined, split, formatted."""

from __future__ import annotations

import _ast
import os

from context_mode_runtime.policy.literals import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    class Names(Protocol):
        """Who knows what names and other expressions are worth."""

        turn: int

        def of(self, node: _ast.AST | None) -> Value:
            """What `node` is worth."""

        def named(self, name: str) -> Value:
            """What a name is worth."""

        def known(self, node: _ast.AST) -> str:
            """What `node` is worth as a text, a hole where it is none."""


Value = str | list[str] | None
"""A text, a list of texts, or None: the text doesn't say. HOLE stands for the part of a text that isn't known."""
_KNOWN_NAMES = {"sys.executable": "python3", "os.sep": "/", "os.linesep": "\n"}


def last_name(node: _ast.AST) -> str:
    """`c` of `a.b.c`, or an empty string."""
    if isinstance(node, _ast.Attribute):
        return node.attr
    return node.id if isinstance(node, _ast.Name) else ""


def worth(v: Names, node: _ast.AST) -> Value:
    """What `node` is worth by the names of `v`."""
    made = _BY_KIND.get(type(node))
    return made(v, node) if made else None


def added(left: Value, right: Value) -> Value:
    """`left + right`, with a hole for a side that isn't known."""
    if isinstance(left, list) or isinstance(right, list):
        lists = [[HOLE] if side is None else [side] if isinstance(side, str) else side for side in (left, right)]
        return lists[0] + lists[1]
    if left is None and right is None:
        return None
    return (HOLE if left is None else left) + (HOLE if right is None else right)


def _constant(_v: Names, node: _ast.Constant) -> Value:
    value = node.value
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and abs(value) < 1 << 63 else None


def _name(v: Names, node: _ast.Name) -> Value:
    return v.named(node.id)


def _attribute(v: Names, node: _ast.Attribute) -> Value:
    known = _KNOWN_NAMES.get(f"{last_name(node.value)}.{node.attr}")
    return v.named(node.attr) if known is None else known


def _formatted(v: Names, node: _ast.JoinedStr) -> Value:
    return "".join([v.known(one.value if isinstance(one, _ast.FormattedValue) else one) for one in node.values])


def _sequence(v: Names, node: _ast.List | _ast.Tuple) -> Value:
    out: list[str] = []
    for one in node.elts:
        value = v.of(one.value if isinstance(one, _ast.Starred) else one)
        out += value if isinstance(value, list) else [HOLE if value is None else value]
    return out


def _operation(v: Names, node: _ast.BinOp) -> Value:
    left, right = v.of(node.left), v.of(node.right)
    if isinstance(node.op, _ast.Add):
        return added(left, right)
    if isinstance(node.op, _ast.Mod) and isinstance(left, str):
        values = right if isinstance(right, list) else [HOLE if right is None else right]
        for value in values:
            left = _filled(left, ("%s", "%r", "%d", "%b"), value)
        return left
    if isinstance(node.op, _ast.Div) and (left is not None or right is not None):
        return os.path.join(v.known(node.left), v.known(node.right))
    return None


def _filled(text: str, holes: tuple[str, ...], value: str) -> str:
    """`text` with the first of its holes filled."""
    places = [(text.find(hole), hole) for hole in holes if hole in text]
    at, hole = min(places, default=(-1, ""))
    return text[:at] + value + text[at + len(hole) :] if at >= 0 else text


def _one_or_other(v: Names, node: _ast.IfExp | _ast.BoolOp) -> Value:
    choices = [node.body, node.orelse] if isinstance(node, _ast.IfExp) else node.values
    return v.of(choices[v.turn % len(choices)])


def _subscript(v: Names, node: _ast.Subscript) -> Value:
    value = v.of(node.value)
    if isinstance(node.slice, _ast.Slice):
        back = node.slice.lower is node.slice.upper is None and _is_minus_one(node.slice.step)
        return value[::-1] if back and value is not None else None
    at = v.of(node.slice)
    if isinstance(value, list) and isinstance(at, str) and at.isdigit() and int(at) < len(value):
        return value[int(at)]
    return None


def _is_minus_one(node: _ast.AST | None) -> bool:
    return isinstance(node, _ast.UnaryOp) and isinstance(node.op, _ast.USub) and getattr(node.operand, "value", 0) == 1


def _call(v: Names, node: _ast.Call) -> Value:
    """The few functions that only turn a text into another."""
    name = last_name(node.func)
    given: list[Value] = [v.of(one) for one in node.args]
    if isinstance(node.func, _ast.Attribute) and name in _METHODS:
        own = v.of(node.func.value)
        if isinstance(own, str) and own != HOLE:
            return _METHODS[name](own, given, {k.arg or "": v.known(k.value) for k in node.keywords})
    made = _FUNCTIONS.get(name)
    try:
        return made(given) if made and given else None
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
_BY_KIND: dict[type, Callable[[Names, Any], Value]] = {
    _ast.Constant: _constant,
    _ast.Name: _name,
    _ast.Attribute: _attribute,
    _ast.JoinedStr: _formatted,
    _ast.List: _sequence,
    _ast.Tuple: _sequence,
    _ast.BinOp: _operation,
    _ast.IfExp: _one_or_other,
    _ast.BoolOp: _one_or_other,
    _ast.Subscript: _subscript,
    _ast.Call: _call,
    _ast.Await: lambda v, node: v.of(node.value),
    _ast.NamedExpr: lambda v, node: v.of(node.value),
    _ast.FormattedValue: lambda v, node: v.of(node.value),
}
