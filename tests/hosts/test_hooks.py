"""Each host's table of hook calls (`<agent id>.yaml`): a captured payload with changes, and what the host gets for it.

A row:

    name       what it shows
    event      the host's event name
    payload    a file of tests/payloads/<id>, without .json
    changes    laid over the payload; a null takes a key out, a list is replaced
    files      name in the project -> size in bytes (or `~/name` in the home)
    texts      name in the project (or `~/name`) -> text
    policy     the user's policy.json, without its version
    before     earlier calls of the same kind: rows of event, payload, changes
    server     false: no server of ours is live in this project
    expect     pass, or the verb of the reply: its form is checked against the host's closed form of that verb
    by         the agent whose form the reply has, where another one is calling
    code       exit code, where it is not 0
    holds      texts in what the model is told
    lacks      texts that are not in it
    call       the tool that the told call names: this host spells it and its arguments are JSON
    stored     true: $BIG is in the store, whole, under the id that the reply names
    max        bytes of what the model is told, at most (2,000 for a deny, 4,096 for a replacement, 2,048 for context)

$PROJECT, $HOME, $TMP (the folder for temporary files, `~/tmp`), $BIG (140 KB of log lines with one error) and $LONG
(3,000 signs) may stand in any value.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML
from tests.hooks.conftest import load_payload, merged

from context_mode_runtime.agents import load_agent
from context_mode_runtime.hooks import run
from context_mode_runtime.project import find_project
from context_mode_runtime.server.tools.registry import TOOLS
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.sources import source_text

HERE = Path(__file__).parent
SCHEMAS = HERE.parents[1] / "schemas" / "replies"
TABLES: dict[str, list[dict[str, Any]]] = {
    file.stem: YAML(typ="safe", pure=True).load(file.read_text("utf-8")) for file in sorted(HERE.glob("*.yaml"))
}
CASES = [pytest.param(agent, row, id=f"{agent}: {row['name']}") for agent, rows in TABLES.items() for row in rows]
ERROR = "2026-11-29 12:00:20 worker-3 ERROR the reactor is on fire"
BIG = "\n".join(
    ERROR if n == 1_700 else f"2026-11-29 12:00:{n % 60:02d} worker-{n % 7} handled request {n}" for n in range(3_000)
)
HOLES = {
    "deny": "{reason}", "ask": "{reason}", "replace": "{output}", "context": "{text}", "set_input": "{input}",
    "add_meta": "{conversation}",
}  # fmt: skip
MAX = {"deny": 2_000, "ask": 2_000, "replace": 4_096, "context": 2_048}


class Place(NamedTuple):
    """Where the calls happen."""

    project: Path
    home: Path

    def filled(self, value: Any) -> Any:
        """A value with its holes filled."""
        if isinstance(value, dict):
            return {key: self.filled(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.filled(inner) for inner in value]
        if not isinstance(value, str):
            return value
        words = {
            "$PROJECT": str(self.project),
            "$HOME": str(self.home),
            "$TMP": str(self.home / "tmp"),
            "$BIG": BIG,
            "$LONG": "x" * 3_000,
        }
        return re.sub("|".join(map(re.escape, words)), lambda found: words[found[0]], value)

    def path(self, name: str) -> Path:
        """A file of the project, or of the home by `~/`."""
        path = self.home / name[2:] if name.startswith("~/") else self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def arrange(self, row: dict[str, Any]) -> None:
        """The files and the policy of a row."""
        for name, size in row.get("files", {}).items():
            self.path(name).write_bytes(b"x" * size)
        for name, text in row.get("texts", {}).items():
            self.path(name).write_text(self.filled(text), encoding="utf-8")
        if "policy" in row:
            self.path("~/.context-mode/policy.json").write_text(json.dumps({"version": 1, **row["policy"]}))

    def call(self, agent: str, row: dict[str, Any], *, server: bool) -> run.Reply:
        """One hook call."""
        changes = self.filled(row.get("changes", {}))
        payload = merged(load_payload(agent, row["payload"], self.project, self.home), changes)
        return run.prepare(agent, row["event"], assume_server=server).run(payload)


def told(reply: Any, template: Any, hole: str) -> Any:
    """What stands in a reply where its template has the hole."""
    if template == hole:
        return reply
    if isinstance(template, str):
        before, _, after = template.partition(hole)
        assert reply.startswith(before)
        return reply[len(before) : len(reply) - len(after)]
    items = template.items() if isinstance(template, dict) else enumerate(template)
    [(key, inner)] = [(key, inner) for key, inner in items if hole in json.dumps(inner)]
    return told(reply[key], inner, hole)


def texts(value: Any) -> str:
    """All strings of a value: a replaced output has the shape of the host's."""
    if isinstance(value, dict | list):
        return "\n".join(filter(None, map(texts, value.values() if isinstance(value, dict) else value)))
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(("agent", "row"), CASES)
def test_a_hook_call(
    agent: str, row: dict[str, Any], project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(home / "tmp"))
    place = Place(project, home)
    place.arrange(row)
    for earlier in row.get("before", []):
        place.call(agent, earlier, server=True)
    reply = place.call(agent, row, server=row.get("server", True))
    assert reply.code == row.get("code", 0)
    if row["expect"] == "pass":
        assert reply.text == load_agent(agent)["replies"]["pass"]
    else:
        check(agent, row, reply, place)


def check(agent: str, row: dict[str, Any], reply: run.Reply, place: Place) -> None:
    """The reply has the form of its verb and tells what the row says."""
    answering = row.get("by", agent)
    verb = load_agent(answering)["replies"]["verbs"][row["expect"]]
    [event] = [name for name in verb if name == row["event"]] or list(verb)[:1]
    template = verb[event]["template"]
    in_text = verb[event]["channel"] in ("stdout_text", "stderr_exit")
    value = reply.text if in_text else json.loads(reply.text)
    schema = json.loads((SCHEMAS / f"{answering}.schema.json").read_text("utf-8"))
    bridged = verb[event]["channel"] == "bridge"
    form = load_agent(answering)["events"][event]["event"] if bridged else event
    Draft202012Validator({**schema, "$ref": f"#/$defs/{form}.{row['expect']}"}).validate(value)
    said = texts(told(value, template, HOLES[row["expect"]]))
    assert len(said.encode()) <= row.get("max", MAX.get(row["expect"], 100_000))
    assert [text for text in place.filled(row.get("holds", [])) if text not in said] == []
    assert [text for text in place.filled(row.get("lacks", [])) if text in said] == []
    if "call" in row:
        check_call(answering, row["call"], said)
    if row.get("stored"):
        assert BIG in stored(said, place.project)


def check_call(agent: str, tool: str, said: str) -> None:
    """The text names the tool as the host spells it, in one line with JSON arguments, and no tool by another name."""
    spelled = load_agent(agent)["server"]["tool_name"]
    assert set(re.findall(r"[^\s(]*ctx_\w+", said)) <= {spelled.replace("{tool}", one.name) for one in TOOLS}
    name = spelled.replace("{tool}", tool)
    [line] = [line for line in said.splitlines() if line.startswith(f"{name}(")]
    assert isinstance(json.loads(line.removeprefix(name)[1:-1]), dict)


def stored(said: str, project: Path) -> str:
    """The whole text under the id that a short reply names."""
    found = re.search(r'"source":\s*"(s\d+)"', said)
    assert found
    place = find_project(str(project))
    assert place
    with Store.open(place.key(), name=place.name) as store:
        return source_text(store, found.group(1))
