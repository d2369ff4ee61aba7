"""The one gate: judges a command, a path, or another tool's call. Deny beats ask; allow changes nothing here.

Nothing is read or scanned while no rule could hold.
"""

from __future__ import annotations

from context_mode_runtime.policy.verdicts import Verdict, first_rule, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.policy.load import Policy
    from context_mode_runtime.policy.rules import Rule


def closed(policy: Policy) -> Verdict | None:
    """The refusal of everything that would run while a deny list or the sandbox setting can't be read."""
    if policy.closed is None:
        return None
    file = policy.closed.partition(": ")[0]
    return Verdict("deny", "", file, f"denied: the policy can't be read, so nothing runs: {policy.closed}")


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
    """Judges the code of `ctx_execute`: shell languages as commands; of the others the commands that they start.

    Paths that stand in other languages count as read.
    """
    if policy.closed is not None:
        return closed(policy)
    if not (policy.deny or policy.ask):
        return None
    from context_mode_runtime.policy.code import read_code, shell_dialect
    from context_mode_runtime.policy.shelltext import judge_shell, judge_unread

    dialect, root = shell_dialect(language), project or cwd
    if dialect is not None:
        return judge_shell(policy, text, dialect=dialect, cwd=cwd, project=root)
    found = first_rule(policy, "Bash", lambda rule: rule.pattern is None)
    code = read_code(text, language.lower())
    for command in code.commands:
        verdict = judge_shell(policy, command, dialect="bash", cwd=cwd, project=root, unseen=False)
        found = strictest(found, verdict)
        if found is not None and found.decision == "deny":
            return found
    if code.incomplete:
        found = strictest(found, judge_unread(policy, text))
    return strictest(found, _files(policy, code.texts, cwd, root))


def _files(policy: Policy, texts: list[str], cwd: str, project: str) -> Verdict | None:
    """Path rules over the texts of the code: `open(".env")` reads as `cat .env` does."""
    rules = [rule for rule in (*policy.deny, *policy.ask) if rule.tool == "Read" and rule.pattern is not None]
    if not rules:
        return None
    found: Verdict | None = None
    for text in texts:
        if "\n" in text or "\0" in text:
            continue
        found = strictest(found, judge_path(policy, text, cwd=cwd, project=project))
        if found is not None and found.decision == "deny":
            return found
    return found


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


def _tool_fits(rule: Rule, text: str) -> bool:
    if rule.pattern is None:
        return True
    if rule.pattern.startswith("domain:"):
        from context_mode_runtime.shell.hosts import host_allowed

        return host_allowed(text, [rule.pattern[len("domain:") :].strip()])
    return rule.command(text, fold=False)
