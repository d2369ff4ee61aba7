"""Codex, by `codex exec`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests.agents.host import CommandHost, Compaction, Entry
from tests.agents.models.base import Step
from tests.agents.models.responses import Responses

if TYPE_CHECKING:
    from tests.agents.hostrun import Played
    from tests.agents.tap import Heard


class Codex(CommandHost):
    agent = "codex"
    program = "codex"
    model = Responses
    tool_prefix = "mcp__context_mode__"
    shell_tool = "exec_command"
    shell_key = "cmd"
    entry = Entry(".codex/config.toml", ("mcp_servers", "context-mode"), tomllib.loads)
    beside = (".codex/config.toml",)
    moved_by = "CODEX_HOME"
    deny_touch = (".codex/rules/default.rules", 'prefix_rule(pattern=["touch"], decision="forbidden")\n')
    user_files = {
        ".codex/config.toml": '# mine\nmodel_reasoning_effort="low"   # fast\n\n[tui]\nnotifications  = false\n',
        ".codex/hooks.json": '{"description": "mine",\n   "hooks": {}}\n',
    }
    # it cuts the middle before any hook sees the output
    fact_at = (40, 2_820)
    can = frozenset({"replace", "replace_failures", "resume", "delegate", "subagents", "budget", "instructions"})
    # its question tool is refused in `codex exec`: the decision is one that the prompt holds
    compaction = Compaction({}, ("-c", "model_auto_compact_token_limit=20000"))

    def argv(self, url: str, prompt: str, project: Path) -> list[str]:
        """The command sandbox is off (containers have none); hook trust and tool approval are what setup wrote."""
        provider = (
            f'{{name="stand-in",base_url="{url}/v1",wire_api="responses",env_key="STAND_IN_KEY",'
            "request_max_retries=0,stream_max_retries=0,supports_websockets=false}"
        )
        settings = [
            'model="gpt-5.5"',
            f"model_providers.standin={provider}", 'model_provider="standin"', "check_for_update_on_startup=false",
            "analytics.enabled=false", "feedback.enabled=false", 'sandbox_mode="danger-full-access"',
            f'projects={{{json.dumps(str(project))}={{trust_level="trusted"}}}}',
        ]  # fmt: skip
        flags = [part for setting in settings for part in ("-c", setting)]
        return ["exec", "--skip-git-repo-check", "-C", str(project), *flags, prompt]

    def env(self, url: str) -> dict[str, str]:
        return {"STAND_IN_KEY": "test-key"}

    def again(self, argv: list[str]) -> list[str]:
        return [*argv[:-1], "resume", "--last", argv[-1]]

    def prepare(self, home: Path, project: Path) -> None:
        (home / ".codex").mkdir(exist_ok=True)

    def edit(self, file: Path, old: str, new: str) -> list[Step]:
        hunks = [f"@@\n-{line}\n+{line.replace(old, new)}" for line in file.read_text().splitlines() if old in line]
        body = "\n".join(["*** Begin Patch", f"*** Update File: {file.name}", *hunks, "*** End Patch", ""])
        return [{"tool": "apply_patch", "args": {"input": body}}]

    def search_tools(self) -> list[Step]:
        return [{"tool": "tool_search", "args": {"query": "context mode ctx", "limit": 20}}]

    def delegate(self, tasks: Sequence[str], main: str) -> list[Step]:
        """The agent tools are found by a tool search; then start all, then wait for each."""

        def wait(n: int) -> Callable[[list[str]], Step]:
            def step(results: list[str]) -> Step:
                ids = [json.loads(text)["agent_id"] for text in results if text.startswith('{"agent_id"')]
                return {"tool": "wait_agent", "args": {"targets": [ids[n]], "timeout_ms": 120_000}}

            return step

        spawn = [{"tool": "spawn_agent", "args": {"message": f"{task}: look it up"}} for task in tasks]
        search: Step = {"tool": "tool_search", "args": {"query": "spawn agent wait", "limit": 8}}
        steps: list[Step] = [search, {"tools": spawn}, *({"then": wait(n)} for n in range(len(tasks)))]
        return [{**step, "if": main} for step in steps]

    def carried(self, call: Heard, played: Played) -> str:
        """The host sends its conversation and thread with each call."""
        assert call.meta["callId"] in {result.call_id for result in played.results}
        return f"{call.meta['sessionId']}/{call.meta['threadId']}"


HOST = Codex()
