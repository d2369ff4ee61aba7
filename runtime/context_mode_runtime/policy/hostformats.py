"""Reads the rule files of hosts: lists of `Tool(pattern)`, prefix rules, `[[rule]]` tables, maps, capabilities.

Server side only. Nothing in such a file is ever run. What can't be read is named, not passed over.
"""

from __future__ import annotations

import ast
import itertools

from context_mode_runtime import jsonio
from context_mode_runtime.policy.rules import SHELL_TOOLS, Place, Rule, parse_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Ranked = tuple[float, str, Rule]
    """Rank (a later or higher one wins where the order counts), `deny`, `ask` or `allow`, the rule."""

_DECISIONS = {
    "forbidden": "deny",
    "deny": "deny",
    "denied": "deny",
    "prompt": "ask",
    "ask": "ask",
    "ask_user": "ask",
    "allow": "allow",
    "allowed": "allow",
}
OUR_WORDS = {"shell": "Bash", "read": "Read", "search": "Read", "edit": "Edit", "fetch": "WebFetch"}
"""Class of tool to our rule word."""
_ALTERNATIVES_MAX = 256


class Found:
    """What a file holds: its rules in order, and what of it could not be read."""

    __slots__ = ("problems", "rules")

    def __init__(self) -> None:
        self.rules: list[Ranked] = []
        self.problems: list[str] = []


def read_rules(text: str, file: Mapping[str, Any], words: Mapping[str, str], place: Place) -> Found:
    """The rules of `text`, a file as the spec's `rules.files` entry `file` describes it.

    `words` maps the host's rule words to ours; `file["names"]` has the host's words by class of tool.
    Raises ValueError when the file as a whole can't be read.
    """
    reader = _FORMATS.get(file["format"])
    if reader is None:
        raise ValueError(f"the format {file['format']} can't be read here")
    found = Found()
    reader(text, file, words, place, found)
    return found


def _json(text: str) -> dict[str, object]:
    table = jsonio.loads(text)
    if not isinstance(table, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - the file is wrong, not a type of ours
    return table


def without_comments(text: str) -> str:
    """JSON of JSONC: comments become blanks, a comma before a closing bracket goes. Strings stay as they are."""
    out: list[str] = []
    at = 0
    while at < len(text):
        end = _behind(text, at)
        piece = text[at:end]
        if piece.startswith(("//", "/*")):
            out.append(" ")
        else:
            if piece in ("}", "]"):
                _drop_comma(out)
            out.append(piece)
        at = end
    return "".join(out)


def _behind(text: str, at: int) -> int:
    """The index behind the string, comment or sign at `at`."""
    if text[at] == '"':
        end = at + 1
        while end < len(text) and text[end] != '"':
            end += 2 if text[end] == "\\" else 1
        return min(end + 1, len(text))
    for opening, closing in (("//", "\n"), ("/*", "*/")):
        if text.startswith(opening, at):
            end = text.find(closing, at + 2)
            return len(text) if end < 0 else end + (len(closing) if closing == "*/" else 0)
    return at + 1


def _drop_comma(out: list[str]) -> None:
    at = len(out) - 1
    while at >= 0 and out[at].isspace():
        at -= 1
    if at >= 0 and out[at] == ",":
        del out[at]


def _at(table: object, keys: list[str]) -> object:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _lists(text: str, file: Mapping[str, Any], words: Mapping[str, str], place: Place, found: Found) -> None:
    table = _json(text if file["format"] == "json" else without_comments(text))
    for decision in ("deny", "ask", "allow"):
        items = _at(table, file[decision]) if file[decision] else None
        if items is None:
            continue
        if not isinstance(items, list):
            found.problems.append(f"{'.'.join(file[decision])} is no list")
            continue
        for item in items:
            try:
                rule = parse_rule(item, place)
            except ValueError as error:
                found.problems.append(f"{decision}: unread rule: {error}")
                continue
            rule.tool = words.get(rule.tool, rule.tool)
            if file["format"] == "jsonc-prefix":
                rule = _beginning(rule, place)
            found.rules.append((len(found.rules), decision, rule))


def _beginning(rule: Rule, place: Place) -> Rule:
    """The same where a command without a wildcard stands for all that begin with its words."""
    if rule.tool not in SHELL_TOOLS or rule.pattern is None or "*" in rule.pattern:
        return rule
    return Rule(rule.text, rule.tool, f"{rule.pattern} *", place)


def _prefix_rules(text: str, _file: Mapping[str, Any], _words: Mapping[str, str], place: Place, found: Found) -> None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"it does not parse: {error}") from None
    for statement in tree.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            found.problems.append(f"line {statement.lineno}: only calls of prefix_rule(...) are read")
            continue
        if call.func.id == "prefix_rule":
            _prefix_rule(call, place, found)
        else:
            found.problems.append(f"line {call.lineno}: {call.func.id}(...) is not read")


