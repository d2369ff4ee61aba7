"""The page for a new agent, by the letter: a newcomer copies its blocks one after the other."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
from pathlib import Path

from tests import only
from tests.conftest import ROOT
from tests.docs.pages import DOCS, blocks

SHELL = [block.text for block in blocks(DOCS / "add-an-agent.md") if block.language == "sh"]


@only.POSIX
def test_the_blocks_do_what_they_say(home: Path, tmp_path: Path) -> None:
    copied, validated, tried, called = SHELL
    copied = copied.replace("~/src/context-mode", str(ROOT))
    named = "sed -i.old 's/^id: .*/id: kimi-code/' kimi-code.yaml"
    script = f"set -eu\n{copied}\n{named}\n{validated}\n{tried}\necho ---\n{called}"
    path = os.pathsep.join([sysconfig.get_path("scripts"), "/usr/local/bin", "/usr/bin", "/bin"])
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env={**os.environ, "PATH": path, "TMPDIR": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    before, _, after = done.stdout.partition("\n---\n")
    assert "kimi-code.yaml: valid" in before
    reply = json.loads(after.splitlines()[-1])["hookSpecificOutput"]
    assert reply["permissionDecision"] == "deny"
    assert 'ctx_index({"url":"https://example.com/"})' in reply["permissionDecisionReason"]
    assert sorted(home.iterdir()) == [home / ".context-mode"]
