"""The hook for pre-commit at the top of the checkout: which files it takes, and what it does with them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tests.conftest import Cli

ROOT = Path(__file__).resolve().parents[2]
(HOOK,) = YAML(typ="safe", pure=True).load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))


def test_it_has_the_keys_that_pre_commit_needs() -> None:
    assert {"id", "name", "entry", "language", "files"} <= set(HOOK)
    assert (HOOK["language"], HOOK["types"]) == ("python", ["yaml"])


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("agent_specs/my-agent.yaml", True),
        ("vendor/agent_specs/x.yaml", True),
        ("home/.context-mode/agents/my-agent.yaml", True),
        ("agent_specs/unsupported.json", False),
        ("agent_specs/bridges/x.js", False),
        (".other/agents/reviewer.yaml", False),
        ("docs/mkdocs.yml", False),
    ],
)
def test_it_takes_spec_files(name: str, taken: bool) -> None:
    assert bool(re.search(HOOK["files"], name)) is taken


def test_every_shipped_spec_is_taken() -> None:
    names = [f"agent_specs/{file.name}" for file in (ROOT / "agent_specs").glob("*.yaml")]
    assert names
    assert [name for name in names if not re.search(HOOK["files"], name)] == []


def test_its_entry_tells_file_line_column_and_what_is_right(tmp_path: Path, home: Path, run_cli: Cli) -> None:
    program, *words = HOOK["entry"].split()
    assert program == "context-mode"
    folder = tmp_path / "agent_specs"
    folder.mkdir()
    for name in ("my-agent.yaml", "my-agent.replies.json"):
        shutil.copy(ROOT / "docs" / name, folder)
    good = run_cli(*words, "agent_specs/my-agent.yaml", cwd=tmp_path)
    assert (good.returncode, good.stdout) == (0, "agent_specs/my-agent.yaml: valid\n")
    text = (folder / "my-agent.yaml").read_text("utf-8")
    (folder / "my-agent.yaml").write_text(text.replace("dialect: free-regex", "dialect: free-regexp"), "utf-8")
    bad = run_cli(*words, "agent_specs/my-agent.yaml", cwd=tmp_path)
    assert bad.returncode == 1
    assert re.fullmatch(r"agent_specs/my-agent\.yaml:\d+:\d+ .*free-regexp.*; did you mean free-regex\?\n", bad.stdout)
