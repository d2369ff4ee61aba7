"""What the checkout may hold at its top, beside dotfiles (contract, section 2)."""

from __future__ import annotations

TOP = (
    "pyproject.toml", "runtime", "installer", "agent_specs", "schemas", "policy", "tests", "docs", "README.md", "LICENSE",
)  # fmt: skip
