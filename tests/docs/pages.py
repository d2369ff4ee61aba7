"""The pages of the documentation, and what stands in them."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from tests.conftest import ROOT

DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", *DOCS.rglob("*.md")])

_FENCE = re.compile(r"^( *)```(\S*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: the line it starts on, its language, what is in it."""

    line: int
    language: str
    text: str


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path) -> list[Block]:
    text = read(page)
    return [Block(text.count("\n", 0, found.start()) + 1, found[2], found[3]) for found in _FENCE.finditer(text)]


def prose(page: Path) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", read(page))


def code_words(page: Path) -> list[str]:
    """What stands between backticks in the prose."""
    return _CODE.findall(prose(page))


def anchors(page: Path) -> set[str]:
    """Heading anchors as GitHub spells them."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in _HEADING.findall(prose(page))}


def site() -> dict[str, Any]:
    """The settings of the site."""
    settings: dict[str, Any] = YAML(typ="safe").load(read(DOCS / "mkdocs.yml"))
    return settings


def nav() -> list[str]:
    """The pages of the site's menu, in its order."""
    found: list[str] = []

    def walk(part: Any) -> None:
        for item in part if isinstance(part, list) else part.values():
            if isinstance(item, str):
                found.append(item)
            else:
                walk(item)

    walk(site()["nav"])
    return found


def table(*parts: Any) -> str:
    """A Markdown table: the words of its head, at last its rows."""
    *head, rows = parts
    lines = [[_cell(str(cell)) for cell in row] for row in [head, *rows]]
    lines.insert(1, ["---"] * len(head))
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def _cell(text: str) -> str:
    """A pipe in a code word is spelled so that GitHub and the site show it the same way."""
    text = _CODE.sub(lambda code: f"<code>{html.escape(code[1])}</code>" if "|" in code[1] else code[0], text)
    return text.replace("|", "&#124;").replace("\n", " ")
