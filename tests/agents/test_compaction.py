"""After a compaction the state of the work comes back to the model, once."""

from __future__ import annotations

import json
import re

import pytest
from tests.agents.hostrun import HostRun

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
COMPACT_AT = {
    "claude-code": ({"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}, ()),
    "codex": ({}, ("-c", "model_auto_compact_token_limit=20000")),
}
PROMPT = "Rename the heron module to egret everywhere."
BLOCK = re.compile(r"<context_mode_state session=.*?</context_mode_state>", re.DOTALL)


def test_the_state_block_comes_once(run: HostRun) -> None:
    variables, flags = COMPACT_AT[run.host.agent]
    run.env.update(variables)
    steps = [run.host.shell(f"echo step {n}") for n in range(4)]
    steps[1]["input_tokens"] = 99_000
    played = run.play([*steps, {"text": "over"}], PROMPT, *flags)
    assert played.exit_code == 0, played.log
    assert len(played.summaries) == 1
    seen = [BLOCK.findall(json.dumps(body)) for body in played.requests]
    assert [len(blocks) for blocks in seen] == [0, 0, 1, 1, 1]
    [block] = {block for blocks in seen for block in blocks}
    assert PROMPT in block
    assert len(block.encode()) <= 2_200  # 2,048 B and JSON's escapes
