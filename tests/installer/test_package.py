"""`context-mode package`: the folder of each host's own form, and the runtime that starts from it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests import only

from context_mode_installer import launchers
from context_mode_installer.commands import package
from context_mode_installer.native.make import MARK
from context_mode_installer.native.starters import FOLDERS, FRAMEWORK
from context_mode_installer.result import UserError
from context_mode_installer.specs.catalog import find_spec, usable_specs
from context_mode_installer.specs.model import AgentSpec, Native
from context_mode_runtime.server.tools.registry import TOOLS
from context_mode_runtime.version import VERSION

SPECS = [spec for spec in usable_specs() if spec.native]
ROOT = Path(__file__).parents[2]


def native_of(spec: AgentSpec) -> Native:
    assert spec.native is not None
    return spec.native


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_the_same_bytes_wherever_it_is_made(spec: AgentSpec, home: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "with blank/two"
    done = package.run(spec.id, one)
    package.run(spec.id, two)
    assert files(one) == files(two)
    assert sorted(done.data["files"]) == sorted(files(one))
    for data, _ in files(one).values():
        assert not [place for place in (tmp_path, home, ROOT, Path(sys.prefix)) if os.fsencode(place) in data]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_what_it_holds(spec: AgentSpec, tmp_path: Path) -> None:
    native = native_of(spec)
    package.run(spec.id, tmp_path / "dir")
    inside = tmp_path / "dir" / (native.folder or "")
    mark = json.loads((inside / MARK).read_text())
    assert (mark["agent"], mark["version"]) == (spec.id, VERSION)
    assert (inside / "LICENSE").read_text().startswith("MIT License")
    assert [path.stat().st_mode & 0o111 for path in (inside / "bin").iterdir()] == [0o111] * 4
    said = "".join((tmp_path / "dir" / file.path).read_text() for file in native.files)
    assert not [hole for hole in ("{hooks}", "{mcp}", "{serve}", "{hook}", "{version}", "{token}") if hole in said]
    if spec.hooks:
        names = [host.name for event in spec.events for host in event.hosts if host.only is None]
        assert [name for name in names if name not in said] == []
    if native.skills:
        text = (inside / native.skills / "ctx-stats/SKILL.md").read_text()
        assert native.tool_name.replace("{tool}", "ctx_stats") in text


def test_made_again_it_renews_what_differs(tmp_path: Path) -> None:
    folder = tmp_path / "dir"
    package.run("codex", folder)
    before = files(folder)
    mark = folder / "plugins/context-mode" / MARK
    said = json.loads(mark.read_text())
    said["files"].append("plugins/context-mode/old/gone.py")
    mark.write_text(json.dumps(said))
    (folder / "plugins/context-mode/old").mkdir()
    (folder / "plugins/context-mode/old/gone.py").write_text("x")
    (folder / "README.md").write_text("the user's own")
    (folder / "plugins/context-mode/bin/context-mode-hook").write_text("broken")
    package.run("codex", folder)
    after = files(folder)
    assert after.pop("README.md") == (b"the user's own", 0o644)
    assert after == before
    assert not (folder / "plugins/context-mode/old").exists()


def test_a_folder_of_others_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "dir"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    with pytest.raises(UserError, match="is not empty and holds no package of ours"):
        package.run("codex", folder)
    with pytest.raises(UserError, match="is no folder"):
        package.run("codex", folder / "mine.txt")
    assert list(files(folder)) == ["mine.txt"]


def test_the_folder_of_another_agents_package_is_left_alone(tmp_path: Path) -> None:
    package.run("codex", tmp_path / "dir")
    before = files(tmp_path / "dir")
    with pytest.raises(UserError, match="holds the package for codex"):
        package.run("claude-code", tmp_path / "dir")
    assert files(tmp_path / "dir") == before


@pytest.mark.parametrize("spec", [one for one in usable_specs() if not one.native], ids=lambda spec: spec.id)
def test_a_host_without_such_a_form_is_told(spec: AgentSpec, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"takes no package.*context-mode setup --agents {spec.id}"):
        package.run(spec.id, tmp_path / "dir")
    assert not (tmp_path / "dir").exists()


def test_an_agent_that_nobody_knows(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean codex"):
        package.run("codexx", tmp_path / "dir")


@pytest.fixture
def starters(tmp_path: Path) -> Path:
    """`bin/` of a package whose fixed list of places is one folder of the test's own, empty at first."""
    package.run("claude-code", tmp_path / "dir")
    places = tmp_path / "pythons"
    places.mkdir()
    folder = tmp_path / "dir/plugins/context-mode/bin"
    for name in ("context-mode-hook", "context-mode-serve"):
        text = (folder / name).read_text()
        assert " ".join(FOLDERS) in text
        text = text.replace(" ".join(FOLDERS), str(places)).replace(FRAMEWORK, str(places / "framework"))
        (folder / name).write_text(text)
    return folder


