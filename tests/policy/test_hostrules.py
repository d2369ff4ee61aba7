"""A host's own lists: read in each form, judged by each order, the stricter of host and ours holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime.policy.gate import judge_command
from context_mode_runtime.policy.hostrules import HostRules, host_rules
from context_mode_runtime.policy.load import Policy
from context_mode_runtime.policy.rules import Place, parse_rule
from context_mode_runtime.policy.verdicts import strictest

KEYS: dict[str, list[str]] = {key: ["permissions", key] for key in ("deny", "ask", "allow")}
NAMES = {"shell": ["Bash", "bash", "run_shell_command"], "read": ["Read", "read"], "edit": ["Edit", "edit"]}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir()
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "p"
    (folder / ".host").mkdir(parents=True)
    return folder


def section(order: str | None, *files: dict[str, Any], unread: str | None = None) -> dict[str, Any]:
    return {
        "rules": {"order": order, "anchors": "settings-folder", "files": list(files), "names": NAMES, "unread": unread}
    }


def file(path: str, form: str = "json", *, anchor: str = "home", keys: dict[str, list[str]] = KEYS) -> dict[str, Any]:
    return {"path": path, "format": form, "anchor": anchor, **keys}


def read(table: dict[str, Any], config: Path, checkout: Path) -> HostRules:
    return host_rules(table, {"config": str(config)}, str(checkout))


def run(rules: HostRules, text: str, checkout: Path) -> str | None:
    verdict = rules.judge_command(text, cwd=str(checkout), project=str(checkout))
    return verdict.decision if verdict else None


def test_deny_first_lists_of_all_files_count(config: Path, checkout: Path) -> None:
    (config / "settings.json").write_text(
        json.dumps({"permissions": {"deny": ["Bash(rm *)"], "allow": ["Bash(mv *)"]}})
    )
    (checkout / ".host" / "local.json").write_text(
        json.dumps({"permissions": {"deny": ["Bash(git push --force *)", "Read(./secret.env)"], "ask": ["Bash(mv *)"]}})
    )
    table = section(
        "deny-first",
        file("{config}/settings.json"),
        file("{project}/.host/local.json", anchor="project"),
        file("/nowhere/x.json"),
    )
    rules = read(table, config, checkout)
    assert rules.findings == []
    texts = ("rm a", "env A=1 git push --force o", "mv a b", "ls", "cat secret.env")
    assert [run(rules, text, checkout) for text in texts] == ["deny", "deny", "ask", None, "deny"]
    verdict = rules.judge_command("true; git push --force o m", cwd=str(checkout), project=str(checkout))
    assert verdict
    assert verdict.reason == f"denied by rule Bash(git push --force *) of {checkout}/.host/local.json"
    assert rules.judge_path("secret.env", cwd=str(checkout), project=str(checkout))
    assert rules.judge_code('os.system("rm a")', language="python", cwd=str(checkout), project=None)


@pytest.mark.parametrize(("form", "decision"), [("jsonc-prefix", "deny"), ("jsonc", None)])
def test_a_command_without_a_wildcard(config: Path, checkout: Path, form: str, decision: str | None) -> None:
    """On some hosts it is the beginning of a command; a word stays whole there, too."""
    rules_text = '{"permissions": {"deny": ["Bash(git push)", "Bash(rm -rf)"], /* mine */ "ask": ["Read(a.txt)"]}}'
    (config / "settings.json").write_text(rules_text)
    rules = read(section("deny-first", file("{config}/settings.json", form)), config, checkout)
    assert rules.findings == []
    assert run(rules, "git push", checkout) == "deny"
    assert [run(rules, text, checkout) for text in ("git push o m", "true; rm -rf x")] == [decision, decision]
    assert [run(rules, text, checkout) for text in ("git pushy", "rm -r x", "git")] == [None, None, None]
    found = rules.judge_path("a.txt", cwd=str(checkout), project=str(checkout))
    assert found
    assert found.decision == "ask"


def test_prefix_rules_are_read_and_never_run(config: Path, checkout: Path) -> None:
    (config / "rules").mkdir()
    (config / "rules" / "default.rules").write_text(
        "# a comment\n"
        'prefix_rule(pattern=["git", ["push", "fetch"]], decision="forbidden", justification="no")\n'
        'prefix_rule(pattern=["npm", "publish"], decision="prompt")\n'
        'prefix_rule(pattern=["ls"])\n'
        'prefix_rule(pattern=[open("/etc/passwd").read()], decision="forbidden")\n'
        "raise_error = exit(1)\n"
        "other_rule(a=1)\n"
    )
    rules = read(section("strictest", file("{config}/rules/*.rules", "starlark-prefix")), config, checkout)
    texts = ("git push", "sudo git fetch o", "git pull", "npm publish x", "ls -l", "npm publisher")
    assert [run(rules, text, checkout) for text in texts] == ["deny", "deny", None, "ask", None, None]
    assert len(rules.findings) == 3
    assert all(f"{config}/rules/default.rules: line" in finding for finding in rules.findings)
    verdict = rules.judge_command("git push", cwd="/", project=None)
    assert verdict
    assert verdict.rule == "prefix_rule(git push)"


def test_last_match(config: Path, checkout: Path) -> None:
    (config / "host.jsonc").write_text(
        '{ // rules\n "permission": {"bash": {"*": "deny", "ls *": "allow", "git *": "ask", "git status": "allow",},'
        ' "edit": "deny", "read": {"*.env": "deny"}},\n}'
    )
    keys: dict[str, list[str]] = {"deny": ["permission"], "ask": [], "allow": []}
    rules = read(section("last-match", file("{config}/host.jsonc", "permission-map", keys=keys)), config, checkout)
    texts = ("ls -l", "rm a", "git push", "git status", "ls; rm a", "ls && git log", "sudo ls")
    assert [run(rules, text, checkout) for text in texts] == [None, "deny", "ask", None, "deny", "ask", "deny"]
    assert rules.judge_path("x", cwd=str(checkout), project=None, tool="Edit")
    assert rules.judge_path("sub/a.env", cwd=str(checkout), project=None)
    assert rules.judge_path("a.txt", cwd=str(checkout), project=None) is None


def test_a_list_of_single_rules(config: Path, checkout: Path) -> None:
    """The second form of the same host: an ordered list of action, resource and effect."""
    rules_ = [("bash", "*", "ask"), ("bash", "ls *", "allow"), ("bash", "rm *", "deny"), ("*", "*.env", "deny")]
    said = [dict(zip(("action", "resource", "effect"), one, strict=True)) for one in rules_]
    text = json.dumps({"permissions": [*said, {"action": "bash", "resource": 1, "effect": "deny"}, "x"]})
    (config / "host.jsonc").write_text(text)
    keys: dict[str, list[str]] = {"deny": ["permissions"], "ask": [], "allow": []}
    rules = read(section("last-match", file("{config}/host.jsonc", "permission-map", keys=keys)), config, checkout)
    assert [run(rules, one, checkout) for one in ("ls -l", "rm a", "git push")] == [None, "deny", "ask"]
    assert rules.judge_path("sub/a.env", cwd=str(checkout), project=None)
    wanted = "an action, a resource and an effect that we know are wanted"
    assert rules.findings == [f"{config}/host.jsonc: rule {n}: {wanted}" for n in (5, 6)]


def test_highest_priority(config: Path, checkout: Path) -> None:
    (config / "p.toml").write_text(
        '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git"\ndecision = "ask_user"\npriority = 10\n'
        '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ["git status", "git log"]\n'
        'decision = "allow"\npriority = 50\n'
        '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "rm"\ndecision = "deny"\npriority = 5\n'
        '[[rule]]\ntoolName = "run_shell_command"\ncommandRegex = "^x"\ndecision = "deny"\npriority = 5\n'
    )
    rules = read(section("highest-priority", file("{config}/*.toml", "toml-rules")), config, checkout)
    texts = ("git push", "git status", "git log -1", "rm a", "ls")
    assert [run(rules, text, checkout) for text in texts] == ["ask", None, None, "deny", None]
    assert rules.findings == [f"{config}/p.toml: rule 4: regular expressions are not read"]


SHELL = 'toolName = "run_shell_command"'
TABLES: list[tuple[str, list[str], str | None]] = [
    # of equal priority the first wins
    ("allow", [f'{SHELL}\ncommandPrefix = "ls"\ndecision = "allow"', f'{SHELL}\ndecision = "deny"'], None),
    ("deny", [f'{SHELL}\ndecision = "deny"', f'{SHELL}\ncommandPrefix = "ls"\ndecision = "allow"'], "deny"),
    ("every tool", ['toolName = "*"\ndecision = "deny"'], "deny"),
    ("one of a list", ['toolName = ["write_file", "run_shell_command"]\ndecision = "deny"'], "deny"),
    ("a prefix ends at a word", [f'{SHELL}\ncommandPrefix = "l"\ndecision = "deny"'], None),
    ("an empty prefix is none", [f'{SHELL}\ncommandPrefix = ""\ndecision = "deny"'], "deny"),
    # a tool of an MCP server, whatever its name is
    ("mcp", ['mcpName = "*"\ntoolName = "*"\ndecision = "deny"', 'mcpName = "x"\ndecision = "deny"'], None),
    # what holds only sometimes: a deny counts, an allow does not
    ("deny in a mode", [f'{SHELL}\ndecision = "deny"\nmodes = ["yolo"]'], "deny"),
    ("allow in a mode", [f'{SHELL}\ndecision = "allow"\nmodes = ["plan"]', f'{SHELL}\ndecision = "deny"'], "deny"),
    ("allow as usual", [f'{SHELL}\ndecision = "allow"\nmodes = ["default"]', f'{SHELL}\ndecision = "deny"'], None),
    ("asked of a user", [f'{SHELL}\ndecision = "ask_user"\ninteractive = true'], "ask"),
    ("allow by text", [f'{SHELL}\nargsPattern = "ls"\ndecision = "allow"', f'{SHELL}\ndecision = "deny"'], "deny"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "tables", "decision"), TABLES, ids=[name for name, *_ in TABLES])
def test_tables(name: str, tables: list[str], decision: str | None, config: Path, checkout: Path) -> None:
    (config / "p.toml").write_text("".join(f"[[rule]]\npriority = 7\n{table}\n" for table in tables))
    rules = read(section("highest-priority", file("{config}/*.toml", "toml-rules")), config, checkout)
    assert rules.findings == []
    assert run(rules, "ls -l", checkout) == decision


@pytest.mark.parametrize(
    "table",
    [
        'decision = "deny"', 'toolName = 3\ndecision = "deny"', 'toolName = [3]\ndecision = "deny"',
        f'{SHELL}\ndecision = "maybe"', f'{SHELL}\ndecision = ["deny"]',
        f'{SHELL}\ndecision = "deny"\npriority = "high"',
        f'{SHELL}\ndecision = "deny"\npriority = [1]', f'{SHELL}\ncommandPrefix = [3]\ndecision = "deny"',
    ],
)  # fmt: skip
def test_a_table_that_is_no_rule_is_named(table: str, config: Path, checkout: Path) -> None:
    (config / "p.toml").write_text(f'[[rule]]\n{table}\n[[rule]]\n{SHELL}\ndecision = "ask_user"\n')
    rules = read(section("highest-priority", file("{config}/*.toml", "toml-rules")), config, checkout)
    assert [finding.partition(": ")[2].partition(":")[0] for finding in rules.findings] == ["rule 1"]
    assert run(rules, "ls -l", checkout) == "ask"


def test_a_stronger_file_goes_before_a_higher_priority(config: Path, checkout: Path) -> None:
    (config / "weak.toml").write_text(f'[[rule]]\n{SHELL}\ndecision = "allow"\npriority = 999\n')
    (config / "list.json").write_text('{"tools": {"exclude": ["run_shell_command"]}}')
    (config / "strong.toml").write_text(f'[[rule]]\n{SHELL}\ncommandPrefix = "git"\ndecision = "allow"\npriority = 0\n')
    keys: dict[str, list[str]] = {"deny": ["tools", "exclude"], "ask": [], "allow": []}
    files = [
        file("{config}/weak.toml", "toml-rules"), file("{config}/list.json", "json", keys=keys),
        file("{config}/strong.toml", "toml-rules"),
    ]  # fmt: skip
    rules = read(section("highest-priority", *files), config, checkout)
    assert [run(rules, text, checkout) for text in ("ls", "git log")] == ["deny", None]


@pytest.mark.parametrize(
    ("content", "form", "said"),
    [
        ("{", "json", "its rules can't be read"),
        ('{"a": 1} // x', "json", "its rules can't be read"),
        ('{"permissions": {"deny": "Bash"}}', "json", "permissions.deny is no list"),
        ('{"permissions": {"deny": ["Bash("]}}', "jsonc", "no closing bracket"),
        ("prefix_rule(", "starlark-prefix", "does not parse"),
        ("rule = [", "toml-rules", "its rules can't be read"),
        ("a: b", "yaml", "the format yaml can't be read here"),
    ],
)
def test_what_cannot_be_read_is_named(config: Path, checkout: Path, content: str, form: str, said: str) -> None:
    (config / "f").write_text(content)
    rules = read(section("deny-first", file("{config}/f", form), unread="flags do not reach us"), config, checkout)
    assert rules.findings[0] == "flags do not reach us"
    assert said in rules.findings[1]
    assert rules.findings[1].startswith(f"{config}/f: ")


def test_a_host_without_rules(config: Path, checkout: Path) -> None:
    rules = read(section(None), config, checkout)
    assert (run(rules, "rm a", checkout), rules.judge_tool("x", "y")) == (None, None)


def test_the_stricter_of_host_and_ours_holds() -> None:
    ours = Policy()
    ours.ask.append(parse_rule("Bash(rm *)", Place("ours", "/")))
    hosts = HostRules("deny-first")
    hosts.policy.deny.append(parse_rule("Bash(rm -rf *)", Place("theirs", "/")))

    def verdict(text: str) -> str | None:
        found = strictest(
            judge_command(ours, text, cwd="/", project=None), hosts.judge_command(text, cwd="/", project=None)
        )
        return found.reason if found else None

    assert verdict("rm -rf x") == "denied by rule Bash(rm -rf *) of theirs"
    assert verdict("rm x") == "needs your approval by rule Bash(rm *) of ours"
    assert verdict("ls") is None
