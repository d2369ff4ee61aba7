"""Every path argument of every tool: the right answer or one clear line, and no way around a path rule."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.conftest import not_to_be_had

from context_mode_runtime import limits

CASES = YAML(typ="safe").load((Path(__file__).parent / "cases/names.yaml").read_text(encoding="utf-8"))
TEXT = "words of "
SECRETS = ("TOPSECRET", "VAULTED")
DENIED = "denied by rule Read("


@pytest.fixture
def full_project(home: Path, project: Path) -> Path:
    """A project with a file of every name that is read, and what the rules deny."""
    (home / ".context-mode").mkdir()
    rules = {"version": 1, "deny": ["Read(./secret.env)", "Read(~/vault/**)"]}
    (home / ".context-mode/policy.json").write_text(json.dumps(rules))
    for folder in (project / "sub", home / "vault"):
        folder.mkdir()
    (project / "secret.env").write_text("TOPSECRET")
    (home / "vault/k").write_text("VAULTED")
    for link, target in (("link", home / "vault"), ("to-secret", "secret.env"), ("circle", "circle")):
        (project / link).symlink_to(target)
    os.mkfifo(project / "pipe")
    for given in CASES["read"].values():
        path = Path(os.path.join(project, os.path.expanduser(filled(given, project))))
        path.write_text(TEXT + path.name)
    return project


def filled(path: str, project: Path) -> str:
    count, cut, unit = path.partition(" * ")
    if cut and count.isdigit():
        return int(count) * unit
    for hole, value in (("{P}", str(project)), ("{H}", os.environ["HOME"]), ("{N}", project.name)):
        path = path.replace(hole, value)
    return path


def asked(host: Any, path: str) -> dict[str, tuple[str, bool]]:
    """What each tool answers about `path`."""
    code = {"language": "sh", "code": 'printf %s "$FILE_CONTENT"', "file": path}
    return {"ctx_index": host.call("ctx_index", {"path": path}), "ctx_execute": host.call("ctx_execute", code)}


def test_files_of_odd_names_are_read_and_their_labels_find_them(serve: Any, full_project: Path) -> None:
    host = serve("claude-code")
    for given in CASES["read"].values():
        path = filled(given, full_project)
        found = asked(host, path)
        assert not any(failed for _, failed in found.values()), (path, found)
        assert found["ctx_execute"][0].endswith(TEXT + os.path.basename(path)) or "\x1b" in path
        label = found["ctx_index"][0].partition("Label: ")[2]
        assert "\n" not in label
        assert TEXT in host.call("ctx_search", {"queries": [], "source": label})[0]
        assert TEXT in host.call("ctx_search", {"queries": [], "source": path})[0] or os.path.isabs(path) or "/" in path


@pytest.mark.parametrize("kind", ["denied", "missing", "refused"])
def test_other_names_get_one_line_that_says_why(serve: Any, full_project: Path, kind: str) -> None:
    if not os.path.isdir("/proc/self/root"):
        not_to_be_had("no /proc")
    host = serve("claude-code")
    wrong: dict[str, Any] = {}
    for name, given in CASES[kind].items():
        path = filled(given["path"] if kind == "refused" else given, full_project)
        reason = given["reason"] if kind == "refused" else {"denied": DENIED, "missing": "no such file"}[kind]
        for tool, (text, failed) in asked(host, path).items():
            clean = text.isprintable() and len(text.encode()) <= limits.SHORT_REPLY + 8
            if not (failed and reason in text and clean) or any(secret in text for secret in SECRETS):
                wrong[f"{name}, {tool}"] = text[:200]
    assert not wrong


def test_commands_meet_the_same_rules_wherever_they_go_to(serve: Any, full_project: Path) -> None:
    host = serve("claude-code")
    commands = [
        *("cat secret.env", "cd sub && cat ../secret.env", "cd ~ && cat vault/k", "cd ~/vault; cat k", "cat link/k"),
        *("cd / && cat ." + str(full_project / "secret.env"), "pushd ~/vault && cat k", "(cd ~/vault && cat k)"),
        *("cd sub\ncd ..\ncat secret.env", "cat to-secret", f"cat /proc/self/root{full_project}/secret.env"),
        "; ".join(["cd sub; cd .."] * 6) + "; cd ~/vault; cat k",
    ]
    text, _ = host.call("ctx_batch", {"commands": commands, "queries": []})
    assert text.count(DENIED) == len(commands), text
    for command in commands:
        said, failed = host.call("ctx_execute", {"language": "sh", "code": command})
        assert failed, command
        assert DENIED in said, command


def test_a_folder_is_indexed_without_what_is_denied_and_bad_names_break_no_line(serve: Any, full_project: Path) -> None:
    bad = os.fsencode(full_project) + b"/sub/bad\xff\nname.txt"
    with open(bad, "w", encoding="utf-8") as file:
        file.write("BADNAME text")
    with open(os.fsencode(full_project) + b"/sub/none\xff\n\x1b[31m.txt", "w", encoding="utf-8") as file:
        file.write("x")
    host = serve("claude-code")
    text, failed = host.call("ctx_index", {"path": "."})
    assert not failed, text
    assert all(line.isprintable() and line for line in text.split("\n"))
    found, _ = host.call("ctx_search", {"queries": ["BADNAME", "TOPSECRET", "VAULTED"]})
    assert "BADNAME text" in found
    assert not any(f"  {secret}" in found for secret in SECRETS)


@pytest.mark.parametrize("given", [b"bad\xff.txt", b"new\nline.txt", b"-rf", b"esc\x1b[31m.txt"])
def test_the_command_indexes_files_of_any_name(run_cli: Any, full_project: Path, given: bytes) -> None:
    (full_project / os.fsdecode(given)).write_text("command words")
    done = run_cli("index", "--", os.fsdecode(given), cwd=full_project)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    assert "\x1b[31m" not in done.stdout
    assert "command words" in run_cli("search", "command words", cwd=full_project).stdout
