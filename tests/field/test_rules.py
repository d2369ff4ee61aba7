"""F26 to F30: the user's rules hold at every tool argument, in every shell, in every command of a batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime.server.tools import registry

from .conftest import Hook, Policy

KEEP = "wombat-of-the-vault"


@pytest.fixture
def vault(home: Path) -> Path:
    """`~/vault/k.txt` with a word that must not be found."""
    (home / "vault").mkdir()
    (home / "vault" / "k.txt").write_text(f"{KEEP}\n", encoding="utf-8")
    return home / "vault"


def in_settings(path: Path, **lists: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"permissions": lists}), encoding="utf-8")


ANCHORED = [
    (by, rule)
    for by in ("policy", "settings")
    for rule in ("Read(~/vault/**)", "Read(/{vault}/**)", "Read(**/vault/*)")
]


@pytest.mark.parametrize("path", ["{vault}/k.txt", "~/vault/k.txt", "up/../../code-link/k.txt"])
@pytest.mark.parametrize("written", ANCHORED, ids=" ".join)
def test_f26_anchored_rules_close_the_gate(
    serve: Any, policy: Policy, project: Path, vault: Path, written: tuple[str, str], path: str
) -> None:
    """In our policy and in the host's own settings a rule means the same."""
    (project.parent / "code-link").symlink_to(vault)
    (project / "up").mkdir()
    rule = written[1].format(vault=vault)
    if written[0] == "policy":
        policy(deny=[rule])
    else:
        in_settings(vault.parent / ".claude" / "settings.json", deny=[rule])
    host = serve("claude-code")
    text, failed = host.call("ctx_index", {"path": path.format(vault=vault)})
    assert failed, text
    assert f"denied by rule {rule} of ~/." in text
    assert KEEP not in host.call("ctx_search", {"queries": [KEEP]})[0].replace(f'"{KEEP}"', "")


def test_f26_a_rule_from_the_folder_of_its_file(serve: Any, home: Path, project: Path) -> None:
    (home / ".claude" / "notes").mkdir(parents=True)
    (home / ".claude" / "notes" / "a").write_text(KEEP, encoding="utf-8")
    (project / "notes").mkdir()
    (project / "notes" / "a").write_text("plain", encoding="utf-8")
    in_settings(home / ".claude" / "settings.json", deny=["Read(/notes/**)"])
    host = serve("claude-code")
    assert "denied by rule Read(/notes/**)" in host.call("ctx_index", {"path": "~/.claude/notes/a"})[0]
    assert not host.call("ctx_index", {"path": "notes/a"})[1]


def test_f26_a_rule_that_cannot_be_read_denies_nothing(serve: Any, policy: Policy, project: Path) -> None:
    policy(deny=["Read(~/vault/**"])
    (project / "a.txt").write_text("plain", encoding="utf-8")
    assert not serve().call("ctx_index", {"path": "a.txt"})[1]


@pytest.mark.parametrize("path", ["../keys/a.pem", "./x/../../keys/a.pem", "{keys}/./a.pem", "../keys"])
def test_f27_no_detour_leads_around_a_path_rule(serve: Any, policy: Policy, project: Path, path: str) -> None:
    keys = project.parent / "keys"
    keys.mkdir()
    (keys / "a.pem").write_text(KEEP, encoding="utf-8")
    policy(deny=[f"Read(/{keys}/**)"])
    host = serve()
    path = path.format(keys=keys)
    for tool, arguments in (
        ("ctx_index", {"path": path}),
        ("ctx_execute", {"language": "sh", "code": "true", "file": path}),
        ("ctx_execute", {"language": "sh", "code": f"cat {path}"}),
    ):
        text, failed = host.call(tool, arguments)
        assert failed, (tool, arguments, text)
        assert f"denied by rule Read(/{keys}/**) of ~/.context-mode/policy.json" in text


