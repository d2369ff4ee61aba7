"""What can be known of Windows without one: the standard library less what it lacks there, paths as it spells them."""

from __future__ import annotations

import json
import ntpath
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from context_mode_installer import detect
from context_mode_installer.system import RealSystem
from context_mode_runtime import paths, project, resources
from context_mode_runtime.execute import languages, process
from context_mode_runtime.server import session

LACKS = ("fcntl", "pwd", "grp", "resource", "termios", "pty", "tty", "syslog", "readline")
BLOCKED = f"""\
import os, select, sys
kept = os.fchmod, os.getuid
sys.modules.update(dict.fromkeys({LACKS!r}))
del select.poll, os.getuid, os.geteuid, os.fchmod, os.killpg, os.getpgid, os.setsid, os.kill
"""
RUNTIME = Path(resources.__file__).parents[1]


def ran(code: str, stdin: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A Python without the modules that Windows has none of."""
    whole = f"{BLOCKED}sys.path.insert(0, {str(RUNTIME)!r})\n{code}"
    return subprocess.run(
        [sys.executable, "-I", "-c", whole],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
        timeout=60,
    )


def test_a_hook_stores_and_replaces_without_them(project: Path, home: Path) -> None:
    payload = {
        "hook_event_name": "PostToolUse", "session_id": "s", "cwd": str(project), "tool_name": "Bash",
        "tool_input": {"command": "make"}, "tool_use_id": "t",
        "tool_response": {"stdout": "a line of output\n" * 900, "stderr": "", "interrupted": False},
    }  # fmt: skip
    code = (
        "from context_mode_runtime.hooks.process import run_process\n"
        "run_process(['claude-code', 'PostToolUse'], launched=False)"
    )
    done = ran(code, json.dumps(payload), project)
    assert (done.returncode, done.stderr) == (0, "")
    assert "stored whole" in done.stdout
    assert not (home / ".context-mode/hook-errors.log").exists()


def test_a_server_stores_and_counts_without_them(project: Path, home: Path) -> None:
    index = {"name": "ctx_index", "arguments": {"text": "the heron stands in the reeds"}}
    calls = [("initialize", {"protocolVersion": "2025-11-25"}), ("tools/call", index)]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": n, "method": name, "params": params})
        for n, (name, params) in enumerate(calls)
    ]
    code = "from context_mode_runtime.server.app import serve\nserve(None)"
    done = ran(code, "".join(f"{line}\n" for line in lines), project)
    assert done.returncode == 0, done.stderr
    replies = {one["id"]: one["result"] for one in map(json.loads, done.stdout.splitlines()) if "result" in one}
    assert replies[1]["content"][0]["text"].startswith("Indexed 1 source(s)")


def test_setup_and_removal_leave_files_as_they_were_without_them(home: Path, project: Path) -> None:
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_bytes(b'{\r\n  "model": "x"\r\n}')
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "os.fchmod, os.getuid = kept\n"  # the lock of this system wants the one, a check of the posix kind the other
        "from context_mode_installer.app import run_app\n"
        "sys.exit(run_app(['setup', '--agents', 'claude-code,copilot-cli', *{more}]))"
    )
    for more, said in (([], "checked: hook answers, server answers"), (["--remove"], "taken out")):
        done = ran(code.replace("{more}", repr(more)), "", project)
        assert (done.returncode, done.stderr) == (0, "")
        assert said in done.stdout
    assert settings.read_bytes() == b'{\r\n  "model": "x"\r\n}'


def test_a_private_file_is_written_where_modes_are_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fchmod")
    RealSystem([str(tmp_path)]).write(str(tmp_path / "x.json"), b"{}\n", 0o600)
    assert (tmp_path / "x.json").read_bytes() == b"{}\n"


@pytest.mark.parametrize(
    ("uri", "windows", "posix"),
    [
        ("file:///c%3A/Users/Lea%20Chan/app", "c:/Users/Lea Chan/app", "/c:/Users/Lea Chan/app"),
        ("file:///C:/app", "C:/app", "/C:/app"),
        ("file://localhost/d:/x", "d:/x", "/d:/x"),
        ("file://server/share/app", "//server/share/app", ""),
        ("file:///srv/app", "/srv/app", "/srv/app"),
        ("https://example.com/x", "", ""),
    ],
)
def test_the_folder_of_a_workspace(uri: str, windows: str, posix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R06: VS Code tells its workspace as a URI, with the drive's colon escaped."""
    roots = {"roots": [{"uri": uri}]}
    assert session.folders_of(roots) == ([posix] if posix else [])
    monkeypatch.setattr(session, "os", SimpleNamespace(name="nt", fsdecode=os.fsdecode))
    assert session.folders_of(roots) == ([windows] if windows else [])


class Disk:
    """A drive C: with these folders and files, as `os.path` shows it."""

    def __init__(self, folders: set[str], files: dict[str, str]) -> None:
        self.folders = folders
        self.files = files

    def os(self) -> SimpleNamespace:
        names = ("join", "dirname", "basename", "normpath")
        path = SimpleNamespace(**{name: getattr(ntpath, name) for name in names})
        path.realpath = ntpath.normpath
        path.isdir = lambda name: ntpath.normpath(name) in self.folders
        path.isfile = lambda name: ntpath.normpath(name) in self.files
        return SimpleNamespace(path=path, sep="\\", fsencode=os.fsencode)


APP, TREE = "C:\\src\\app", "C:\\trees\\fix"
DISK = Disk(
    {"C:\\", "C:\\src", APP, f"{APP}\\.git", f"{APP}\\sub", TREE, f"{TREE}\\deep", "C:\\Users\\Lea", "C:\\plain"},
    {f"{TREE}\\.git": "gitdir: C:/src/app/.git/worktrees/fix", f"{APP}\\.git\\worktrees\\fix\\commondir": "../.."},
)


@pytest.mark.parametrize(
    ("folder", "root", "worktree"),
    [
        (APP, APP, APP),
        ("C:/src/app/sub", APP, APP),
        (f"{TREE}\\deep", APP, TREE),
        ("C:\\plain", "C:\\plain", "C:\\plain"),
        ("C:\\", None, None),
        ("C:\\Users\\Lea", None, None),
    ],
)
def test_a_project_on_a_drive(
    folder: str, root: str | None, worktree: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "os", DISK.os())
    monkeypatch.setattr(project, "__file__", "C:\\Python\\project.py")
    monkeypatch.setattr(project, "_first_line", lambda path: DISK.files.get(ntpath.normpath(path), ""))
    monkeypatch.setattr(paths, "data_root", lambda: "C:\\Users\\Lea\\.context-mode")
    monkeypatch.setattr(paths, "home", lambda: "C:\\Users\\Lea")
    made = project.find_project(folder)
    assert (made and made.root, made and made.worktree) == (root, worktree)


def test_what_probes_of_programs_write_goes_to_their_throw_away_home() -> None:
    assert {"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"} <= set(detect._PRIVATE)


GIT = [
    ("Program Files", {"PROGRAMFILES": "pf"}, "pf/Git/bin/bash.exe"),
    ("of the user", {"LOCALAPPDATA": "local"}, "local/Programs/Git/bin/bash.exe"),
    ("beside git", {"PATH": "scoop/apps/git/current/cmd"}, "scoop/apps/git/current/bin/bash.exe"),
    ("the one of another system is not taken", {"PATH": "Windows/System32"}, None),
]


@pytest.mark.parametrize(("env", "place"), [row[1:] for row in GIT], ids=[row[0] for row in GIT])
def test_git_bash_is_found(
    env: dict[str, str], place: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F39."""
    for name in ("scoop/apps/git/current/cmd/git", "Windows/System32/bash.exe", place or "none"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch(mode=0o755)
    for name in ("PROGRAMFILES", "PROGRAMW6432", "PROGRAMFILES(X86)", "LOCALAPPDATA", "PATH"):
        monkeypatch.delenv(name, raising=False)
    for name, folder in env.items():
        monkeypatch.setenv(name, str(tmp_path / folder))
    assert languages._git_bash("bash") == (str(tmp_path / place) if place else None)


def test_what_runs_opens_no_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F39: no console for a program, and a group of its own."""
    seen: dict[str, object] = {}
    monkeypatch.setattr(process, "NO_WINDOW", 0x0800_0000)
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x0200, raising=False)
    monkeypatch.setattr(subprocess, "Popen", lambda _argv, **more: seen.update(more))
    monkeypatch.setattr(sys, "platform", "win32")
    process.spawn(["x"], cwd=str(tmp_path), env={}, output=1)
    assert seen["creationflags"] == 0x0800_0200
