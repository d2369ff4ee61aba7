"""A denied command hidden in random Python code; Python itself, with stand-ins, is the judge."""

from __future__ import annotations

import base64
import functools
import shlex
from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from context_mode_runtime.policy.gate import judge_code
from context_mode_runtime.policy.load import Policy
from context_mode_runtime.policy.rules import Place, parse_rule

COMMANDS = ("rm x", "rm -rf 'a b'", "ls", "echo rm x")
Draw = Any


class Writer:
    """Writes one program: statements that come first, and expressions for texts, each in a way that is drawn."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.names = 0

    def pick(self, *ways: Any) -> Any:
        return self.draw(st.sampled_from(ways))

    def name(self) -> str:
        self.names += 1
        return f"n{self.names}"

    def text(self, value: str, depth: int = 3) -> str:
        """An expression that is worth `value`."""
        ways = (
            [self.plain] if depth == 0 else [self.plain, self.joined, self.formed, self.named, self.chosen, self.packed]
        )
        return str(self.pick(*ways)(value, depth - 1))

    def plain(self, value: str, _depth: int) -> str:
        return str(self.pick(repr(value), f"r{value!r}", f"'''{value}'''" if "'" not in value else repr(value)))

    def joined(self, value: str, depth: int) -> str:
        cut = self.draw(st.integers(0, len(value)))
        left, right = self.text(value[:cut], depth), self.text(value[cut:], depth)
        return str(
            self.pick(
                f"({left} + {right})",
                f"''.join([{left}, {right}])",
                f"f'{{{self.name_of(left)}}}{{{self.name_of(right)}}}'",
            )
        )

    def formed(self, value: str, depth: int) -> str:
        cut = self.draw(st.integers(0, len(value)))
        left, right = self.text(value[:cut], depth), self.text(value[cut:], depth)
        return str(
            self.pick(
                f"('%s%s' % ({left}, {right}))",
                f"'{{}}{{}}'.format({left}, {right})",
                f"'{{1}}{{0}}'.format({right}, {left})",
                f"'{{a}}{{b}}'.format(a={left}, b={right})",
                f"('<' + {left} + {right}).replace('<', '')",
            )
        )

    def name_of(self, expression: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = {expression}")
        return name

    def named(self, value: str, depth: int) -> str:
        """By a variable, a parameter, a loop, a class or a table."""
        inner, name = self.text(value, depth), self.name()
        kind = self.pick("name", "added", "parameter", "default", "class", "lambda")
        if kind == "name":
            self.lines.append(f"{name}: str = {inner}" if self.draw(st.booleans()) else f"{name} = {inner}")
            return name
        if kind == "added":
            self.lines += [f"{name} = ''", f"{name} += {inner}"]
            return name
        if kind == "class":
            self.lines += [f"class {name}:", f"    of_{name} = {inner}"]
            return f"{name}.of_{name}"
        self.lines.append(f"{name} = {inner}")
        return name

    def chosen(self, value: str, depth: int) -> str:
        inner = self.text(value, depth)
        return str(
            self.pick(
                f"({inner} if 1 else 'ls')", f"('ls' if 0 else {inner})", f"('' or {inner})", f"['ls', {inner}][1]"
            )
        )

    def packed(self, value: str, _depth: int) -> str:
        coded = base64.b64encode(value.encode()).decode()
        return str(
            self.pick(
                f"base64.b64decode('{coded}').decode()",
                f"bytes.fromhex('{value.encode().hex()}').decode()",
                f"{value[::-1]!r}[::-1]",
                "''.join([" + ", ".join(f"chr({ord(sign)})" for sign in value) + "])",
            )
        )

    def words(self, command: str) -> str:
        """A list with the words of the command."""
        words = shlex.split(command)
        parts = [self.text(word, 1) for word in words]
        whole = self.text(command, 1)
        return str(
            self.pick(
                "[" + ", ".join(parts) + "]",
                "(" + ", ".join(parts) + ",)",
                f"[{parts[0]}] + [{', '.join(parts[1:])}]",
                f"[{parts[0]}, *({', '.join([*parts[1:], ''])})]" if parts[1:] else f"[{parts[0]}]",
                f"shlex.split({whole})",
            )
        )

    def start(self, command: str) -> None:
        """Statements that start the command."""
        function = self.pick("os.system", "os.popen", "subprocess.run", "subprocess.check_output", "subprocess.Popen")
        given = self.text(command) if function.startswith("os.") or self.draw(st.booleans()) else self.words(command)
        module, _, last = function.partition(".")
        name = self.name()
        c = f"c_{name}"
        ways = {
            "call": [f"{function}({given})"],
            "other name": [f"{name} = {function}", f"{name}({given})"],
            "getattr": [f"getattr({module}, {self.text(last, 1)})({given})"],
            "table": [f"{{'a': {function}}}['a']({given})"],
            "map": [f"list(map({function}, [{given}]))"],
            "partial": [f"functools.partial({function}, {given})()"],
            "function": [f"def {name}({c}, d=1):", f"    return {function}({c})", f"{name}({given})"],
            "by key": [f"def {name}(*, {c}):", f"    {function}({c})", f"{name}({c}={given})"],
            "lambda": [
                f"(lambda {c}: {function}({c}))({given})",
                f"{name} = lambda {c}: {function}({c})",
                f"{name}({given})",
            ],
            "loop": [f"for {name} in ['ls', {given}]:", f"    {function}({name})"],
            "list": [f"[{function}({name}) for {name} in ({given},)]"],
            "exec": [f"exec({f'{function}({command!r})'!r})"],
            "try": ["try:", f"    {function}({given})", "finally:", "    pass"],
            "walrus": [f"({name} := {given})", f"{function}({name})"],
            "method": [
                f"class {name}:",
                f"    def go(self, {c}):",
                f"        {function}({c})",
                f"{name}().go({given})",
            ],
        }
        self.lines += ways[self.pick(*ways)]


@st.composite
def programs(draw: Draw) -> str:
    writer = Writer(draw)
    for command in draw(st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=3)):
        writer.start(command)
    return "\n".join(writer.lines)


def started(code: str) -> list[str]:
    """The commands that running `code` starts."""
    found: list[str] = []

    def start(given: Any, *_: Any, **__: Any) -> None:
        found.append(given if isinstance(given, str) else shlex.join(given))

    names = ("run", "check_output", "Popen")
    modules = {
        "os": SimpleNamespace(system=start, popen=start),
        "subprocess": SimpleNamespace(**dict.fromkeys(names, start)),
        "base64": base64, "functools": functools, "shlex": shlex,
    }  # fmt: skip
    exec(code, modules)  # noqa: S102 - made by the strategies above, nothing real is in reach
    return found


@settings(max_examples=400, deadline=None)
@given(programs())
def test_what_python_would_start_is_seen_and_nothing_else(code: str) -> None:
    """A name that is added to has had the shorter value, too, and that counts: there more is refused than would run."""
    policy = Policy()
    policy.deny.append(parse_rule("Bash(rm *)", Place("f", "/")))
    denied = any(command.startswith("rm ") for command in started(code))
    verdict = judge_code(policy, code, language="python", cwd="/", project=None)
    assert verdict is not None if denied else verdict is None or "+=" in code
