"""The three policy files: how they add up, and what a damaged one does."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests import only

from context_mode_runtime import resources
from context_mode_runtime.policy import load
from context_mode_runtime.policy.gate import judge_code, judge_command, judge_path, judge_tool
from context_mode_runtime.policy.load import Policy, load_policy
from context_mode_runtime.store.budget import BudgetRules

SCHEMA = json.loads((Path(resources.shipped("schemas")) / "policy.schema.json").read_text(encoding="utf-8"))
SHIPPED = json.loads((Path(resources.shipped("policy")) / "policy.json").read_text(encoding="utf-8"))


def write(folder: Path, content: Any, name: str = ".context-mode") -> None:
    target = folder / name / "policy.json" if name else folder / "policy.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@pytest.fixture
def user() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "p"
    folder.mkdir()
    return folder


def run(policy: Policy, text: str) -> str | None:
    verdict = judge_command(policy, text, cwd="/", project=None)
    return verdict.decision if verdict else None


def test_shipped_policy() -> None:
    jsonschema.validate(SHIPPED, SCHEMA)
    policy = load_policy(None)
    assert all(policy.routes.values())
    assert set(policy.routes) == {"webfetch", "curl", "inlineHttp", "build", "read", "dump", "replace", "seat"}
    assert (policy.inject, policy.capture, policy.sandbox) == (True, True, "off")
    assert (policy.deny, policy.ask, policy.allow, policy.findings, policy.allow_hosts) == ([], [], [], [], [])
    assert policy.closed is None
    budget, default = policy.search_budget, BudgetRules()
    assert [getattr(budget, name) for name in BudgetRules.__slots__] == [
        getattr(default, name) for name in BudgetRules.__slots__
    ]


def test_deny_and_ask_of_user_and_project_all_count_and_no_allow_cancels_them(user: Path, checkout: Path) -> None:
    write(user, {"version": 1, "deny": ["Bash(rm *)"], "allow": ["Bash(mv *)", "Bash(git push *)"]})
    write(checkout, {"version": 1, "deny": ["Bash(mv *)"], "ask": ["Bash(git push *)"]})
    policy = load_policy(str(checkout))
    assert [run(policy, text) for text in ("rm a", "mv a b", "git push", "ls")] == ["deny", "deny", "ask", None]
    assert [run(load_policy(None), text) for text in ("rm a", "mv a b")] == ["deny", None]


def test_a_moved_root_does_not_lift_the_rules_at_home(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        user, {"version": 1, "deny": ["Bash(rm *)"], "ask": ["Bash(mv *)"], "routes": {"curl": "off"}, "capture": "off"}
    )
    write(tmp_path / "moved", {"version": 1, "deny": ["Bash(cp *)"], "routes": {"build": "off"}}, name="")
    monkeypatch.setenv("CONTEXT_MODE_DATA_DIR", str(tmp_path / "moved"))
    policy = load_policy(None)
    assert [run(policy, text) for text in ("rm a", "mv a b", "cp a b")] == ["deny", "ask", "deny"]
    assert (policy.routes["curl"], policy.routes["build"], policy.capture) == (True, False, True)


def test_a_project_can_only_tighten(user: Path, checkout: Path) -> None:
    write(user, {"version": 1, "routes": {"curl": "off"}, "capture": "off", "sandbox": "project", "redact": ["a"]})
    write(
        checkout,
        {
            "version": 1,
            "routes": {"curl": "on", "dump": "off"},
            "capture": "on",
            "inject": "off",
            "sandbox": "off",
            "allow": ["Bash"],
            "allowHosts": ["evil.com"],
            "fetch": {"privateHosts": ["127.0.0.1"]},
            "searchBudget": {"calls": 1000},
            "redact": ["b"],
            "mcpServers": {"replace": {"deny": ["x"]}},
        },
    )
    policy = load_policy(str(checkout))
    assert (policy.routes["curl"], policy.routes["dump"], policy.capture, policy.inject) == (False, False, False, False)
    assert (policy.sandbox, policy.redact, policy.mcp_servers) == ("project", ["a", "b"], {"allow": [], "deny": ["x"]})
    assert (policy.allow, policy.allow_hosts, policy.fetch["privateHosts"]) == ([], [], [])
    assert policy.search_budget.calls == BudgetRules().calls
    assert policy.closed is None
    for key in ("routes", "capture", "sandbox", "allow", "allowHosts", "fetch", "searchBudget"):
        assert any(key in finding for finding in policy.findings), key


def test_origins_say_where_a_value_comes_from(user: Path, checkout: Path) -> None:
    write(user, {"version": 1, "routes": {"curl": "off"}})
    write(checkout, {"version": 1, "capture": "off"})
    origins = load_policy(str(checkout)).origins
    assert origins["routes.curl"] == "~/.context-mode/policy.json"
    assert origins["routes.dump"].endswith("policy/policy.json")
    assert origins["capture"].endswith("/p/.context-mode/policy.json")


UNREAD = {
    "unknown key": ({"denny": []}, "unknown key 'denny'"),
    "unknown route": ({"routes": {"cat": "off"}}, "unknown route 'cat'"),
    "no switch": ({"capture": False}, '"on" or "off", not False'),
    "rule without end": ({"deny": ["Bash(rm *"]}, "no closing bracket"),
    "rule of another type": ({"deny": [1]}, "a rule is text"),
    "rule without a name": ({"ask": ["(x)"]}, "does not begin with a tool's name"),
    "fetch number": ({"fetch": {"maxBytes": -1}}, "a number above 0"),
    "budget": ({"searchBudget": {"calls": "many"}}, "a number above 0"),
    "version": ({"version": 2}, "this version knows 1"),
}


@pytest.mark.parametrize(("content", "said"), UNREAD.values(), ids=UNREAD)
def test_what_cannot_be_read_is_a_finding_and_the_rest_holds(user: Path, content: dict[str, Any], said: str) -> None:
    merged = {"version": 1, **content, "deny": [*content.get("deny", []), "Bash(rm *)"]}
    write(user, merged)
    policy = load_policy(None)
    assert any(said in finding and "~/.context-mode/policy.json" in finding for finding in policy.findings)
    assert policy.closed is None
    assert (run(policy, "rm x"), run(policy, "ls")) == ("deny", None)


CLOSED = {
    "no JSON": "{",
    "empty": "",
    "a list": "[]",
    "comments": '{"version": 1} // x',
    "deny is text": '{"version": 1, "deny": "Bash(rm *)"}',
    "deny is null": '{"version": 1, "deny": null}',
    "sandbox": '{"version": 1, "sandbox": "on"}',
    "deny twice": '{"version": 1, "deny": ["Bash(rm *)"], "ask": [], "deny": []}',
    "servers denied twice": '{"version": 1, "mcpServers": {"deny": ["a"], "deny": ["b"]}}',
    "sandbox twice": '{"version": 1, "sandbox": "strict", "sandbox": "off"}',
}


@pytest.mark.parametrize("content", CLOSED.values(), ids=CLOSED)
@pytest.mark.parametrize("place", ["user", "project"])
def test_an_unreadable_deny_list_or_sandbox_closes_the_gate(
    user: Path, checkout: Path, content: str, place: str
) -> None:
    write(user if place == "user" else checkout, content)
    policy = load_policy(str(checkout))
    verdict = judge_command(policy, "ls", cwd="/", project=None)
    assert verdict
    assert verdict.decision == "deny"
    assert verdict.reason.startswith("denied: ")
    assert "policy.json" in verdict.reason
    assert judge_code(policy, "1", language="python", cwd="/", project=None)
    assert policy.findings


def test_a_key_that_stands_twice_is_a_finding(user: Path) -> None:
    write(user, '{"version": 1, "routes": {"curl": "off", "curl": "on"}, "deny": ["Bash(rm *)"]}')
    policy = load_policy(None)
    assert policy.findings == ["~/.context-mode/policy.json: 'curl' stands there twice: only the last one counts"]
    assert (run(policy, "rm x"), run(policy, "ls")) == ("deny", None)
    write(user, '{"version": 1, "deny": ["Bash(rm *)"], "deny": []}')
    assert load_policy(None).closed == "~/.context-mode/policy.json: 'deny' stands there twice: make one of both"


@only.BOUND_BY_MODES
def test_a_file_without_rights_closes_the_gate(user: Path) -> None:
    write(user, {"version": 1})
    (user / ".context-mode" / "policy.json").chmod(0)
    assert run(load_policy(None), "ls") == "deny"


@pytest.mark.parametrize("place", ["user", "project"])
def test_a_link_that_leads_nowhere_closes_the_gate(user: Path, checkout: Path, place: str) -> None:
    """The folder of somebody's dotfiles that isn't mounted: there are rules, and they can't be read."""
    assert run(load_policy(str(checkout)), "ls") is None
    link = (user if place == "user" else checkout) / ".context-mode" / "policy.json"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to("/nowhere/policy.json")
    policy = load_policy(str(checkout))
    assert run(policy, "ls") == "deny"
    assert policy.closed
    assert policy.closed.endswith("policy.json: it is a link to a file that isn't there")
    link.unlink()
    assert run(load_policy(str(checkout)), "ls") is None


