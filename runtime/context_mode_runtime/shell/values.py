"""What the variables of a text hold, and the fields that its words become."""

from __future__ import annotations

from context_mode_runtime.shell.words import LITERAL, OPAQUE, PROCESS, VARIABLE, WINDOWS, Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_mode_runtime.shell.model import Group, Segment
    from context_mode_runtime.shell.words import Part, Word

    Value = str | list[str]
    """Text, or the fields of an array."""
    Plan = list[tuple[Part, str, Sequence[Value]]]

LENGTH_MAX = 4_096
"""Longest value that is kept."""
VALUES_MAX = 32
"""Values of one variable that are tried."""
DEPTH_MAX = 8
"""Substitutions in substitutions whose output is worked out."""
_PICKS_MAX = 32
_PRESET: dict[str, list[Value]] = {"IFS": [" \t\n"], "SHELL": ["sh"], "BASH": ["bash"]}
GAP = "\0"
"""What the text doesn't tell, in the shape of a field."""
_NUMBERS = frozenset("#?$!-")
_COST = 4
_PICK_COST = 32


class Unseen(str):
    """A field whose last part holds what the text doesn't tell, as written; `shape` has GAP in its place."""

    __slots__ = ("shape",)
    shape: str

    @property
    def bare(self) -> str:
        """What is known of it."""
        return self.shape.replace(GAP, "")

    def behind(self, at: int) -> Unseen:
        """The rest of it, from a place in what is known of its beginning."""
        return unseen(self[at:], self.shape[at:])

    @property
    def head(self) -> str:
        """What is known of its beginning."""
        return self.shape.partition(GAP)[0]


class Env:
    """What a text tells: values of variables (newest first), aliases, functions, files that it writes, references.

    `untold` are files that it writes without telling what; `scope` is the function, or the text with arguments of its
    own, that is being read; `named` what texts have for `$0`; `links` the names that a text gives to programs;
    `last` the last word of the command before; `changed` whether something new was learned;
    `evaluated` values whose substitutions run; `empty` what variables are that are declared or unset and never set.
    """

    def __init__(self, budget: Budget, dialect: str = "bash") -> None:
        self.values: dict[str, list[Value]] = {}
        self.aliases: dict[str, list[str]] = {}
        self.bodies: dict[str, Group] = {}
        self.calls: dict[str, Segment] = {}
        self.files: dict[str, list[str]] = {}
        self.untold: set[str] = set()
        self.links: dict[str, list[str]] = {}
        self.named: list[Value] = []
        self.refs: dict[str, str] = {}
        self.evaluated: list[str] = []
        self.lowered: set[str] = set()
        self.empty: dict[str, Value] = {}
        self.budget = budget
        self.dialect = dialect
        self.scope = ""
        self.last = ""
        self.changed = False

    def tells(self, path: str) -> bool:
        """All that stands in the file at `path` is known."""
        return path in self.files and path not in self.untold

    def of(self, name: str) -> list[Value]:
        """The values of `name`, newest first; none when the text doesn't tell."""
        if name in ("@", "*", "argv"):
            return self._passed()
        if name.isdigit() and name != "0":
            at = int(name) - 1
            return [fields[at] if at < len(fields) else "" for fields in self._passed()]
        if name == "0" and self.dialect not in WINDOWS:
            return self.values.get(self.scope + "\0000") or [*self.named, self.dialect]
        if name == "_" and self.last and self.dialect not in WINDOWS:
            return [self.last]
        name = self.refs.get(name, name)
        known = self.values.get(name) or _PRESET.get(name)
        return known or ([self.empty[name]] if name in self.empty else [])

    def _passed(self) -> list[Value]:
        """The arguments of the function or text that is being read: none but those that the text itself hands over."""
        return self.values.get(self.scope + "\0") or ([] if self.dialect in WINDOWS else [[]])

    def remember(self, name: str, value: Value) -> None:
        """`name` may hold `value` from here on; of one that is not all told, what is known of its beginning."""
        if isinstance(value, str) and len(value) > LENGTH_MAX:
            value = unseen("$" + name)
        elif isinstance(value, Unseen):
            value = unseen(value, value.head + GAP)
        values = self.values.setdefault(name, [])
        if values and same(values[0], value):
            return
        at = next((at for at, known in enumerate(values) if same(known, value)), -1)
        if at < 0:
            self.changed = True
            del values[VALUES_MAX - 1 :]
        else:
            del values[at]
        values.insert(0, value)

    def arguments(self, scope: str, rest: list[str], name: str = "") -> None:
        """`$@`, `$1` and so on of a function or text; with `name`, `$0` of a text, too."""
        self.remember(scope + "\0", rest)
        if name:
            self.remember(scope + "\0000", name)
            self.named = [name, *[one for one in self.named if one != name]][:VALUES_MAX]

    def split(self, text: str) -> list[str]:
        """The pieces of `text` between the signs of IFS."""
        signs = self.values.get("IFS")
        if signs and isinstance(signs[0], str):
            for sign in signs[0]:
                text = text.replace(sign, "\0")
            return text.split("\0")
        return text.replace("\t", " ").replace("\n", " ").split(" ")


