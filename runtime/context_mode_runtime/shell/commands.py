"""Every simple command that a text would run: wrappers opened, literals put in, texts for inner shells read again.

`ssh`, `docker exec` and the like run elsewhere: what they run there is not looked at.
"""

from __future__ import annotations

from context_mode_runtime.shell.interpreters import interpreter
from context_mode_runtime.shell.opened import base
from context_mode_runtime.shell.scan import scan
from context_mode_runtime.shell.words import PROCESS, Budget, Word, expand, holds_unknown, turns
from context_mode_runtime.shell.wrapper_table import SHELLS
from context_mode_runtime.shell.wrappers import opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from context_mode_runtime.shell.model import Segment
    from context_mode_runtime.shell.words import Env

    Text = tuple[str, str | None, list[str]]
    """Text for a shell, its dialect (None: as around it), its arguments."""

    class Code(Protocol):
        """Code that a command hands to an interpreter."""

        commands: list[str]
        texts: list[str]
        incomplete: bool

    Inside = Callable[["Command"], Code | None]
    """What the code that a command holds would start and name; None when it holds none."""

DEPTH_MAX = 5
"""Texts inside texts (`sh -c "sh -c ..."`) that are opened."""
_SPREAD = 4
"""Expansions may make this many times the text's length."""
_VALUES_MAX = 8
_CHAIN_MAX = 8
"""Wrappers in front of wrappers that are opened."""
_PIPE_MAX = 8
_FED = frozenset(("source", ".", "at", "batch", "iex", "invoke-expression"))
"""No shells by name, but what comes in is run as shell text."""
_PRINTS = frozenset(("echo", "printf", "write-output", "write"))
_SETTERS = frozenset(("export", "declare", "local", "readonly", "typeset"))


class Command:
    """One simple command.

    `words` after quote removal (expansions without a literal as written), `raw` as written (empty for opened ones),
    `unknown` when the program's name holds such an expansion, `redirects` as (fd, operator, target), `piped_to` and
    `piped_from` whether it stands before or behind a `|`, `via` the wrappers that run it, outermost first,
    `segment` where it stands, `dialect` of the text it stands in, `own` how many of its words are not those of a
    command it runs, `fed` what an interpreter reads on its input, `texts` what stands in the code that it is given.
    """

    __slots__ = ("dialect", "fed", "own", "raw", "redirects", "segment", "texts", "unknown", "via", "words")

    def __init__(self, words: list[str], segment: Segment, dialect: str, via: tuple[str, ...]) -> None:
        self.words = words
        self.segment = segment
        self.dialect = dialect
        self.via = via
        self.raw = "" if via else segment.raw
        self.unknown = False
        self.own = len(words)
        self.redirects: list[tuple[str, str, str]] = []
        self.fed: list[str] = []
        self.texts: list[str] = []

    @property
    def name(self) -> str:
        """The last part of the program's path."""
        return base(self.words[0])

    @property
    def piped_to(self) -> bool:
        """Its output goes into a pipe, its own or that of a group around it."""
        return self.segment.piped or self.segment.group_out == "pipe"

    @property
    def piped_from(self) -> bool:
        """Its input comes from a pipe."""
        return self.segment.piped_from is not None


class Reading:
    """The commands of one text; `incomplete` when some of it could not be read to its end."""

    __slots__ = ("budget", "commands", "env", "incomplete", "inside")

    def __init__(self, size: int, inside: Inside | None) -> None:
        self.inside = inside
        self.commands: list[Command] = []
        self.env: Env = {}
        self.budget = Budget(_SPREAD * size + 10_000)
        self.incomplete = False


def commands(text: str, dialect: str = "bash") -> list[Command]:
    """Every simple command of `text`, wrappers opened; inner ones follow the outer. Never raises; linear time."""
    return read(text, dialect).commands


def read(text: str, dialect: str = "bash", inside: Inside | None = None) -> Reading:
    """The same with the mark `incomplete`. With `inside`, what code starts follows the interpreter that gets it."""
    reading = Reading(len(text), inside)
    _read_text(reading, text, dialect)
    reading.incomplete = reading.incomplete or reading.budget.spent
    return reading


class _Spot:
    """Where commands come from: the segment, its dialect, the wrappers around it, how many texts deep."""

    __slots__ = ("depth", "dialect", "segment", "via")

    def __init__(self, segment: Segment, dialect: str, via: tuple[str, ...], depth: int) -> None:
        self.segment = segment
        self.dialect = dialect
        self.via = via
        self.depth = depth


def _read_text(
    reading: Reading, text: str, dialect: str, via: tuple[str, ...] = (), depth: int = 0, outer: Segment | None = None
) -> None:
    """Reads `text`, which `outer` hands to a shell; its output is that of `outer`."""
    if depth > DEPTH_MAX:
        reading.incomplete = True
        return
    result = scan(text, dialect)
    reading.incomplete = reading.incomplete or result.incomplete
    for segment in result.segments:
        if outer is not None and segment.parent is None:
            segment.parent, segment.capture = outer, "inner"
        _read_segment(reading, _Spot(segment, dialect, via, depth))


def _read_segment(reading: Reading, spot: _Spot) -> None:
    env, budget, segment = reading.env, reading.budget, spot.segment
    for name, value in segment.assigns:
        _assign(reading, name, value)
    if not segment.words and not segment.redirects:
        return
    words = segment.words
    for turn in range(min(turns(words, env), _VALUES_MAX)):
        _read_command(reading, [field for word in words for field in expand(word, env, turn, budget)], spot)
    if words and holds_unknown(words[:1], env) and len(words[0].parts) > 1:
        fields = [field for word in words for field in expand(word, env, 0, budget, bare=True)]
        if fields:
            _read_command(reading, fields, spot)


