"""A host's own rules, judged by that host's own order. Server side only; the stricter of host and ours holds.

The spec's `rules` section says where the lists lie and in what form. What can't be read stands in `findings`.
"""

from __future__ import annotations

import glob
import os

from context_mode_runtime import paths
from context_mode_runtime.agents import fill
from context_mode_runtime.policy import gate
from context_mode_runtime.policy.hostformats import OUR_WORDS, read_rules
from context_mode_runtime.policy.load import Policy
from context_mode_runtime.policy.rules import Place, Rule
from context_mode_runtime.policy.shelltext import command_forms, read_all
from context_mode_runtime.policy.verdicts import by_rule, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from context_mode_runtime.policy.hostformats import Ranked
    from context_mode_runtime.policy.verdicts import Verdict

_ORDERED = ("last-match", "highest-priority")
_SIZE_MAX = 4 * 1024 * 1024
"""What is read of a file; a longer one is cut, and then does not parse."""


class HostRules:
    """The lists of one host: `policy` holds them for our own gate, `ordered` from weakest to strongest.

    `order` is the spec's word (None: nothing to read), `findings` what could not be read.
    """

    __slots__ = ("findings", "order", "ordered", "policy")

    def __init__(self, order: str | None) -> None:
        self.order = order
        self.policy = Policy()
        self.ordered: list[tuple[str, Rule]] = []
        self.findings: list[str] = []

    def judge_command(self, text: str, *, dialect: str = "bash", cwd: str, project: str | None) -> Verdict | None:
        """The host's verdict on shell text, as its order has it; of several commands the strictest."""
        if self.order not in _ORDERED:
            return gate.judge_command(self.policy, text, dialect=dialect, cwd=cwd, project=project)
        found: Verdict | None = None
        for command in read_all(text, dialect).commands if self.ordered else []:
            forms = command_forms(command)
            found = strictest(found, self._last("Bash", _fits_form(forms)))
        return found

    def judge_code(self, text: str, *, language: str, cwd: str, project: str | None) -> Verdict | None:
        """The same for code: the shell calls in it count as shell text."""
        if self.order not in _ORDERED:
            return gate.judge_code(self.policy, text, language=language, cwd=cwd, project=project)
        if not self.ordered:
            return None
        from context_mode_runtime.policy.code import read_code, shell_dialect

        dialect = shell_dialect(language)
        texts = [text] if dialect else read_code(text, language.lower()).commands
        judged = [self.judge_command(one, dialect=dialect or "bash", cwd=cwd, project=project) for one in texts]
        return strictest(*judged)

    def judge_path(self, path: str, *, cwd: str, project: str | None, tool: str = "Read") -> Verdict | None:
        """The host's verdict on a path that `tool` would read or write."""
        if self.order not in _ORDERED:
            return gate.judge_path(self.policy, path, cwd=cwd, project=project, tool=tool)
        from context_mode_runtime.policy.candidates import candidates

        forms = candidates(path, [cwd, project or cwd], fold=self.policy.fold)
        return self._last(tool, lambda rule: rule.path(forms, project or cwd, fold=self.policy.fold))

    def judge_tool(self, tool_name: str, text: str) -> Verdict | None:
        """The host's verdict on any other tool's call."""
        if self.order not in _ORDERED:
            return gate.judge_tool(self.policy, tool_name, text)
        return self._last(tool_name, lambda rule: rule.pattern is None or rule.command(text, fold=False))

    def _last(self, tool: str, fits: Callable[[Rule], bool]) -> Verdict | None:
        for decision, rule in reversed(self.ordered):
            if rule.holds_for(tool) and fits(rule):
                return None if decision == "allow" else by_rule(decision, rule)
        return None


def _fits_form(forms: list[str]) -> Callable[[Rule], bool]:
    def fits(rule: Rule) -> bool:
        return any(rule.command(form, fold=False) for form in forms)

    return fits


def host_rules(table: Mapping[str, Any], roots: Mapping[str, str], project: str) -> HostRules:
    """Reads the lists that the `rules` section of the compiled `table` names. Never raises.

    `roots` are the host's own folders by name, `project` the project's folder, which paths may name, too.
    """
    section = table["rules"]
    result = HostRules(section["order"])
    words = {name: OUR_WORDS.get(kind, name) for kind, names in section["names"].items() for name in names}
    if section["unread"]:
        result.findings.append(section["unread"])
    ranked: list[Ranked] = []
    folders = {**roots, "project": project}
    for number, file in enumerate(section["files"]):
        for path in _files(fill(file["path"], folders)):
            named = {**file, "names": section["names"]}
            found = _read(result, path, named, words, _place(section, file, path, project))
            step = number * _FILE_RANK[result.order or ""]
            ranked += [(rank + step, decision, rule) for rank, decision, rule in found]
    _sort_in(result, ranked)
    return result


_FILE_RANK = {"": 0.0, "deny-first": 0.0, "strictest": 0.0, "last-match": 1e9, "highest-priority": 1e9}
"""Where the order counts a later file goes before an earlier one, whatever ranks they hold."""


def _files(pattern: str) -> list[str]:
    return sorted(glob.glob(pattern)) if "*" in pattern else [pattern]


def _place(section: Mapping[str, Any], file: Mapping[str, Any], path: str, project: str) -> Place:
    base = {"home": paths.home(), "project": project, "root": "/"}[file["anchor"]]
    folder = project if section["anchors"] == "project" else os.path.dirname(path)
    return Place(paths.tilde(path), folder, base)


def _read(
    result: HostRules, path: str, file: Mapping[str, Any], words: Mapping[str, str], place: Place
) -> list[Ranked]:
    try:
        text = paths.read_plain(path, _SIZE_MAX).decode("utf-8-sig")
        found = read_rules(text, file, words, place)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, ValueError) as error:
        result.findings.append(f"{place.file}: its rules can't be read: {error}")
        return []
    result.findings += [f"{place.file}: {problem}" for problem in found.problems]
    return found.rules


def _sort_in(result: HostRules, ranked: list[Ranked]) -> None:
    ranked.sort(key=lambda item: item[0])
    for _, decision, rule in ranked:
        result.ordered.append((decision, rule))
        into: list[Rule] = getattr(result.policy, decision)
        into.append(rule)
