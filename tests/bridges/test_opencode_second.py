"""OpenCode's bridge by the interface of the second major, which calls `setup`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.bridges.conftest import Bridged
from tests.bridges.opencode_steps import Step, answering, kept, told

PAYLOADS = Path(__file__).parents[1] / "payloads" / "opencode"


@pytest.fixture
def opencode(bridged: Callable[[str], Bridged]) -> Bridged:
    return bridged("opencode")


def second_call(**more: object) -> Step:
    given = {"tool": "shell", "sessionID": "s-1", "id": "c-1", "input": {"command": "ls"}}
    return {"on": "tool.execute.before", "input": {**given, **more}}


def result(**value: object) -> Step:
    return {"on": "tool.execute.after", "input": {**second_call()["input"], "status": "completed", "result": value}}


OPEN, CLOSED = {"type": "object"}, {"type": "object", "additionalProperties": False}
PART = {"type": "text", "text": "long"}
SHORT = [{"type": "text", "text": "short"}]


@pytest.mark.parametrize(
    ("step", "answer", "expected"),
    [
        (second_call(), {"deny": "why"}, "why"),
        (second_call(inputSchema=CLOSED), {"deny": "why"}, "why"),
        (second_call(inputSchema=OPEN), {"args": {"_ctx_session": "s-1"}},
         {"input": {"command": "ls", "_ctx_session": "s-1"}}),
        (second_call(inputSchema=CLOSED), {"args": {"_ctx_session": "s-1"}}, {"input": {"command": "ls"}}),
        (result(output="long", content=[PART]), {"replace": "short"},
         {"result": {"output": "short", "content": SHORT}}),
        (result(output={"output": "long", "exit": 0}, content=[PART]), {"replace": "short"},
         {"result": {"output": {"output": "short", "exit": 0}, "content": SHORT}}),
        (result(output={"a": 1}, content=[PART]), {"replace": "short"},
         {"result": {"output": {"a": 1}, "content": SHORT}}),
        (result(output="long", content=[PART, {"type": "file"}]), {"replace": SHORT},
         {"result": {"output": "long", "content": [PART, {"type": "file"}]}}),
        ({"on": "session.prompt", "input": {"sessionID": "s-2", "prompt": {"text": "count"}}}, {"context": "words"},
         {"prompt": {"text": "count\n\nwords\n\nwords"}}),
    ],
)  # fmt: skip
def test_an_answer_becomes_what_the_second_major_takes(
    opencode: Bridged, step: Step, answer: Step, expected: Step | str
) -> None:
    done = opencode.run([{"major": 2}, step, {"on": "end"}], answering(opencode, answer))
    assert done.printed == ""
    if isinstance(expected, str):
        assert done.results[0]["thrown"] == expected
    else:
        assert {key: done.results[0]["output"][key] for key in expected} == expected


@pytest.mark.parametrize(
    "name",
    ["tool.execute.before-shell-second-major", "tool.execute.after-shell-second-major",
     "tool.execute.failed-webfetch-second-major"],
)  # fmt: skip
def test_the_second_major_is_told_in_the_words_of_the_first(opencode: Bridged, name: str) -> None:
    expected: Step = json.loads((PAYLOADS / f"{name}.json").read_text("utf-8"))
    given = expected["input"]
    call = {"tool": given["tool"], "sessionID": "s-1", "id": given["callID"]}
    called = {"on": "tool.execute.before", "input": {**call, "input": {"command": "ls"}}}
    content = [{"type": "text", "text": "a.txt\n"}]
    ran = {"status": "completed", "result": {"content": content, "metadata": {"status": "completed", "exit": 0}}}
    failed = {"status": "error", "error": {"message": "404"}}
    ended = {
        "on": "tool.execute.after",
        "input": {**call, "input": given.get("args"), **(failed if "error" in expected else ran)},
    }
    opencode.run([{"major": 2}, called if "before" in name else ended, {"on": "end"}], answering(opencode, {}))
    found = kept(opencode, expected["hook"])
    assert {key: found[key] for key in expected if key in ("hook", "error", "output")} == {
        key: expected[key] for key in expected if key in ("hook", "error", "output")
    }
    assert {**found["input"], "sessionID": given["sessionID"]} == given


def test_the_second_majors_events_are_told(opencode: Bridged) -> None:
    steps = [
        {"on": "event", "input": {"type": kind, "data": {"sessionID": "s-1", "text": "done"}}}
        for kind in ("session.text.ended", "session.compaction.ended", "session.execution.succeeded")
    ]
    opencode.run([{"major": 2}, *steps, {"on": "end"}], answering(opencode, {}))
    assert told(opencode) == ["session.compacted", "session.idle"]
    assert kept(opencode, "session.idle")["message"] == "done"


def test_the_second_major_takes_the_state_along_after_a_compaction(opencode: Bridged) -> None:
    def asked(kind: str) -> Step:
        return {"on": "session.context", "input": {"sessionID": "s-1", "kind": kind, "system": []}}

    compacted = {"on": "event", "input": {"type": "session.compaction.ended", "data": {"sessionID": "s-1"}}}
    kinds = ("primary", "title", "primary", "primary")
    steps = [asked(kinds[0]), compacted, *map(asked, kinds[1:]), {"on": "end"}]
    done = opencode.run([{"major": 2}, *steps], answering(opencode, {"context": "state"}))
    texts = [[part["text"] for part in one["output"].get("system", [])] for one in done.results]
    assert texts == [[], [], [], ["state"], ["state"], []]
    assert told(opencode) == ["session.compacted", "session.start"]
    assert kept(opencode, "session.start")["source"] == "compact"


@pytest.mark.parametrize(
    "step",
    [
        {"on": "session.prompt", "input": {"sessionID": "s-1"}},
        {"on": "session.context", "input": {"sessionID": "s-1"}},
        {"on": "tool.execute.after", "input": {"sessionID": "s-1", "tool": "shell", "status": "completed"}},
        {"on": "tool.execute.before", "input": {"sessionID": "s-1", "tool": "shell"}},
    ],
    ids=lambda step: step["on"],
)
def test_events_of_a_form_that_nobody_knows_end_nothing(opencode: Bridged, step: Step) -> None:
    answer = {"context": "words", "replace": "short", "args": {"a": 1}}
    done = opencode.run([{"major": 2}, step, {"on": "end"}], answering(opencode, answer))
    assert "thrown" not in done.results[0]
    first = {"on": step["on"].replace("session.prompt", "chat.message"), "input": {"sessionID": "s-1"}, "output": {}}
    done = opencode.run([{}, first], answering(opencode, answer))
    assert "thrown" not in done.results[0]
