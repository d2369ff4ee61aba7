"""The texts of our three skills, one template each, filled in with the names that a host uses."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

_WIDTH = 110


class Skill(NamedTuple):
    """What it is for (the model reads this to choose it), the tool it calls, what to do."""

    description: str
    tool: str
    body: str


SKILLS = {
    "ctx-doctor": Skill(
        "Check the context-mode installation, when the user asks for it or a ctx_ tool or hook does not work.",
        "ctx_doctor",
        "Call the tool `{tool}` without arguments and show its table unchanged. For each row that says FAIL or WARN, "
        "say in one sentence what it means and name the command in its last column. Run none of them unasked.{upgrade}",
    ),
    "ctx-stats": Skill(
        "Show how much tool output context-mode kept out of the context, here and in all conversations.",
        "ctx_stats",
        "Call the tool `{tool}` without arguments and show its report unchanged: the numbers are measured or marked "
        "as estimated, so add none of your own.",
    ),
    "ctx-upgrade": Skill(
        "Say which version of context-mode is here, whether a newer one is out, how to upgrade or remove it.",
        "ctx_upgrade",
        'Call the tool `{tool}` with `{{"action":"check"}}`; with `"uninstall"` when the user wants to remove '
        "context-mode. Show its answer unchanged. It runs nothing: the command in it is for the user's own terminal, "
        "and a new conversation has to be started afterwards.",
    ),
}
"""By the name of the skill, which is the name of its folder, too."""


def skill_text(name: str, tool_name: str, call: str | None, load_hint: str | None) -> str:
    """A whole SKILL.md. `tool_name` has the hole `{tool}`, `call` the hole `{name}` (None: no such call)."""
    skill = SKILLS[name]
    tool = tool_name.replace("{tool}", skill.tool)
    more = f" If a newer version is out: {call.replace('{name}', 'ctx-upgrade')}" if call else ""
    body = skill.body.format(tool=tool, upgrade=more)
    parts = [body, load_hint] if load_hint else [body]
    text = "\n\n".join(textwrap.fill(part, _WIDTH, break_long_words=False, break_on_hyphens=False) for part in parts)
    return f"---\nname: {name}\ndescription: {skill.description}\n---\n\n{text}\n"