def ran(argv: list[str | Path], stdin: object = "", **env: str) -> subprocess.CompletedProcess[str]:
    text = stdin if isinstance(stdin, str) else json.dumps(stdin)
    return subprocess.run(
        [str(word) for word in argv], input=text, capture_output=True, text=True, timeout=60, check=False,
        env={"HOME": os.environ["HOME"], "PATH": "/usr/bin:/bin", **env},
    )  # fmt: skip


def with_python(starters: Path, name: str = "python3.11", text: str | None = None) -> None:
    python = starters.parents[3] / "pythons" / name
    python.write_text(text or f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)


DENIED = {
    "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "forbidden now"},
    "session_id": "s", "cwd": "/",
}  # fmt: skip


def deny(home: Path) -> None:
    (home / ".context-mode").mkdir(mode=0o700, exist_ok=True)
    (home / ".context-mode/policy.json").write_text('{"version": 1, "deny": ["Bash(forbidden *)"]}')


@only.POSIX
def test_without_a_python_a_hook_passes_and_the_server_says_what_to_do(starters: Path) -> None:
    hook = ran([starters / "context-mode-hook", "claude-code", "PreToolUse"], DENIED)
    assert (hook.returncode, hook.stdout, hook.stderr) == (0, "", "")
    serve = ran([starters / "context-mode-serve", "--agent", "claude-code"])
    assert (serve.returncode, serve.stdout) == (1, "")
    assert "no Python 3.11 or newer" in serve.stderr
    assert "pipx install context-mode-py && context-mode setup" in serve.stderr


@only.POSIX
def test_an_older_python_is_passed_over(starters: Path) -> None:
    with_python(starters, "python3", "#!/bin/sh\nexit 1\n")
    assert "no Python 3.11 or newer" in ran([starters / "context-mode-serve"]).stderr


@only.POSIX
@pytest.mark.parametrize("name", ["python3.11", "python3"])
def test_the_runtime_of_the_package_answers_hooks(starters: Path, home: Path, name: str) -> None:
    with_python(starters, name)
    deny(home)
    done = ran([starters / "context-mode-hook", "claude-code", "PreToolUse"], DENIED)
    assert "denied by rule Bash(forbidden *)" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


@only.POSIX
def test_the_data_folder_that_it_makes_is_private_and_the_package_stays_as_it_was(starters: Path, home: Path) -> None:
    with_python(starters)
    before = files(starters.parent)
    ran([starters / "context-mode-hook", "claude-code", "PreToolUse"], DENIED)
    assert (home / ".context-mode").stat().st_mode & 0o777 == 0o700
    assert list((home / ".context-mode/run/pycache").rglob("run.*.pyc"))
    assert files(starters.parent) == before


def installed(home: Path, python: Path, launch: Path) -> None:
    """Launchers as setup writes them, for this Python and this runtime."""
    folder = home / ".context-mode/bin"
    folder.mkdir(parents=True, exist_ok=True)
    for name in (launchers.HOOK, launchers.SERVE):
        use = launchers.Interpreter(str(python), str(launch), None, isolated=True)
        (folder / name).write_text(launchers.text(name, use))
        (folder / name).chmod(0o755)


@only.POSIX
def test_what_setup_installed_goes_before_the_runtime_of_the_package(
    starters: Path, home: Path, tmp_path: Path
) -> None:
    with_python(starters)
    python, launch = tmp_path / "it's a python", tmp_path / "launch.py"
    python.write_text('#!/bin/sh\necho "installed: $CONTEXT_MODE_PACKAGE $*"\n')
    python.chmod(0o755)
    launch.touch()
    installed(home, python, launch)
    hook = ran([starters / "context-mode-hook", "claude-code", "a b"])
    assert hook.stdout == f"installed: claude-code -I -S {launch} hook claude-code a b\n"
    assert ran([starters / "context-mode-serve"]).stdout == f"installed: claude-code -I {launch} serve\n"


