"""Installs the real agents, pinned, from npm into a cache folder; safe when several processes do it at once.

The cache is `$CONTEXT_MODE_TEST_CACHE`, else `~/.cache/context-mode-tests`. Run as a script it installs all of them.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(os.environ.get("CONTEXT_MODE_TEST_CACHE") or Path("~/.cache/context-mode-tests").expanduser())
LIMIT_S = 900


class MissingAgentError(Exception):
    """The agent can't be had here: no npm, no network, or a package that doesn't run."""


@dataclass(frozen=True)
class Pin:
    """One npm package at one version, what npm puts beside it, and the program that it brings.

    `inside`: a folder of the package that is a package itself; npm installs what it asks for, too, and runs no install
    script but those of `beside`. `needs`: programs of which one has to be on PATH.
    """

    agent: str
    package: str
    version: str
    program: str
    beside: tuple[str, ...] = ()
    inside: str | None = None
    needs: tuple[str, ...] = ()


PINS = (
    Pin("claude-code", "@anthropic-ai/claude-code", "2.1.332", "claude", beside=("node@24",)),
    Pin("codex", "@openai/codex", "0.171.0", "codex"),
    Pin("gemini-cli", "@google/gemini-cli", "0.61.0", "gemini"),
    Pin("copilot-cli", "@github/copilot", "1.0.102", "copilot"),
    Pin("pi", "@earendil-works/pi-coding-agent", "1.6.0", "pi", beside=("node@24",)),
    Pin("pi-old", "@mariozechner/pi-coding-agent", "0.73.1", "pi"),
    Pin("qwen-code", "@qwen-code/qwen-code", "0.24.4", "qwen", beside=("node@24",)),
    Pin(
        "vscode",
        "code-server",  # holds VS Code 1.139.1 with Copilot Chat 0.67.0
        "4.139.1",
        "code-server",
        beside=("node@24.21.0",),
        inside="lib/vscode",
        needs=("chromium", "chromium-browser", "google-chrome"),
    ),
    Pin("opencode", "opencode-ai", "1.18.33", "opencode"),
    Pin(
        "mcp-clients",
        "@modelcontextprotocol/inspector",
        "2.12.0",
        "mcp-inspector",
        beside=("node@24.21.0", "@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/sdk@1.32.2"),
    ),
)


def bin_dir(agent: str, env: dict[str, str] | None = None) -> Path:
    """The folder with the agent's program (and node, where it wants a newer one), installed on the first call.

    `env` is the environment for npm. Raises MissingAgentError.
    """
    [pin] = [pin for pin in PINS if pin.agent == agent]
    folder = CACHE / f"{pin.agent}-{pin.version}"
    programs = folder / "node_modules" / ".bin"
    if pin.needs and not any(map(shutil.which, pin.needs)):
        raise MissingAgentError(f"{pin.package} needs {' or '.join(pin.needs)} on PATH")
    if programs.is_dir():
        return programs
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
        with (CACHE / f"{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not programs.is_dir():
                _install(pin, folder, env)
    except OSError as error:
        raise MissingAgentError(f"{CACHE}: {error}") from error
    return programs


def _install(pin: Pin, folder: Path, env: dict[str, str] | None) -> None:
    if not shutil.which("npm"):
        raise MissingAgentError("npm is not on PATH")
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=CACHE))
    try:
        (made / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        package, install = f"{pin.package}@{pin.version}", ["npm", "install", "--no-audit", "--no-fund"]
        scripts = [*install, "--engine-strict=false", "--ignore-scripts=false"]
        if pin.inside is None:
            _run([*scripts, *pin.beside, package], made, env)
        else:
            plain = [*install, "--engine-strict=false", "--ignore-scripts"]
            _run([*scripts, *pin.beside], made, env)
            _run([*plain, package], made, env)
            _run([*plain, "--omit=dev"], made / "node_modules" / pin.package / pin.inside, env)
        _check(pin, made, env)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _check(pin: Pin, made: Path, env: dict[str, str] | None) -> None:
    """The program runs and is the pinned one. It runs in a throw-away home: agents write there even for this."""
    programs = made / "node_modules" / ".bin"
    with tempfile.TemporaryDirectory() as home:
        path = f"{programs}{os.pathsep}{(env or os.environ).get('PATH', os.defpath)}"
        said = _run([str(programs / pin.program), "--version"], made, {"HOME": home, "PATH": path})
    if pin.version not in said:
        raise MissingAgentError(f"{pin.package}: {pin.version} wanted, {said.strip()!r} found")


def _run(command: list[str], folder: Path, env: dict[str, str] | None) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingAgentError(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        raise MissingAgentError(
            f"{' '.join(command)}: exit {done.returncode}: {(done.stdout + done.stderr).strip()[-1000:]}"
        )
    return done.stdout + done.stderr


def main() -> int:
    """Installs every pinned agent and says where."""
    try:
        for pin in PINS:
            print(f"{pin.agent} {pin.version}: {bin_dir(pin.agent)}", flush=True)
    except MissingAgentError as error:
        print(f"install.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
