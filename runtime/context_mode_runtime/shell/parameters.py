"""`${...}` with an operator: defaults, cuts, replacements, slices, elements, indirection."""

from __future__ import annotations

from context_mode_runtime.shell import scan, values
from context_mode_runtime.shell.globs import SIZE_MAX, fits, fitter, prefixes, wild
from context_mode_runtime.shell.words import escaped, name_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.shell.values import Env, Value
    from context_mode_runtime.shell.words import Budget

_OPERATORS = (
    *("##", "%%", "//", "/#", "/%", "^^", ",,", "~~", ":-", ":=", ":+", ":?"),
    *("#", "%", "/", "^", ",", "~", "-", "=", "+", "?", "@", ":"),
)
_CASES: dict[str, Callable[[str], str]] = {
    "^^": str.upper,
    ",,": str.lower,
    "~~": str.swapcase,
    "^": lambda text: text[:1].upper() + text[1:],
    ",": lambda text: text[:1].lower() + text[1:],
    "~": lambda text: text[:1].swapcase() + text[1:],
}
_SQUARE_COST = 2
"""A replacement by a pattern costs the square of the text's length divided by this."""
_MODIFIERS: dict[str, Callable[[str], str]] = {
    "t": lambda text: text.rpartition("/")[2],
    "l": str.lower,
    "u": str.upper,
    "r": lambda text: text.rpartition(".")[0] or text,
    "h": lambda text: text.rpartition("/")[0],
    "e": lambda text: text.rpartition(".")[2],
}
_LETTERS: dict[str, Callable[[str], str]] = {
    "L": str.lower,
    "U": str.upper,
    "u": lambda text: text[:1].upper() + text[1:],
    "E": escaped,
}


def changed(body: str, env: Env, depth: int) -> list[Value]:
    """The values that `${body}` may have; none when the text doesn't tell."""
    flags = ""
    if body[:1] == "(" and ")" in body:
        flags, _, body = body[1:].partition(")")
    body = body.lstrip("=~") if body[:1] in ("=", "~") and len(body) > 1 else body
    if body[:1] == "#" and len(body) > 1 and body[1] not in "#%:-=+?":
        return ["0"]
    indirect = body[:1] == "!" and len(body) > 1
    body = body[1:] if indirect else body
    end = 1 if body[:1] in ("@", "*", "#") else name_end(body, 0)
    name, rest = body[:end], body[end:]
    subscript = ""
    if rest[:1] == "[" and "]" in rest:
        subscript, _, rest = rest[1:].partition("]")
    found = element(name, subscript, env) if subscript else env.of(name)
    if indirect or "P" in flags:
        found = _indirect(name, subscript, found, env)
    if rest == "@P" or "e" in flags:
        env.evaluated += [value for value in found if isinstance(value, str)]
    found = _operate(found, rest, name, env, depth)
    return _flagged(found, flags) if flags else found


def _indirect(name: str, subscript: str, found: list[Value], env: Env) -> list[Value]:
    """`${!x}`: the value of the variable that `x` names; `${!m[@]}`: the keys."""
    if subscript in ("@", "*"):
        return env.of(name + "[]")
    if name == "#":
        return [fields[-1] for fields in env.of("@") if fields]
    return [value for key in found if isinstance(key, str) for value in env.of(key)]


def element(name: str, subscript: str, env: Env) -> list[Value]:
    """An element by its number or key; all of them where the text doesn't tell which."""
    arrays = env.of(name)
    if subscript in ("@", "*"):
        return arrays
    if name == "commands":
        return [subscript]
    keyed = env.of(f"{name}[{subscript}]")
    if keyed:
        return keyed
    lists = [[value] if isinstance(value, str) else value for value in arrays]
    first, cut, last = subscript.partition("..")
    if cut and first.isdecimal() and last.isdecimal():
        return [fields[int(first) - 1 : int(last)] for fields in lists]
    if subscript.lstrip("-").isdecimal():
        at = int(subscript) - (env.dialect in ("zsh", "fish") and not subscript.startswith("-"))
        return [fields[at] for fields in lists if -len(fields) <= at < len(fields)]
    every = [field for fields in lists for field in fields]
    return [*every, *[one for key in env.of(name + "[]")[:1] for part in key for one in env.of(f"{name}[{part}]")]]


def _operate(found: list[Value], rest: str, name: str, env: Env, depth: int) -> list[Value]:
    if not rest:
        return found
    operator = next((one for one in _OPERATORS if rest.startswith(one)), "")
    word = rest[len(operator) :]
    kind = operator[-1:]
    if kind and kind in "-=+?" and operator[0] in ":-=+?":
        return _default(found, operator, word, name, env, depth)
    if operator == ":" and not word[:1].isalpha():
        return [cut for value in found for cut in _slice(value, word, name)]
    change = _change(operator, word, env, depth)
    if change is None:
        return []
    return [_each(value, change) for value in found]


def _default(found: list[Value], operator: str, word: str, name: str, env: Env, depth: int) -> list[Value]:
    others: list[Value] = [*_operand(word, env, depth)]
    if operator[-1] == "+":
        return others if found else [*others, ""]
    if operator[-1] == "?":
        return found
    if operator[-1] == "=" and name:
        for other in others:
            env.remember(name, other)
    kept = [value for value in found if value]
    return kept if len(kept) == len(found) and found else [*kept, *others]