def test_byte_order_mark_and_schema_key_are_fine(user: Path) -> None:
    write(user, "\ufeff" + json.dumps({"$schema": "x", "version": 1, "deny": ["Bash(rm *)"]}))
    policy = load_policy(None)
    assert (policy.findings, run(policy, "rm x")) == ([], "deny")


def test_other_tools(user: Path) -> None:
    write(user, {"version": 1, "deny": ["WebFetch(domain:evil.com)", "mcp__x__*", "Task", "Grep(secret*)"]})
    policy = load_policy(None)
    refused = [
        ("WebFetch", "https://evil.com/a"),
        ("WebFetch", "https://a.evil.com"),
        ("mcp__x__y", "{}"),
        ("Task", ""),
        ("Grep", "secret x"),
    ]
    for tool, text in refused:
        assert judge_tool(policy, tool, text), (tool, text)
    for tool, text in [("WebFetch", "https://evil.com.org"), ("mcp__xy__z", "{}"), ("Tasks", ""), ("Grep", "x")]:
        assert judge_tool(policy, tool, text) is None, (tool, text)


def test_nothing_is_read_while_there_are_no_rules() -> None:
    class Trap(str):
        __slots__ = ()

        def __getattribute__(self, name: str) -> object:
            raise AssertionError(name)

    policy = load_policy(None)
    assert judge_command(policy, Trap("x"), cwd="/", project=None) is None
    assert judge_path(policy, Trap("x"), cwd="/", project=None) is None
    assert judge_tool(policy, "T", Trap("x")) is None


