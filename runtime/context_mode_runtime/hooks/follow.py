"""Whether a caller could make the call that a route names, and what that call must say to do the same (F18)."""

from __future__ import annotations

import os

from context_mode_runtime import notes, where
from context_mode_runtime.agents import root_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.hooks.call import Call
    from context_mode_runtime.policy.load import Policy
    from context_mode_runtime.policy.verdicts import Verdict
    from context_mode_runtime.project import Project


def can_follow(call: Call) -> bool:
    """Whether our tools are there for this caller and would not refuse what the host's own tool may do."""
    follows = call.table["identity"]["follows"]
    if follows is not None and not where.holds(call.payload, follows):
        return False
    if call.hides_subagents() and notes.subagents_at_work(call.table["id"], call.conversation()):
        return False
    project = call.project()
    if project is None or not (call.assume_server or notes.live_server(call.table["id"], project.root)):
        return False
    if call.tool_class == "fetch" and not all(_fetchable(str(url), call.policy()) for url in call.fields("url")):
        return False
    return _host_verdict(call, project) is None


def _host_verdict(call: Call, project: Project) -> Verdict | None:
    """What the host's own lists say: our server refuses what they ask about, so the host has to ask."""
    from context_mode_runtime.policy.hostrules import host_rules
    from context_mode_runtime.policy.verdicts import strictest

    rules = host_rules(call.table, root_folders(call.table), project.worktree)
    folders = {"cwd": call.folder(), "project": project.worktree}
    if call.tool_class == "shell":
        return rules.judge_command(call.field("command"), **folders)
    if call.tool_class == "read":
        return strictest(*[rules.judge_path(str(path), **folders) for path in call.fields("path")])
    return strictest(*[rules.judge_tool("WebFetch", str(url)) for url in call.fields("url")])


def _fetchable(url: str, policy: Policy) -> bool:
    """Whether our fetch would go there, as far as the address alone tells: no name is looked up."""
    from context_mode_runtime.fetch import addresses
    from context_mode_runtime.fetch.rules import FetchError, FetchRules
    from context_mode_runtime.fetch.target import Target

    try:
        target = Target(url)
    except FetchError:
        return False
    address = "127.0.0.1" if target.host.rpartition(".")[2] == "localhost" else target.host
    if not addresses.is_address(address) or addresses.forbidden(address) is None:
        return True
    hosts = FetchRules.from_policy(policy.fetch).private_hosts
    return addresses.allowed_private(target.host, target.port, address, hosts)


def code_in_place(call: Call, command: str, dialect: str) -> tuple[str, str]:
    """Language and code of `ctx_execute` that run `command` in the folder where the host would run it.

    The server runs code in the checkout, a conversation may be below it. An empty language: there is none for it.
    """
    language, change, quote = _LANGUAGES.get(dialect, ("", "", ""))
    project = call.project()
    cwd = call.folder()
    if not language or (project and os.path.realpath(cwd) == project.worktree):
        return language, command
    plain = all(c.isalnum() or c in "/._-+" for c in cwd)
    return language, change.format(cwd if plain else "'" + cwd.replace("'", quote) + "'") + command


_LANGUAGES = {
    "bash": ("shell", "cd {} || exit\n", "'\\''"),
    "zsh": ("zsh", "cd {} || exit\n", "'\\''"),
    "fish": ("fish", "cd {}; or exit\n", "\\'"),
    "powershell": ("powershell", "Set-Location -ErrorAction Stop -LiteralPath {}\n", "''"),
}
"""By dialect of the host's shell tool: the language, how to change the folder, a quote within quotes."""
