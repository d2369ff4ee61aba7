"""The policy in force: shipped, the user's, the project's; a project can only tighten. Contract, section 8.

What can't be read is a finding and the readable rest holds; a `deny` or `sandbox` that can't be read closes the gate.
"""

from __future__ import annotations

import os
import sys
import time

from context_mode_runtime import jsonio, paths, resources
from context_mode_runtime.policy import values
from context_mode_runtime.policy.rules import Place, Rule, folds, parse_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.store.budget import BudgetRules

    Layers = list[tuple[str, bool, bool]]
    State = list[tuple[str, tuple[int, ...]]]

FILE = "policy.json"
FOLDER = ".context-mode"
_SIZE_MAX = 1024 * 1024
_RULE_KEYS = ("deny", "ask", "allow")
_STRICT = {"off": 0, "project": 1, "strict": 2}
_CLOSING = frozenset(("deny", "sandbox"))
_SETTLED_NS = 2_000_000_000
"""Age from which a file's times tell a later change from the one we read: clocks of file systems tick in up to 2 s."""

_loaded: dict[str | None, tuple[State, Policy]] = {}


class Policy:
    """Rules and switches, merged. `origins` says which file set a key; `closed` is the reason why nothing may run.

    `fold`: upper and lower case are the same in paths (macOS, Windows). `sandbox_by_project`: only the project's own
    file asks for this `sandbox`.
    """

    __slots__ = (
        "allow",
        "allow_hosts",
        "ask",
        "budget",
        "capture",
        "closed",
        "deny",
        "fetch",
        "findings",
        "fold",
        "inject",
        "mcp_servers",
        "origins",
        "redact",
        "retention",
        "routes",
        "sandbox",
        "sandbox_by_project",
    )

    def __init__(self) -> None:
        self.deny: list[Rule] = []
        self.ask: list[Rule] = []
        self.allow: list[Rule] = []
        self.routes: dict[str, bool] = dict.fromkeys(values.ROUTES, True)
        self.inject = True
        self.capture = True
        self.allow_hosts: list[str] = []
        self.mcp_servers: dict[str, list[str]] = {"allow": [], "deny": []}
        self.fetch: dict[str, object] = {}
        self.budget: dict[str, int] = {}
        self.retention: dict[str, int] = {}
        self.redact: list[str] = []
        self.sandbox = "off"
        self.sandbox_by_project = False
        self.findings: list[str] = []
        self.origins: dict[str, str] = {}
        self.closed: str | None = None
        self.fold = folds(sys.platform)

    @property
    def search_budget(self) -> BudgetRules:
        """The search budget in the form that the store takes."""
        from context_mode_runtime.store.budget import BudgetRules

        return BudgetRules(**{values.BUDGET[key]: number for key, number in self.budget.items()})

    @property
    def seated(self) -> bool:
        """Whether the shell's seat is on: its route, and the store that it puts long outputs into."""
        return self.capture and self.routes["seat"]


class Layer:
    """One file: the table it holds (empty when there is none) and where it is."""

    __slots__ = ("place", "project", "rules_only", "table")

    def __init__(
        self, table: dict[str, object], place: Place, *, project: bool = False, rules_only: bool = False
    ) -> None:
        self.table = table
        self.place = place
        self.project = project
        self.rules_only = rules_only


def load_policy(project_root: str | None) -> Policy:
    """The three files, read and merged. Never raises: what is wrong stands in `findings` and `closed`.

    A process that asks again gets the same object as long as no file has changed; nobody writes to it. Where links lead
    is looked up again: they change without the files.
    """
    layers = layer_files(project_root)
    state = [(path, _stamp(path)) for path, _, _ in layers]
    known = _loaded.get(project_root)
    if known is not None and known[0] == state:
        for rule in (*known[1].deny, *known[1].ask, *known[1].allow):
            rule.forget_links()
        return known[1]
    policy = _merged(layers)
    if time.time_ns() - max((stamp[0] for _, stamp in state if stamp), default=0) > _SETTLED_NS:
        _loaded[project_root] = (state, policy)
    return policy


def _merged(layers: Layers) -> Policy:
    policy = Policy()
    for path, project, rules_only in layers:
        layer = _read(policy, path, project=project, rules_only=rules_only)
        if layer is not None:
            _merge(policy, layer)
    return policy


def _stamp(path: str) -> tuple[int, ...]:
    """What tells a file from its next version; empty for a missing one, the time now where it can't be looked at.

    A link that leads nowhere is not a missing file.
    """
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return (1,) if os.path.islink(path) else ()
    except OSError:
        return (time.time_ns(),)
    return max(status.st_mtime_ns, status.st_ctime_ns), status.st_mtime_ns, status.st_size, status.st_ino


def layer_files(project_root: str | None) -> Layers:
    """The files in order, as (path, project's?, only its deny and ask count?)."""
    files = [(os.path.join(resources.shipped("policy"), FILE), False, False)]
    try:
        user = os.path.join(paths.data_root(), FILE)
        files.append((user, False, False))
        fixed = os.path.join(paths.home(), FOLDER, FILE)
        if os.path.realpath(fixed) != os.path.realpath(user):
            files.append((fixed, False, True))
    except paths.NoHomeError:
        pass
    if project_root:
        path = os.path.join(project_root, FOLDER, FILE)
        if path not in [file[0] for file in files]:
            files.append((path, True, False))
    return files


