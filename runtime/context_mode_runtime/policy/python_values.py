"""What the names of Python code stand for, as far as its text says it: texts, lists, functions."""

from __future__ import annotations

import _ast
from itertools import product

from context_mode_runtime.policy.python_expressions import added, last_name, worth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_mode_runtime.policy.python_expressions import Value

_VALUES_MAX = 32
_LENGTH_MAX = 4_096
_WORTH_MAX = 100_000
"""Expressions looked at for one text."""
_PASSES = 3
_WRAPPING = frozenset(("partial", "partialmethod", "staticmethod", "classmethod"))
_UNPACKED = (_ast.Tuple, _ast.List)


def child_nodes(node: _ast.AST) -> Iterator[_ast.AST]:
    """`node` and all below it, in the order of the text, without recursion."""
    stack = [node]
    while stack:
        one = stack.pop()
        yield one
        below: list[_ast.AST] = []
        for field in one._fields:
            value = getattr(one, field, None)
            if isinstance(value, _ast.AST):
                below.append(value)
            elif isinstance(value, list):
                below += [item for item in value if isinstance(item, _ast.AST)]
        stack += reversed(below)


class Values:
    """The values that names have in one text, whatever their scope, and what expressions can be worth by them."""

    __slots__ = ("_functions", "_known", "_names", "_other", "_parameters", "left")

    def __init__(self, functions: frozenset[str]) -> None:
        """`functions` are the last names that are followed through other names."""
        self._functions = functions
        self._names: dict[str, list[Value]] = {}
        self._other: dict[str, str] = {}
        self._parameters: dict[str, list[str]] = {}
        self._known: dict[int, list[Value]] | None = None
        self.left = _WORTH_MAX

    def learn(self, tree: _ast.AST) -> None:
        """Takes all that is assigned, imported under another name, looped over and given to functions of the text."""
        nodes = list(child_nodes(tree))
        for node in nodes:
            if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef)):
                self._parameters[node.name] = _parameters(node.args)
            elif isinstance(node, _ast.ClassDef):
                init = next((n for n in node.body if isinstance(n, _ast.FunctionDef) and n.name == "__init__"), None)
                self._parameters[node.name] = _parameters(init.args) if init else []
        for _ in range(_PASSES):
            for node in nodes:
                self._learn(node)
        self._known = {}

    def _learn(self, node: _ast.AST) -> None:
        if isinstance(node, _ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, (_ast.AnnAssign, _ast.NamedExpr)) and node.value is not None:
            self._assign(node.target, node.value)
        elif isinstance(node, _ast.AugAssign):
            sums = [added(left, right) for left, right in self.combined([node.target, node.value])]
            self._remember(last_name(node.target), *sums)
        elif isinstance(node, (_ast.Import, _ast.ImportFrom)):
            self._other.update({name.asname: name.name.rpartition(".")[2] for name in node.names if name.asname})
        else:
            self._bind(node)

    def _bind(self, node: _ast.AST) -> None:
        """Loops, defaults of parameters, and what functions of the text get."""
        if isinstance(node, (_ast.For, _ast.AsyncFor, _ast.comprehension)):
            self._remember(last_name(node.target), *self._each(node.iter))
        elif isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.Lambda)):
            self._defaults(node.args)
        elif isinstance(node, _ast.Call):
            self._called(node)

    def _assign(self, target: _ast.AST, value: _ast.expr) -> None:
        if isinstance(target, _UNPACKED) and isinstance(value, _UNPACKED):
            for one, part in zip(target.elts, value.elts, strict=False):
                self._assign(one, part)
            return
        name = last_name(target)
        other = self.function(value)
        if other in self._functions and not isinstance(value, _ast.Constant):
            self._other[name] = other
        if isinstance(value, _ast.Lambda):
            self._parameters[name] = _parameters(value.args)
        self._remember(name, *self.of(value))

    def _each(self, node: _ast.expr) -> list[Value]:
        if isinstance(node, (*_UNPACKED, _ast.Set)):
            return [value for one in node.elts for value in self.of(one)]
        return [text for value in self.of(node) if isinstance(value, list) for text in value]

    def _defaults(self, arguments: _ast.arguments) -> None:
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        for name, default in zip(reversed(names), reversed(arguments.defaults), strict=False):
            self._remember(name, *self.of(default))
        for one, given in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=False):
            if given is not None:
                self._remember(one.arg, *self.of(given))

    def _called(self, call: _ast.Call) -> None:
        """A function of the text gets these arguments."""
        names = self._parameters.get(last_name(call.func))
        if names is None:
            return
        for name, given in zip(names, call.args, strict=False):
            self._assign(_ast.Name(id=name), given)
        for key in call.keywords:
            if key.arg:
                self._assign(_ast.Name(id=key.arg), key.value)

    def _remember(self, name: str, *found: Value) -> None:
        values = self._names.setdefault(name, []) if name else []
        for value in found:
            if value is not None and value not in values and len(values) < _VALUES_MAX:
                values.append(value)

    def function(self, node: _ast.AST) -> str:
        """The last name of the function that `node` is, through other names, `getattr`, tables and `partial`."""
        if isinstance(node, (_ast.Name, _ast.Attribute)):
            name = last_name(node)
            return self._other.get(name, name)
        if isinstance(node, _ast.Subscript):
            return self._named_function([node.slice]) or self._among(node.value)
        if isinstance(node, _ast.Call):
            name = last_name(node.func)
            if name in ("getattr", "attrgetter", "methodcaller", "get"):
                return self._named_function(node.args)
            if name in _WRAPPING and node.args:
                return self.function(node.args[0])
            return "" if name else self._among(node.func)
        return self._among(node)

    def _named_function(self, nodes: Sequence[_ast.expr]) -> str:
        """The first of our functions whose name is what one of `nodes` is worth."""
        names = (name for node in nodes for name in self.of(node))
        return next((name for name in names if isinstance(name, str) and name in self._functions), "")

    def _among(self, node: _ast.AST) -> str:
        """The first of our functions that stands in `node`."""
        names = (self._other.get(name, name) for name in map(last_name, child_nodes(node)))
        return next((name for name in names if name in self._functions), "")

    def of(self, node: _ast.AST | None) -> list[Value]:
        """What `node` can be worth; nothing when that isn't known, or `left` is used up."""
        if node is None or self.left <= 0:
            return []
        if self._known is not None and id(node) in self._known:
            return self._known[id(node)]
        self.left -= 1
        found: list[Value] = []
        found += [one for one in worth(self, node)[:_VALUES_MAX] if one is not None and _size(one) <= _LENGTH_MAX]
        if self._known is not None:
            self._known[id(node)] = found
        return found

    def named(self, name: str) -> list[Value]:
        """The values that a name had anywhere."""
        return list(self._names.get(name, ()))

    def combined(self, nodes: Sequence[_ast.AST | None]) -> Iterator[tuple[Value, ...]]:
        """The values of several expressions side by side: all combinations; of many, one is turned at a time."""
        choices: list[list[Value]] = [self.of(node) or [None] for node in nodes]
        count = 1
        for one in choices:
            count *= len(one)
        turned = product(*choices) if count <= _VALUES_MAX else _one_at_a_time(choices)
        for values in turned:
            self.left -= 1
            if self.left > 0:
                yield values


def _size(value: str | list[str]) -> int:
    return sum(map(len, value))


def _one_at_a_time(choices: list[list[Value]]) -> Iterator[tuple[Value, ...]]:
    first = [one[0] for one in choices]
    last = [one[-1] for one in choices]
    yield tuple(last)
    for base in (first, last):
        for at, one in enumerate(choices):
            for value in one:
                yield (*base[:at], value, *base[at + 1 :])


def _parameters(arguments: _ast.arguments) -> list[str]:
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names
