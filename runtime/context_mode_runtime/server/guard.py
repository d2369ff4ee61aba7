"""The one gate before every tool argument that runs or reads something (contract, section 8; field report F28)."""

from __future__ import annotations

import os

from context_mode_runtime import jsonio
from context_mode_runtime.agents import root_folders
from context_mode_runtime.policy import gate
from context_mode_runtime.policy.load import load_policy
from context_mode_runtime.policy.verdicts import strictest
from context_mode_runtime.server.call import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from context_mode_runtime.policy.hostrules import HostRules
    from context_mode_runtime.policy.load import Policy
    from context_mode_runtime.policy.verdicts import Verdict
    from context_mode_runtime.project import Project
    from context_mode_runtime.server.session import Connection

    class Asker(Protocol):
        """A call, as far as the gate looks at it."""

        @property
        def connection(self) -> Connection:
            """The host's end and its table."""

        def project(self) -> Project:
            """Where it works. Raises ToolError where that is not known."""


class Guard:
    """The policy in force for one call. A check raises ToolError, which says by which rule it is refused."""

    __slots__ = ("_folder", "_host", "policy")

    def __init__(self, call: Asker) -> None:
        """Reads the policy files of the call's project, and the host's own rules where they can be read."""
        project = call.project()
        self._folder = project.worktree
        self.policy: Policy = load_policy(project.root)
        self._host = _host_rules(call.connection, self._folder)

    def code(self, language: str, text: str) -> None:
        """Code of any language of `ctx_execute`: shell text as commands, the others by what they start and open."""
        folder, host = self._folder, self._host
        ours = gate.judge_code(self.policy, text, language=language, cwd=folder, project=folder)
        theirs = host.judge_code(text, language=language, cwd=folder, project=folder) if host else None
        _refuse(strictest(ours, theirs))

    def sandbox(self) -> str:
        """How what runs is isolated: off, project or strict. Raises ToolError where that can't be had."""
        wanted = self.policy.sandbox
        if wanted != "off":
            from context_mode_runtime.execute.errors import ExecuteError
            from context_mode_runtime.execute.isolation import mechanism

            try:
                mechanism.check(wanted, from_project=self.policy.sandbox_by_project)
            except ExecuteError as error:
                raise ToolError(str(error)) from None
        return wanted

    def given(self, path: str) -> str | None:
        """Why this real path may not be given to code: as `reason`, and what the sandbox hides from it."""
        if self.policy.sandbox == "strict":
            from context_mode_runtime.execute.isolation.places import Places

            if not Places(self._folder, self._folder, strict=True).may_read(path):
                return f"not read: {path} is out of reach under policy sandbox strict; use a file of the project"
        return self.reason(path)

    def path(self, path: str) -> None:
        """A file or folder that is about to be read; `path` is absolute."""
        _refuse(self._path(path))

    def stored(self, origin: str | None) -> str | None:
        """Why a source that was read from `origin` may not be shown: a rule that came later holds for it, too."""
        return self.reason(origin) if origin and os.path.isabs(origin) else None

    def reason(self, path: str) -> str | None:
        """Why this real path may not be read, None when it may: for `read_document`."""
        verdict = self._path(path)
        return _said(verdict) if verdict else None

    def url(self, url: str) -> None:
        """An address that is about to be fetched."""
        theirs = self._host.judge_tool("WebFetch", url) if self._host else None
        _refuse(strictest(gate.judge_tool(self.policy, "WebFetch", url), theirs))

    def _path(self, path: str) -> Verdict | None:
        folder, host = self._folder, self._host
        ours = gate.judge_path(self.policy, path, cwd=folder, project=folder)
        return strictest(ours, host.judge_path(path, cwd=folder, project=folder) if host else None)


def check_tool(connection: Connection, project: Project | None, name: str, arguments: dict[str, object]) -> None:
    """A deny rule for one of our tools itself, by the host's spelling or ours. Raises ToolError.

    An ask rule is the hook's: the host has asked by now.
    """
    policy = load_policy(project.root if project else None)
    for spelled in (connection.spelled(name), name):
        verdict = gate.judge_tool(policy, spelled, jsonio.dumps(arguments))
        if verdict is not None and verdict.decision == "deny":
            raise ToolError(verdict.reason)


def _host_rules(connection: Connection, folder: str) -> HostRules | None:
    """The host's own lists; None for a host that nobody named."""
    if "rules" not in connection.table:
        return None
    from context_mode_runtime.policy.hostrules import host_rules

    return host_rules(connection.table, root_folders(connection.table), folder)


def _refuse(verdict: Verdict | None) -> None:
    if verdict is not None:
        raise ToolError(_said(verdict))


def _said(verdict: Verdict) -> str:
    """The verdict's own words; of an ask rule also the way that is open."""
    if verdict.decision != "ask":
        return verdict.reason
    return f"refused: {verdict.reason}. This tool can't ask; the host's own tool can."
