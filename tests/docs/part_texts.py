"""What our own texts cost in a conversation of each agent."""

from __future__ import annotations

from tests.docs.pages import table

from context_mode_installer.skilltexts import SKILLS
from context_mode_runtime import jsonio
from context_mode_runtime.agents import known_agents, load_agent
from context_mode_runtime.hooks.call import Call
from context_mode_runtime.hooks.turns import how_to
from context_mode_runtime.server.instructions import instructions
from context_mode_runtime.server.session import Connection
from context_mode_runtime.server.tools import registry


def cost(agent: str) -> list[int]:
    """Bytes of the tool list as it is sent, of the instructions, and of the start text with all routes on."""
    known = load_agent(agent)
    connection = Connection(agent, known, "/")
    listed = jsonio.dumps(registry.listed(known["server"]["tool_meta"]))
    start = how_to(Call(known, "session_start", "", {"cwd": "/"}, assume_server=True))
    return [len(text.encode()) for text in (listed, instructions(connection, registry.TOOLS), start)]


def costs() -> str:
    sizes = {str(load_agent(agent)["name"]): cost(agent) for agent in known_agents()}
    rows = [(name, *(f"{size:,}" for size in (*parts, sum(parts)))) for name, parts in sizes.items()]
    skills = sum(len(name) + len(skill.description) for name, skill in SKILLS.items())
    shown = table("agent", "tool list", "instructions", "start text", "together", rows)
    return f"{shown}\n\nA host that shows skills to the model adds names and descriptions of our three: {skills} B."
