"""The site as mkdocs makes it: without a warning, and without anything from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.docs.pages import DOCS, nav, read, site

LOADS = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
IN_CSS = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')\s]+)")


class Loads(HTMLParser):
    """What a browser would load for a page, by itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag in LOADS and said.get("rel") != "canonical":
            self.found.append(said.get(LOADS[tag]) or "")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", "-", "--site-dir", folder],
        input=read(DOCS / "mkdocs.yml"), cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_of_the_menu_is_built(built: Path) -> None:
    pages = [built / name.removesuffix(".md").removesuffix("index") / "index.html" for name in nav()]
    assert [str(page) for page in pages if not page.is_file()] == []


def test_nothing_comes_from_elsewhere(built: Path) -> None:
    loads = {(page.name, url) for page in built.rglob("*.html") for url in Loads(read(page)).found}
    loads |= {(sheet.name, url) for sheet in built.rglob("*.css") for url in IN_CSS.findall(read(sheet))}
    assert loads
    assert {one for one in loads if re.match(r"(\w+:)?//", one[1])} == set()
    assert site()["theme"]["font"] is False