def alternatives(words: Sequence[Word], env: Env, depth: int = 0) -> list[list[str]]:
    """The lists of fields that `words` may become, at least one; the likeliest first."""
    plain: list[str] = []
    for word in words:
        parts = word.parts
        if len(parts) != 1 or parts[0][0] != LITERAL or (not parts[0][2] and "{" in parts[0][1]):
            break
        plain.append(parts[0][1])
    else:
        return [plain]
    plans: list[Plan] = []
    axes: dict[str, int] = {}
    for word in words:
        for variant in _braced(word, env):
            plan = [(part, part[3] or part[1], part_values(part, env, depth)) for part in variant.parts]
            for _, key, values in plan:
                if len(values) > 1:
                    axes[key] = max(axes.get(key, 0), len(values))
            plans.append(plan)
    found: list[list[str]] = []
    for pick in _picks(axes):
        if found and not env.budget.take(_PICK_COST):
            break
        fields = _fields(plans, pick, env)
        if fields not in found:
            found.append(fields)
    return found


def _braced(word: Word, env: Env) -> list[Word]:
    if not any("{" in part[1] for part in word.parts if part[0] == LITERAL):
        return [word]
    from context_mode_runtime.shell.braces import braced

    return braced(word, env.budget)


def _picks(axes: dict[str, int]) -> list[dict[str, int]]:
    """Which value of each variable: all together step by step, then every combination while there are few."""
    if not axes:
        return [{}]
    found = [{key: min(step, size - 1) for key, size in axes.items()} for step in range(max(axes.values()))]
    total = 1
    for size in axes.values():
        total *= size
    if len(axes) > 1:
        for number in range(min(total, _PICKS_MAX)):
            pick, rest = {}, number
            for key, size in axes.items():
                pick[key], rest = rest % size, rest // size
            found.append(pick)
    return found


def part_values(part: Part, env: Env, depth: int) -> Sequence[Value]:
    """What one part of a word may become, at least one value."""
    kind, text, _, name, inner = part
    if kind in (LITERAL, PROCESS):
        return (text,)
    values: Sequence[Value] = ()
    if kind == VARIABLE:
        values = _variable(text, name, env, depth) or ((inner,) if isinstance(inner, str) else ())
    elif text.startswith(("$((", "$[")):
        return (text,)
    elif isinstance(inner, str):
        values = (inner,)
    elif inner is not None and depth < DEPTH_MAX:
        from context_mode_runtime.shell import outputs

        texts, seen = outputs.printed(inner, env, depth + 1)
        values = [one.rstrip("\n") for one in texts if seen or one.strip()]
        values += [] if seen else [unseen(text)]
    return values or (unseen(text),)


