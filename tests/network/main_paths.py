"""The main paths of everyday work, once: `main_paths.py HOME PROJECT`; run in a network namespace of its own.

Prints what the kernel counted there, as JSON: every attempt to reach anything, of any process, by name or by address.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.faults.conftest import AGENT, LAUNCH, Hooks, printed  # noqa: E402
from tests.network.counters import counted  # noqa: E402
from tests.server.conftest import Host  # noqa: E402

EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse-Bash", "PreToolUse-Read", "PreToolUse-WebFetch", "PostToolUse-Bash",
    "PostToolUse-Edit", "PreCompact-auto", "SessionStart-compact", "Stop", "SessionEnd",
)  # fmt: skip
CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("ctx_execute", {"language": "sh", "code": "seq 1 9000", "intent": "777"}),
    ("ctx_batch", {"commands": ["echo one"], "queries": ["one"]}),
    ("ctx_index", {"text": printed("pangolin"), "label": "text"}),
    ("ctx_index", {"path": "."}),
    ("ctx_search", {"queries": ["pangolin"]}),
    ("ctx_resume", {}),
    ("ctx_stats", {}),
    ("ctx_doctor", {}),
    ("ctx_purge", {"source": "text"}),
)


def cli(project: Path, *words: str) -> None:
    command = [sys.executable, "-P", "-m", "context_mode_installer.cli", *words]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)


def work(home: Path, project: Path) -> None:
    cli(project, "setup", "--agents", "claude-code,codex")
    cli(project, "doctor", "--offline")
    hooks = Hooks(home, project)
    for name in EVENTS:
        hooks.run(name.partition("-")[0], {}, name=name)
    assert hooks.denies()
    command = [sys.executable, "-I", "-S", str(LAUNCH), "serve", "--agent", AGENT]
    server = subprocess.Popen(
        command, cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    host = Host(server, [])
    host.handshake()
    host.ask("tools/list")
    for tool, arguments in CALLS:
        text, failed = host.call(tool, arguments)
        assert not failed, text
    assert host.close() == 0
    for words in (("stats",), ("search", "line"), ("agents",), ("policy", "show"), ("demo",), ("purge", "--project")):
        cli(project, *words)
    cli(project, "setup", "--remove", "--data")


if __name__ == "__main__":
    assert os.environ["HOME"] == sys.argv[1]
    work(Path(sys.argv[1]), Path(sys.argv[2]))
    print(json.dumps(counted()))
