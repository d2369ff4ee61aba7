"""F07: for everything that a host can call, at most one hook of ours starts for one thing that happens."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_installer.specs.catalog import shipped_specs
from context_mode_installer.specs.check import check_document
from context_mode_installer.specs.eventcheck import hosts, own_tools
from context_mode_installer.specs.load import Document, load_file
from context_mode_installer.specs.matchers import fires

TABLE = YAML(typ="safe", pure=True).load((Path(__file__).parent / "matchers.yaml").read_text("utf-8"))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0]} {row[2]} {row[3]}")
def test_a_matcher_fires_as_the_host_reads_it(row: list[Any]) -> None:
    dialect, exact, matcher, tool, expected = row
    assert fires({"dialect": dialect, "exact": exact}, matcher, tool) is expected


@pytest.mark.parametrize("file", shipped_specs(), ids=lambda file: file.stem)
def test_no_tool_starts_two_hooks(file: Path) -> None:
    spec = load_file(file).value
    # a surface is a form of the host's files: no version of it reads two
    rules = {one["surface"]: one["matcher"] for one in spec["hooks"]} or {None: {"dialect": "none", "exact": None}}
    first = next(iter(rules))
    for surface, rule in rules.items():
        for tool in [*spec["knows"]["tools"], *own_tools(spec)]:
            for event in ("pre_tool", "post_tool"):
                for failure in (False, True):
                    names = [
                        host["name"]
                        for _way, ours, host in hosts(spec)
                        if (ours, host["failure"], host["surface"] or first) == (event, failure, surface)
                        and fires(rule, host["matcher"], tool)
                    ]
                    assert len(names) <= 1, (tool, names)


def with_matchers() -> list[Path]:
    """Specs of hosts that know matchers: elsewhere every hook sees every tool."""
    specs = {file: load_file(file).value["hooks"] for file in shipped_specs()}
    return [file for file, hooks in specs.items() if hooks and hooks[0]["matcher"]["dialect"] != "none"]


@pytest.mark.parametrize("file", with_matchers(), ids=lambda file: file.stem)
def test_a_second_matcher_for_our_own_tools_is_found(file: Path) -> None:
    document = load_file(file)
    spec = copy.deepcopy(document.value)
    (event,) = [event for event in spec["events"] if event["event"] == "pre_tool"]
    own = own_tools(spec)[0]
    rule = spec["hooks"][0]["matcher"]
    seeing = next(host for host in event["hosts"] if fires(rule, host["matcher"], own))
    first = seeing["name"]
    free = next(name for name in spec["knows"]["events"] if name not in {host["name"] for *_, host in hosts(spec)})
    event["hosts"].append({**seeing, "name": free, "matcher": own})
    (finding,) = check_document(Document(file.name, spec, document.places, document.keys), file)
    assert finding.wrong == f"{own} starts a hook for {first} and one for {free}"
    event["hosts"][-1]["name"] = first
    (finding,) = check_document(Document(file.name, spec, document.places, document.keys), file)
    assert "stands here for the second time" in finding.wrong
