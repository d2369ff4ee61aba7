"""Code of other languages before the rules: the commands that it would start, and the files that it names."""

from __future__ import annotations

from context_mode_runtime.policy.gate import Verdict, first_rule, judge_path, strictest
from context_mode_runtime.policy.literal_calls import read_calls
from context_mode_runtime.policy.literals import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.policy.load import Policy

SHELLS = {
    **{name: name for name in ("sh", "bash", "zsh", "dash", "ksh", "fish", "powershell")},
    "shell": "bash",
    "pwsh": "powershell",
    "cmd": "cmd",
}


class Code:
    """What code would do, as far as its text says: the `commands` it starts, the `texts` in it that can be paths.

    `incomplete` when there was more than is looked at.
    """

    __slots__ = ("commands", "incomplete", "texts")

    def __init__(self, commands: list[str], texts: list[str], *, incomplete: bool = False) -> None:
        self.commands = commands
        self.texts = texts
        self.incomplete = incomplete


def read_code(text: str, language: str) -> Code:
    """What `text` starts and names. Never raises."""
    if language == "python":
        from context_mode_runtime.policy.python_code import read_python

        found = read_python(text)
        if found is not None:
            return Code(list(found.commands), list(found.texts))
    commands, whole = read_calls(text, language)
    return Code(commands, quoted(text), incomplete=not whole)


def judge_text(policy: Policy, text: str, *, language: str, cwd: str, project: str) -> Verdict | None:
    """The verdict on code of `language`; in other languages than shells the paths that stand in it count as read."""
    from context_mode_runtime.policy.shelltext import judge_shell, judge_unread

    dialect = SHELLS.get(language.lower())
    if dialect is not None:
        return judge_shell(policy, text, dialect=dialect, cwd=cwd, project=project)
    found: Verdict | None = first_rule(policy, "Bash", lambda rule: rule.pattern is None)
    code = read_code(text, language.lower())
    for command in code.commands:
        found = strictest(found, _judge(policy, command, cwd, project))
        if found is not None and found.decision == "deny":
            return found
    if code.incomplete:
        found = strictest(found, judge_unread(policy, text))
    return strictest(found, _files(policy, code.texts, cwd, project))


def _judge(policy: Policy, command: str, cwd: str, project: str) -> Verdict | None:
    from context_mode_runtime.policy.shelltext import judge_shell

    return judge_shell(policy, command, dialect="bash", cwd=cwd, project=project, unseen=False)


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
