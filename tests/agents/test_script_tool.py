"""A host whose newer models call tools from a script: what the script filters is not replaced under its hands."""

from __future__ import annotations

import pytest
from tests.agents.hostrun import HostRun

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200), pytest.mark.parametrize("host", ["codex"], indirect=True)]
SCRIPT_MODEL = ("-c", 'model="gpt-6.2-sol"')
FILTER = """
const printed = await tools.exec_command({cmd: "sh report.sh"});
const lines = printed.output.split("\\n");
text("lines " + lines.filter(line => line.startsWith("line ")).length + " last " + lines.includes("line 2999"));
"""
OURS = """
const stored = await tools.mcp__context_mode__ctx_index({text: "The ibis nests at Cormorant Rock.", label: "birds"});
const found = await tools.mcp__context_mode__ctx_search({queries: ["where does the ibis nest"]});
text(JSON.stringify(stored) + JSON.stringify(found));
"""


def test_a_script_gets_the_whole_output(run: HostRun) -> None:
    loop = 'i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done\n'
    (run.project / "report.sh").write_text(loop, encoding="utf-8")
    played = run.play([{"tool": "exec", "args": {"input": FILTER}}, {"text": "over"}], "Run it.", *SCRIPT_MODEL)
    assert played.exit_code == 0, played.log
    [result] = played.results
    assert "lines 3000 last true" in result.text


def test_a_script_calls_our_tools(run: HostRun) -> None:
    played = run.play([{"tool": "exec", "args": {"input": OURS}}, {"text": "over"}], "Run it.", *SCRIPT_MODEL)
    assert played.exit_code == 0, played.log
    [result] = played.results
    assert "Indexed 1 source(s)" in result.text
    assert "Cormorant Rock" in result.text.split("Indexed", 1)[1]
