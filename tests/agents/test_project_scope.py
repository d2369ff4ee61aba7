"""A project that is set up by itself, in a file that its team shares; one host wants its own yes as well (R07)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.conftest import Cli

pytestmark = [
    pytest.mark.agent,
    pytest.mark.timeout(1200),
    pytest.mark.parametrize(
        ("host", "approve"), [("qwen-code", "qwen mcp approve context-mode"), ("gemini-cli", None)], indirect=["host"]
    ),
]
BIG = "seq -f 'line %g of it' 0 1499"


def test_project_scope(
    host: Host, approve: str | None, home: Path, project: Path, tmp_path: Path, run_cli: Cli
) -> None:
    run = HostRun(host, home, project, tmp_path)
    path = f"{host.bin_dir}{os.pathsep}{os.environ['PATH']}"
    words = ("setup", "--agents", host.agent, "--scope", "project", "--project", str(project))
    done = run_cli(*words, env={"PATH": path}, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    search = host.call("ctx_search", queries=["line 700 of it"])
    if approve:
        assert f"`{approve}`" in done.stdout
        played = run.play([host.shell(BIG), search, {"text": "over"}])
        assert "ctx_search" in played.of(host.shell_tool)[0].text
        assert "awaiting approval" in played.of("ctx_search")[0].text
        program, *more = approve.split()
        subprocess.run(
            [str(host.bin_dir / program), *more], cwd=project, env=run.environment("http://127.0.0.1:9"),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True,
        )  # fmt: skip

    played = run.play([host.shell(BIG), search, {"text": "over"}])
    assert played.exit_code == 0, played.log
    assert "ctx_search" in played.of(host.shell_tool)[0].text
    assert "line 700 of it" in played.of("ctx_search")[0].text

    done = run_cli("setup", "--remove")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (project / host.entry.file).parent.exists()
