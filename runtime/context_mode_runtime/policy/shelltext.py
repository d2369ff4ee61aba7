"""Shell text before the rules: every form of every command, and every file that a command names."""

from __future__ import annotations

import os

from context_mode_runtime.policy.candidates import expanded
from context_mode_runtime.policy.rules import EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS, Rule
from context_mode_runtime.policy.verdicts import Verdict, by_rule, by_unseen
from context_mode_runtime.shell.commands import Command, Reading, read
from context_mode_runtime.shell.interpreters import code_of, language_of
from context_mode_runtime.shell.words import WINDOWS
from context_mode_runtime.wildcard import part_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_mode_runtime.policy.code import Code
    from context_mode_runtime.policy.load import Policy

_GLOBAL_OPTIONS = {
    "git": frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env")),
    "docker": frozenset(("-H", "--host", "-c", "--context", "--config", "-l", "--log-level")),
    "podman": frozenset(("--url", "--connection", "-c", "--log-level", "--root", "--runroot")),
    "kubectl": frozenset(("-n", "--namespace", "--context", "--cluster", "--kubeconfig", "-s", "--server", "--user")),
    "npm": frozenset(("--prefix", "-C", "-w", "--workspace")),
    "terraform": frozenset(),
    "aws": frozenset(("--profile", "--region", "--endpoint-url", "--output")),
}
"""Options in front of the sub-command: rules are compared without them, too."""
_NOT_READ = frozenset(
    (
        *("echo", "printf", "cd", "pushd", "mkdir", "touch", "rm", "rmdir", "unlink", "chmod", "chown", "chgrp"),
        *("export", "unset", "set", "kill", "true", "false", "pwd", "which", "command", "type", "hash", "alias"),
        *("trap", "test", "[", "[[", "exit", "return", "sleep", "read", "wait"),
    )
)
_PATTERN_FIRST = frozenset(
    (
        *("grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "gsed", "awk", "gawk", "mawk", "jq", "yq", "findstr"),
        *("select-string", "sls"),
    )
)
_PATTERN_GIVEN = frozenset(("-e", "-f", "--regexp", "--file", "--expression", "-pattern", "-Pattern"))
_ENTERS = frozenset(("cd", "pushd", "chdir", "set-location", "sl", "push-location", "Set-Location"))
_WRITES = frozenset((">", ">>", ">|", "&>", "&>>", ">&"))
_FOLDERS_MAX = 8
_FOLDERS_KEPT = 2
"""Paths are tried in this many folders: where the text begins, the project, and the last ones that it went to."""
_GLOB_MAX = 2_000
_GLOB_LENGTH = 4_096
"""No system opens a longer path with a wildcard in it (PATH_MAX of Linux)."""
_PATH_MAX = 32_768
"""Longest path of any system (Windows)."""
_PIECES = frozenset(";|&\n(){}`<>")
_PIECE_MAX = 64
"""Words of a command in text that could not be read; a rule that needs more is not found there."""


def judge_shell(
    policy: Policy, text: str, *, dialect: str, cwd: str, project: str, unseen: bool = True
) -> Verdict | None:
    """The verdict on `text`; deny beats ask, whatever file they stand in. Linear in the length of `text`.

    With `unseen` a command's name or a shell's program that the text doesn't tell is asked about, where there are rules
    for commands.
    """
    shell = {d: [r for r in rules if _for_shell(r)] for d, rules in _lists(policy)}
    files = {d: [r for r in rules if _for_files(r)] for d, rules in _lists(policy)}
    if not any(shell.values()) and not any(files.values()):
        return None
    reading = read_all(text, dialect)
    forms: list[tuple[str, bool]] | None = None
    named: Named | None = None
    for decision in ("deny", "ask"):
        if shell[decision]:
            forms = forms if forms is not None else _forms(text, reading, dialect, _heads(shell), fold=policy.fold)
            rule = _first(shell[decision], forms)
            rule = rule or (_in_pieces(shell[decision], text) if reading.incomplete else None)
            if rule:
                return by_rule(decision, rule)
        if files[decision]:
            named = named or Named(policy, reading, cwd, project)
            rule = next((rule for rule in files[decision] if named.fits(rule)), None)
            if rule:
                return by_rule(decision, rule)
    what = reading.unseen(rule.heads() for listed in shell.values() for rule in listed) if unseen else ""
    return by_unseen(what) if what else None


def read_all(text: str, dialect: str) -> Reading:
    """The commands of `text`, those that code in it starts included."""
    return read(text, dialect, _code_in)


def _code_in(command: Command) -> Code | None:
    code = code_of(command)
    if not code:
        return None
    from context_mode_runtime.policy.code import read_code

    return read_code(code, language_of(command))


def judge_unread(policy: Policy, text: str) -> Verdict | None:
    """The verdict on code that could not be read to its end, by the first words of the rules."""
    for decision, rules in _lists(policy):
        rule = _in_pieces([rule for rule in rules if _for_shell(rule)], text)
        if rule:
            return by_rule(decision, rule)
    return None


def _lists(policy: Policy) -> tuple[tuple[str, list[Rule]], ...]:
    return (("deny", policy.deny), ("ask", policy.ask))


def _for_shell(rule: Rule) -> bool:
    return rule.tool in SHELL_TOOLS or ("*" in rule.tool and any(rule.holds_for(tool) for tool in SHELL_TOOLS))


def _for_files(rule: Rule) -> bool:
    return rule.pattern is not None and (rule.tool in READ_TOOLS or rule.tool in EDIT_TOOLS)


def _first(rules: list[Rule], forms: list[tuple[str, bool]]) -> Rule | None:
    for rule in rules:
        if rule.pattern is None or any(rule.command(form, fold=fold) for form, fold in forms):
            return rule
    return None


def _heads(rules: dict[str, list[Rule]]) -> set[str]:
    """The programs that rules name."""
    return {rule.heads() for listed in rules.values() for rule in listed} - {""}


def _forms(text: str, reading: Reading, dialect: str, heads: set[str], *, fold: bool) -> list[tuple[str, bool]]:
    """The text as written and all forms of its commands, each once; and whether case counts in none of them.

    `fold`: in the names of programs it doesn't.
    """
    found = {(text.strip(), dialect in WINDOWS): None}
    seen: set[tuple[str, ...]] = set()
    for command in reading.commands:
        key = (command.raw, *command.words)
        if key in seen:
            continue
        seen.add(key)
        windows = command.dialect in WINDOWS
        found.update(dict.fromkeys((form, windows) for form in command_forms(command, heads, fold=fold)))
    return list(found)


def command_forms(command: Command, heads: Iterable[str] = (), *, fold: bool = False) -> list[str]:
    """A command as written, by its words, by its program's name alone, and without global options.

    A name that is a pattern stands for those of `heads` that fit it, too; with `fold` for those that are the same but
    for upper and lower case.
    """
    found = [command.raw.strip()] if command.raw else []
    if not command.words:
        return found
    words = [" ".join(word.split()) if "\n" in word else word for word in command.words]
    found.append(" ".join(words))
    name = command.name
    if any(c in name for c in "*?[(") and name.strip("*"):
        from context_mode_runtime.shell.globs import fits

        found += [" ".join([head, *words[1:]]) for head in heads if fits(name, head)]
    if fold:
        found += [" ".join([head, *words[1:]]) for head in heads if head != name and head.lower() == name.lower()]
    if name != words[0]:
        found.append(" ".join([name, *words[1:]]))
    options = _GLOBAL_OPTIONS.get(name.lower() if command.dialect in WINDOWS else name)
    if options is not None:
        found.append(" ".join([name, *_without(words[1:], options)]))
    if command.dialect in WINDOWS:
        from context_mode_runtime.shell.windows_programs import other_names

        found += [" ".join([other, *words[1:]]) for other in other_names(name, command.dialect)]
    return found


def _without(words: list[str], taking: frozenset[str]) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in taking else 1
    return words[at:]


def _in_pieces(rules: list[Rule], text: str) -> Rule | None:
    """For text that could not be read to its end: a rule's first word at any place where a command could begin."""
    heads = {rule.heads() for rule in rules}
    plain = "".join(["\n" if c in _PIECES else c for c in text if c not in "'\"\\"])
    for piece in plain.split("\n"):
        words = piece.split()
        for at, word in enumerate(words):
            name = word.rpartition("/")[2]
            if name not in heads and (at or "" not in heads):
                continue
            form = " ".join([name, *words[at + 1 : at + _PIECE_MAX]])
            rule = _first(rules, [(form, False)])
            if rule:
                return rule
    return None


class Named:
    """The files that commands of a text read and write, each with all forms of its path; followed through `cd`."""

    __slots__ = ("_cache", "_fold", "_folders", "_project", "_reals", "reads", "writes")

    def __init__(self, policy: Policy, reading: Reading, cwd: str, project: str) -> None:
        self._fold = policy.fold
        self._project = project
        self._folders = [cwd] if cwd == project else [cwd, project]
        self._reals: dict[str, str] = {}
        self.reads: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        self._cache: dict[int, set[str]] = {id(self.reads): set(), id(self.writes): set()}
        for command in reading.commands:
            self._take(command)

    def fits(self, rule: Rule) -> bool:
        """One of the files that the rule is about is named."""
        files = self.writes if rule.tool in EDIT_TOOLS else self.reads
        return rule.path(list(files), self._project, fold=self._fold)

    def _take(self, command: Command) -> None:
        windows = command.dialect in WINDOWS
        for _, operator, target in command.redirects:
            into = [self.reads] if operator in ("<", "<>") else []
            into += [self.writes] if operator in _WRITES or operator == "<>" else []
            for files in into:
                self._add(files, _slashed(target) if windows else target)
        if command.words:
            words = [_slashed(word) for word in command.words] if windows else command.words
            self._operate(command, command.name.lower() if windows else command.name, words)

    def _operate(self, command: Command, name: str, words: list[str]) -> None:
        windows = command.dialect in WINDOWS
        if name in _ENTERS:
            self._enter(words)
        elif name == "tee":
            for word in words[1:]:
                self._add(self.writes, word)
        elif name not in (_windows_not_read() if windows else _NOT_READ):
            own = words[: command.own]
            pieces = [piece for word in own for piece in word.split(",")] if windows else own
            for word in _operands(name, pieces) + command.texts:
                self._add(self.reads, word)

    def _enter(self, words: list[str]) -> None:
        target = next((word for word in words[1:] if not word.startswith("-") and word.lower() != "/d"), "~")
        if len(self._folders) >= _FOLDERS_MAX:
            del self._folders[_FOLDERS_KEPT]
        folder = os.path.join(self._folders[-1], expanded(target, self._folders[-1]))
        self._folders.append(os.path.normpath(folder) if len(folder) <= _GLOB_LENGTH else self._folders[0])
        for words_seen in self._cache.values():
            words_seen.clear()

    def _add(self, into: dict[str, None], word: str) -> None:
        if word in self._cache[id(into)]:
            return
        self._cache[id(into)].add(word)
        for text in _paths_in(word):
            into.update(dict.fromkeys(self._forms(text)))

    def _forms(self, text: str) -> list[str]:
        if "\0" in text or len(text) > _PATH_MAX:
            return []
        forms: list[str] = []
        for folder in self._folders:
            full = os.path.join(folder, expanded(text, folder))
            forms += [os.path.normpath(full), self._real(full)]
        forms = [one.casefold() for one in forms] if self._fold else forms
        if len(text) <= _GLOB_LENGTH and any(c in text for c in "*?["):
            for folder in self._folders:
                forms += _globbed(folder, expanded(text, folder), fold=self._fold)
        return forms

    def _real(self, full: str) -> str:
        """What `full` links to; of a file that isn't there, where its folder links to."""
        try:
            if os.path.lexists(full):
                return os.path.realpath(full)
            folder, name = os.path.split(full)
            if folder not in self._reals:
                self._reals[folder] = os.path.realpath(folder)
            return os.path.join(self._reals[folder], name)
        except (OSError, ValueError):
            return full


def _windows_not_read() -> frozenset[str]:
    from context_mode_runtime.shell.windows_programs import NOT_READ

    return NOT_READ


def _slashed(word: str) -> str:
    return word.replace("\\", "/")


def _operands(name: str, words: list[str]) -> list[str]:
    rest = words[1:]
    if name in _PATTERN_FIRST and not any(word in _PATTERN_GIVEN for word in rest):
        first = next((n for n, word in enumerate(rest) if not word.startswith("-")), None)
        if first is not None:
            rest = rest[:first] + rest[first + 1 :]
    return rest


def _paths_in(word: str) -> list[str]:
    """What in a word can be a path: itself, what stands behind `=` or `@`, the rest of `-fNAME`."""
    found = [] if word.startswith("-") else [word]
    for sign in ("=", "@", ":"):
        _, cut, rest = word.partition(sign)
        if cut and rest:
            found.append(rest.lstrip("@"))
    if word.startswith("-") and not word.startswith("--") and len(word) > len("-f"):
        found.append(word[2:])
    return found


def _globbed(folder: str, pattern: str, *, fold: bool) -> list[str]:
    """What a wildcard in a path stands for on disk, at most 2,000 names looked at."""
    places = [os.path.abspath(os.sep) if os.path.isabs(pattern) else folder]
    seen = 0
    for part in pattern.split("/"):
        if not part:
            continue
        if not any(c in part for c in "*?["):
            places = [os.path.join(place, part) for place in places]
            continue
        following: list[str] = []
        for place in places:
            for name in _names(place):
                seen += 1
                if seen > _GLOB_MAX:
                    break
                if part_matches(part, name) and (part[0] == "." or name[0] != "."):
                    following.append(os.path.join(place, name))
        places = following
    found = [os.path.normpath(place) for place in places]
    found += [os.path.realpath(place) for place in places]
    return [one.casefold() if fold else one for one in found]


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (OSError, ValueError):
        return []
