"""The one gate before every tool argument that runs or reads something (contract, section 8; field report F28)."""

from __future__ import annotations

from context_mode_runtime.policy import gate
from context_mode_runtime.policy.load import load_policy
from context_mode_runtime.server.call import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.policy.gate import Verdict
    from context_mode_runtime.policy.load import Policy
    from context_mode_runtime.server.call import Call


class Guard:
    """The policy in force for one call. A check raises ToolError, which says by which rule it is refused."""

    __slots__ = ("_folder", "policy")

    def __init__(self, call: Call) -> None:
        """Reads the policy files of the call's project, and the host's own rules where they can be read."""
        project = call.project()
        self._folder = project.worktree
        self.policy: Policy = load_policy(project.root)

    def code(self, language: str, text: str) -> None:
        """Code of any language of `ctx_execute`: shell text as commands, the others by what they start and open."""
        self._refuse(gate.judge_code(self.policy, text, language=language, cwd=self._folder, project=self._folder))

    def path(self, path: str) -> None:
        """A file or folder that is about to be read; `path` is absolute."""
        self._refuse(gate.judge_path(self.policy, path, cwd=self._folder, project=self._folder))

    def reason(self, path: str) -> str | None:
        """Why this real path may not be read, None when it may: for `read_document`."""
        verdict = gate.judge_path(self.policy, path, cwd=self._folder, project=self._folder)
        return _said(verdict) if verdict else None

    def url(self, url: str) -> None:
        """An address that is about to be fetched."""
        self._refuse(gate.judge_tool(self.policy, "WebFetch", url))

    def _refuse(self, verdict: Verdict | None) -> None:
        if verdict is not None:
            raise ToolError(_said(verdict))


def _said(verdict: Verdict) -> str:
    """The verdict's own words; of an ask rule also the way that is open."""
    if verdict.decision != "ask":
        return verdict.reason
    return f"refused: {verdict.reason}. This tool can't ask; the host's own tool can."
