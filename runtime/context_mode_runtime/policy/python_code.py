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
        *(
            "system",
            "popen",
            "popen2",
            "popen3",
            "popen4",
            "startfile",
            "posix_spawn",
            "posix_spawnp",
            "spawn",
            "Popen",
        ),
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
_COMMAND_KEYS = frozenset(("args", "cmd", "command", "argv", "executable", "program", "commands", "path", "file"))
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
        """Learns the names first, then looks at every call, once for each value that a name had."""
        self.values.learn(tree)
        nodes = list(child_nodes(tree))
        calls = [node for node in nodes if isinstance(node, _ast.Call)]
        for turn in range(self.values.turns()):
            self.values.take_turn(turn)
            for call in calls:
                self._call(call)
            self._texts(nodes)
        for text in self.fed:
            for command in list(self.found.commands)[:_FED_MAX]:
                self.found.commands.setdefault(fed(command, text))

    def _call(self, call: _ast.Call) -> None:
        name = self.values.function(call.func)
        given = call.args
        if name not in _STARTS and name not in _RUNS_CODE:
            name, given = self._handed_on(call, name)
        if name in _RUNS_CODE:
            self._code(given)
        if name in _STARTS:
            self._start(name, [self.values.of(one) for one in given], self._keys(call))
        elif name in _FEEDS:
            self.fed += [value for value in map(self.values.of, call.args) if isinstance(value, str) and value != HOLE]

    def _handed_on(self, call: _ast.Call, name: str) -> tuple[str, list[_ast.expr]]:
        """`map(os.system, ["x"])`, `Thread(target=os.system, args=("x",))`: the function is an argument itself."""
        for at, one in enumerate(call.args):
            inner = self.values.function(one) if not isinstance(one, _ast.Constant) else ""
            if inner in _STARTS and isinstance(one, (_ast.Name, _ast.Attribute, _ast.Call, _ast.Subscript)):
                return inner, call.args[at + 1 :]
        for key in call.keywords:
            inner = self.values.function(key.value) if key.arg in ("target", "func", "function") else ""
            if inner in _STARTS:
                return inner, []
        return name, call.args

    def _keys(self, call: _ast.Call) -> dict[str, Value]:
        return {key.arg: self.values.of(key.value) for key in call.keywords if key.arg}

    def _code(self, given: list[_ast.expr]) -> None:
        if self.depth >= _DEPTH_MAX:
            return
        for one in given[:2]:
            value = self.values.of(one)
            inner = read_python(value, self.depth + 1) if isinstance(value, str) and value != HOLE else None
            if inner is not None:
                self.found.commands.update(inner.commands)
                self.found.texts.update(inner.texts)

    def _start(self, name: str, given: list[Value], keys: dict[str, Value]) -> None:
        """The commands that the arguments can mean: a text, a list of words, words one by one."""
        given = [value for key, value in keys.items() if key in _COMMAND_KEYS and key != "executable"] + given
        made: list[str] = []
        for value in given:
            if isinstance(value, str):
                made.append(value)
            elif value is not None:
                made += [joined(value), *([] if name not in ("system", "popen") else value)]
        words = [word for value in given for word in ([value] if isinstance(value, str) else value or [HOLE])]
        if name in _ARGV0:
            first = next((at for at, word in enumerate(words) if word != HOLE), len(words))
            made += [joined([words[at], *words[first + 2 :]]) for at in (first, first + 1) if at < len(words)]
        elif isinstance(next(iter(given), None), str) and len(words) > 1:
            made.append(joined(words))
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
                value = self.values.of(node)
                if isinstance(value, str) and value:
                    self.found.texts[value] = None


def _shown(call: _ast.Call) -> list[_ast.expr]:
    return call.args if last_name(call.func) in _SHOWN else []
