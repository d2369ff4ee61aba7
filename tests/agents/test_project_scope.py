"""A project that is set up by itself: in a file that its team shares, with the host's own yes to the server (R07)."""

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
    pytest.mark.parametrize("host", ["qwen-code"], indirect=True),
]
BIG = "seq -f 'line %g of it' 0 1499"


def test_project_scope(host: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> None:
    run = HostRun(host, home, project, tmp_path)
    path = f"{host.bin_dir}{os.pathsep}{os.environ['PATH']}"
    words = ("setup", "--agents", host.agent, "--scope", "project", "--project", str(project))
    done = run_cli(*words, env={"PATH": path}, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    said = "qwen mcp approve context-mode"
    assert f"`{said}`" in done.stdout
    search = host.call("ctx_search", queries=["line 700 of it"])

    played = run.play([host.shell(BIG), search, {"text": "over"}])
    assert "ctx_search" in played.of(host.shell_tool)[0].text
    assert "awaiting approval" in played.of("ctx_search")[0].text

    argv = [str(host.bin_dir / "qwen"), *said.split()[1:]]
    env = run.environment("http://127.0.0.1:9")
    subprocess.run(argv, cwd=project, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True)
    played = run.play([host.shell(BIG), search, {"text": "over"}])
    assert played.exit_code == 0, played.log
    assert "ctx_search" in played.of(host.shell_tool)[0].text
    assert "line 700 of it" in played.of("ctx_search")[0].text

    done = run_cli("setup", "--remove")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (project / ".qwen").exists()
