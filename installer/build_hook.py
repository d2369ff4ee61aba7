"""Puts specs, schemas and policy into the wheel; an editable install reads them in place."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DATA_FOLDERS = ("agent_specs", "schemas", "policy")


class DataFolders(BuildHookInterface):  # type: ignore[type-arg]  # a parameter without a public value
    """Maps each data folder to `context_mode_runtime/_data/<name>`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling; `version` is `editable` for `pip install -e`."""
        if version == "editable":
            return
        for name in DATA_FOLDERS:
            build_data["force_include"][f"{self.root}/{name}"] = f"context_mode_runtime/_data/{name}"
