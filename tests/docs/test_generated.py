"""What pages say about the code is what the code says today."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs import generate
from tests.docs.pages import DOCS, PAGES, name_of, read

from context_mode_installer.specs.catalog import usable_specs

MARKED = [page for page in PAGES if "<!-- generated" in read(page)]


@pytest.mark.parametrize("page", MARKED, ids=name_of)
def test_a_page_says_what_the_code_says(page: Path) -> None:
    assert read(page) == generate.renewed(read(page)), "python -m tests.docs.generate writes it anew"


def test_every_part_is_on_a_page() -> None:
    used = {words.split()[0] for page in MARKED for _, words, _ in generate.MARKED.findall(read(page))}
    assert used == set(generate.PARTS)


def test_every_agent_has_its_page_and_no_other() -> None:
    marks = {page.stem: words for page in MARKED for _, words, _ in generate.MARKED.findall(read(page))
             if page.parent.name == "hosts"}  # fmt: skip
    assert marks == {spec.id: f"install {spec.id}" for spec in usable_specs()}
    assert sorted(marks) == sorted(page.stem for page in (DOCS / "hosts").glob("*.md"))


def test_exit_codes() -> None:
    """Those that a command ends with, in the page of the commands."""
    from context_mode_installer import result

    codes = [result.OK, result.FINDINGS, result.USAGE, result.FAULT, result.INTERRUPTED]
    page = read(DOCS / "commands.md")
    assert [line.split("|")[1].strip() for line in page.splitlines() if line[:3].strip("| ").isdigit()] == (
        [str(code) for code in codes]
    )
