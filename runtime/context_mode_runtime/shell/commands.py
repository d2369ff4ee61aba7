"""Every simple command that a text would run: wrappers opened, literals put in, texts for inner shells read again.

`ssh`, `docker exec` and the like run elsewhere: what they run there is not looked at.
"""

from __future__ import annotations

from context_mode_runtime.shell.busy import BUSY, ONLY_WITH
from context_mode_runtime.shell.interpreters import interpreter
from context_mode_runtime.shell.model import OUTPUT, Segment
from context_mode_runtime.shell.opened import base
from context_mode_runtime.shell.scan import scan
from context_mode_runtime.shell.values import GAP, Env, Unseen, alternatives
from context_mode_runtime.shell.words import LITERAL, WINDOWS, Budget, Word, whole
from context_mode_runtime.shell.wrapper_table import DECLARING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    from context_mode_runtime.shell.opened import Text

    class Code(Protocol):
        """Code that a command hands to an interpreter."""

        commands: list[str]
        texts: list[str]
        incomplete: bool

    Inside = Callable[["Command"], Code | None]
    """What the code that a command holds would start and name; None when it holds none."""

DEPTH_MAX = 16
"""Texts inside texts (`sh -c "sh -c ..."`) that are opened."""
_SPREAD = 8
_SPREAD_ALWAYS = 400_000
"""Expansions may make this many times the text's length, and so many characters more."""
_CHAIN_MAX = 12
"""Wrappers in front of wrappers that are opened."""
_PASSES_MAX = 3
"""How often functions and loops are read again with what is set behind them."""


class Command:
    """One simple command.

    `words` after quote removal (expansions without a literal as written), `raw` as written (empty for opened ones),
    `unknown` when the program's name holds such an expansion, `redirects` as (fd, operator, target), `piped_to` and
    `piped_from` whether it stands before or behind a `|`, `via` the wrappers that run it, outermost first,
    `segment` where it stands, `dialect` of the text it stands in, `own` how many of its words are not those of a
    command it runs, `name` the last part of the program's path (empty without words), `fed` what an interpreter reads
    on its input, `texts` what stands in the code that it is given, `written` the files that the text wrote before it.
    """

    __slots__ = (
        *("dialect", "fed", "name", "own", "raw", "redirects", "segment", "texts", "unknown", "via", "words"),
        "written",
    )

    def __init__(self, words: list[str], segment: Segment, dialect: str, via: tuple[str, ...]) -> None:
        self.words = words
        self.name = base(words[0]) if words else ""
        self.segment = segment
        self.dialect = dialect
        self.via = via
        self.raw = "" if via else segment.raw
        self.unknown = False
        self.own = len(words)
        self.redirects: list[tuple[str, str, str]] = []
        self.fed: list[str] = []
        self.texts: list[str] = []
        self.written: dict[str, list[str]] = {}

    @property
    def piped_to(self) -> bool:
        """Its output goes into a pipe, its own or that of a group around it."""
        return self.segment.piped or self.segment.group_out == "pipe"

    @property
    def piped_from(self) -> bool:
        """Its input comes from a pipe."""
        return self.segment.piped_from is not None


class Reading:
    """The commands of one text; `incomplete` when some of it could not be read to its end.

    `hidden` holds, by segment, the command names and shell programs that the text doesn't tell, each with its shape.
    """

    __slots__ = ("again", "budget", "commands", "env", "hidden", "incomplete", "inside", "seen", "texts")

    def __init__(self, size: int, dialect: str, inside: Inside | None) -> None:
        self.inside = inside
        self.commands: list[Command] = []
        self.budget = Budget(_SPREAD * size + _SPREAD_ALWAYS)
        self.env = Env(self.budget, dialect)
        self.incomplete = False
        self.hidden: dict[int, dict[str, str]] = {}
        self.again: list[_Spot] = []
        self.seen: set[tuple[int, tuple[str, ...]]] | None = None
        self.texts = 0

    def unseen(self, heads: Iterable[str] = ("",)) -> str:
        """The first command name or shell program, as written, that the text doesn't tell; empty when it tells all.

        A name that can become none of `heads`, whatever stands in its gaps, is no matter; an empty head is any name.
        """
        if not self.hidden:
            return ""
        names = list(heads)
        from context_mode_runtime.shell.guesses import may_become

        shapes = (item for found in self.hidden.values() for item in found.items())
        return next((what for shape, what in shapes if may_become(shape, names)), "")


def commands(text: str, dialect: str = "bash") -> list[Command]:
    """Every simple command of `text`, wrappers opened; inner ones follow the outer. Never raises; linear time."""
    return read(text, dialect).commands


