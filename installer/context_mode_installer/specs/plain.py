"""Shipped specs as plain values, so that a command need not read and check YAML that our tests have checked.

`specs/_plain/<id>.json` holds the SHA-256 of the YAML file that it was made from, and what that file says. It is
written by `python -m context_mode_installer.specs.compile`, together with the tables of the runtime.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "_plain"


def plain_text(file: Path, spec: dict[str, Any]) -> str:
    """What has to stand in the plain form of the spec that was read from `file`."""
    made_from = json.dumps(_sha256(file))
    return f'{{"made_from": {made_from},\n "spec": {json.dumps(spec, ensure_ascii=False)}}}\n'


def plain_spec(file: Path) -> dict[str, Any] | None:
    """What a spec file says, when it is word for word one that was checked; None for every other one."""
    try:
        known = json.loads((FOLDER / f"{file.stem}.json").read_text("utf-8"))
        same = known["made_from"] == _sha256(file)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    spec: dict[str, Any] = known["spec"]
    return spec if same else None


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
