"""Verdicts: of a rule, on what can't be seen, the first rule's for a tool, the strictest of several."""

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


def first_rule(policy: Policy, tool: str, fits: Callable[[Rule], bool]) -> Verdict | None:
    """The verdict of the first deny rule for `tool` that fits, else of the first ask rule."""
    for decision, rules in (("deny", policy.deny), ("ask", policy.ask)):
        for rule in rules:
            if rule.holds_for(tool) and fits(rule):
                return by_rule(decision, rule)
    return None


def strictest(*verdicts: Verdict | None) -> Verdict | None:
    """The first deny, else the first ask, else None."""
    found = [verdict for verdict in verdicts if verdict is not None]
    return next((v for v in found if v.decision == "deny"), found[0] if found else None)