def _variable(text: str, name: str | None, env: Env, depth: int) -> Sequence[Value]:
    if name is None:
        from context_mode_runtime.shell import parameters

        body = text[2:-1] if text[:2] == "${" else text[1:]
        return parameters.changed(body, env, depth) if depth < DEPTH_MAX else ()
    if name in _NUMBERS:
        return (text,)
    values = env.of(name)
    if "[" in text or name in ("@", "*") or env.dialect in ("zsh", "fish"):
        return values
    return [(value[0] if value else "") if isinstance(value, list) else value for value in values]


def same(one: Value, other: Value) -> bool:
    """Two values do the same: equal ones, and two that the text doesn't tell, but for what is known of them."""
    if isinstance(one, Unseen) and isinstance(other, Unseen):
        return one.shape == other.shape
    return type(one) is type(other) and one == other


def unseen(text: str, shape: str = GAP) -> Unseen:
    """A field that the text doesn't tell, written as `text`."""
    field = Unseen(text)
    field.shape = shape
    return field


def joined(one: str, other: str) -> str:
    """The two in one field."""
    if not isinstance(one, Unseen) and not isinstance(other, Unseen):
        return one + other
    shapes = [part.shape if isinstance(part, Unseen) else part for part in (one, other)]
    return unseen(one + other, "".join(shapes))


class _Row:
    """The fields of a command while they are put together."""

    __slots__ = ("fields", "hidden", "none", "quoted", "shape", "text")

    def __init__(self) -> None:
        self.fields: list[str] = []
        self.clear()

    def clear(self) -> None:
        self.text = self.shape = ""
        self.quoted = self.hidden = self.none = False

    def add(self, text: str) -> None:
        self.text += text
        self.shape += text
        if self.hidden and "/" in text:
            self.hidden = False

    def add_unseen(self, text: str, shape: str = GAP) -> None:
        self.text += text
        self.shape += shape
        self.hidden = True

    def end(self) -> None:
        """Closes the field in progress; one that is empty goes unless it is quoted and no list without fields."""
        if self.text or (self.quoted and not self.none):
            self.fields.append(unseen(self.text, self.shape) if self.hidden else self.text)
        self.clear()


def _fields(plans: list[Plan], pick: dict[str, int], env: Env) -> list[str]:
    row = _Row()
    for plan in plans:
        for part, key, values in plan:
            row.quoted = row.quoted or (part[2] and not (part[0] == VARIABLE and part[3] == "@"))
            if part[0] in (LITERAL, PROCESS):
                row.add(part[1])
                continue
            value = values[min(pick.get(key, 0), len(values) - 1)]
            size = len(value) if isinstance(value, str) else sum(map(len, value))
            if env.budget.take(size + _COST):
                _put(row, part, value, env)
            else:
                row.add_unseen(part[1])
        row.end()
    return row.fields


def _put(row: _Row, part: Part, value: Value, env: Env) -> None:
    """Adds a value: fields of an array one by one, unquoted text split."""
    quoted = part[2]
    if isinstance(value, list) and quoted and "*" in part[1]:
        signs = env.of("IFS")[0]
        value = (signs[0] if isinstance(signs, str) and signs else "").join(value)
    row.none = row.none or value == []
    for number, one in enumerate([value] if isinstance(value, str) else value):
        if number:
            row.end()
        known = one.head if isinstance(one, Unseen) else one
        if quoted or known == "":
            row.quoted = row.quoted or (quoted and not isinstance(one, Unseen))
            row.add(known)
        else:
            pieces = env.split(known) if part[0] in (VARIABLE, OPAQUE) else [known]
            for place, piece in enumerate(pieces):
                if place:
                    row.end()
                row.add(piece)
        if isinstance(one, Unseen):
            rest = one.behind(len(known))
            row.add_unseen(rest, rest.shape)