@only.POSIX
@pytest.mark.parametrize("gone", ["python", "launch.py"])
def test_a_launcher_whose_program_is_gone_is_passed_over(starters: Path, home: Path, tmp_path: Path, gone: str) -> None:
    with_python(starters)
    deny(home)
    for name in ("python", "launch.py"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 9\n")
        (tmp_path / name).chmod(0o755)
    installed(home, tmp_path / "python", tmp_path / "launch.py")
    (tmp_path / gone).unlink()
    done = ran([starters / "context-mode-hook", "claude-code", "PreToolUse"], DENIED)
    assert "denied by rule" in done.stdout


@only.POSIX
def test_a_moved_data_folder_is_followed(starters: Path, tmp_path: Path) -> None:
    with_python(starters)
    deny(tmp_path)
    done = ran(
        [starters / "context-mode-hook", "claude-code", "PreToolUse"], DENIED,
        CONTEXT_MODE_DATA_DIR=str(tmp_path / ".context-mode"),
    )  # fmt: skip
    assert "denied by rule" in done.stdout


def talk(
    argv: list[str | Path], *requests: tuple[str, dict[str, Any]], cwd: Path | None = None
) -> list[dict[str, Any]]:
    """The results of these requests, after the handshake; stdin stays open until the last is there."""
    hello = ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t"}})
    env = {"HOME": os.environ["HOME"], "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(
        [str(word) for word in argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env, cwd=cwd
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        results = []
        for n, (method, params) in enumerate([hello, *requests]):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": n, "method": method, "params": params}) + "\n")
            server.stdin.flush()
            reply = next(one for one in map(json.loads, server.stdout) if one.get("id") == n)
            results.append(reply["result"])
        server.stdin.close()
    return results[1:]


@only.POSIX
def test_the_server_of_the_package_has_nine_tools_and_looks_at_itself(starters: Path, tmp_path: Path) -> None:
    with_python(starters, text=f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # no installer to be imported
    listed, looked = talk(
        [starters / "context-mode-serve", "--agent", "claude-code"],
        ("tools/list", {}), ("tools/call", {"name": "ctx_doctor", "arguments": {}}),
    )  # fmt: skip
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in TOOLS]
    table = looked["content"][0]["text"]
    assert "D3 MCP entry | SKIP | needs the installer | pipx install context-mode-py && context-mode setup" in table
    assert f"D1 version | PASS | context-mode {VERSION}, without its installer" in table


@only.POSIX
def test_texts_name_the_tools_as_the_package_brings_them(starters: Path, home: Path, project: Path) -> None:
    with_python(starters)
    fetch = {
        "hook_event_name": "PreToolUse", "tool_name": "WebFetch", "session_id": "s", "cwd": str(project),
        "tool_input": {"url": "https://example.com/", "prompt": "x"},
    }  # fmt: skip
    done = ran([starters / "context-mode-hook", "claude-code", "PreToolUse", "--assume-server"], fetch)
    wanted = native_of(find_spec("claude-code")).tool_name.replace("{tool}", "ctx_index")
    assert f"{wanted}(" in done.stdout


@only.POSIX
def test_what_the_server_runs_does_not_know_of_the_package(starters: Path, project: Path) -> None:
    with_python(starters)
    call = {"name": "ctx_execute", "arguments": {"language": "sh", "code": "echo [$CONTEXT_MODE_PACKAGE]"}}
    argv: list[str | Path] = [starters / "context-mode-serve", "--agent", "claude-code"]
    (reply,) = talk(argv, ("tools/call", call), cwd=project)
    assert reply["content"][0]["text"].splitlines()[-1] == "[]"


@only.POSIX
def test_the_folder_of_the_package_is_no_project(starters: Path) -> None:
    with_python(starters)
    call = {"name": "ctx_execute", "arguments": {"language": "sh", "code": "pwd"}}
    argv: list[str | Path] = ["./bin/context-mode-serve", "--agent", "claude-code"]
    (reply,) = talk(argv, ("tools/call", call), cwd=starters.parent)
    assert reply["isError"] is True
    assert "the project is not known" in reply["content"][0]["text"]
