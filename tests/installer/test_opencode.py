"""Three config files of one host, and plugins in them as words, lists and maps (F05, F22, R27)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run

WEAK_TO_STRONG = ("config.json", "opencode.json", "opencode.jsonc")
EMPTY = '{"$schema": "https://opencode.ai/config.json"}\n'
OURS = {"type": "local", "command": ["/old/bin/context-mode-serve", "--agent", "opencode"], "enabled": True}
PLUGIN = "plugins/context-mode.js"


@pytest.fixture
def config(home: Path) -> Path:
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    return folder


def set_up(**options: Any) -> int:
    return run(Options(agents=("opencode",), **options)).exit_code


def looked(*only: str) -> list[dict[str, str]]:
    """Doctor's rows."""
    rows: list[dict[str, str]] = doctor.run(doctor.Options(agents=("opencode",), offline=True, only=only)).data[
        "checks"
    ]
    return rows


def entries(folder: Path) -> dict[str, object]:
    """Our entry by the file that it stands in."""
    found: dict[str, object] = {}
    for name in WEAK_TO_STRONG:
        if (folder / name).exists():
            value = json.loads((folder / name).read_text("utf-8")).get("mcp", {}).get("context-mode")
            found |= {name: value} if value else {}
    return found


@pytest.mark.parametrize(
    ("there", "edited"),
    [
        ((), "opencode.json"),
        (("config.json",), "config.json"),
        (("opencode.json",), "opencode.json"),
        (("opencode.jsonc",), "opencode.jsonc"),
        (("config.json", "opencode.json"), "opencode.json"),
        (WEAK_TO_STRONG, "opencode.jsonc"),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, tuple) else value,
)
def test_f05_the_file_in_use_is_edited_and_no_other_made(config: Path, there: tuple[str, ...], edited: str) -> None:
    for name in there:
        (config / name).write_text(EMPTY, encoding="utf-8")
    assert set_up() == 0
    assert list(entries(config)) == [edited]
    assert {name for name in WEAK_TO_STRONG if (config / name).exists()} == {*there, edited}
    assert json.loads((config / edited).read_text("utf-8"))["$schema"] == "https://opencode.ai/config.json"
    assert (config / PLUGIN).exists()


def test_f05_the_file_that_holds_ours_is_mended_without_a_receipt(config: Path) -> None:
    (config / "opencode.jsonc").write_text(EMPTY, encoding="utf-8")
    (config / "opencode.json").write_text(json.dumps({"mcp": {"context-mode": OURS}}), encoding="utf-8")
    assert set_up() == 0
    assert list(entries(config)) == ["opencode.json"]


def test_f22_entries_in_all_three_become_one(config: Path) -> None:
    for name in WEAK_TO_STRONG:
        (config / name).write_text(json.dumps({"theme": name, "mcp": {"context-mode": OURS}}), encoding="utf-8")
    assert set_up() == 0
    assert list(entries(config)) == ["opencode.jsonc"]
    assert [json.loads((config / name).read_text("utf-8"))["theme"] for name in WEAK_TO_STRONG] == list(WEAK_TO_STRONG)


@pytest.mark.parametrize("name", WEAK_TO_STRONG)
@pytest.mark.parametrize(
    "item",
    ["context-mode", "context-mode@1.0.169", ["context-mode", {"quiet": True}], {"package": "context-mode@latest"}],
    ids=str,
)
def test_r27_a_foreign_plugin_is_seen_in_every_config_and_form(config: Path, name: str, item: object) -> None:
    key = "plugins" if isinstance(item, dict) else "plugin"
    mine = {"theme": "x", key: ["opencode-wakatime", item]}
    (config / "opencode.jsonc").write_text(EMPTY, encoding="utf-8")
    (config / name).write_text(json.dumps(mine), encoding="utf-8")
    assert set_up() == 1
    [leftovers] = [row for row in looked("D4") if row["id"] == "D4"]
    assert leftovers["status"] == "FAIL"
    assert "a plugin called context-mode" in leftovers["detail"]
    assert name in leftovers["detail"]
    assert set_up(replace=True) == 0
    assert json.loads((config / name).read_text("utf-8"))[key] == ["opencode-wakatime"]


def test_r27_doctor_names_the_host_once_a_check(config: Path) -> None:
    for name in WEAK_TO_STRONG:
        (config / name).write_text(EMPTY, encoding="utf-8")
    set_up()
    rows = looked()
    assert len({(row["id"], row["agent"]) for row in rows}) == len(rows)
    assert [row["status"] for row in rows if row["id"] == "D3"] == ["PASS"]


def test_a_home_with_odd_signs_makes_a_program_that_can_be_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = home / 'a "quoted" \\ home'
    odd.mkdir()
    monkeypatch.setenv("HOME", str(odd))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert set_up() == 0
    text = (odd / ".config" / "opencode" / PLUGIN).read_text("utf-8")
    [line] = [line for line in text.splitlines() if line.startswith("const HOOK = ")]
    hook = json.loads(line.removeprefix("const HOOK = ").removesuffix(";"))
    assert hook == str(odd / ".context-mode" / "bin" / "context-mode-hook")
    assert "{limit_ms}" not in text


@pytest.fixture
def major(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """`major("2.0.18")`: a program on PATH that tells this version."""

    def tell(version: str) -> None:
        program = tmp_path / "opencode"
        program.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        program.chmod(0o755)

    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tell


def test_r29_each_major_gets_its_entry_and_keeps_none_of_the_other(config: Path, major: Callable[[str], None]) -> None:
    file = config / "opencode.jsonc"
    file.write_text('{\n  // mine\n  "theme": "x"\n}\n', encoding="utf-8")
    before = file.read_bytes()
    for version, keys in (("1.18.33", ["context-mode"]), ("2.0.18", ["servers"]), ("1.18.33", ["context-mode"])):
        major(version)
        assert set_up() == 0
        said = json.loads(file.read_text("utf-8").replace("// mine", ""))
        assert list(said["mcp"]) == keys
        rows = {row["id"]: row["status"] for row in looked("D3", "D4", "D5", "D7", "D12")}
        assert set(rows.values()) == {"PASS"}
    entry = json.loads(file.read_text("utf-8").replace("// mine", ""))["mcp"]["context-mode"]
    assert entry["timeout"] == 660_000
    assert run(Options(remove=True)).exit_code == 0
    assert file.read_bytes() == before


def test_r29_the_second_majors_entry_is_offered_tool_by_tool(config: Path, major: Callable[[str], None]) -> None:
    major("2.0.18")
    assert set_up() == 0
    said = json.loads((config / "opencode.json").read_text("utf-8"))
    assert said["mcp"]["servers"]["context-mode"]["codemode"] is False
    assert set_up() == 0
    assert run(Options(remove=True)).exit_code == 0
    assert not (config / "opencode.json").exists()
