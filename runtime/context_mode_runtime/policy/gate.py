"""The one gate: judges a command, a path, or another tool's call. Deny beats ask; allow changes nothing here.

Nothing is read or scanned while no rule could hold.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.policy.load import Policy
    from context_mode_runtime.policy.rules import Rule

_SHOWN_MAX = 80
_SAID = {"deny": "denied by rule", "ask": "needs your approval by rule"}


class Verdict:
    """`decision` is `deny` or `ask`; `rule` and the `file` it stands in; `reason` says all three, decision first.

    `rule` is empty where no rule holds: the policy can't be read, or the text doesn't tell what runs.
    """

    __slots__ = ("decision", "file", "reason", "rule")

    def __init__(self, decision: str, rule: str, file: str, reason: str) -> None:
        self.decision = decision
        self.rule = rule
        self.file = file
        self.reason = reason


def by_rule(decision: str, rule: Rule) -> Verdict:
    """The verdict of `rule`, with its reason."""
    return Verdict(decision, rule.text, rule.file, f"{_SAID[decision]} {rule.text} of {rule.file}")


def by_unseen(what: str) -> Verdict:
    """Asks about shell text of which a command's name or a whole program, `what`, can't be read."""
    shown = what if len(what) <= _SHOWN_MAX else what[:_SHOWN_MAX] + "..."
    return Verdict("ask", "", "", f"needs your approval: rules for commands can't be held against {shown}")


def closed(policy: Policy) -> Verdict | None:
    """The refusal of everything that would run while a deny list or the sandbox setting can't be read."""
    if policy.closed is None:
        return None
    file = policy.closed.partition(": ")[0]
    return Verdict("deny", "", file, f"denied: the policy can't be read, so nothing runs: {policy.closed}")


def strictest(*verdicts: Verdict | None) -> Verdict | None:
    """The first deny, else the first ask, else None."""
    found = [verdict for verdict in verdicts if verdict is not None]
    return next((v for v in found if v.decision == "deny"), found[0] if found else None)


def judge_command(policy: Policy, text: str, *, dialect: str = "bash", cwd: str, project: str | None) -> Verdict | None:
    """Judges shell text: every segment, wrappers opened, against the shell rules; its files against the path rules.

    `cwd` is where it would run, `project` what `./x` in rules starts at (None: `cwd`). None: no rule holds.
    """
    if policy.closed is not None:
        return closed(policy)
    if not (policy.deny or policy.ask):
        return None
    from context_mode_runtime.policy.shelltext import judge_shell

    return judge_shell(policy, text, dialect=dialect, cwd=cwd, project=project or cwd)


def judge_code(policy: Policy, text: str, *, language: str, cwd: str, project: str | None) -> Verdict | None:
    """Judges the code of `ctx_execute`: shell languages as commands, the others by the shell calls in them."""
    if policy.closed is not None:
        return closed(policy)
    if not (policy.deny or policy.ask):
        return None
    from context_mode_runtime.policy.code import judge_text

    return judge_text(policy, text, language=language, cwd=cwd, project=project or cwd)


def judge_path(policy: Policy, path: str, *, cwd: str, project: str | None, tool: str = "Read") -> Verdict | None:
    """Judges a path that `tool` would read or write: as written, absolute, and behind links."""
    if not (policy.deny or policy.ask):
        return None
    from context_mode_runtime.policy.candidates import candidates

    root = project or cwd
    found: list[str] | None = None

    def fits(rule: Rule) -> bool:
        nonlocal found
        if found is None:
            found = candidates(path, [cwd, root], fold=policy.fold)
        return rule.path(found, root, fold=policy.fold)

    return first_rule(policy, tool, fits)


def judge_tool(policy: Policy, tool_name: str, text: str) -> Verdict | None:
    """Judges any other tool's call; `text` is what patterns are compared with: an address, or the input as JSON."""
    return first_rule(policy, tool_name, lambda rule: _tool_fits(rule, text))


def first_rule(policy: Policy, tool: str, fits: Callable[[Rule], bool]) -> Verdict | None:
    """The verdict of the first deny rule for `tool` that fits, else of the first ask rule."""
    for decision, rules in (("deny", policy.deny), ("ask", policy.ask)):
        for rule in rules:
            if rule.holds_for(tool) and fits(rule):
                return by_rule(decision, rule)
    return None


def _tool_fits(rule: Rule, text: str) -> bool:
    if rule.pattern is None:
        return True
    if rule.pattern.startswith("domain:"):
        from context_mode_runtime.shell.hosts import host_allowed

        return host_allowed(text, [rule.pattern[len("domain:") :].strip()])
    return rule.command(text, fold=False)
