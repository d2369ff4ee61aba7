"""Code of other languages before the rules: the shell calls that stand in it as literals. Server side only."""

from __future__ import annotations

import re

from context_mode_runtime.policy.gate import Verdict, first_rule, judge_path, strictest
from context_mode_runtime.policy.shelltext import judge_shell
from context_mode_runtime.shell.literals import REACH, literals_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.policy.load import Policy

SHELLS = {
    **{name: name for name in ("sh", "bash", "zsh", "dash", "ksh", "fish", "powershell")},
    "shell": "bash",
    "pwsh": "powershell",
    "cmd": "cmd",
}
_NAMES = (
    *(
        r"os\.(?:system|popen|exec\w*|spawn\w*|posix_spawn\w*)",
        r"subprocess\.\w+",
        "Popen",
        "check_output",
        "check_call",
    ),
    *("call", "run", "getoutput", "getstatusoutput", r"pty\.spawn", r"asyncio\.create_subprocess_\w+", "popen[23]?"),
    *(r"exec\.Command(?:Context)?", "exec(?:File)?(?:Sync)?", "spawn(?:Sync)?", r"execa\w*", "system2?", "shell", "zx"),
    *("shell_exec", "passthru", "proc_open", r"IO\.popen", r"Open3\.\w+", r"System\.(?:cmd|shell)", r"Process\.Start"),
    *("Command::new", r"Runtime\.getRuntime\(\)\.exec", "ProcessBuilder", r"Deno\.Command", r"Bun\.spawn(?:Sync)?"),
)
_CALL = re.compile(rf"\b(?:{'|'.join(_NAMES)})\b\s*[(`{{\[]?|\$\s*`|`|%x[({{\[]|\bqx\s?[/({{\[|!]")
"""Where a call that starts a program may begin: names from the standard libraries of the languages we run."""
_BACKTICKS = frozenset(("ruby", "perl", "php"))
_CALLS_MAX = 2_000
_OPENS = re.compile(r"""["']((?:[^"'\\\n]|\\.){1,512})["']""")


def judge_text(policy: Policy, text: str, *, language: str, cwd: str, project: str) -> Verdict | None:
    """The verdict on code of `language`; in other languages than shells the paths that stand in it count as read."""
    dialect = SHELLS.get(language.lower())
    if dialect is not None:
        return judge_shell(policy, text, dialect=dialect, cwd=cwd, project=project)
    found: Verdict | None = first_rule(policy, "Bash", lambda rule: rule.pattern is None)
    for command in shell_calls(text, language):
        found = strictest(found, judge_shell(policy, command, dialect="bash", cwd=cwd, project=project))
        if found is not None and found.decision == "deny":
            return found
    return strictest(found, _files(policy, text, cwd, project))


def shell_calls(text: str, language: str = "") -> list[str]:
    """The commands that literal calls in `text` would start: one string, or the strings of a list joined.

    A lone backtick runs a command in Ruby, Perl and PHP only.
    """
    found: dict[str, None] = {}
    for number, call in enumerate(_CALL.finditer(text)):
        if number >= _CALLS_MAX:
            break
        if call.group() == "`" and language.lower() not in _BACKTICKS:
            continue
        start = call.end() - 1 if call.group()[-1] == "`" else call.end()
        for command in _literals(text, start, call.group()):
            found[command] = None
    return [command for command in found if command.strip()]


def _literals(text: str, at: int, call: str) -> list[str]:
    """What a quoting operator holds, or the literals behind a call."""
    closer = {"%x(": ")", "%x{": "}", "%x[": "]"}.get(call) or (
        {"(": ")", "{": "}", "[": "]"}.get(call[-1], call[-1]) if call[:2] == "qx" and call != "qx" else ""
    )
    if closer:
        end = text.find(closer, at, at + REACH)
        return [text[at:end]] if end > 0 else []
    return literals_at(text, at)


def _files(policy: Policy, text: str, cwd: str, project: str) -> Verdict | None:
    """Path rules over the literals of the code: `open(".env")` reads as `cat .env` does."""
    rules = [rule for rule in (*policy.deny, *policy.ask) if rule.tool == "Read" and rule.pattern is not None]
    if not rules:
        return None
    found: Verdict | None = None
    for literal in dict.fromkeys(match.group(1) for match in _OPENS.finditer(text)):
        if "\n" in literal or "\0" in literal:
            continue
        found = strictest(found, judge_path(policy, literal, cwd=cwd, project=project))
        if found is not None and found.decision == "deny":
            return found
    return found
