"""Claude Code, in print mode."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests.agents import answers
from tests.agents.host import CommandHost, Compaction, Entry, noted
from tests.agents.models.base import Step
from tests.agents.models.messages import Messages

if TYPE_CHECKING:
    from tests.agents.hostrun import Played
    from tests.agents.tap import Heard

HANDLER = {"type": "command", "command": 'cat > /dev/null; echo ran >> "$HOME/own-hook"'}
QUESTION = {
    "question": "Which hash?",
    "header": "Hash",
    "multiSelect": False,
    "options": [{"label": "bcrypt stays", "description": "old"}, {"label": "argon2", "description": "new"}],
}


class ClaudeCode(CommandHost):
    agent = "claude-code"
    program = "claude"
    model = Messages
    tool_prefix = "mcp__context-mode__"
    shell_tool = "Bash"
    entry = Entry(".claude.json", ("mcpServers", "context-mode"))
    beside = (".claude/settings.json", ".claude.json")
    moved_by = "CLAUDE_CONFIG_DIR"
    deny_touch = (".claude/settings.json", json.dumps({"permissions": {"deny": ["Bash(touch *)"]}}, indent=2) + "\n")
    user_files = {
        ".claude/settings.json": '{\n\t"hooks": {"Stop": [\n\t\t{"hooks": ['
        + json.dumps(HANDLER)
        + ']}]},\n\t"env" : {"A":"1"} }'
    }
    own_hook = "own-hook"
    allowed: tuple[str, ...] = ("Bash", "Read", "WebFetch", "Agent", "ToolSearch")
    can = frozenset({"replace", "resume", "delegate", "subagents", "budget", "instructions"})
    cannot = {"replace_failures": "a failed tool has an event of its own that takes no replacement"}
    # the user's choice is a decision: print mode has no questions unless somebody answers them
    compaction = Compaction(
        {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"},
        answers.flags(),
        "fix login",
        ({"tool": "AskUserQuestion", "args": {"questions": [QUESTION]}},),
    )

    def argv(self, url: str, prompt: str, project: Path) -> list[str]:
        """Permissions are the user's own: these tools by the flag, ours by what setup wrote."""
        return ["-p", prompt, "--allowedTools", *self.allowed]

    def env(self, url: str) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "test-key", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
        }  # fmt: skip

    def again(self, argv: list[str]) -> list[str]:
        return [*argv, "--continue"]

    def read(self, file: Path, lines: int | None = None) -> Step:
        part = {"offset": 1, "limit": lines} if lines else {}
        return {"tool": "Read", "args": {"file_path": str(file), **part}}

    def fetch(self, url: str) -> Step:
        return {"tool": "WebFetch", "args": {"url": url, "prompt": "How many heron nests?"}}

    def edit(self, file: Path, old: str, new: str) -> list[Step]:
        change = {"file_path": str(file), "old_string": old, "new_string": new}
        return [self.read(file), {"tool": "Edit", "args": change}]

    def delegate(self, tasks: Sequence[str], main: str) -> list[Step]:
        """All in one turn, in the foreground."""
        kind = {"subagent_type": "general-purpose", "run_in_background": False}
        agents = [
            {"tool": "Agent", "args": {"description": task, "prompt": f"{task}: look it up", **kind}} for task in tasks
        ]
        return [{"tools": agents, "if": main}]

    def carried(self, call: Heard, played: Played) -> str:
        """The host sends the id of the call, which our own note joins with the conversation."""
        call_id = call.meta["claudecode/toolUseId"]
        assert call_id in {result.call_id for result in played.results}
        return noted(self.agent, call_id)


HOST = ClaudeCode()
