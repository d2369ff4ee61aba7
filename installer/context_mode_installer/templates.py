"""The files beside the specs that become files of ours: programs with holes, which may share what another one holds."""

from __future__ import annotations

import re
from pathlib import Path

from context_mode_runtime import resources

_INCLUDE = re.compile(r"^// include (\S+)\n", re.MULTILINE)


def read_template(name: str) -> str:
    """The text of a shipped template (`bridges/...`), its holes not yet filled.

    A line `// include FILE` stands for the text of FILE in the same folder. Raises OSError.
    """
    path = Path(resources.shipped("agent_specs"), name)
    return _INCLUDE.sub(lambda found: path.with_name(found[1]).read_text("utf-8"), path.read_text("utf-8"))
