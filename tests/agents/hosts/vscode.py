"""VS Code's own chat agent, in a window of code-server."""

from __future__ import annotations

import json
import queue
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests.agents.host import Compaction, Entry, Host
from tests.agents.models.base import Step
from tests.agents.models.vscode import VsCode
from tests.agents.window import Window

if TYPE_CHECKING:
    from tests.agents.hostrun import HostRun, Played
    from tests.agents.tap import Heard

LIMIT_S = 300
MOVED = re.compile(r"^Large tool result .* access the content at: (.+)$", re.MULTILINE)
DATA = ".config/Code"
HOOK = ".copilot/hooks/mine.json"


class VsCodeChat(Host):
    agent = "vscode"
    program = "code-server"
    model = VsCode
    tool_prefix = "mcp_context-mode_"
    shell_tool = "run_in_terminal"
    entry = Entry(f"{DATA}/User/mcp.json", ("servers", "context-mode"))
    beside = (f"{DATA}/User/mcp.json",)
    moved_by = "VSCODE_PORTABLE"
    user_files = {
        f"{DATA}/User/mcp.json": '{\n  // servers of mine\n\t"servers": {},\n  "inputs":[ ],\n}',
        HOOK: '{"hooks": {"Stop": [{"type": "command", "command": "echo ran >> \\"$HOME/own-hook\\""}]}}',
    }
    own_hook = "own-hook"
    can = frozenset({"delegate", "budget", "instructions"})
    cannot = {
        "replace": "what a tool printed is never replaced; text added after it comes a turn late",
        "replace_failures": "what a tool printed is never replaced",
        "resume": "a chat that goes on starts no session",
        "subagents": "a sub-agent's calls carry the id of its chat",
        "rules": "the lists of its settings say what needs no question; they forbid nothing",
    }
    compaction = Compaction({}, in_last=1)
    window: Window | None = None
    _seen: bytes = b""

    def start(self, run: HostRun, url: str, prompt: str, extra: Sequence[str], log: Path, *, resumed: bool) -> int:
        """One prompt in the window of this test; a window is opened anew when the user's files have changed."""
        moved = run.env.get(self.moved_by)
        data = Path(moved, "user-data") if moved else run.home / DATA
        entries = [folder / "mcp.json" for folder in (data / "User", run.project / ".vscode")]
        servers = b"".join(file.read_bytes() for file in entries if file.is_file())
        seen = servers + b"".join(file.read_bytes() for file in sorted((run.home / ".copilot/hooks").glob("*.json")))
        if self.window and seen != self._seen:
            self.close()
        if self.window is None:
            self.window = Window(self.bin_dir, run.environment(url), run.project, run.out, data)
            self._seen = seen
        order = {"model": url, "prompt": prompt, "fresh": not resumed, "servers": b'"command"' in servers}
        try:
            done = self.window.follow(order, LIMIT_S)
        except queue.Empty:
            return 124
        log.write_text(json.dumps(done, indent=1), encoding="utf-8")
        return 1 if done["errors"] else 0

    def close(self) -> None:
        if self.window:
            self.window.close()
        self.window = None

    def env(self, url: str) -> dict[str, str]:
        return {}

    def prepare(self, home: Path, project: Path) -> None:
        (home / DATA / "User").mkdir(parents=True, exist_ok=True)

    def shell(self, command: str, **args: object) -> Step:
        words = {"command": command, "explanation": "a step", "goal": "a step", "mode": "sync"}
        return {"tool": self.shell_tool, "args": {**words, **args}}

    def read(self, file: Path, lines: int | None = None) -> Step:
        return {"tool": "read_file", "args": {"filePath": str(file), "startLine": 1, "endLine": lines or 100_000}}

    def whole(self, text: str) -> str:
        moved = MOVED.search(text)
        return Path(moved.group(1)).read_text("utf-8") if moved else text

    def edit(self, file: Path, old: str, new: str) -> list[Step]:
        change = {"filePath": str(file), "oldString": old, "newString": new}
        return [{"tool": "replace_string_in_file", "args": change}]

    def delegate(self, tasks: Sequence[str], main: str) -> list[Step]:
        calls = [{"tool": "runSubagent", "args": {"prompt": f"{one}: look it up", "description": one}} for one in tasks]
        return [{"tools": calls, "if": main}]

    def carried(self, call: Heard, played: Played) -> str:
        conversation: str = call.meta["vscode.conversationId"]
        return conversation


HOST = VsCodeChat()