def read(text: str, dialect: str = "bash", inside: Inside | None = None) -> Reading:
    """The same with the mark `incomplete`. With `inside`, what code starts follows the interpreter that gets it."""
    reading = Reading(len(text), dialect, inside)
    _read_text(reading, text, _Spot(Segment(text, None, ""), dialect, (), 0, ""))
    again = reading.again
    for _ in range(_PASSES_MAX):
        if not again or not reading.env.changed:
            break
        reading.env.changed = False
        reading.seen = {(id(command.segment), tuple(command.words)) for command in reading.commands}
        for spot in again:
            _read_segment(reading, spot)
    reading.incomplete = reading.incomplete or reading.budget.spent
    return reading


class _Spot:
    """Where commands come from: the segment, its dialect, the wrappers around it, how many texts deep, the scope."""

    __slots__ = ("depth", "dialect", "scope", "segment", "via")

    def __init__(self, segment: Segment, dialect: str, via: tuple[str, ...], depth: int, scope: str) -> None:
        self.segment = segment
        self.dialect = dialect
        self.via = via
        self.depth = depth
        self.scope = scope


def _read_text(reading: Reading, text: str, spot: _Spot) -> None:
    """Reads `text`, which the segment of `spot` hands to a shell; its output is that of the segment."""
    if spot.depth > DEPTH_MAX:
        reading.incomplete = True
        return
    result = scan(text, spot.dialect)
    reading.incomplete = reading.incomplete or result.incomplete
    bodies = reading.env.bodies
    for segment in result.segments:
        body = segment.inside.body if segment.inside is not None else None
        if body is not None:
            bodies[body.name] = body
    for segment in result.segments:
        if spot.depth and segment.parent is None:
            segment.parent, segment.capture = spot.segment, "inner"
        inside = segment.inside
        scope = inside.body.name if inside is not None and inside.body is not None else spot.scope
        inner = _Spot(segment, spot.dialect, spot.via, spot.depth, scope)
        if inside is not None and reading.seen is None and not _settled(segment):
            reading.again.append(inner)
        _read_segment(reading, inner)


def _settled(segment: Segment) -> bool:
    """Nothing in it depends on what stands elsewhere."""
    words = segment.words
    if words and words[0].text in BUSY:
        return False
    return not segment.assigns and all(part[0] == LITERAL for word in segment.words for part in word.parts)


def _read_segment(reading: Reading, spot: _Spot) -> None:
    env, segment = reading.env, spot.segment
    env.scope = spot.scope
    reading.hidden.pop(id(segment), None)
    if segment.assigns:
        _read_assigns(reading, spot)
    if not segment.words and not segment.redirects:
        return
    for words in alternatives(_unsplit(segment.words), env):
        _read_command(reading, words, spot)
    if segment.redirects:
        _read_redirects(reading, spot)
    if env.evaluated:
        from context_mode_runtime.shell import feeds

        evaluated, env.evaluated = env.evaluated, []
        for text in evaluated:
            _read_handed(reading, feeds.substituted(text), spot, spot.via)


def _read_assigns(reading: Reading, spot: _Spot) -> None:
    from context_mode_runtime.shell import builtins, feeds

    for name, value in spot.segment.assigns:
        builtins.assign(reading.env, name, value)
        for text in feeds.of_variable(reading.env, name, value, spot.segment):
            _read_handed(reading, text, spot, (name,))


def _unsplit(words: list[Word]) -> list[Word]:
    """The words of a command; behind a declaring builtin `name=value` is one."""
    if not words or words[0].text not in DECLARING:
        return words
    return [whole(word) if word.parts and "=" in word.parts[0][1] else word for word in words]


def _read_redirects(reading: Reading, spot: _Spot) -> None:
    """Files that are written."""
    segment, env = spot.segment, reading.env
    files = [one for one in segment.redirects if one.operator in OUTPUT and one.target.text != "/dev/null"]
    if files:
        from context_mode_runtime.shell import builtins, outputs

        texts, told = outputs.written(segment, env)
        for one in files:
            target = " ".join(alternatives([one.target], env)[0])
            builtins.write(env, target, texts, add=">>" in one.operator, told=told)


def _read_command(reading: Reading, words: list[str], spot: _Spot) -> None:
    """Adds the command and what it runs inside, wrapper by wrapper; then the texts that it hands to shells."""
    texts: list[tuple[Text, tuple[str, ...]]] = []
    todo = [(words, spot.via)]
    while todo:
        inner, chain = todo.pop()
        command = _add(reading, inner, spot, chain)
        if not inner or not inner[0]:
            continue
        if isinstance(inner[0], Unseen):
            from context_mode_runtime.shell.guesses import without_gaps

            todo += [(one, chain) for one in without_gaps(inner, reading.env, chain)]
            continue
        own: list[Text] = []
        todo += _open(reading, command, own)
        todo += _linked(reading, command)
        texts += [(text, (*chain, command.name)) for text in own]
        reading.env.last = inner[-1]
    for text, chain in texts:
        _read_handed(reading, text, spot, chain)


