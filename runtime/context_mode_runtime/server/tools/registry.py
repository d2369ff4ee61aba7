"""The tools that are offered, in the order in which hosts see them. A tool that is not finished is not here."""

from __future__ import annotations

from context_mode_runtime.server.tools import batch, doctor, execute, index, purge, resume, search, stats, upgrade

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.tools.tool import Tool

TOOLS: list[Tool] = [
    execute.TOOL,
    batch.TOOL,
    index.TOOL,
    search.TOOL,
    resume.TOOL,
    stats.TOOL,
    doctor.TOOL,
    upgrade.TOOL,
    purge.TOOL,
]


def named(name: object) -> Tool | None:
    """The tool of this name, or None."""
    return next((tool for tool in TOOLS if tool.name == name), None)


def listed(hints: object) -> dict[str, object]:
    """The result of `tools/list`; `hints` is the `_meta` that this host honours on an entry."""
    return {"tools": [tool.entry(hints if isinstance(hints, dict) else {}) for tool in TOOLS]}
