"""F72: secrets and private text are in no byte of any file below the data root, whichever way they came."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.fetch.web import Site, answer
from tests.hooks.conftest import load_payload, merged
from tests.server.conftest import serve as serve  # noqa: PLC0414 - a fixture of another folder

from context_mode_installer.commands import doctor, setup
from context_mode_runtime.hooks import run
from context_mode_runtime.log import log_error

CASES = YAML(typ="safe").load(Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8"))
AGENT = "claude-code"
FILLER = "".join(f"line {n} of the filler\n" for n in range(400))
Give = Callable[[str], None]


def leaks(home: Path) -> list[str]:
    """Case and file of every secret that was written."""
    files = [path for path in (home / ".context-mode").rglob("*") if path.is_file()]
    assert files, "nothing was written: this test shows nothing"
    data = {path: path.read_bytes() for path in files}
    return [
        f"{case['name']}: {path.relative_to(home)}"
        for case in CASES
        for path, content in data.items()
        if case["secret"].encode() in content
    ]


def test_the_table_has_thirty_cases_and_no_secret_twice() -> None:
    assert len(CASES) == 30
    assert all(case["secret"] in case["text"] for case in CASES)
    assert len({case["secret"] for case in CASES}) == 30


@pytest.fixture
def hook(project: Path, home: Path) -> Callable[[str, str, dict[str, Any]], None]:
    def send(event: str, name: str, changes: dict[str, Any]) -> None:
        payload = merged(load_payload(AGENT, name, project, home), changes)
        run.prepare(AGENT, event, assume_server=True).run(payload)

    return send


HOOKS: dict[str, tuple[str, str, Callable[[str], dict[str, Any]]]] = {
    "prompt": ("UserPromptSubmit", "UserPromptSubmit", lambda text: {"prompt": text}),
    "command asked": ("PreToolUse", "PreToolUse-Bash", lambda text: {"tool_input": {"command": text}}),
    "command run": ("PostToolUse", "PostToolUse-Bash", lambda text: {"tool_input": {"command": text}}),
    "command far right": (
        "PostToolUse", "PostToolUse-Bash-big", lambda text: {"tool_input": {"command": "x" * 105 + " " + text}},
    ),
    "output": ("PostToolUse", "PostToolUse-Bash-big", lambda text: {"tool_response": {"stdout": FILLER + text}}),
    "error": ("PostToolUseFailure", "PostToolUseFailure-Bash", lambda text: {"error": text}),
    "page": ("PostToolUse", "PostToolUse-WebFetch", lambda text: {"tool_response": {"result": FILLER + text}}),
    "address": ("PostToolUse", "PostToolUse-WebFetch", lambda text: {
        "tool_input": {"url": f"https://example.com/{text}"}, "tool_response": {"result": FILLER}}),
    "edited path": ("PostToolUse", "PostToolUse-Edit", lambda text: {"tool_input": {"file_path": f"/tmp/{text}"}}),
    "sub-agent": ("PostToolUse", "PostToolUse-Agent", lambda text: {
        "tool_input": {"description": text, "prompt": text}}),
    "other server's output": ("PostToolUse", "PostToolUse-mcp", lambda text: {
        "tool_name": "mcp__db__query", "mcp_server": {"name": "db"}, "tool_input": {"q": text},
        "tool_response": [{"type": "text", "text": FILLER + text}]}),
    "own tool asked": ("PreToolUse", "PreToolUse-mcp", lambda text: {
        "tool_name": "mcp__context-mode__ctx_index", "tool_input": {"text": text}}),
    "last words": ("Stop", "Stop", lambda text: {"last_assistant_message": text}),
    "sub-agent's last words": ("SubagentStop", "SubagentStop", lambda text: {"last_assistant_message": text}),
    "not our event": ("Stop", "Stop", lambda text: {"hook_event_name": text, "session_id": {"a": text}}),
}  # fmt: skip


@pytest.mark.parametrize("way", HOOKS)
def test_by_a_hook(way: str, hook: Callable[[str, str, dict[str, Any]], None], home: Path) -> None:
    event, name, changes = HOOKS[way]
    hook("UserPromptSubmit", "UserPromptSubmit", {"prompt": "begin"})
    for case in CASES:
        hook(event, name, changes(case["text"]))
    assert leaks(home) == []


def test_a_decision_and_a_task(hook: Callable[[str, str, dict[str, Any]], None], home: Path) -> None:
    for case in CASES:
        todo = {"todos": [{"content": case["text"], "status": "pending"}]}
        hook("PostToolUse", "PostToolUse-Bash", {"tool_name": "TodoWrite", "tool_input": todo})
        plan = {"plan": case["text"]}
        hook("PostToolUse", "PostToolUse-Bash", {"tool_name": "ExitPlanMode", "tool_input": plan, "tool_response": {}})
    assert leaks(home) == []


def test_a_text_that_is_cut_keeps_no_half_of_a_secret(
    hook: Callable[[str, str, dict[str, Any]], None], home: Path
) -> None:
    hook("UserPromptSubmit", "UserPromptSubmit", {"prompt": "begin"})
    for room in range(8, 40):
        token = "sk-proj-Aa11Bb22Cc33Dd44Ee55Ff66Gg77Hh88"
        hook("PostToolUse", "PostToolUse-Bash-big", {"tool_input": {"command": "y" * (119 - room) + " " + token}})
        hook("UserPromptSubmit", "UserPromptSubmit", {"prompt": "z" * (16_383 - room) + " " + token})
    data = b"".join(path.read_bytes() for path in (home / ".context-mode").rglob("*") if path.is_file())
    assert b"sk-proj-Aa" not in data


def server_index(host: Any, text: str, _folder: Path) -> None:
    host.call("ctx_index", {"text": text, "label": f"note {text[:5]}"})


def server_label(host: Any, text: str, _folder: Path) -> None:
    host.call("ctx_index", {"text": "the same text", "label": text})


def server_file(host: Any, text: str, folder: Path) -> None:
    file = folder / "case.txt"
    file.write_text(text)
    host.call("ctx_index", {"path": str(file)})


def server_command(host: Any, text: str, _folder: Path) -> None:
    code = f": <<'END'\n{text}\nEND\nseq 1 9000"
    host.call("ctx_execute", {"language": "shell", "code": code})
    host.call("ctx_execute", {"language": "sh", "code": f": '{text.splitlines()[0]}'; seq 1 9000"})


def server_output(host: Any, text: str, folder: Path) -> None:
    (folder / "case.txt").write_text(FILLER + text)
    host.call("ctx_execute", {"language": "shell", "code": "cat case.txt case.txt case.txt", "intent": text})


def server_failure(host: Any, text: str, folder: Path) -> None:
    (folder / "case.txt").write_text("Traceback (most recent call last):\n" + text)
    host.call("ctx_execute", {"language": "shell", "code": "cat case.txt >&2; exit 3"})


def server_input_file(host: Any, text: str, folder: Path) -> None:
    (folder / "case.txt").write_text(FILLER + text)
    host.call("ctx_execute", {"language": "sh", "code": 'echo "$FILE_CONTENT" "$FILE_CONTENT"', "file": "case.txt"})


def server_batch(host: Any, text: str, folder: Path) -> None:
    (folder / "case.txt").write_text(text)
    commands = [{"label": text, "command": "seq 1 9000"}, "cat case.txt", f": '{text.splitlines()[0]}'"]
    host.call("ctx_batch", {"commands": commands, "queries": [text]})


def server_search(host: Any, text: str, _folder: Path) -> None:
    host.call("ctx_index", {"text": "something to find", "label": "x"})
    host.call("ctx_search", {"queries": [text], "source": text})


def server_errors(host: Any, text: str, folder: Path) -> None:
    host.call("ctx_index", {"text": "something", "label": "x"})
    host.call("ctx_index", {"path": f"{folder}/{text}"})
    host.call("ctx_execute", {"language": text, "code": "x", "file": f"{folder}/{text}"})
    host.call("ctx_search", {text: 1, "queries": {text: text}})


SERVER = [
    server_index, server_label, server_file, server_command, server_output, server_failure, server_input_file,
    server_batch, server_search, server_errors,
]  # fmt: skip


@pytest.mark.parametrize("way", SERVER, ids=lambda way: way.__name__)
def test_by_a_tool_of_the_server(way: Callable[[Any, str, Path], None], serve: Any, project: Path, home: Path) -> None:
    host = serve(AGENT)
    for case in CASES:
        way(host, case["text"], project)
    assert leaks(home) == []  # the write-ahead log is there
    host.close()
    assert leaks(home) == []


def test_of_a_text_that_we_cut_off_what_is_open_is_private(serve: Any, project: Path, home: Path) -> None:
    """The closing tag was not read, or never printed because we ended the run."""
    host = serve(AGENT)
    opened = "<private>marten-delta-31 "
    (project / "case.txt").write_text("x" * 11_900 + opened + "y" * 200 + "</private>")
    host.call("ctx_index", {"text": "something", "label": (project / "case.txt").read_text()})
    for code in (
        f"echo 'a {opened[:12]}''{opened[12:]}'; sleep 60",
        f"echo '{opened[:12]}''{opened[12:]}'; seq 1 2000000; sleep 60",
    ):
        host.call("ctx_execute", {"language": "sh", "code": code, "timeout_ms": 1_000})
    log_error("hook", "x" * 7_000 + opened + "y" * 3_000 + "</private>")
    host.close()
    stored = b"".join(path.read_bytes() for path in (home / ".context-mode").rglob("*") if path.is_file())
    assert b"[private]" in stored
    assert b"marten-delta-31" not in stored


def test_by_a_page_and_its_address(serve: Any, home: Path) -> None:
    site = Site()
    (home / ".context-mode").mkdir(mode=0o700)
    rules = {"version": 1, "fetch": {"privateHosts": [f"127.0.0.1:{site.port}"]}}
    (home / ".context-mode/policy.json").write_text(json.dumps(rules))
    host = serve(AGENT)
    for number, case in enumerate(CASES):
        site.pages[f"/{number}"] = answer(case["text"], kind="text/plain; charset=utf-8")
        host.call("ctx_index", {"url": f"{site.url}/{number}"})
    path = "/feed?token=civet27quay99&page=2"
    site.pages[path] = answer("a page", kind="text/plain; charset=utf-8")
    for _ in range(2):
        host.call("ctx_index", {"url": f"{site.url}{path}"})
    host.call("ctx_index", {"url": "http://app:lemming19pass@127.0.0.1:1/"})
    host.close()
    site.close()
    assert leaks(home) == []


def test_by_a_background_run(serve: Any, project: Path, home: Path) -> None:
    (project / "case.txt").write_text("\n".join(case["text"] for case in CASES))
    host = serve(AGENT)
    text, _ = host.call("ctx_execute", {"language": "shell", "code": "cat case.txt; sleep 60", "background": True})
    sid = text.split("· ")[1].split()[0]
    while "database" not in host.call("ctx_search", {"queries": [], "source": sid})[0]:
        pass
    assert leaks(home) == []
    host.close()
    assert leaks(home) == []


def test_in_the_log(home: Path) -> None:
    for case in CASES:
        log_error(f"hook {case['text']}", ValueError(case["text"]))
    assert leaks(home) == []


def test_f68_in_a_doctors_report(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / ".claude").mkdir()
    env = {f"SECRET_{number}": case["text"] for number, case in enumerate(CASES)}
    (home / ".claude/settings.json").write_text(json.dumps({"env": env}))
    (home / ".context-mode").mkdir(mode=0o700)
    rules = {"version": 1, "deny": [case["text"] for case in CASES], **env}
    (home / ".context-mode/policy.json").write_text(json.dumps(rules))
    setup.run(setup.Options(agents=(AGENT,)))
    report = tmp_path / "report.txt"
    result = doctor.run(
        doctor.Options(agents=(AGENT,), only=("D3", "D4", "D8", "D9", "D12"), offline=True, report=report)
    )
    told = report.read_text() + "\n".join(result.messages) + json.dumps(result.data, ensure_ascii=False)
    assert [case["name"] for case in CASES if case["secret"] in told] == []
    assert os.path.getsize(report) > 200
