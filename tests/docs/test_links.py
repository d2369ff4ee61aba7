"""Each link leads somewhere, each page is in the site's menu."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.docs.pages import DOCS, PAGES, anchors, code_words, name_of, nav, prose

from context_mode_installer.specs.catalog import usable_specs

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
OUTSIDE = ("https://", "mailto:")
PLACE = re.compile(r"(?:\.ci|agent_specs|docs|installer|policy|runtime|schemas|tests)/[\w./-]+")
TEST = re.compile(r"test_\w+\.py")


def fault(page: Path, link: str) -> str | None:
    if re.match(r"[a-z]+:", link):
        return None if link.startswith(OUTSIDE) else "neither https nor a file"
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists():
        return "no such file"
    if target.is_dir():
        return "a folder: the site has no page for it"
    if DOCS in page.parents and DOCS not in target.parents:
        return "out of docs/: the site has no such page"
    return "no such heading" if anchor and anchor not in anchors(target) else None


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    found = {link: fault(page, link) for link in LINK.findall(prose(page))}
    assert {link: why for link, why in found.items() if why} == {}


def there(code: str) -> bool:
    """A path in the checkout; `ID` in it is that of some agent."""
    names = [code, *(code.replace("ID", spec.id) for spec in usable_specs() if "ID" in code)]
    return any((ROOT / name).exists() for name in [*names, *(name.replace("-", "_") for name in names)])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_that_are_named_are_there(page: Path) -> None:
    tests = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    words = code_words(page)
    assert [code for code in words if PLACE.fullmatch(code) and not there(code)] == []
    assert [code for code in words if TEST.fullmatch(code) and code not in tests] == []


def test_readme_leads_to_every_page() -> None:
    found, todo = {ROOT / "README.md"}, [ROOT / "README.md"]
    for page in todo:
        names = (link.partition("#")[0] for link in LINK.findall(prose(page)))
        linked = {(page.parent / name).resolve() for name in names if name} & set(PAGES)
        todo += linked - found
        found |= linked
    assert sorted(map(name_of, set(PAGES) - found)) == []


def test_every_page_is_in_the_menu_once() -> None:
    assert sorted(nav()) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))
