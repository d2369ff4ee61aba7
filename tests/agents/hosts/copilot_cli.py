"""GitHub Copilot CLI, with one prompt, offline, its model a provider of one's own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests.agents.host import CommandHost, Compaction, Entry
from tests.agents.models.base import Step
from tests.agents.models.chat import Chat

if TYPE_CHECKING:
    from tests.agents.hostrun import Played
    from tests.agents.tap import Heard

OWN_HOOK = {"type": "command", "bash": 'cat > /dev/null; echo ran >> "$HOME/own-hook"'}


class Model(Chat):
    """It asks for a summary beside the conversation, tools offered."""

    summary_marks = ("Please create a detailed summary of the conversation so far",)


class CopilotCli(CommandHost):
    agent = "copilot-cli"
    program = "copilot"
    model = Model
    tool_prefix = "context-mode-"
    shell_tool = "bash"
    entry = Entry(".copilot/mcp-config.json", ("mcpServers", "context-mode"))
    beside = (".copilot/mcp-config.json", ".copilot/hooks/context-mode.json")
    moved_by = "COPILOT_HOME"
    user_files = {
        ".copilot/mcp-config.json": '{\n\t// mine\n\t"mcpServers" : { },  }\n',
        ".copilot/settings.json": '{"banner":"never",\n   "hooks": {"sessionEnd": [' + json.dumps(OWN_HOOK) + "]}}",
    }
    own_hook = "own-hook"
    can = frozenset({"replace", "replace_failures", "resume", "delegate", "subagents", "budget", "instructions"})
    cannot = {"rules": "its rules are flags and answers to its own questions, no file that hooks could read"}
    compaction = Compaction({"COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "100000"}, in_last=1)

    def argv(self, url: str, prompt: str, project: Path) -> list[str]:
        """Permissions are the user's own, for its tools and for our server; the folder is not trusted."""
        allowed = [f"--allow-tool={tool}" for tool in ("shell", "write", "context-mode")]
        return [*allowed, "--no-auto-update", "--no-color", "--prompt", prompt]

    def env(self, url: str) -> dict[str, str]:
        """The program unpacks itself on its first start: once for all tests."""
        return {
            "COPILOT_PROVIDER_BASE_URL": url + "/v1", "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_WIRE_API": "completions", "COPILOT_PROVIDER_API_KEY": "test-key",
            "COPILOT_MODEL": "stand-in", "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_CACHE_HOME": str(self.bin_dir.parents[1] / "unpacked"),
        }  # fmt: skip

    def again(self, argv: list[str]) -> list[str]:
        return ["--continue", *argv]

    def shell(self, command: str, **args: object) -> Step:
        return super().shell(command, **{"description": "a step of the test", **args})

    def read(self, file: Path, lines: int | None = None) -> Step:
        part = {"view_range": [1, lines]} if lines else {}
        return {"tool": "view", "args": {"path": str(file), **part}}

    def edit(self, file: Path, old: str, new: str) -> list[Step]:
        return [self.read(file), {"tool": "edit", "args": {"path": str(file), "old_str": old, "new_str": new}}]

    def delegate(self, tasks: Sequence[str], main: str) -> list[Step]:
        """All in one turn, each waited for."""
        kind = {"agent_type": "general-purpose", "mode": "sync"}
        agents = [
            {
                "tool": "task",
                "args": {"name": task.lower(), "description": task, "prompt": f"{task}: look it up", **kind},
            }
            for task in tasks
        ]
        return [{"tools": agents, "if": main}]

    def carried(self, call: Heard, played: Played) -> str:
        """Our hook adds the conversation to the request, and in a sub-agent whose it is."""
        parts = [call.meta["context-mode/conversation"], call.meta.get("context-mode/subagent")]
        return "/".join(filter(None, parts))


HOST = CopilotCli()
