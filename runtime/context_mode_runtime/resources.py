"""Where shipped data lies: inside the installed package, or beside it in a checkout."""

from __future__ import annotations

import os

_HERE = os.path.dirname(os.path.abspath(__file__))


def shipped(name: str) -> str:
    """The folder of `agent_specs`, `schemas` or `policy`: `_data/<name>` in a wheel, `../../<name>` in a checkout."""
    packed = os.path.join(_HERE, "_data", name)
    return packed if os.path.isdir(packed) else os.path.join(os.path.dirname(os.path.dirname(_HERE)), name)


def generated() -> str:
    """The folder of the compiled agent tables."""
    return os.path.join(_HERE, "_generated")