def _read(policy: Policy, path: str, *, project: bool, rules_only: bool) -> Layer | None:
    shown = paths.tilde(path)
    try:
        data = paths.read_plain(path, _SIZE_MAX + 1)
    except (FileNotFoundError, NotADirectoryError):
        if os.path.islink(path):
            _close(policy, shown, "it is a link to a file that isn't there")
        return None
    except OSError as error:
        _close(policy, shown, f"it can't be read: {error.strerror}")
        return None
    doubled: set[str] = set()
    try:
        table = _parsed(data, doubled)
    except ValueError as error:
        _close(policy, shown, f"it can't be read: {error}")
        return None
    for key in sorted(doubled):
        if key in _CLOSING:
            _close(policy, shown, f"{key!r} stands there twice: make one of both")
        else:
            policy.findings.append(f"{shown}: {key!r} stands there twice: only the last one counts")
    return Layer(table, Place(shown, os.path.dirname(path)), project=project, rules_only=rules_only)


def _parsed(data: bytes, doubled: set[str]) -> dict[str, object]:
    if len(data) > _SIZE_MAX:
        raise ValueError("it is larger than 1 MiB")
    table = jsonio.loads(data.decode().removeprefix("\ufeff"), doubled)
    if not isinstance(table, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - the file is wrong, not a type of ours
    return table


def _close(policy: Policy, shown: str, why: str) -> None:
    policy.findings.append(f"{shown}: {why}")
    policy.closed = policy.closed or f"{shown}: {why}"


def _merge(policy: Policy, layer: Layer) -> None:
    shown = layer.place.file
    for key, value in layer.table.items():
        if key in _RULE_KEYS:
            _rules(policy, layer, key, value)
        elif layer.rules_only or key == "$schema":
            continue
        elif key not in values.READERS:
            policy.findings.append(f"{shown}: unknown key {key!r}; known: {', '.join(values.KEYS)}")
        else:
            _setting(policy, layer, key, value)


def _rules(policy: Policy, layer: Layer, key: str, value: object) -> None:
    shown = layer.place.file
    if not isinstance(value, list):
        policy.findings.append(f"{shown}: {key!r} is no list of rules")
        if key in _CLOSING:
            _close(policy, shown, f"its {key!r} is no list of rules")
        return
    if key == "allow" and (layer.project or layer.rules_only):
        if value and layer.project:
            policy.findings.append(f"{shown}: 'allow' has no effect here: a project's file can only tighten")
        return
    into: list[Rule] = getattr(policy, key)
    for item in value:
        try:
            into.append(parse_rule(item, layer.place))
        except ValueError as error:
            policy.findings.append(f"{shown}: {key}: unread rule: {error}")


def _setting(policy: Policy, layer: Layer, key: str, value: object) -> None:
    shown = layer.place.file
    try:
        read = values.READERS[key](value)
    except ValueError as error:
        policy.findings.append(f"{shown}: {key}: {error}")
        if key in _CLOSING:
            _close(policy, shown, f"its {key!r} can't be read: {error}")
        return
    for problem in read.problems:
        policy.findings.append(f"{shown}: {key}: {problem}")
    apply = _PROJECT if layer.project else _USER
    said = apply[key](policy, read.value) if key in apply else "has no effect here: a project's file can only tighten"
    if said:
        policy.findings.append(f"{shown}: {key}: {said}")
    else:
        _note_origin(policy, shown, key, read.value)


def _note_origin(policy: Policy, shown: str, key: str, value: object) -> None:
    if isinstance(value, dict):
        for inner in value:
            policy.origins[f"{key}.{inner}"] = shown
    else:
        policy.origins[key] = shown


def _set(attribute: str) -> values.Apply:
    def apply(policy: Policy, value: object) -> str:
        setattr(policy, attribute, value)
        return ""

    return apply


def _update(attribute: str) -> values.Apply:
    def apply(policy: Policy, value: object) -> str:
        getattr(policy, attribute).update(value)
        return ""

    return apply


def _version(_policy: Policy, _value: object) -> str:
    return ""


def _only_off(attribute: str) -> values.Apply:
    def apply(policy: Policy, value: object) -> str:
        if value:
            return "" if getattr(policy, attribute) else "a project's file can only switch it off"
        setattr(policy, attribute, False)
        return ""

    return apply


def _routes_off(policy: Policy, value: dict[str, bool]) -> str:
    turned_on = [name for name, on in value.items() if on and not policy.routes[name]]
    policy.routes.update({name: False for name, on in value.items() if not on})
    return f"a project's file can only switch routes off: {', '.join(turned_on)}" if turned_on else ""


def _add_words(policy: Policy, value: list[str]) -> str:
    policy.redact = [*policy.redact, *value]
    return ""


def _stricter(policy: Policy, value: str) -> str:
    if _STRICT[value] < _STRICT[policy.sandbox]:
        return f"a project's file can only tighten: {policy.sandbox!r} holds"
    policy.sandbox_by_project = policy.sandbox_by_project or value != policy.sandbox
    policy.sandbox = value
    return ""


def _deny_servers(policy: Policy, value: dict[str, list[str]]) -> str:
    policy.mcp_servers["deny"] = [*policy.mcp_servers["deny"], *value.get("deny", [])]
    return "a project's file can only deny servers" if value.get("allow") else ""


_USER: dict[str, values.Apply] = {
    "version": _version,
    "routes": _update("routes"),
    "inject": _set("inject"),
    "capture": _set("capture"),
    "allowHosts": _set("allow_hosts"),
    "mcpServers": _update("mcp_servers"),
    "fetch": _update("fetch"),
    "searchBudget": _update("budget"),
    "retention": _update("retention"),
    "redact": _set("redact"),
    "sandbox": _set("sandbox"),
}
_PROJECT: dict[str, values.Apply] = {
    "version": _version,
    "routes": _routes_off,
    "inject": _only_off("inject"),
    "capture": _only_off("capture"),
    "mcpServers": _deny_servers,
    "redact": _add_words,
    "sandbox": _stricter,
}
