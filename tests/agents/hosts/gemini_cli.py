"""Gemini CLI, in print mode."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tests.agents.host import CommandHost, Entry
from tests.agents.models.base import Step
from tests.agents.models.gemini import Gemini

HANDLER = {"type": "command", "command": 'cat > /dev/null; echo ran >> "$HOME/own-hook"'}
DEFAULTS = Path(__file__).with_name("gemini_defaults.json")
OWN_TOOLS = ("run_shell_command", "read_file", "web_fetch", "replace", "invoke_agent")


class GeminiCli(CommandHost):
    agent = "gemini-cli"
    program = "gemini"
    model = Gemini
    tool_prefix = "mcp_context-mode_"
    shell_tool = "run_shell_command"
    entry = Entry(".gemini/settings.json", ("mcpServers", "context-mode"))
    beside = (".gemini/settings.json",)
    moved_by = "GEMINI_CLI_HOME"
    deny_touch = (
        ".gemini/policies/mine.toml",
        '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch"\ndecision = "deny"\npriority = 500\n',
    )
    user_files = {
        ".gemini/settings.json": '// mine\n{\n\t"hooks": {"AfterAgent": [\n\t\t{"hooks": ['
        + json.dumps(HANDLER)
        + ']}]},\n\t"ui" : {"hideTips":true} /* quiet */ }'
    }
    own_hook = "own-hook"
    # else it starts itself a second time, with more memory
    light = {"GEMINI_CLI_NO_RELAUNCH": "true"}
    can = frozenset({"replace", "replace_failures", "resume", "delegate", "budget", "instructions"})
    cannot = {
        "subagents": "nothing in a payload tells a sub-agent: it shares the conversation of its parent",
        "compact": "its event before a compaction comes before every request, and none comes after one",
    }

    def argv(self, url: str, prompt: str, project: Path) -> list[str]:
        """The user allows these tools of the host, ours run by what setup wrote."""
        allowed = [part for tool in OWN_TOOLS for part in ("--allowed-tools", tool)]
        return ["--model", "gemini-2.5-pro", *allowed, "--prompt", prompt]

    def env(self, url: str) -> dict[str, str]:
        """The user trusts the folder by the host's own variable, since a moved home has no list of trusted folders."""
        return {
            "GEMINI_API_KEY": "test-key", "GOOGLE_GEMINI_BASE_URL": url, "GOOGLE_GENAI_USE_VERTEXAI": "true",
            "GOOGLE_API_KEY": "test-key", "GOOGLE_VERTEX_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true",
            **self.light, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": str(DEFAULTS),
            "NO_PROXY": "127.0.0.1,localhost", "NO_COLOR": "1",
        }  # fmt: skip

    def again(self, argv: list[str]) -> list[str]:
        return ["--resume", "latest", *argv]

    def read(self, file: Path, lines: int | None = None) -> Step:
        part = {"start_line": 1, "end_line": lines} if lines else {}
        return {"tool": "read_file", "args": {"file_path": str(file), **part}}

    def fetch(self, url: str) -> Step:
        return {"tool": "web_fetch", "args": {"prompt": f"How many heron nests does {url} count?"}}

    def edit(self, file: Path, old: str, new: str) -> list[Step]:
        change = {"file_path": str(file), "old_string": old, "new_string": new, "instruction": "mend it"}
        return [self.read(file), {"tool": "replace", "args": change}]

    def delegate(self, tasks: Sequence[str], main: str) -> list[Step]:
        """All in one turn."""
        agents = [
            {"tool": "invoke_agent", "args": {"agent_name": "generalist", "prompt": f"{task}: look it up"}}
            for task in tasks
        ]
        return [{"tools": agents, "if": main}]


HOST = GeminiCli()
