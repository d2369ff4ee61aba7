"""The guide to doctor has each check that the code has, by its title, and no other."""

from __future__ import annotations

import ast
import re

import pytest
from tests.conftest import ROOT
from tests.docs.pages import DOCS, read

from context_mode_installer.commands.doctor import CHECKS

PAGE = read(DOCS / "doctor.md")
SECTIONS = dict(re.findall(r"^## (D\S+ .+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
WORDS = {"failed": "FAIL", "warned": "WARN", "skipped": "SKIP"}


def statuses(check: str) -> set[str]:
    """The statuses that the module of a check can give for it, as far as its own function and those it calls say."""
    run = next(one.run for one in CHECKS if one.id == check)
    tree = ast.parse(read(ROOT / "installer" / (run.__module__.replace(".", "/") + ".py")))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    todo, seen, found = [run.__name__], set(), set()
    while todo:
        name = todo.pop()
        seen.add(name)
        for node in ast.walk(functions[name]):
            if isinstance(node, ast.Name):
                found |= {WORDS[node.id]} if node.id in WORDS else set()
                todo += [node.id] if node.id in functions and node.id not in seen else []
    return found - {"SKIP"}


def test_each_check_is_there_and_no_other() -> None:
    assert list(SECTIONS) == [f"{check.id} {check.title}" for check in CHECKS]


@pytest.mark.parametrize("check", [check.id for check in CHECKS])
def test_each_way_to_fail_has_its_mend(check: str) -> None:
    text = next(text for title, text in SECTIONS.items() if title.split()[0] == check)
    assert {word for word in ("FAIL", "WARN") if f"- {word}" in text or f", {word} " in text} >= statuses(check)


def words_of_rows() -> str:
    """Every text of the modules that rows are made of."""
    files = [
        *(ROOT / "installer/context_mode_installer").rglob("*.py"),
        ROOT / "runtime/context_mode_runtime/version.py",
    ]
    files += (ROOT / "runtime/context_mode_runtime/store").glob("*.py")
    nodes = (node for file in files for node in ast.walk(ast.parse(read(file))))
    return "\n".join(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def test_what_stands_in_italics_is_said_by_a_row() -> None:
    phrases = re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", PAGE)
    parts = {part.strip() for phrase in phrases for part in re.split(r"\.\.\.|\b\d[\d.]*\b", phrase) if part.strip()}
    said = words_of_rows()
    assert len(parts) > 20
    assert sorted(part for part in parts if part not in said) == []


def test_every_status_is_explained() -> None:
    assert re.findall(r"^\| ([A-Z]+) \|", PAGE, re.MULTILINE) == ["PASS", "WARN", "FAIL", "SKIP"]
