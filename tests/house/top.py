"""What the checkout may hold at its top, beside dotfiles (contract, section 2); a copy of it for builds."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from tests.conftest import ROOT

TOP = (
    *("pyproject.toml", "README.md", "LICENSE"),
    *("runtime", "installer", "agent_specs", "schemas", "policy", "tests", "docs"),
)
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", "_data", ".*")


def copied(names: Iterable[str], target: Path) -> Path:
    """A new folder with these parts of the checkout, without what a build or a run left in them."""
    target.mkdir()
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=LEFT_OUT)
        else:
            shutil.copy(ROOT / name, target / name)
    return target