def _assign(reading: Reading, name: str, value: Word | list[Word]) -> None:
    """Remembers a literal; what the text can't tell is left out."""
    env, budget = reading.env, reading.budget
    if isinstance(value, list):
        _remember(env, name, [field for word in value for field in expand(word, env, 0, budget)])
    elif not holds_unknown([value], env):
        _remember(env, name, " ".join(expand(value, env, 0, budget)))


def _remember(env: Env, name: str, value: str | list[str]) -> None:
    values = env.setdefault(name, [])
    values.insert(0, value)
    del values[_VALUES_MAX:]


def _read_command(reading: Reading, words: list[str], spot: _Spot) -> None:
    """Adds the command and what it runs inside, wrapper by wrapper; then the texts that it hands to shells."""
    texts: list[tuple[Text, tuple[str, ...]]] = []
    todo = [(words, spot.via)]
    while todo:
        inner, chain = todo.pop()
        command = _add(reading, inner, spot, chain)
        if inner and inner[0]:
            own: list[Text] = []
            todo += _open(reading, command, own)
            texts += [(text, (*chain, command.name)) for text in own]
    for (text, kind, rest), chain in texts:
        if not reading.budget.take(len(text)):
            return
        _arguments(reading.env, rest)
        _read_text(reading, text, kind or spot.dialect, chain, spot.depth + 1, spot.segment)


def _open(reading: Reading, command: Command, texts: list[Text]) -> list[tuple[list[str], tuple[str, ...]]]:
    """The commands that `command` runs; its texts go to `texts`."""
    words, chain = command.words, command.via
    _builtin(reading, words)
    plain = words[0].lstrip("=")
    if plain and plain != words[0]:
        return [([plain, *words[1:]], chain)]
    if interpreter(command.name):
        command.fed = _fed(reading, command)
    code = reading.inside(command) if reading.inside else None
    if code is not None:
        command.texts = code.texts
        reading.incomplete = reading.incomplete or code.incomplete
        texts += [(one, "bash", []) for one in code.commands]
    found = opened(words)
    name = base(words[0]).lower()
    if name in _FED or (name in SHELLS and (found is None or not found.texts)):
        texts += [(body, SHELLS.get(name), []) for body in _fed(reading, command)]
    if found is None:
        return []
    texts += [text for text in found.texts if text[0]]
    if found.commands and words[-len(found.commands[0]) :] == found.commands[0]:
        command.own = len(words) - len(found.commands[0])
    if len(chain) >= _CHAIN_MAX:
        reading.incomplete = True
        return []
    chain = (*chain, base(words[0]))
    return [(one, chain) for one in found.commands if one]


def _arguments(env: Env, rest: list[str]) -> None:
    """`$0`, `$1` and `$@` of a text that gets arguments."""
    if rest:
        _remember(env, "@", rest[1:])
        for number, value in enumerate(rest[:10]):
            _remember(env, str(number), value)


def _add(reading: Reading, words: list[str], spot: _Spot, via: tuple[str, ...]) -> Command:
    segment = spot.segment
    command = Command(words, segment, spot.dialect, via)
    command.unknown = bool(words) and holds_unknown(segment.words[:1], reading.env)
    if segment.redirects:
        command.redirects = [
            (r.fd, r.operator, " ".join(expand(r.target, reading.env, 0, reading.budget))) for r in segment.redirects
        ]
    reading.commands.append(command)
    return command


def _builtin(reading: Reading, words: list[str]) -> None:
    """Builtins that set variables: `export x=1`, `set -- a b`, fish `set x a`, `printf -v x`."""
    name = words[0]
    if name in _SETTERS:
        for word in words[1:]:
            key, cut, value = word.partition("=")
            if cut:
                _remember(reading.env, key, value)
    elif name == "set":
        _set(reading.env, words[1:])
    elif name == "printf" and words[1:2] == ["-v"]:
        _remember(reading.env, "".join(words[2:3]), words[-1])


def _set(env: Env, words: list[str]) -> None:
    if "--" in words:
        rest = words[words.index("--") + 1 :]
        _arguments(env, ["", *rest])
        _remember(env, "*", rest)
        return
    rest = [word for word in words if not word.startswith("-")]
    if rest:
        _remember(env, rest[0], rest[1:])


def _fed(reading: Reading, command: Command) -> list[str]:
    """What a program reads on its input: here-documents, a here-string, what `echo` or `cat` pipes into it."""
    segment: Segment | None = command.segment
    bodies = [part[4] for word in command.segment.words for part in word.parts if part[0] == PROCESS and part[4]]
    for _ in range(_PIPE_MAX):
        if segment is None:
            break
        bodies += [d.body if d.quoted else _unescape(d.body) for d in segment.heredocs]
        bodies += [r.target.text for r in segment.redirects if r.operator == "<<<"]
        segment = segment.piped_from
        if segment is not None:
            fields = [field for word in segment.words for field in expand(word, reading.env, 0, reading.budget)]
            if fields and base(fields[0]).lower() in _PRINTS:
                bodies.append(" ".join(fields[1:]).replace("\\n", "\n"))
    return bodies


def _unescape(body: str) -> str:
    if "\\" not in body:
        return body
    for pair, plain in (("\\\n", ""), ("\\$", "$"), ("\\`", "`"), ("\\\\", "\\")):
        body = body.replace(pair, plain)
    return body
