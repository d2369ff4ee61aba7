"""The policy: its keys from the schema and the shipped default, and what comes of some calls by the real code."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from ruamel.yaml import YAML
from tests.conftest import ROOT
from tests.docs.pages import read, table

from context_mode_installer.commands import policy

HERE = Path(__file__).parent
SCHEMA: dict[str, Any] = json.loads(read(ROOT / "schemas/policy.schema.json"))
DEFAULT: dict[str, Any] = json.loads(read(ROOT / "policy/policy.json"))


def keys() -> str:
    rows = [row for row in described(SCHEMA["properties"], DEFAULT, "") if row[0] != "`$schema`"]
    return table("key", "shipped", "what it says", rows)


def described(properties: dict[str, Any], default: Any, path: str) -> Iterator[tuple[str, str, str]]:
    for name, said in properties.items():
        at = f"{path}{name}"
        shown = default.get(name) if isinstance(default, dict) else None
        if "properties" in said:
            if said.get("description"):
                yield f"`{at}`", "", said["description"]
            yield from described(said["properties"], shown, f"{at}.")
        else:
            yield f"`{at}`", f"`{json.dumps(shown)}`", said.get("description", "")


def cases() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = YAML(typ="safe").load(read(HERE / "policy.yaml"))
    return found


def explained(case: dict[str, Any]) -> dict[str, Any]:
    """What `context-mode policy explain` says of a case, in a project of its own."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(os.path.realpath(folder))
        project = home / "project"
        (project / ".git").mkdir(parents=True)
        (home / ".context-mode").mkdir()
        (home / ".context-mode/policy.json").write_text(json.dumps({"version": 1, **case["policy"]}))
        (project / "big.log").write_text("a line of a log\n" * 2_000)
        here = Path.cwd()
        os.chdir(project)
        try:
            with mock.patch.dict(os.environ, {"HOME": str(home), "PATH": os.environ["PATH"]}, clear=True):
                return dict(policy.explain(case["agent"], case["tool"], json.dumps(case["input"])).data)
        finally:
            os.chdir(here)


def tried() -> str:
    rows = []
    for case in cases():
        said = explained(case)
        call = next(iter(case["input"].values())) if len(case["input"]) == 1 else json.dumps(case["input"])
        rows.append(
            (f"`{json.dumps(case['policy'])}`", f"{case['tool']}: `{call}`", word(said["hook"]), word(said["gate"]))
        )
    return table("policy", "call", "our hook", "our tools, asked for the same", rows)


def word(said: dict[str, Any]) -> str:
    why = f" by route `{said['route']}`" if said["route"] else f" by `{said['rule']}`" if said["rule"] else ""
    return f"{said['decision']}{why}"