NAMES_A_FILE: dict[tuple[str, str], list[dict[str, Any]]] = {
    ("ctx_execute", "code"): [
        {"language": "sh", "code": "cat secret.env"},
        {"language": "python", "code": "print(open('secret.env').read())"},
        {"language": "javascript", "code": "require('fs').readFileSync('secret.env')"},
    ],
    ("ctx_execute", "file"): [{"language": "sh", "code": "true", "file": "secret.env"}],
    ("ctx_batch", "commands"): [{"commands": ["cat secret.env"], "queries": []}],
    ("ctx_index", "path"): [{"path": "secret.env"}],
    ("ctx_index", "url"): [{"url": "file://{project}/secret.env"}],
    ("ctx_index", "include"): [{"path": ".", "include": ["secret.env"]}],
    ("ctx_search", "source"): [{"queries": [], "source": "secret.env"}, {"queries": ["x"], "source": "secret.env"}],
}
NAMES_NONE = {
    ("ctx_execute", "language"), ("ctx_execute", "intent"), ("ctx_execute", "timeout_ms"),
    ("ctx_execute", "background"), ("ctx_batch", "queries"), ("ctx_batch", "timeout_ms"), ("ctx_batch", "concurrency"),
    ("ctx_index", "text"), ("ctx_index", "label"), ("ctx_index", "exclude"), ("ctx_index", "refresh"),
    ("ctx_search", "queries"), ("ctx_search", "scope"), ("ctx_search", "limit"), ("ctx_search", "offset"),
    ("ctx_resume", "seq"), ("ctx_upgrade", "action"), ("ctx_purge", "session"), ("ctx_purge", "source"),
    ("ctx_purge", "project"),
}  # fmt: skip


def _properties(tool: Any) -> list[str]:
    return list(tool.entry({})["inputSchema"]["properties"])


def test_f28_every_argument_is_known_to_name_a_file_or_not() -> None:
    """A new argument has to be put into one of the two lists above."""
    found = {(tool.name, name) for tool in registry.TOOLS for name in _properties(tool)}
    assert found == {*NAMES_A_FILE, *NAMES_NONE}


def test_f28_every_argument_that_names_a_file_passes_the_gate(
    serve: Any, policy: Policy, home: Path, project: Path
) -> None:
    policy(deny=["Read(./secret.env)"])
    (project / "secret.env").write_text(f"KEY={KEEP}\n", encoding="utf-8")
    host = serve()
    for (tool, _), calls in NAMES_A_FILE.items():
        for arguments in calls:
            given = json.loads(json.dumps(arguments).replace("{project}", str(project)))
            text, failed = host.call(tool, given)
            assert failed or "denied by rule Read(./secret.env)" in text, (tool, given, text)
            assert KEEP not in text
    assert KEEP not in host.call("ctx_search", {"queries": [KEEP]})[0].replace(f'"{KEEP}"', "")
    host.close()
    stored = b"".join(path.read_bytes() for path in (home / ".context-mode" / "projects").rglob("*") if path.is_file())
    assert f"KEY={KEEP}".encode() not in stored


def test_f28_a_rule_that_comes_later_holds_for_what_is_stored(serve: Any, policy: Policy, project: Path) -> None:
    """By every argument that names the stored file: its id, its label, its path."""
    (project / "secret.env").write_text(f"KEY={KEEP}\n", encoding="utf-8")
    host = serve()
    assert not host.call("ctx_index", {"path": "secret.env"})[1]
    policy(deny=["Read(./secret.env)"])
    for tool, arguments in (
        ("ctx_execute", {"language": "sh", "code": "cat $FILE_CONTENT_PATH", "file": "s1"}),
        ("ctx_execute", {"language": "sh", "code": "true", "file": "secret.env"}),
        ("ctx_search", {"queries": [], "source": "s1"}),
        ("ctx_search", {"queries": ["KEY"], "source": "secret.env"}),
    ):
        text, failed = host.call(tool, arguments)
        assert failed, (tool, arguments)
        assert text.startswith("denied by rule Read(./secret.env) of ~/.context-mode/policy.json")
    refused = "  left out: secret.env: denied by rule Read(./secret.env) of ~/.context-mode/policy.json"
    assert host.call("ctx_search", {"queries": ["KEY"]}) == (f'Query "KEY":\n{refused}', False)


