"""Qwen Code, without a window."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests.agents.host import CommandHost, Compaction, Entry
from tests.agents.models.base import Step
from tests.agents.models.chat import Chat

if TYPE_CHECKING:
    from tests.agents.hostrun import HostRun

HANDLER = {"type": "command", "command": 'cat > /dev/null; echo ran >> "$HOME/own-hook"'}
OWN_TOOLS = ("run_shell_command", "read_file", "edit", "web_fetch", "agent")
PRINTS = ("seq ", "echo ", "printf ")
# the lowest layer of its settings: nothing goes out, and a context window that the script can fill
DEFAULTS = {
    "$version": 4,
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
    "telemetry": {"enabled": False},
    "memory": {"enableManagedAutoMemory": False},
    "model": {"generationConfig": {"contextWindowSize": 128_000}},
}


class QwenChat(Chat):
    """Its requests for a summary end with these words; an answer in another form is asked for again."""

    summary_marks = ("produce the <state_snapshot> XML",)
    summary = "<state_snapshot>SUMMARY OF THE CONVERSATION</state_snapshot>"


class QwenCode(CommandHost):
    agent = "qwen-code"
    program = "qwen"
    model = QwenChat
    tool_prefix = "mcp__context-mode__"
    shell_tool = "run_shell_command"
    entry = Entry(".qwen/settings.json", ("mcpServers", "context-mode"))
    beside = (".qwen/settings.json",)
    moved_by = "QWEN_HOME"
    deny_touch = (".qwen/settings.json", '{"permissions": {"deny": ["Shell(touch *)"]},\n "$version": 4}\n')
    user_files = {
        ".qwen/settings.json": '// mine\n{\n\t"hooks": {"Stop": [\n\t\t{"hooks": ['
        + json.dumps(HANDLER)
        + ']}]},\n\t"ui" : {"hideTips":true}, /* quiet */ "$version": 4 }'
    }
    own_hook = "own-hook"
    can = frozenset({"replace", "resume", "delegate", "subagents", "budget", "instructions"})
    cannot = {"replace_failures": "a failed tool has an event of its own that takes no replacement"}
    # its question tool is not there without a window: the decision is one that the prompt holds;
    # what a session start adds stands in the request after the next one
    compaction = Compaction({}, in_last=1)

    def argv(self, url: str, prompt: str, project: Path) -> list[str]:
        """The user allows these tools of the host, ours run by what setup wrote."""
        allowed = [part for tool in OWN_TOOLS for part in ("--allowed-tools", tool)]
        return ["--auth-type", "openai", "--approval-mode", "default", *allowed, "--prompt", prompt]

    def env(self, url: str) -> dict[str, str]:
        return {
            "OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "stand-in",
            "QWEN_CODE_NO_RELAUNCH": "true", "QWEN_TELEMETRY_ENABLED": "false",
            "NO_PROXY": "127.0.0.1,localhost", "NO_COLOR": "1",
        }  # fmt: skip

    def again(self, argv: list[str]) -> list[str]:
        return ["--continue", *argv]

    def start(self, run: HostRun, url: str, prompt: str, extra: Sequence[str], log: Path, *, resumed: bool) -> int:
        defaults = run.out / "system-defaults.json"
        defaults.write_text(json.dumps(DEFAULTS), encoding="utf-8")
        run.env["QWEN_CODE_SYSTEM_DEFAULTS_PATH"] = str(defaults)
        return super().start(run, url, prompt, extra, log, resumed=resumed)

    def shell(self, command: str, **args: object) -> Step:
        """The host loses what a quick command printed, about one `seq` in seven: here it stays a moment longer."""
        return super().shell(f"{command}; sleep 0.3" if command.startswith(PRINTS) else command, **args)

    def read(self, file: Path, lines: int | None = None) -> Step:
        part = {"offset": 0, "limit": lines} if lines else {}
        return {"tool": "read_file", "args": {"file_path": str(file), **part}}

    def fetch(self, url: str) -> Step:
        return {"tool": "web_fetch", "args": {"url": url, "prompt": "How many heron nests?"}}

    def edit(self, file: Path, old: str, new: str) -> list[Step]:
        change = {"file_path": str(file), "old_string": old, "new_string": new}
        return [self.read(file), {"tool": "edit", "args": change}]

    def delegate(self, tasks: Sequence[str], main: str) -> list[Step]:
        """All in one turn, in the foreground."""
        kind = {"subagent_type": "general-purpose", "run_in_background": False}
        agents = [
            {"tool": "agent", "args": {"description": task, "prompt": f"{task}: look it up", **kind}} for task in tasks
        ]
        return [{"tools": agents, "if": main}]


HOST = QwenCode()