def _change(operator: str, word: str, env: Env, depth: int) -> Callable[[str], str] | None:
    if operator in _CASES:
        return _CASES[operator]
    if operator == "@":
        return _LETTERS.get(word, str)
    if operator == ":":
        return _MODIFIERS.get(word)
    if operator[:1] == "/":
        old, _, new = word.partition("/")
        olds, news = _operand(old, env, depth), _operand(new, env, depth)
        return lambda text: _replaced(text, operator, olds[0], news[0], env.budget)
    if operator[:1] in ("#", "%"):
        patterns = _operand(word, env, depth)
        return lambda text: _cut(text, operator, patterns[0])
    return None


def _each(value: Value, change: Callable[[str], str]) -> Value:
    if isinstance(value, list):
        return [change(field) for field in value]
    return value if isinstance(value, values.Unseen) else change(value)


def _operand(word: str, env: Env, depth: int) -> list[str]:
    """The word behind an operator, its quotes off and its expansions in."""
    if not any(c in word for c in "$`'\"\\"):
        return [word]
    own = [segment for segment in scan.scan(word, env.dialect).segments if segment.parent is None]
    words = [one for segment in own for one in segment.words]
    return [_one(fields) for fields in values.alternatives(words, env, depth + 1)]


def _one(fields: list[str]) -> str:
    text = " ".join(fields)
    return values.unseen(text) if any(isinstance(field, values.Unseen) for field in fields) else text


def _cut(text: str, operator: str, pattern: str) -> str:
    """`#`, `##`, `%`, `%%`: without the shortest or longest beginning or end that fits."""
    if not wild(pattern):
        return text.removeprefix(pattern) if operator[0] == "#" else text.removesuffix(pattern)
    if len(text) > SIZE_MAX:
        return text
    whole = fitter(pattern)
    sizes = range(len(text) + 1) if len(operator) == 1 else range(len(text), -1, -1)
    for size in sizes:
        piece = text[:size] if operator[0] == "#" else text[len(text) - size :]
        if whole(piece):
            return text[size:] if operator[0] == "#" else text[: len(text) - size]
    return text


def _replaced(text: str, operator: str, old: str, new: str, budget: Budget) -> str:
    if not old:
        return text
    if not wild(old):
        return _swapped(text, operator, old, new)
    if max(len(text), len(old)) > SIZE_MAX or not budget.take(len(text) * len(text) // _SQUARE_COST):
        return text
    if not text:
        return new if fits(old, text) else text
    if operator == "/%":
        start = next((start for start in range(len(text)) if fits(old, text[start:])), len(text))
        return text[:start] + new if start < len(text) else text
    reach = prefixes(old)
    out, at = "", 0
    for start in range(1) if operator == "/#" or (old[0] == "*" and old[1:2] != "(") else range(len(text)):
        end = reach(text, start) if start >= at else -1
        if end > start:
            out += text[at:start] + new
            at = end
            if operator != "//":
                break
    return out + text[at:]


def _swapped(text: str, operator: str, old: str, new: str) -> str:
    """`old`, which stands for itself alone, replaced: the first, all (`//`), at the beginning (`/#`), at the end."""
    if operator == "/#":
        return new + text[len(old) :] if text.startswith(old) else text
    if operator == "/%":
        return text[: -len(old)] + new if text.endswith(old) else text
    return text.replace(old, new) if operator == "//" else text.replace(old, new, 1)


def _slice(value: Value, word: str, name: str) -> list[Value]:
    """`:offset:length`; of a number that is not plain, every slice from a start to the end."""
    first, _, second = word.partition(":")
    start, length = _number(first), _number(second) if second else None
    shift = 1 if name in ("@", "*") else 0
    size = len(value)
    starts = [start] if start is not None else list(range(min(size, 8)))
    found: list[Value] = []
    for one in starts:
        begin = max(0, one - shift) if one >= 0 else max(0, size + one)
        end = size if length is None else begin + length if length >= 0 else size + length
        found.append(value[begin:end])
    return found


def _number(text: str) -> int | None:
    """A plain number, or a sum of two."""
    text = text.replace(" ", "").strip("()")
    if text.lstrip("-").isdecimal():
        return int(text)
    left, cut, right = text.partition("+")
    if cut and left.isdecimal() and right.isdecimal():
        return int(left) + int(right)
    return None


def _flagged(found: list[Value], flags: str) -> list[Value]:
    """Zsh: `(L)`, `(U)`, `(s:x:)`, `(j:x:)`."""
    for letter, change in (("L", str.lower), ("U", str.upper)):
        if letter in flags:
            found = [_each(value, change) for value in found]
    for letter in ("s", "j"):
        if letter in flags:
            mark = flags[flags.index(letter) + 1 :]
            sign = mark[1:].partition(mark[:1])[0] if mark else ""
            if letter == "s":
                found = [value.split(sign) if isinstance(value, str) and sign else value for value in found]
            else:
                found = [sign.join(value) if isinstance(value, list) else value for value in found]
    return found