WRAPPED = [
    "git push --force o m",
    "env A=1 git push --force o m",
    "nohup git push --force o m",
    "timeout 5 git push --force o m",
    "sudo -n git push --force o m",
    "nice -n 5 git push --force o m",
    "stdbuf -oL git push --force o m",
    "time git push --force o m",
    "xargs git push --force",
    "setsid git push --force o m",
    "A=1 sudo -n env B=2 timeout 5 nice -n 5 git push --force o m",
]


def test_f29_no_wrapper_hides_a_command(serve: Any, policy: Policy) -> None:
    policy(deny=["Bash(git push --force *)"])
    host = serve()
    text, failed = host.call("ctx_batch", {"commands": WRAPPED, "queries": []})
    refused = "denied by rule Bash(git push --force *) of ~/.context-mode/policy.json"
    assert not failed
    assert [line for line in text.split("\n") if refused in line] == [f"{command}: {refused}" for command in WRAPPED]
    for command in WRAPPED:
        assert host.call("ctx_execute", {"language": "shell", "code": command})[0].startswith(refused)


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
@pytest.mark.parametrize("command", WRAPPED)
def test_f29_the_hosts_own_shell_tool_is_refused_too(hook: Hook, policy: Policy, agent: str, command: str) -> None:
    policy(deny=["Bash(git push --force *)"])
    reply = hook(agent, "PreToolUse", "PreToolUse-Bash", {"tool_input": {"command": command}})
    assert reply is not None
    assert reply["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "Bash(git push --force *)" in reply["hookSpecificOutput"]["permissionDecisionReason"]


def test_f29_no_allow_is_widened_by_stripping(serve: Any, home: Path) -> None:
    """`git *` is allowed, `sudo` asks: what is allowed without sudo is asked about with it."""
    in_settings(home / ".claude" / "settings.json", allow=["Bash(git *)"], ask=["Bash(sudo *)"])
    text, failed = serve("claude-code").call("ctx_execute", {"language": "sh", "code": "sudo -n git push o m"})
    assert failed
    assert "needs your approval by rule Bash(sudo *)" in text


LAYERS = ["home/.claude/settings.json", "project/.claude/settings.json", "project/.claude/settings.local.json"]


@pytest.mark.parametrize("layer", LAYERS)
def test_f30_deny_in_one_settings_file_only(serve: Any, home: Path, project: Path, layer: str) -> None:
    """The other two files allow it: an allow elsewhere cancels nothing."""
    for name in LAYERS:
        base, _, rest = name.partition("/")
        key = "deny" if name == layer else "allow"
        in_settings((home if base == "home" else project) / rest, **{key: ["Bash(git push --force *)"]})
    host = serve("claude-code")
    text, failed = host.call("ctx_batch", {"commands": ["ls", "true; git push --force o m"], "queries": []})
    assert not failed
    lines = text.split("\n")
    assert lines[0].startswith("ls: exit 0 · ")
    assert lines[1].startswith("true; git push --force o m: denied by rule Bash(git push --force *) of ")
    assert layer.rpartition("/")[2] in lines[1]


SHELLS = ["shell", "sh", "bash", "zsh", "dash", "ksh", "fish"]
SEGMENTS = ["true && {}", "false || {}", "true; {}", "true | {}", "true & {}", "true\n{}"]


@pytest.mark.parametrize("shell", SHELLS)
def test_f30_every_shell_language_per_segment(serve: Any, policy: Policy, project: Path, shell: str) -> None:
    """Refused before a shell is looked for: also for one that is not installed here."""
    policy(deny=["Bash(touch *)"])
    host = serve()
    for form in SEGMENTS:
        text, failed = host.call("ctx_execute", {"language": shell, "code": form.format("touch made")})
        assert failed
        assert text.startswith("denied by rule Bash(touch *) of ~/.context-mode/policy.json"), (form, text)
    assert not (project / "made").exists()