@pytest.mark.parametrize(
    "content",
    [
        {"version": 1, "extra": 1},
        {"version": 1, "routes": {"cat": "off"}},
        {"version": 1, "capture": True},
        {"version": 1, "deny": ["Bash(rm"]},
        {"version": 1, "fetch": {"x": 1}},
        {"version": 1, "mcpServers": {"x": {}}},
        {"version": 1, "sandbox": "on"},
        {},
    ],
)
def test_the_schema_is_closed(content: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, SCHEMA)


def test_a_change_counts_at_once_in_a_process_that_has_read_the_file_before(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "_SETTLED_NS", -(2**62))  # as if the file was old when it was read
    for word in ("alpha", "gamma"):  # of the same size
        write(checkout, {"redact": [word]})
        first = load_policy(str(checkout))
        assert first.redact == [word]
        assert load_policy(str(checkout)) is first
    (checkout / ".context-mode" / "policy.json").unlink()
    assert load_policy(str(checkout)).redact == []


def test_a_file_written_just_now_is_read_again(checkout: Path) -> None:
    write(checkout, {"redact": ["alpha"]})
    assert load_policy(str(checkout)) is not load_policy(str(checkout))


def test_a_link_that_changes_counts_at_once_in_a_process_that_has_read_the_policy_before(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "_SETTLED_NS", -(2**62))
    write(checkout, {"deny": ["Read(./secrets/**)"]})
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (checkout / "secrets").unlink(missing_ok=True)
        (checkout / "secrets").symlink_to(tmp_path / name)
        behind = str(tmp_path / name / "key")
        assert judge_path(load_policy(str(checkout)), behind, cwd=str(checkout), project=str(checkout))


@pytest.mark.parametrize(
    ("users", "projects", "sandbox", "by_project"),
    [
        (None, "strict", "strict", True),
        ("project", "strict", "strict", True),
        ("strict", "strict", "strict", False),
        ("strict", "off", "strict", False),
        ("project", None, "project", False),
    ],
)
def test_whose_sandbox_it_is(
    user: Path, checkout: Path, users: str | None, projects: str | None, sandbox: str, by_project: bool
) -> None:
    for folder, value in ((user, users), (checkout, projects)):
        if value:
            write(folder, {"sandbox": value})
    policy = load_policy(str(checkout))
    assert (policy.sandbox, policy.sandbox_by_project) == (sandbox, by_project)
