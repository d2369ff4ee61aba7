"""Rules by capability: a YAML list of records with `capability`, `effect`, and globs in `match` and `exclude`.

The standard library has no YAML: what is read here is the part of it that such lists use (maps, lists, plain and
quoted texts, flow lists and maps, comments). Anything else is an error that names its line, never passed over.
"""

from __future__ import annotations

from context_mode_runtime.policy.rules import Place, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Line = tuple[int, int, str]
    """Number, indent, text."""
    Flow = tuple[object, int]
    """A value and the index behind it."""

EFFECTS = ("deny", "ask", "allow")
EVERY = "all"
"""The capability that stands for each of them."""
_UNREAD = "&*!|>%@`"
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "/": "/", "0": "\0"}


class Excepting(Rule):
    """A rule that does not hold for what one of its exceptions names."""

    __slots__ = ("_exceptions",)

    def __init__(self, text: str, tool: str, pattern: str | None, where: Place, exceptions: Sequence[Rule]) -> None:
        super().__init__(text, tool, pattern, where)
        self._exceptions = exceptions

    def command(self, form: str, *, fold: bool) -> bool:
        """A command's text fits, and no exception."""
        return super().command(form, fold=fold) and not any(one.command(form, fold=fold) for one in self._exceptions)

    def path(self, candidates: list[str], project: str, *, fold: bool) -> bool:
        """One of the absolute paths fits, and no exception."""
        held = super().path(candidates, project, fold=fold)
        return held and not any(one.path(candidates, project, fold=fold) for one in self._exceptions)


def rules_of(record: object, tools: dict[str, list[str]], place: Place) -> list[tuple[str, Rule]]:
    """Effect and rule, one for each tool word and pattern. `tools`: our words by capability; others give no rule.

    Raises ValueError with what is wrong with the record.
    """
    if not isinstance(record, dict):
        raise ValueError("a rule is a map with capability and effect")  # noqa: TRY004 - the file is wrong
    capability, effect = record.get("capability"), record.get("effect")
    if not isinstance(capability, str) or effect not in EFFECTS:
        raise ValueError(f"a rule needs a capability and an effect of {', '.join(EFFECTS)}")
    patterns: list[str | None] = [*_globs(record, "match")] or [None]
    every = sorted({word for words in tools.values() for word in words})
    out: list[tuple[str, Rule]] = []
    for tool in every if capability == EVERY else tools.get(capability, []):
        exceptions = [Rule(glob, tool, _anchored(tool, glob), place) for glob in _globs(record, "exclude")]
        for pattern in patterns:
            shown = f"{capability}({pattern})" if pattern else capability
            glob = None if pattern in (None, "*", "**") else _anchored(tool, str(pattern))
            out.append((str(effect), Excepting(shown, tool, glob, place, exceptions)))
    return out


def _globs(record: dict[str, object], key: str) -> list[str]:
    value = record.get(key)
    items = [value] if isinstance(value, str) else value
    if items is None:
        return []
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError(f"{key} is a list of texts")
    return items


def _anchored(tool: str, glob: str) -> str:
    """A path from the root as our rules write it; a command's text as it is."""
    return "/" + glob if tool in ("Read", "Edit") and glob.startswith("/") else glob


def read_yaml(text: str) -> object:
    """The value of a document. Raises ValueError with the line of what is not understood here."""
    lines = _lines(text)
    if not lines:
        return {}
    try:
        value, at = _block(lines, 0, lines[0][1])
    except RecursionError:
        raise ValueError("line 1: nested too deep") from None
    if at < len(lines):
        raise ValueError(f"line {lines[at][0]}: its indent fits nothing above")
    return value


def _lines(text: str) -> list[Line]:
    found: list[tuple[int, int, list[str]]] = []
    depth = 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = _without_comment(raw).rstrip()
        body = line.lstrip(" ")
        if not body.strip() or (body == "---" and not found):
            continue
        if depth > 0:
            found[-1][2].append(line.strip())
        elif body.startswith("\t"):
            raise ValueError(f"line {number}: a tab as indent")
        else:
            found.append((number, len(line) - len(body), [body]))
            depth = 0
        depth += _opened(body)
    return [(number, indent, " ".join(parts)) for number, indent, parts in found]


def _without_comment(line: str) -> str:
    for at, sign in _outside_quotes(line):
        if sign == "#" and (at == 0 or line[at - 1] in " \t"):
            return line[:at]
    return line


def _opened(line: str) -> int:
    """How many flow lists and maps a line leaves open; fewer than 0 where it ends those of lines above."""
    return sum((sign in "[{") - (sign in "]}") for _, sign in _outside_quotes(line))


