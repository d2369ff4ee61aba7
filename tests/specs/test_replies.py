"""The closed reply forms: a lost or foreign key is an error, also where the host would drop the reply in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from context_mode_runtime.agents import load_agent

HERE = Path(__file__).parent
TABLE = YAML(typ="safe", pure=True).load((HERE / "replies.yaml").read_text("utf-8"))
SCHEMAS = {
    file.name.partition(".")[0]: json.loads(file.read_text("utf-8"))
    for file in (HERE.parents[1] / "schemas" / "replies").glob("*.schema.json")
}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['agent']} {row['form']} {json.dumps(row['reply'])[:90]}")
def test_a_reply(row: dict[str, Any]) -> None:
    validator = Draft202012Validator({**SCHEMAS[row["agent"]], "$ref": f"#/$defs/{row['form']}"})
    assert validator.is_valid(row["reply"]) is row["valid"]


@pytest.mark.parametrize("agent", sorted(SCHEMAS))
def test_each_host_event_has_its_form(agent: str) -> None:
    schema = SCHEMAS[agent]
    Draft202012Validator.check_schema(schema)
    events, verbs = load_agent(agent)["events"], load_agent(agent)["replies"]["verbs"]
    bridged = any(one["channel"] == "bridge" for by_event in verbs.values() for one in by_event.values())
    named_as = {name: event["event"] if bridged else name for name, event in events.items()}
    assert set(named_as.values()) <= set(schema["$defs"])
    forms = {f"{named_as[event]}.{verb}" for verb, by_event in verbs.items() for event in by_event}
    named = {name for name in schema["$defs"] if "." in name and not name.startswith("output.")}
    assert forms == named
