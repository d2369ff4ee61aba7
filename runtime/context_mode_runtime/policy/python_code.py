"""Python code before the rules: the commands it would start and the texts in it, by its own syntax tree.

Nothing of it is run. Names are followed whatever their scope: a value that any of them had in this text counts.
"""

from __future__ import annotations

import _ast

from context_mode_runtime.policy.literals import HOLE, fed, joined
from context_mode_runtime.policy.python_expressions import last_name
from context_mode_runtime.policy.python_values import Values, child_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.policy.python_expressions import Value

_STARTS = frozenset(
    (
        *("system", "popen", "popen2", "popen3", "popen4", "startfile", "posix_spawn", "posix_spawnp", "spawn"),
        "Popen",
        *("run", "call", "check_call", "check_output", "getoutput", "getstatusoutput", "runu", "sx", "getoutputerror"),
        *("create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"),
        *(f"exec{how}" for how in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
        *(f"spawn{how}" for how in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe", "u")),
        *("fork_exec", "run_process", "open_process", "run_cell_magic", "run_line_magic"),
    )
)
"""Last names of the functions that start a program: of the standard library, and of what is often used with it."""
_ARGV0 = frozenset(name for name in _STARTS if name.startswith(("execl", "spawnl", "execv", "spawnv", "posix_spawn")))
"""These take the program, and then its name again as the first argument."""
_RUNS_CODE = frozenset(
    ("exec", "eval", "compile", "timeit", "repeat", "runcode", "runsource", "runctx", "InteractiveConsole")
)
_COMMAND_KEYS = frozenset(("args", "cmd", "command", "argv", "program", "commands", "path", "file"))
_TARGET_KEYS = frozenset(("target", "func", "function"))
_MAPS = frozenset(("map", "starmap", "imap", "imap_unordered", "map_async", "filter"))
_REFERENCES = (_ast.Name, _ast.Attribute, _ast.Call, _ast.Subscript)
_INPUT_KEYS = frozenset(("input", "stdin"))
_FEEDS = frozenset(("communicate", "write", "writelines", "sendline", "send"))
_ONLY_AST = 0x400
_DEPTH_MAX = 4
_FED_MAX = 16
_SHOWN = frozenset(("print", "pprint", "log", "debug", "info", "warning", "error"))


class Found:
    """`commands` as shell text, and the `texts` that stand in the code, each once, in order."""

    __slots__ = ("commands", "texts")

    def __init__(self) -> None:
        self.commands: dict[str, None] = {}
        self.texts: dict[str, None] = {}


def read_python(code: str, depth: int = 0) -> Found | None:
    """What `code` starts and names; None when this Python can't read it. Never raises."""
    tree = _tree(code)
    if tree is None:
        return None
    reader = _Reader(depth)
    try:
        reader.read(tree)
    except RecursionError:
        return None
    return reader.found if reader.values.left > 0 else None


def _tree(code: str) -> _ast.AST | None:
    import warnings

    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        tree: _ast.AST = compile(code, "code", "exec", _ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    return tree


class _Reader:
    """The walk over one tree."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.found = Found()
        self.values = Values(_STARTS | _RUNS_CODE)
        self.fed: list[str] = []

    def read(self, tree: _ast.AST) -> None:
        """Learns the names first, then looks at every call with all that its arguments can be worth."""
        self.values.learn(tree)
        nodes = list(child_nodes(tree))
        calls = [node for node in nodes if isinstance(node, _ast.Call)]
        for call in calls:
            self._call(call)
        self._texts(nodes)
        for text in self.fed:
            for command in list(self.found.commands)[:_FED_MAX]:
                self.found.commands.setdefault(fed(command, text))

    def _call(self, call: _ast.Call) -> None:
        name, given, keys = self.values.function(call.func), call.args, call.keywords
        each = name in _MAPS
        if name not in _STARTS and name not in _RUNS_CODE:
            name, given, keys = self._handed_on(call, name)
        if name in _RUNS_CODE:
            self._code(given)
        if name in _STARTS:
            keys = [key for key in keys if key.arg]
            for values in self.values.combined([*given, *(key.value for key in keys)]):
                named = {key.arg or "": value for key, value in zip(keys, values[len(given) :], strict=True)}
                behind = [value for key, value in named.items() if key in _COMMAND_KEYS]
                self._start(name, [*behind, *values[: len(given)]], named, each=each)
        elif name in _FEEDS:
            texts = [value for one in call.args for value in self.values.of(one)]
            self.fed += [text for text in texts if isinstance(text, str) and text != HOLE]

    def _handed_on(self, call: _ast.Call, name: str) -> tuple[str, list[_ast.expr], list[_ast.keyword]]:
        """`map(os.system, ["x"])`, `Thread(target=os.system, args=("x",))`: the function is an argument itself."""
        for at, one in enumerate(call.args):
            inner = self.values.function(one) if isinstance(one, _REFERENCES) else ""
            if inner in _STARTS:
                rest = call.args[at + 1 :]
                return inner, _spread(rest) if name in _MAPS else rest, call.keywords
        for key in call.keywords:
            inner = self.values.function(key.value) if key.arg in _TARGET_KEYS else ""
            if inner in _STARTS:
                return inner, _spread([one.value for one in call.keywords if one.arg == "args"]), []
        return name, call.args, call.keywords

    def _code(self, given: list[_ast.expr]) -> None:
        if self.depth >= _DEPTH_MAX:
            return
        for value in [value for one in given[:2] for value in self.values.of(one)]:
            inner = read_python(value, self.depth + 1) if isinstance(value, str) and value != HOLE else None
            if inner is not None:
                self.found.commands.update(inner.commands)
                self.found.texts.update(inner.texts)

    def _start(self, name: str, given: list[Value], keys: dict[str, Value], *, each: bool) -> None:
        """The commands that arguments can mean: a text, a list of words, words one by one; with `each` several."""
        known = given[next((at for at, value in enumerate(given) if value not in (None, HOLE)), len(given)) :]
        words = [word for value in known for word in _words(value)]
        firsts = known if each else known[:1]
        made = [value if isinstance(value, str) else joined(_words(value)) for value in firsts]
        if words[1:] and isinstance(known[0], str):
            made.append(joined(words))
        if name in _ARGV0:
            made.append(joined([*words[:1], *words[2:]]))
        program = keys.get("executable")
        if isinstance(program, str):
            made += [program, joined([program, *words[1:]])]
        texts = [text for key in _INPUT_KEYS if isinstance(text := keys.get(key), str)]
        made += [fed(command, text) for command in made for text in texts]
        self.found.commands.update(dict.fromkeys(one for one in made if one.strip() and one.strip() != HOLE))

    def _texts(self, nodes: list[_ast.AST]) -> None:
        """Every text but those that are only shown, joined ones as a whole."""
        shown = {id(one) for node in nodes if isinstance(node, _ast.Call) for one in _shown(node)}
        shown |= {id(node.value) for node in nodes if isinstance(node, _ast.Expr)}
        for node in nodes:
            if isinstance(node, (_ast.Constant, _ast.JoinedStr, _ast.BinOp, _ast.Call)) and id(node) not in shown:
                texts = [value for value in self.values.of(node) if isinstance(value, str) and value]
                self.found.texts.update(dict.fromkeys(texts))


def _spread(nodes: list[_ast.expr]) -> list[_ast.expr]:
    """The items of lists; of what is no list as written, `*x`."""
    found: list[_ast.expr] = []
    for node in nodes:
        found += node.elts if isinstance(node, (_ast.List, _ast.Tuple)) else [_ast.Starred(value=node)]
    return found


def _words(value: Value) -> list[str]:
    return [value] if isinstance(value, str) else value or [HOLE]


def _shown(call: _ast.Call) -> list[_ast.expr]:
    return call.args if last_name(call.func) in _SHOWN else []
