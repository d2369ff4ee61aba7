"""No Python file of the two packages names an agent: what is special to one stands in its spec (contract 2)."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.conftest import ROOT

SPECS = sorted((ROOT / "agent_specs").glob("*.yaml"))
DOT_FOLDER = re.compile(r"[/}](\.[a-z][\w-]*(?:\.json|\.toml)?)")
MEMORY_FILE = re.compile(r"\b[A-Z][A-Z0-9_]+(?:\.local)?\.md\b")
META_KEY = re.compile(r"_meta\[\"([^\"]+)\"\]")
NOT_AN_AGENT = {
    *(".config", ".local", ".cache", ".context-mode", ".git", ".env", "SKILL.md", "README.md", "LICENSE.md", "code")
}
"""What specs name and others do, too; one program is called by an everyday word."""


def texts(value: object) -> Iterator[str]:
    """Every string inside a parsed YAML value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def spec_words(spec: dict[str, Any]) -> set[str]:
    """Id, name, the program, config folders, memory files and `_meta` keys that a spec speaks of."""
    words = {str(spec["id"]), str(spec["name"])}
    for text in texts({key: value for key, value in spec.items() if key != "docs"}):
        for words_of in (DOT_FOLDER, MEMORY_FILE, META_KEY):
            words.update(words_of.findall(text))
    words.update(str(item["name"]) for item in spec["server"]["tool_meta"])
    detection = spec.get("detection")
    if isinstance(detection, dict) and detection["binary"]:
        words.add(str(detection["binary"]))
    return words - NOT_AN_AGENT


@functools.cache
def banned() -> frozenset[str]:
    fixed = (Path(__file__).parent / "data" / "agent_words.txt").read_text(encoding="utf-8").splitlines()
    words = {line.strip() for line in fixed if line.strip() and not line.startswith("#")}
    yaml = YAML(typ="safe", pure=True)
    for path in SPECS:
        words |= spec_words(yaml.load(path.read_text(encoding="utf-8")))
    return frozenset(words)


def pattern() -> re.Pattern[str]:
    words = "|".join(re.escape(word) for word in sorted(banned(), key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{words})(?![A-Za-z0-9])", re.IGNORECASE)


def test_python_files_name_no_agent() -> None:
    names = pattern()
    hits = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for package in ("runtime", "installer")
        for path in sorted((ROOT / package).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if names.search(line)
    ]
    assert hits == []


@pytest.mark.parametrize("line", ["~/.claude/x", "CODEX_HOME", '"claudecode/toolUseId"', "# as Pi does", "gemini-cli"])
def test_the_words_are_found(line: str) -> None:
    assert pattern().search(line)


@pytest.mark.parametrize(
    "line", ["import typing", "pickle", "the api", "specs.agents", "copilots", "a_spec.agents_dir"]
)
def test_other_words_pass(line: str) -> None:
    assert not pattern().search(line)
