"""A host that reads hooks from two files and wants them in one: ours go where the user's are."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.result import Result

_MINE = (
    '\n[[hooks.PreToolUse]]\nmatcher = "Bash"\n\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "echo mine"\n'
)


def set_up(**options: Any) -> Result:
    return run(Options(agents=("codex",), **options))


def folder(home: Path) -> Path:
    (home / ".codex").mkdir(exist_ok=True)
    return home / ".codex"


def inline(home: Path) -> dict[str, Any]:
    """The hook lists of config.toml, without the host's own notes."""
    hooks: dict[str, Any] = tomllib.loads((home / ".codex" / "config.toml").read_text("utf-8")).get("hooks", {})
    return {event: groups for event, groups in hooks.items() if event != "state"}


def trusted(home: Path) -> set[str]:
    config = tomllib.loads((home / ".codex" / "config.toml").read_text("utf-8"))
    return {key.rpartition("/")[2] for key in config["hooks"]["state"]}


def checked(*only: str) -> list[tuple[str, str]]:
    found = doctor.run(doctor.Options(agents=("codex",), only=only, offline=True))
    return [(row["status"], row["detail"]) for row in found.data["checks"]]


def test_ours_go_where_hooks_of_the_user_are(home: Path) -> None:
    (folder(home) / "config.toml").write_text(_MINE, "utf-8")
    assert set_up().exit_code == 0
    assert not (home / ".codex" / "hooks.json").exists()
    assert [group["hooks"][0]["command"].split("/")[-1] for group in inline(home)["PreToolUse"]] == [
        "echo mine",
        "context-mode-hook codex PreToolUse",
    ]
    assert len(inline(home)) == 9
    assert trusted(home) == {
        "config.toml:pre_tool_use:1:0",
        *(
            f"config.toml:{event}:0:0"
            for event in (
                "session_start", "user_prompt_submit", "post_tool_use", "pre_compact", "stop", "session_end",
                "subagent_start", "subagent_stop",
            )
        ),
    }  # fmt: skip


def test_hooks_in_both_files_leave_ours_in_the_first(home: Path) -> None:
    (folder(home) / "config.toml").write_text(_MINE, "utf-8")
    theirs = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}
    (home / ".codex" / "hooks.json").write_text(json.dumps(theirs), "utf-8")
    set_up()
    assert list(inline(home)) == ["PreToolUse"]
    assert len(json.loads((home / ".codex" / "hooks.json").read_text("utf-8"))["hooks"]) == 9


def test_hooks_that_the_user_adds_later_are_a_warning_and_setup_joins_them(home: Path) -> None:
    folder(home)
    set_up()
    config = home / ".codex" / "config.toml"
    config.write_text(config.read_text("utf-8") + _MINE, "utf-8")
    before = config.read_bytes()
    assert [status for status, _ in checked("D3", "D4", "D5", "D12")] == ["PASS", "WARN", "PASS", "PASS"]
    assert "yours are in ~/.codex/config.toml" in checked("D4")[0][1]
    assert set_up().exit_code == 0
    assert not (home / ".codex" / "hooks.json").exists()
    assert len(inline(home)) == 9
    assert all(key.startswith("config.toml:") for key in trusted(home))
    assert set_up().messages[-1] == "All is set up already; nothing was changed."
    assert [status for status, _ in checked("D3", "D4", "D5", "D12")] == ["PASS"] * 4
    set_up(undo="newest")
    assert config.read_bytes() == before
    set_up(remove=True)
    assert config.read_text("utf-8") == _MINE


def test_ours_stay_when_the_users_go(home: Path) -> None:
    config = folder(home) / "config.toml"
    config.write_text(_MINE, "utf-8")
    set_up()
    config.write_text(config.read_text("utf-8").replace(_MINE, ""), "utf-8")
    set_up()
    assert not (home / ".codex" / "hooks.json").exists()
    assert len(inline(home)) == 9
    assert set_up().messages[-1] == "All is set up already; nothing was changed."
