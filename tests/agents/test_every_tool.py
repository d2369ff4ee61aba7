"""Every tool that the server offers, called by its name by a real agent, over the agent's own connection."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.agents.hostrun import HostRun
from tests.agents.tap import Tap

from context_mode_runtime.server.tools.registry import TOOLS

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
CALLS: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("calls.yaml"))


def test_no_tool_is_forgotten() -> None:
    assert {call["tool"] for call in CALLS} == {tool.name for tool in TOOLS}


def test_each_tool_answers_through_the_agent(run: HostRun, tmp_path: Path) -> None:
    (run.project / "notes.md").write_text("# Notes\n\nThe wombat digs at night.\n", encoding="utf-8")
    tap = Tap(run.host, run.home, tmp_path)
    script = [run.host.call(call["tool"], **call["arguments"]) for call in CALLS]
    played = run.play([*script, {"text": "over"}], "call them all")
    assert played.exit_code == 0, played.log

    heard = {tool.name: iter(tap.calls(tool.name)) for tool in TOOLS}
    for call, result in zip(CALLS, played.results, strict=True):
        answer = next(heard[call["tool"]])
        first, holds = (call[name].replace("AGENT", run.host.agent) for name in ("first", "holds"))
        assert not answer.is_error, answer.text
        assert re.fullmatch(first, answer.text.split("\n")[0]), answer.text
        assert holds in answer.text
        assert answer.text in result.text
    assert all(next(rest, None) is None for rest in heard.values())


def test_each_tool_is_in_the_agents_list(run: HostRun) -> None:
    played = run.play([*run.host.search_tools(), {"text": "over"}])
    assert played.exit_code == 0, played.log
    found = {name for name in played.offered for tool in TOOLS if name.endswith(tool.name)}
    assert len(found) == len(TOOLS), played.offered
