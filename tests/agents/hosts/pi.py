"""Pi, in print mode. Its model comes from an extension that is loaded for the run alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tests.agents.host import Compaction, Entry, Host
from tests.agents.models.base import Json, Step
from tests.agents.models.chat import Chat

if TYPE_CHECKING:
    from tests.agents.hostrun import HostRun, Played
    from tests.agents.tap import Heard

PROVIDER = """\
export default function (pi) {
  pi.registerProvider("stand-in", {
    baseUrl: %s, apiKey: "test-key", api: "openai-completions",
    models: [{
      id: "stand-in", name: "Stand-in", reasoning: false, input: ["text"], contextWindow: 110000, maxTokens: 4096,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    }],
  });
}
"""
OWN_EXTENSION = """\
import { appendFileSync } from "node:fs";
export default function (pi) {
  pi.on("session_shutdown", () => appendFileSync(`${process.env.HOME}/own-hook`, "ran\\n"));
}
"""
CONFIG = ".pi/agent"


class PiChat(Chat):
    """Its requests for a summary have a system text of their own. In the middle of a turn a compaction asks twice: for
    what was before the turn, and for the part of the turn that goes.
    """

    summary_marks = ("You are a context summarization assistant",)

    def wants_summary(self, words: str, body: Json) -> bool:
        wanted = super().wants_summary(words, body)
        if wanted and "Later messages are stored separately" in words and len(self.summaries) > 1:
            self.summaries.pop()
        return wanted


class Pi(Host):
    agent = "pi"
    program = "pi"
    model = PiChat
    tool_prefix = "mcp__context_mode__"
    shell_tool = "bash"
    entry = Entry(f"{CONFIG}/mcp.json", ("mcpServers", "context-mode"))
    beside = (f"{CONFIG}/mcp.json", f"{CONFIG}/extensions/context-mode.js", f"{CONFIG}/skills")
    moved_by = "PI_CODING_AGENT_DIR"
    user_files: ClassVar[dict[str, str]] = {
        f"{CONFIG}/mcp.json": '{"mcpServers" : {\n\t\t"other": {"command":"/bin/false","enabled": false}}, "mine":1 }',
        f"{CONFIG}/settings.json": '{"theme": "dark",\n   "compaction": {"keepRecentTokens": 1}}',
        f"{CONFIG}/extensions/mine.js": OWN_EXTENSION,
    }
    own_hook = "own-hook"
    can = frozenset({"replace", "replace_failures", "resume", "budget", "instructions"})
    cannot: ClassVar[dict[str, str]] = {
        "delegate": "it has no sub-agents of its own",
        "subagents": "it has no sub-agents of its own",
        "rules": "it has no permission rules of its own",
    }
    # it asks nothing of its user: the decision is one that the prompt holds
    compaction = Compaction({})

    def provider(self, run: HostRun, url: str) -> list[str]:
        """The flags that bring the model."""
        file = run.out / "provider.js"
        file.write_text(PROVIDER % json.dumps(f"{url}/v1"), encoding="utf-8")
        return ["-e", str(file), "--provider", "stand-in", "--model", "stand-in"]

    def start(self, run: HostRun, url: str, prompt: str, extra: Sequence[str], log: Path, *, resumed: bool) -> int:
        argv = ["--print", "--mode", "json", *self.provider(run, url)]
        argv += ["--continue"] if resumed else []
        return run.process([str(self.bin_dir / self.program), *argv, *extra, prompt], url, log)

    def env(self, url: str) -> dict[str, str]:
        return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}

    def prepare(self, home: Path, project: Path) -> None:
        """A user who keeps little of what was summed up."""
        settings = home / CONFIG / "settings.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        if not settings.exists():
            settings.write_text('{"compaction": {"keepRecentTokens": 1}}', encoding="utf-8")

    def read(self, file: Path, lines: int | None = None) -> Step:
        part = {"offset": 1, "limit": lines} if lines else {}
        return {"tool": "read", "args": {"path": str(file), **part}}

    def edit(self, file: Path, old: str, new: str) -> list[Step]:
        return [{"tool": "edit", "args": {"path": file.name, "edits": [{"oldText": old, "newText": new}]}}]

    def carried(self, call: Heard, played: Played) -> str:
        """The bridge adds the conversation to the call's arguments."""
        return f"{call.params['arguments']['_ctx_session']}/"


HOST = Pi()