def _linked(reading: Reading, command: Command) -> list[tuple[list[str], tuple[str, ...]]]:
    """The same with the programs to which the text gave this name."""
    programs, chain = reading.env.links.get(command.name, ()), command.via
    if not programs or command.name in chain or not reading.budget.take(sum(map(len, command.words))):
        return []
    return [([program, *command.words[1:]], (*chain, command.name)) for program in programs]


def _read_handed(reading: Reading, handed: Text, spot: _Spot, chain: tuple[str, ...]) -> None:
    """Reads a text that a command hands to a shell, with the arguments it gets."""
    text, kind, rest = handed
    if not reading.budget.take(len(text)):
        return
    env, scope = reading.env, spot.scope
    if rest:
        reading.texts += 1
        scope = f"\0{reading.texts}"
        env.arguments(scope, rest[1:], rest[0])
    outer = env.dialect
    env.dialect = kind or spot.dialect
    _read_text(reading, text, _Spot(spot.segment, env.dialect, chain, spot.depth + 1, scope))
    env.dialect, env.scope = outer, spot.scope


def _open(reading: Reading, command: Command, texts: list[Text]) -> list[tuple[list[str], tuple[str, ...]]]:
    """The commands that `command` runs; its texts go to `texts`."""
    env, words, chain = reading.env, command.words, command.via
    language = interpreter(command.name)
    if not language and _runs_nothing(command, env):
        return []
    from context_mode_runtime.shell import builtins, feeds
    from context_mode_runtime.shell.wrappers import opened

    plain = words[0].lstrip("=")
    if plain and plain != words[0]:
        return [([plain, *words[1:]], chain)]
    builtins.learn(words, command.segment, env)
    _call(env, words, command.segment)
    if language:
        command.fed, command.written = feeds.read_by(command.segment, env), env.files
        texts += _started_by_code(reading, command)
    found = opened(words)
    fed = feeds.fed(words, command.segment, env, found)
    if not fed.seen:
        _hide(reading, command, f"what {command.name} reads")
    texts += fed.texts
    if found is None:
        return [(one, chain) for one in fed.commands]
    texts += [text for text in found.texts if text[0]]
    if found.commands and words[-len(found.commands[0]) :] == found.commands[0]:
        command.own = len(words) - len(found.commands[0])
    if len(chain) >= _CHAIN_MAX:
        reading.incomplete = True
        return []
    chain = (*chain, command.name)
    return [(one, chain) for one in [*found.commands, *fed.commands] if one]


def _started_by_code(reading: Reading, command: Command) -> list[Text]:
    """The commands that the code which an interpreter is given starts."""
    code = reading.inside(command) if reading.inside else None
    if code is None:
        return []
    command.texts = code.texts
    reading.incomplete = reading.incomplete or code.incomplete
    return [(one, "bash", []) for one in code.commands]


def _runs_nothing(command: Command, env: Env) -> bool:
    """A program of which nothing is known but its name, in a text that gives no name a meaning of its own."""
    name = command.name
    if env.aliases or env.bodies or env.files or env.untold or env.links or name != name.lower() or name[:1] == "=":
        return False
    return name not in BUSY or (name in ONLY_WITH and not any(w.startswith(ONLY_WITH[name]) for w in command.words))


def _hide(reading: Reading, command: Command, what: str, shape: str = GAP) -> None:
    """Notes what the text doesn't tell; a function that is not called runs nothing."""
    if command.dialect in WINDOWS:
        return
    inside = command.segment.inside
    body = inside.body if inside is not None else None
    if body is None or body.name in reading.env.calls or not body.name:
        reading.hidden.setdefault(id(command.segment), {}).setdefault(shape, what)


def _call(env: Env, words: list[str], segment: Segment) -> None:
    """A call of a function gives it its arguments."""
    body = env.bodies.get(words[0])
    if body is None:
        return
    env.changed = env.changed or words[0] not in env.calls
    env.calls[words[0]] = segment
    env.arguments(body.name, words[1:])
    for name, value in zip(body.params, words[1:], strict=False):
        env.remember(name, value)


def _add(reading: Reading, words: list[str], spot: _Spot, via: tuple[str, ...]) -> Command:
    segment = spot.segment
    command = Command(words, segment, spot.dialect, via)
    command.unknown = bool(words) and isinstance(words[0], Unseen)
    if command.unknown:
        from context_mode_runtime.shell.guesses import sets_variable, shape_of

        if not sets_variable(words, via):
            _hide(reading, command, words[0], shape_of(words[0]))
    if segment.redirects:
        command.redirects = [
            (r.fd, r.operator, " ".join(alternatives([r.target], reading.env)[0])) for r in segment.redirects
        ]
    if reading.seen is None or (id(segment), tuple(words)) not in reading.seen:
        reading.commands.append(command)
    return command
