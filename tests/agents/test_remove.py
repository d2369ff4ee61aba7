"""After `setup --remove` the agent works as it did before us, and the user's own files are as they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.agents.conftest import set_up
from tests.agents.hostrun import Host, HostRun
from tests.conftest import Cli

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
# what the user had: oddly formatted, with a hook of the user's own beside ours
HANDLER = {"type": "command", "command": 'cat > /dev/null; echo ran >> "$HOME/own-hook"'}
USER_FILES = {
    "claude-code": {
        ".claude/settings.json": '{\n\t"hooks": {"Stop": [\n\t\t{"hooks": ['
        + json.dumps(HANDLER)
        + ']}]},\n\t"env" : {"A":"1"} }'
    },
    "codex": {
        ".codex/config.toml": '# mine\nmodel_reasoning_effort="low"   # fast\n\n[tui]\nnotifications  = false\n',
        ".codex/hooks.json": '{"description": "mine",\n   "hooks": {}}\n',
    },
}


def test_the_agent_is_as_before(host: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> None:
    for name, text in USER_FILES[host.agent].items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    run = set_up(host, HostRun(host, home, project, tmp_path), run_cli)
    big = host.shell('i=0; while [ $i -lt 1500 ]; do echo "line $i of it"; i=$((i+1)); done')
    assert "ctx_search" in run.play([big, {"text": "over"}]).results[0].text

    done = run_cli("setup", "--remove")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {name: (home / name).read_text(encoding="utf-8") for name in USER_FILES[host.agent]} == USER_FILES[
        host.agent
    ]
    played = run.play([big, {"text": "over"}])
    assert played.exit_code == 0, played.log
    assert "line 700 of it" in played.results[0].text
    assert "ctx_" not in "".join(played.offered)
    if host.agent == "claude-code":
        assert (home / "own-hook").read_text(encoding="utf-8") == "ran\nran\n"
