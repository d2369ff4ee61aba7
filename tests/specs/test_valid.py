"""Every shipped spec, the template and two made-up ones in other words of the language are right and compile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from context_mode_installer.specs.check import check_file
from context_mode_installer.specs.compile import compile_spec, table_text
from context_mode_installer.specs.eventcheck import hosts
from context_mode_installer.specs.load import load_file
from context_mode_runtime import jsonio

HERE = Path(__file__).parent
SPECS = [
    *sorted((HERE.parents[1] / "agent_specs").glob("*.yaml")),
    *sorted((HERE / "extra").glob("*.yaml")),
    HERE.parents[1] / "docs" / "my-agent.yaml",
]
every_spec = pytest.mark.parametrize("file", SPECS, ids=lambda file: file.stem)


@every_spec
def test_nothing_is_found(file: Path) -> None:
    assert [str(finding) for finding in check_file(file).findings] == []


@every_spec
def test_the_model_holds_what_the_file_says(file: Path) -> None:
    checked = check_file(file)
    assert checked.spec is not None
    assert checked.spec.id == file.stem
    for scope in ("user", "project"):
        assert bool(checked.spec.refused(scope)) != bool(checked.spec.edits_in(scope))
    for event in checked.spec.events:
        for host in event.hosts:
            assert (checked.spec.surface_of(host) is None) == (checked.spec.bridge is not None)


@every_spec
def test_what_is_registered_is_what_is_dispatched(file: Path) -> None:
    spec = load_file(file).value
    table = compile_spec(spec)
    assert {name: entry["event"] for name, entry in table["events"].items()} == {
        host["name"]: event for _way, event, host in hosts(spec)
    }
    assert set(table["events"]) <= set(spec["knows"]["events"])


@every_spec
def test_the_runtime_reads_the_table_that_was_written(file: Path) -> None:
    table = compile_spec(load_file(file).value)
    assert jsonio.loads(table_text(table)) == json.loads(json.dumps(table))


def test_the_made_up_agents_speak_the_other_dialects() -> None:
    """What no shipped spec needs yet: so these words are tested before a real agent says them."""
    heron, otter = (compile_spec(load_file(HERE / "extra" / f"{name}.yaml").value) for name in ("heron", "otter"))
    assert heron["replies"]["deny_code"] == 2
    assert heron["replies"]["verbs"]["deny"]["beforeTool"]["channel"] == "stderr_exit"
    assert heron["replies"]["verbs"]["context"]["spawn"]["template"] == "{text}"
    assert heron["events"]["afterToolFailed"] == {
        "event": "post_tool",
        "timeout_ms": 1500,
        "ignore": None,
        "failure": True,
        "use": "all",
    }
    assert heron["events"]["beforeTool"]["timeout_ms"] == 4500
    assert heron["callers"][0]["when"][0] == "all"
    assert any(variable["means"] == "adds" for root in heron["roots"] for variable in root["variables"])
    assert otter["events"]["tool_call"]["timeout_ms"] == 5000
    assert otter["replies"]["verbs"]["set_input"]["tool_call"]["template"] == {"set_input": "{input}"}
    assert otter["server"]["tool_meta"] == {"otter/size": 500000}
