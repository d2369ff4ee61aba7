"""Doctor judges by effect: what works passes; what was broken fails in its row, with the command that mends."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from context_mode_installer.commands import doctor, setup
from context_mode_installer.doctor.model import Check, examine, passed
from context_mode_installer.result import UserError

AGENTS = ("claude-code", "codex")
Rows = dict[str, dict[str, Any]]


@pytest.fixture
def set_up(home: Path) -> Path:
    """A home where both agents are set up."""
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    assert setup.run(setup.Options(agents=AGENTS)).exit_code == 0
    return home


def look(agent: str, *only: str, **more: Any) -> tuple[int, Rows]:
    result = doctor.run(doctor.Options(agents=(agent,), only=only, offline=True, **more))
    return result.exit_code, {row["id"]: row for row in result.data["checks"]}


@pytest.mark.parametrize("agent", AGENTS)
def test_what_setup_made_passes_every_check(agent: str, set_up: Path) -> None:
    code, rows = look(agent)
    assert {name: row["detail"] for name, row in rows.items() if row["status"] == "FAIL"} == {}
    assert code == 0
    assert list(rows) == ["D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11", "D12", "D13"]
    assert rows["D7"]["status"] == rows["D5"]["status"] == rows["D3"]["status"] == "PASS"


def settings(home: Path, change: Callable[[dict[str, Any]], None]) -> None:
    file = home / ".claude/settings.json"
    value = json.loads(file.read_text())
    change(value)
    file.write_text(json.dumps(value))


def no_launcher(home: Path) -> None:
    (home / ".context-mode/bin/context-mode-serve").unlink()


def python_gone(home: Path) -> None:
    for name in ("context-mode-hook", "context-mode-serve", "context-mode"):
        file = home / ".context-mode/bin" / name
        lines = [
            "python=/nowhere/python3" if line.startswith("python=") else line for line in file.read_text().split("\n")
        ]
        file.write_text("\n".join(lines))


def hook_gone(home: Path) -> None:
    settings(home, lambda value: value["hooks"].pop("PreToolUse"))


def hook_twice(home: Path) -> None:
    settings(home, lambda value: value["hooks"]["Stop"].append(value["hooks"]["Stop"][0]))


def switched_off(home: Path) -> None:
    settings(home, lambda value: value.update(disableAllHooks=True))


def entry_gone(home: Path) -> None:
    (home / ".claude.json").write_text("{}")


def not_json(home: Path) -> None:
    (home / ".claude/settings.json").write_text('{"hooks": {')


def foreign_plugin(home: Path) -> None:
    settings(home, lambda value: value.update(enabledPlugins={"context-mode@context-mode": True}))


def hook_breaks(home: Path) -> None:
    file = home / ".context-mode/bin/context-mode-hook"
    file.write_text("#!/bin/sh\necho '{\"decision\": 7}'\n")


def data_open(home: Path) -> None:
    (home / ".context-mode").chmod(0o755)


def data_no_folder(home: Path) -> None:
    (home / ".context-mode").rename(home / "aside")
    (home / ".context-mode").write_text("in the way")


BROKEN: list[tuple[Callable[[Path], None], str, str, str]] = [
    (no_launcher, "D2", "FAIL", "no launcher context-mode-serve"),
    (no_launcher, "D3", "FAIL", "context-mode-serve"),
    (no_launcher, "D7", "FAIL", "can't be started"),
    (python_gone, "D2", "FAIL", "does not run"),
    (python_gone, "D7", "FAIL", "does not answer"),
    (hook_gone, "D4", "FAIL", "no hook of ours for PreToolUse"),
    (hook_twice, "D4", "FAIL", "Stop"),
    (switched_off, "D12", "FAIL", "switched off"),
    (entry_gone, "D3", "FAIL", "no MCP entry"),
    (not_json, "D3", "FAIL", "settings.json:1:12"),
    (foreign_plugin, "D4", "FAIL", "plugin called context-mode"),
    (hook_breaks, "D5", "FAIL", "does not take"),
    (data_open, "D13", "WARN", "can be read by others"),
    (data_no_folder, "D13", "FAIL", "~/.context-mode is no folder"),
]


@pytest.mark.parametrize(
    ("breaks", "check", "status", "words"), BROKEN, ids=[f"{row[0].__name__}-{row[1]}" for row in BROKEN]
)
def test_what_is_broken_is_named_in_its_row(
    breaks: Callable[[Path], None], check: str, status: str, words: str, set_up: Path
) -> None:
    breaks(set_up)
    code, rows = look("claude-code", check)
    row = rows[check]
    assert (row["status"], words in row["detail"]) == (status, True), row
    assert code == (1 if status == "FAIL" else 0)


@pytest.mark.parametrize("breaks", [no_launcher, python_gone, hook_gone, hook_twice, entry_gone])
def test_fix_mends_what_setup_can_mend(breaks: Callable[[Path], None], set_up: Path) -> None:
    breaks(set_up)
    code, rows = look("claude-code", "D2", "D3", "D4", fix=True)
    assert code == 0, rows


def test_an_untrusted_hook_of_codex_fails_and_a_missing_approval_warns(set_up: Path) -> None:
    file = set_up / ".codex/config.toml"
    text = file.read_text()
    file.write_text(text.replace('default_tools_approval_mode = "approve"\n', ""))
    assert look("codex", "D12")[1]["D12"]["status"] == "WARN"
    file.write_text(text.replace("trusted_hash", "trusted_hush"))
    assert look("codex", "D12")[1]["D12"]["status"] == "FAIL"


def test_it_changes_nothing_without_fix(set_up: Path) -> None:
    def snapshot() -> dict[str, tuple[int, bytes]]:
        found = {}
        for folder, _, names in os.walk(set_up):
            for name in names:
                path = Path(folder, name)
                found[str(path)] = (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
        return found

    before = snapshot()
    for agent in AGENTS:
        look(agent)
    assert snapshot() == before


def test_a_check_that_raises_is_a_failure_of_its_own(set_up: Path) -> None:
    def explode(_: object) -> Any:
        raise RuntimeError("boom")

    subject: Any = SimpleNamespace(agent="codex")
    row = examine(Check("D99", "explodes", explode), subject)
    assert (row.status, row.detail) == ("FAIL", "the check itself failed: RuntimeError: boom")
    assert passed("x").status == "PASS"


def test_the_report_holds_no_secret_and_starts_with_the_environment(set_up: Path, tmp_path: Path) -> None:
    settings(set_up, lambda value: value.update(env={"GITHUB_TOKEN": "tok-AAA111"}))
    report = tmp_path / "report.txt"
    doctor.run(doctor.Options(agents=("claude-code",), only=("D3", "D13"), report=report))
    lines = report.read_text().splitlines()
    assert lines[0].startswith("Environment: context-mode ")
    assert lines[1].startswith("Environment: ")
    assert [cell.strip() for cell in lines[3].split("|")] == ["Check", "Status", "Detail", "Fix"]
    assert "tok-AAA111" not in report.read_text()


def test_an_unknown_check_or_agent_names_the_known_ones(set_up: Path) -> None:
    with pytest.raises(UserError, match="known: D1, D2"):
        look("codex", "D99")
    with pytest.raises(UserError, match="codex"):
        look("codexx")


def test_without_an_agent_it_says_so_and_looks_at_what_is_the_same_for_all() -> None:
    result = doctor.run(doctor.Options())
    assert result.exit_code == 0
    assert [(row["id"], row["agent"], row["status"]) for row in result.data["checks"]] == [
        ("D8", None, "PASS"), ("D9", None, "PASS"), ("D11", None, "PASS"), ("D13", None, "SKIP"),
    ]  # fmt: skip
    assert result.messages[0].startswith("Environment: context-mode ")
    assert any(line.startswith("No agent was found") for line in result.messages)
    alone = doctor.run(doctor.Options(only=("D5",)))
    assert (alone.exit_code, alone.data["checks"], "No agent" in alone.messages[0]) == (0, [], True)


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_that_was_never_set_up_is_not_told_to_take_our_entries_out_or_to_be_approved(
    agent: str, home: Path
) -> None:
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    _, rows = look(agent, "D1", "D3", "D12")
    assert {name: row["status"] for name, row in rows.items()} == {"D1": "SKIP", "D3": "FAIL", "D12": "SKIP"}
    assert rows["D1"]["detail"].endswith("is not on PATH, and nothing of ours is set up for it")
    assert rows["D12"]["detail"] == "nothing of ours is set up here: see D3"


def test_a_config_that_can_not_be_read_is_told_once(set_up: Path) -> None:
    (set_up / ".claude" / "settings.json").write_text('{"hooks": {', "utf-8")
    rows = doctor.run(doctor.Options(agents=("claude-code",), only=("D3", "D4", "D12"), offline=True)).data["checks"]
    assert [row["status"] for row in rows] == ["FAIL", "SKIP", "SKIP"]
    assert "settings.json:1:12" in rows[0]["detail"]
    assert "Nothing was changed" not in rows[0]["detail"]
    assert rows[0]["fix"] == "${EDITOR:-vi} ~/.claude/settings.json"