def _prefix_rule(call: ast.Call, place: Place, found: Found) -> None:
    try:
        given = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        decision = _DECISIONS[given.get("decision", "allow")]
        prefixes = _prefixes(given["pattern"])
    except (KeyError, ValueError, TypeError):
        found.problems.append(f"line {call.lineno}: a pattern of texts and a decision are wanted")
        return
    for prefix in prefixes:
        shown = f"prefix_rule({' '.join(prefix)})"
        found.rules.append((len(found.rules), decision, Rule(shown, "Bash", " ".join(prefix) + " *", place)))


def _prefixes(pattern: object) -> list[list[str]]:
    """All prefixes that a pattern means: each item is a text or a list of alternatives."""
    if not isinstance(pattern, (list, tuple)) or not pattern:
        raise ValueError("no pattern")
    choices = [[item] if isinstance(item, str) else list(item) for item in pattern]
    if not all(isinstance(word, str) for choice in choices for word in choice):
        raise ValueError("no texts")
    return [list(words) for words in itertools.islice(itertools.product(*choices), _ALTERNATIVES_MAX)]


def _tables(text: str, _file: Mapping[str, Any], words: Mapping[str, str], place: Place, found: Found) -> None:
    import tomllib

    items = tomllib.loads(text).get("rule", [])
    for number, item in enumerate(items if isinstance(items, list) else [items], 1):
        problem = _table(item, number, words, place, found) if isinstance(item, dict) else "it is no table"
        if problem:
            found.problems.append(f"rule {number}: {problem}")


def _table(item: dict[str, Any], number: int, words: Mapping[str, str], place: Place, found: Found) -> str | None:
    """Adds the rules of one table; what is wrong with it, or None. Of equal priority the first in the file wins."""
    decision = _DECISIONS.get(str(item.get("decision")))
    if decision is None:
        return "no decision that we know"
    by_text = any(key in item for key in ("commandRegex", "argsPattern"))
    if "mcpName" in item or (decision == "allow" and (by_text or _sometimes(item))):
        return None
    if by_text:
        return "regular expressions are not read"
    priority, tools, prefixes = item.get("priority", 0), _listed(item.get("toolName")), item.get("commandPrefix")
    if not isinstance(priority, int) or not tools or (prefixes and not _listed(prefixes)):
        return "a priority, the name of a tool and texts to begin with are wanted"
    for tool in tools:
        for prefix in _listed(prefixes) or [""]:
            shown = f"{tool}({prefix})" if prefix else tool
            rule = Rule(shown, words.get(tool, tool), f"{prefix} *" if prefix else None, place)
            found.rules.append((priority - number / _TABLES_MAX, decision, rule))
    return None


_TABLES_MAX = 1_000_000


