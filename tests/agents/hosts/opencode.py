"""OpenCode, by `opencode run`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tests.agents.host import CommandHost, Compaction, Entry
from tests.agents.models.base import Step
from tests.agents.models.chat import Chat

if TYPE_CHECKING:
    from tests.agents.hostrun import Played
    from tests.agents.tap import Heard

SCHEMA = "https://opencode.ai/config.json"
CONFIG = ".config/opencode/opencode.json"
DEAD = "http://127.0.0.1:9/"


class Model(Chat):
    """It asks for a summary with these words."""

    summary_marks: ClassVar[tuple[str, ...]] = ("anchored summary", "context summarization")


class OpenCode(CommandHost):
    agent = "opencode"
    program = "opencode"
    model = Model
    tool_prefix = "context-mode_"
    shell_tool = "bash"
    entry = Entry(CONFIG, ("mcp", "context-mode"), first=True)
    beside = (CONFIG, ".config/opencode/plugins/context-mode.js")
    moved_by = "XDG_CONFIG_HOME"
    deny_touch = (CONFIG, json.dumps({"$schema": SCHEMA, "permission": {"bash": {"*": "allow", "touch *": "deny"}}}))
    user_files = {
        ".config/opencode/opencode.jsonc": f'{{\n\t"$schema" : "{SCHEMA}",  // mine\n\t"username":"heron, ]",\n}}\n',
        ".config/opencode/plugins/mine.js": 'import { appendFileSync } from "node:fs";\n'
        'const ran = () => appendFileSync(`${process.env.HOME}/own-hook`, "ran\\n");\n'
        "export const Mine = async () => ({ dispose: async () => ran() });\n",
    }
    own_hook = "own-hook"
    can = frozenset({"replace", "replace_failures", "resume", "delegate", "subagents", "budget", "instructions"})
    # nobody answers its question tool in `opencode run`: the decision is one that the prompt holds
    compaction = Compaction({})

    def argv(self, url: str, prompt: str, project: Path) -> list[str]:
        """Permissions are the user's own. It puts quotes around a prompt of several words, but not around words."""
        return ["run", "--model", "stand-in/stand-in", "--format", "json", *prompt.split(" ")]

    def env(self, url: str) -> dict[str, str]:
        """Its model comes by a variable, over the files that setup wrote; npm, which it starts, reaches nothing."""
        model = {"name": "Stand-in", "tool_call": True, "limit": {"context": 100_000, "output": 4_096}}
        options = {"baseURL": f"{url}/v1", "apiKey": "test-key"}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "Stand-in", "options": options}
        config = {
            "$schema": SCHEMA, "model": "stand-in/stand-in", "small_model": "stand-in/stand-in",
            "autoupdate": False, "share": "disabled", "snapshot": False,
            "provider": {"stand-in": {**provider, "models": {"stand-in": model}}},
        }  # fmt: skip
        still = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE")
        return {
            "OPENCODE_CONFIG_CONTENT": json.dumps(config),
            **{f"OPENCODE_DISABLE_{name}": "1" for name in still},
            "npm_config_registry": DEAD, "npm_config_fetch_retries": "0",
        }  # fmt: skip

    def again(self, argv: list[str]) -> list[str]:
        return [argv[0], "--continue", *argv[1:]]

    def read(self, file: Path, lines: int | None = None) -> Step:
        return {"tool": "read", "args": {"filePath": str(file), **({"limit": lines} if lines else {})}}

    def fetch(self, url: str) -> Step:
        return {"tool": "webfetch", "args": {"url": url, "format": "text"}}

    def edit(self, file: Path, old: str, new: str) -> list[Step]:
        return [self.read(file), {"tool": "edit", "args": {"filePath": str(file), "oldString": old, "newString": new}}]

    def delegate(self, tasks: Sequence[str], main: str) -> list[Step]:
        """All in one turn."""
        kind = {"subagent_type": "general"}
        agents = [
            {"tool": "task", "args": {"description": task, "prompt": f"{task}: look it up", **kind}} for task in tasks
        ]
        return [{"tools": agents, "if": main}]

    def take_out(self, home: Path, folder: Path) -> None:
        """It has no command for that: the folder goes from the list in its config."""
        config = home / CONFIG
        said = json.loads(config.read_text("utf-8"))
        said["plugin"].remove(str(folder))
        config.write_text(json.dumps(said), encoding="utf-8")

    def carried(self, call: Heard, played: Played) -> str:
        """The bridge adds who is calling to the arguments; a sub-agent is a conversation below another."""
        arguments = call.params["arguments"]
        assert arguments["_ctx_session"].startswith("ses_")
        return f"{arguments['_ctx_session']}/{arguments.get('_ctx_subagent', '')}"


HOST = OpenCode()
