"""What our texts cost in every conversation: the bound for each agent, and the table in docs/texts.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from context_mode_installer.skilltexts import SKILLS
from context_mode_runtime.agents import PACKAGE, known_agents, load_agent
from context_mode_runtime.hooks.call import Call
from context_mode_runtime.hooks.turns import how_to
from context_mode_runtime.server.savings import fixed_cost
from context_mode_runtime.server.session import Connection

MOST = 8_192
"""Tool list, instructions and start text together."""
PAGE = Path(__file__).parents[2] / "docs" / "texts.md"
HEAD = ["| agent | tool list | instructions | start text | together |", "|---|--:|--:|--:|--:|"]


def cost(agent: str) -> list[int]:
    """Bytes of the tool list as it is sent, of the instructions and of the longest start text."""
    table = load_agent(agent)
    parts = fixed_cost(Connection(agent, table, "/"), inject=False)
    start = how_to(Call(table, "session_start", "", {"cwd": "/"}, assume_server=True))
    return [parts["tool list"], parts["instructions"], len(start.encode())]


def row(name: str, sizes: list[int]) -> str:
    return "| " + " | ".join([name, *(f"{size:,}" for size in (*sizes, sum(sizes)))]) + " |"


@pytest.mark.parametrize("packaged", [False, True], ids=["entries", "package"])
@pytest.mark.parametrize("agent", known_agents())
def test_our_texts_keep_their_bound(agent: str, packaged: bool, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if packaged:
        monkeypatch.setenv(PACKAGE, agent)
    assert sum(cost(agent)) <= MOST


def test_the_page_says_what_they_cost(home: Path) -> None:
    rows = [row(str(load_agent(agent)["name"]), cost(agent)) for agent in known_agents()]
    page = PAGE.read_text("utf-8")
    assert "\n".join([*HEAD, *rows]) in page
    skills = sum(len(name) + len(skill.description) for name, skill in SKILLS.items())
    assert f"{skills} B" in page