def _outside_quotes(text: str) -> Iterator[tuple[int, str]]:
    """Index and sign of what stands in no quoted text; a quote begins a text only at the beginning of a value."""
    quote, before = "", " "
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote and not (quote == '"' and before == "\\") else quote
        elif sign in "'\"" and before in " [{,:":
            quote = sign
        else:
            yield at, sign
        before = sign


def _block(lines: list[Line], at: int, indent: int) -> Flow:
    return (_list if _item(lines[at][2]) else _map)(lines, at, indent)


def _item(body: str) -> bool:
    """Whether a line begins an item of a list."""
    return body == "-" or body.startswith("- ")


def _list(lines: list[Line], at: int, indent: int) -> Flow:
    out = []
    while at < len(lines) and lines[at][1] == indent and _item(lines[at][2]):
        number, _, body = lines[at]
        inner = body[1:].lstrip(" ")
        if inner and _key(inner) is None and not _item(inner):
            out.append(_scalar(inner, number))
            at += 1
            continue
        if inner:
            lines[at] = (number, indent + len(body) - len(inner), inner)
        else:
            at += 1
        value, at = _block(lines, at, lines[at][1]) if at < len(lines) and lines[at][1] > indent else (None, at)
        out.append(value)
    return out, at


def _map(lines: list[Line], at: int, indent: int) -> Flow:
    out: dict[str, object] = {}
    while at < len(lines) and lines[at][1] == indent:
        number, _, body = lines[at]
        key = _key(body)
        if key is None:
            raise ValueError(f"line {number}: `key: value` or `- item` is wanted")
        rest = body[len(key) + 1 :].strip()
        name = str(_scalar(key, number))
        at += 1
        if rest:
            out[name] = _scalar(rest, number)
            continue
        deeper = at < len(lines) and (lines[at][1] > indent or (lines[at][1] == indent and _item(lines[at][2])))
        out[name], at = _block(lines, at, lines[at][1]) if deeper else (None, at)
    return out, at


def _key(body: str) -> str | None:
    """The key that a line begins with, quotes and all; None when it begins with none."""
    if body[:1] in ("'", '"'):
        end = body.find(body[0], 1) + 1
        return body[:end] if end and body[end : end + 1] == ":" else None
    if body[:1] in "[{":
        return None
    cut = body.find(": ")
    return body[:cut] if cut > 0 else body[:-1] if body.endswith(":") else None


def _scalar(text: str, number: int) -> object:
    value, end = _flow(text, 0, number, inside=False)
    if text[end:].strip():
        raise ValueError(f"line {number}: {text[end:].strip()!r} behind a value")
    return value


def _flow(text: str, at: int, number: int, *, inside: bool) -> Flow:
    at = _skip(text, at)
    sign = text[at : at + 1]
    if sign in ("[", "{"):
        return _collection(text, at, number)
    if sign in ("'", '"'):
        return _quoted(text, at, number)
    if sign and sign in _UNREAD:
        raise ValueError(f"line {number}: {sign!r} at the beginning of a value is not read here")
    end = at
    while end < len(text) and not (inside and (text[end] in ",]}" or text[end : end + 2] == ": ")):
        end += 1
    plain = text[at:end].strip()
    return (None if plain in ("", "~", "null") else plain), end


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] == " ":
        at += 1
    return at


def _quoted(text: str, at: int, number: int) -> Flow:
    quote, at = text[at], at + 1
    out: list[str] = []
    while at < len(text):
        sign = text[at]
        if sign == quote and not (quote == "'" and text[at + 1 : at + 2] == "'"):
            return "".join(out), at + 1
        if sign == quote or (sign == "\\" and quote == '"'):
            at += 1
            sign = _ESCAPES.get(text[at : at + 1], "") if quote == '"' else "'"
            if not sign:
                raise ValueError(f"line {number}: the escape \\{text[at : at + 1]} is not read here")
        out.append(sign)
        at += 1
    raise ValueError(f"line {number}: a quote is not closed")


def _collection(text: str, at: int, number: int) -> Flow:
    closing = "]" if text[at] == "[" else "}"
    items: list[object] = []
    table: dict[str, object] = {}
    at = _skip(text, at + 1)
    while at < len(text) and text[at] != closing:
        value, at = _flow(text, at, number, inside=True)
        if closing == "}":
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                raise ValueError(f"line {number}: a key without a value")
            table[str(value)], at = _flow(text, at + 1, number, inside=True)
        else:
            items.append(value)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closing:
            break
    if text[at : at + 1] != closing:
        raise ValueError(f"line {number}: {closing!r} is missing")
    return (table if closing == "}" else items), at + 1
