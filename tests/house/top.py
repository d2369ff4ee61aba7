"""What the checkout may hold at its top, beside dotfiles (contract, section 2)."""

from __future__ import annotations

TOP = (
    *("pyproject.toml", "README.md", "LICENSE"),
    *("runtime", "installer", "agent_specs", "schemas", "policy", "tests", "docs"),
)