def _sometimes(item: Mapping[str, object]) -> bool:
    """Whether a rule holds under conditions that nobody tells us. Then a deny holds all the same, an allow does not."""
    modes = item.get("modes")
    usual = not modes or (isinstance(modes, list) and "default" in modes)
    return not usual or any(key in item for key in ("interactive", "subagent", "toolAnnotations"))


def _listed(value: object) -> list[str]:
    """A text or a list of texts as a list, without empty ones; empty for anything else."""
    items = value if isinstance(value, list) else [value]
    texts = [item for item in items if isinstance(item, str)]
    return list(filter(None, texts)) if len(texts) == len(items) else []


def _map(text: str, file: Mapping[str, Any], words: Mapping[str, str], place: Place, found: Found) -> None:
    """`{"bash": {"*": "ask", "ls *": "allow"}, "edit": "deny"}`, one word for every tool, or a list of single rules."""
    table = _at(_json(without_comments(text)), next(file[key] for key in ("deny", "ask", "allow") if file[key]))
    if table is None:
        return
    if isinstance(table, list):
        _rule_list(table, words, place, found)
        return
    tools = {"*": table} if isinstance(table, str) else table
    if not isinstance(tools, dict):
        raise ValueError("the permissions are no map")  # noqa: TRY004 - the file is wrong, not a type of ours
    for tool, said in tools.items():
        patterns = said if isinstance(said, dict) else {"*": said}
        for pattern, decision in patterns.items():
            if decision not in _DECISIONS:
                found.problems.append(f"{tool}: {pattern}: {decision!r} is no decision that we know")
                continue
            _add(found, tool, pattern, decision, words, place)


def _rule_list(items: list[object], words: Mapping[str, str], place: Place, found: Found) -> None:
    """`[{"action": "shell", "resource": "git push *", "effect": "deny"}]`."""
    for number, item in enumerate(items, 1):
        rule = item if isinstance(item, dict) else {}
        action, resource, effect = rule.get("action"), rule.get("resource"), rule.get("effect")
        if isinstance(action, str) and isinstance(resource, str) and isinstance(effect, str) and effect in _DECISIONS:
            _add(found, action, resource, effect, words, place)
        else:
            found.problems.append(f"rule {number}: an action, a resource and an effect that we know are wanted")


def _add(found: Found, tool: str, pattern: str, decision: str, words: Mapping[str, str], place: Place) -> None:
    rule = Rule(f"{tool}({pattern})", words.get(tool, tool), None if pattern == "*" else pattern, place)
    found.rules.append((len(found.rules), _DECISIONS[decision], rule))


def _capabilities(text: str, file: Mapping[str, Any], _words: Mapping[str, str], place: Place, found: Found) -> None:
    """`rules: [{capability: shell, match: ["git push *"], exclude: [...], effect: deny}]`, in YAML."""
    from context_mode_runtime.policy.capabilityrules import read_yaml, rules_of

    records = _at(read_yaml(text), next(file[key] for key in ("deny", "ask", "allow") if file[key]))
    if records is None:
        return
    if not isinstance(records, list):
        raise ValueError("the rules are no list")  # noqa: TRY004 - the file is wrong, not a type of ours
    tools: dict[str, list[str]] = {}
    for kind, names in file["names"].items():
        for name in names:
            tools.setdefault(name, []).append(OUR_WORDS.get(kind, name))
    for number, record in enumerate(records, 1):
        try:
            rules = rules_of(record, tools, place)
        except ValueError as error:
            found.problems.append(f"rule {number}: {error}")
            continue
        found.rules += [(len(found.rules) + n, effect, rule) for n, (effect, rule) in enumerate(rules)]


_FORMATS: dict[str, Callable[[str, Mapping[str, Any], Mapping[str, str], Place, Found], None]] = {
    "json": _lists,
    "jsonc": _lists,
    "jsonc-prefix": _lists,
    "starlark-prefix": _prefix_rules,
    "toml-rules": _tables,
    "permission-map": _map,
    "capability-rules": _capabilities,
}
