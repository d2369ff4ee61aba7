"""OpenCode's bridge: what it hands to the hook and back, and that nothing the hook does harms the host (F25)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tests.bridges.conftest import LIMIT_MS, Bridged
from tests.bridges.opencode_steps import (
    ALL,
    COMPACTED,
    Step,
    after,
    answering,
    before,
    event,
    kept,
    message,
    prompt,
    request,
    told,
)

from context_mode_installer.specs.catalog import find_spec

HERE = Path(__file__).parent
HOOKS: list[Step] = YAML(typ="safe", pure=True).load(HERE.joinpath("hooks.yaml"))
PAYLOADS = HERE.parent / "payloads" / "opencode"


@pytest.fixture
def opencode(bridged: Callable[[str], Bridged]) -> Bridged:
    return bridged("opencode")


def changed(step: Step, outcome: Step) -> bool:
    """Whether a step was answered in any way."""
    return "thrown" in outcome or outcome.get("output") != step.get("output", {})


@pytest.mark.parametrize("case", HOOKS, ids=lambda case: case["case"])
def test_a_hook_that_fails_is_a_pass(opencode: Bridged, case: Step) -> None:
    hook = opencode.script("hook", case["hook"]) if case["hook"] else opencode.folder / "no-such-hook"
    if "mode" in case:
        hook.chmod(case["mode"])
    steps = ALL[:2] if "limit_ms" in case else ALL
    done = opencode.run([{}, *steps], hook, limit_ms=case.get("limit_ms", LIMIT_MS))
    assert done.printed == ""
    assert [changed(step, outcome) for step, outcome in zip(steps, done.results, strict=True)] == [False] * len(steps)


def real(name: str) -> tuple[Step, Step]:
    """What the hook was told of a real event of the host, and the step that plays it."""
    expected: Step = json.loads((PAYLOADS / f"{name}.json").read_text("utf-8"))
    if "event" in expected:
        return expected, {"on": "event", "input": expected["event"]}
    output = expected["output"]
    if expected["hook"] == "chat.message":
        output = {**output, "message": {"id": "msg_0001", "sessionID": expected["conversation"]}}
    return expected, {"on": expected["hook"], "input": expected["input"], "output": output}


@pytest.mark.parametrize(
    "name",
    sorted(file.stem for file in PAYLOADS.glob("*.json")
           if file.name.startswith(("tool.execute.before", "tool.execute.after", "chat.message", "session.compacted"))
           and "second-major" not in file.name and "in-subagent" not in file.name),
)  # fmt: skip
def test_the_hook_is_told_what_the_host_said(opencode: Bridged, name: str) -> None:
    expected, step = real(name)
    opencode.run([{"folder": str(opencode.folder)}, step], answering(opencode, {}))
    assert kept(opencode, expected["hook"]) == {**expected, "cwd": str(opencode.folder)}


def test_what_is_long_and_no_text_stays_here(opencode: Bridged) -> None:
    picture = {"type": "image", "mimeType": "image/png", "data": "x" * 1_000_000}
    steps = [
        after(output="a\n", attachments=[picture], metadata={"output": "x" * 9_000, "exit": 0, "display": {"a": 1}}),
        prompt(),
        after("github_get_issue", content=[picture, {"type": "text", "text": "t"}]),
    ]
    opencode.run([{}, *steps[:2]], answering(opencode, {}))
    assert kept(opencode, "tool.execute.after")["output"] == {"output": "a\n", "metadata": {"exit": 0}}
    assert [part["type"] for part in kept(opencode, "chat.message")["output"]["parts"]] == ["text"]
    opencode.run([{}, steps[2]], answering(opencode, {}))
    content = kept(opencode, "tool.execute.after")["output"]["content"]
    assert content == [{"type": "image", "mimeType": "image/png"}, {"type": "text", "text": "t"}]


@pytest.mark.parametrize(
    ("session", "who"),
    [
        ("s-1", {"conversation": "s-1", "source": "startup"}),
        ("s-old", {"conversation": "s-old", "source": "resume"}),
        ("s-2", {"conversation": "s-1", "source": "startup", "subagent": "s-2", "agent": "general"}),
        ("s-3", {"conversation": "s-1", "source": "startup", "subagent": "s-3", "agent": "explore"}),
        ("s-none", {"conversation": "s-none", "source": "startup"}),
        ("s-mute", {"conversation": "s-mute", "source": "startup"}),
        (None, {}),
    ],
)
def test_who_is_calling(opencode: Bridged, session: str | None, who: Step) -> None:
    limit = 1_500 if session == "s-mute" else LIMIT_MS
    step = before()
    step["input"]["sessionID"] = session
    opencode.run([{"folder": "/"}, step], answering(opencode, {}), limit_ms=limit)
    found = kept(opencode, "tool.execute.before")
    assert {key: value for key, value in found.items() if key not in ("hook", "cwd", "input", "output")} == who


def test_the_folder_is_that_of_the_call(opencode: Bridged) -> None:
    opencode.run([{"folder": "/usr"}, before(command="ls", workdir="lib")], answering(opencode, {}))
    assert kept(opencode, "tool.execute.before")["cwd"] == "/usr/lib"


def test_the_files_of_a_project_find_the_hook_by_the_home(opencode: Bridged, home: Path) -> None:
    answering(opencode, {}).rename(home / "hook")
    opencode.run([{}, before()], Path("{env:HOME}/hook"))
    assert told(opencode) == ["tool.execute.before"]


def test_each_event_of_the_spec_is_sent_and_no_other(opencode: Bridged) -> None:
    hook = answering(opencode, {})
    opencode.run([{}, *ALL, prompt("s-2"), event("session.idle", "s-2")], hook)
    failed = {
        "on": "tool.execute.after",
        "input": {"tool": "webfetch", "sessionID": "s-1", "status": "error", "error": {}},
    }
    opencode.run([{"major": 2}, failed, {"on": "end"}], hook)
    assert set(told(opencode)) == {host.name for event in find_spec("opencode").events for host in event.hosts}


@pytest.mark.parametrize(
    ("step", "answer", "expected"),
    [
        (before(), {"deny": "why"}, {"thrown": "why"}),
        (before(), {"deny": ""}, None),
        (before(), {"deny": {"a": 1}}, None),
        (before(), {"args": {"_ctx_session": "s-1"}}, {"args": {"command": "ls", "_ctx_session": "s-1"}}),
        (before(), {"args": "no"}, None),
        (before(), {"replace": "x", "context": "y"}, None),
        (after(), {"replace": "short"}, {"title": "ls", "output": "short", "metadata": {}}),
        (after(), {"deny": "why"}, None),
        (after(), {"replace": {"a": 1}}, None),
        (after("github_get_issue", content=[{"type": "text", "text": "long"}]),
         {"replace": [{"type": "text", "text": "short"}]}, {"content": [{"type": "text", "text": "short"}]}),
        (prompt(), {"context": {"a": 1}}, None),
        (prompt(), {"deny": "why"}, None),
        (event("session.idle"), {"deny": "why", "context": "words"}, None),
        (event("session.compacted"), {"deny": "why", "context": "words"}, None),
    ],
)  # fmt: skip
def test_an_answer_becomes_what_the_host_takes(
    opencode: Bridged, step: Step, answer: Step, expected: Step | None
) -> None:
    done = opencode.run([{}, step], answering(opencode, answer))
    [outcome] = done.results
    assert done.printed == ""
    if expected and "thrown" in expected:
        assert outcome["thrown"] == expected["thrown"]
    else:
        assert outcome == {"output": expected or step.get("output", {})}


def test_words_go_behind_the_users_the_start_of_a_conversation_once(opencode: Bridged) -> None:
    steps = [prompt(), prompt(text="more"), prompt("s-2")]
    done = opencode.run([{}, *steps], answering(opencode, {"context": "words"}))
    added = [outcome["output"]["parts"][2:] for outcome in done.results]
    assert [len(parts) for parts in added] == [2, 1, 2]
    assert told(opencode) == ["session.start", "chat.message", "chat.message", "subagent.start", "chat.message"]
    part = added[0][0]
    assert part["id"].startswith("prt_")
    assert {key: value for key, value in part.items() if key != "id"} == {
        "sessionID": "s-1", "messageID": "msg_1", "type": "text", "text": "words", "synthetic": True,
    }  # fmt: skip


def test_the_last_words_come_with_the_end_of_a_turn(opencode: Bridged) -> None:
    said = {"on": "experimental.text.complete", "input": {"sessionID": "s-2"}, "output": {"text": "sub finished"}}
    opencode.run([{}, said, event("session.idle", "s-2"), event("session.idle")], answering(opencode, {}))
    assert kept(opencode, "subagent.stop")["message"] == "sub finished"
    assert "message" not in kept(opencode, "session.idle")


@pytest.mark.parametrize("order", ["told first", "told later", "asked for once more"])
def test_after_a_compaction_each_request_holds_the_text_and_the_hook_is_asked_once(
    opencode: Bridged, order: str
) -> None:
    compacted, asked = event("session.compacted"), request(*COMPACTED)
    own = [{"on": "experimental.session.compacting", "input": {"sessionID": "s-1"}}, request(message(0))]
    steps = {
        "told first": [*own, compacted, asked, asked],
        "told later": [*own, asked, compacted, asked],
        "asked for once more": [
            compacted,
            asked,
            *own,
            compacted,
            request(message(3, "assistant", summary=True), message(4)),
        ],
    }[order]
    done = opencode.run([{}, *steps], answering(opencode, {"context": "state"}))
    texts = [
        [part["text"] for one in outcome["output"].get("messages", []) for part in one["parts"]]
        for outcome in done.results
    ]
    requests = [texts[n] for n, step in enumerate(steps) if "messages" in step.get("output", {})]
    again = order == "asked for once more"
    assert requests == ([["state"], [], ["state"]] if again else [[], ["state"], ["state"]])
    assert told(opencode) == ["session.compacted", "session.start"] * (2 if again else 1)
    assert kept(opencode, "session.start")["source"] == "compact"


def test_a_compaction_from_before_us_is_none_of_ours(opencode: Bridged) -> None:
    old = request(message(1, "assistant", summary=True, session="s-old"), message(2, session="s-old"))
    done = opencode.run([{}, old], answering(opencode, {"context": "state"}))
    assert told(opencode) == []
    assert not changed(old, done.results[0])


@pytest.mark.parametrize(
    "tool", ["read", "glob", "grep", "invalid", "context-mode_ctx_search", "context_mode_ctx_search"]
)
def test_results_of_no_use_start_nothing(opencode: Bridged, tool: str) -> None:
    opencode.run([{}, after(tool)], answering(opencode, {}))
    assert told(opencode) == []


def test_results_that_the_spec_replaces_or_notes_are_told(opencode: Bridged) -> None:
    tools = [
        name.replace("*_*", "github_get_issue")
        for tool in find_spec("opencode").tools
        if tool.class_ not in ("own", "read", "search")
        for name in tool.names
    ]
    opencode.run([{}, *map(after, tools)], answering(opencode, {}))
    assert told(opencode) == ["tool.execute.after"] * len(tools)


def test_a_plugin_reached_by_two_ways_works_once(opencode: Bridged) -> None:
    steps = [prompt(), before(), after()]
    done = opencode.run([{"ways": 2}, *steps], answering(opencode, {"context": "words"}))
    assert told(opencode) == ["session.start", "chat.message", "tool.execute.before", "tool.execute.after"]
    assert len(done.results[0]["output"]["parts"]) == 4


def test_after_its_end_it_carries_nothing(opencode: Bridged) -> None:
    opencode.run([{}, {"on": "dispose"}, before(), prompt()], answering(opencode, {}))
    assert told(opencode) == []


def test_what_cannot_be_told_is_a_pass(opencode: Bridged) -> None:
    done = opencode.run([{}, {**before(), "endless": True}], answering(opencode, {"deny": "why"}))
    assert "thrown" not in done.results[0]
    assert done.printed == ""


@pytest.mark.parametrize("major", [1, 2, "half"])
def test_f25_loading_starts_nothing(opencode: Bridged, major: object) -> None:
    mark = opencode.script("hook", 'touch "started-$2"')
    opencode.script("opencode", "touch host-started")
    done = opencode.run([{"major": major}, *([{"on": "end"}] if major == 2 else [{"on": "dispose"}])], mark)
    assert done.printed == ""
    assert not list(opencode.folder.glob("*started*"))


def test_no_event_starts_the_host(opencode: Bridged) -> None:
    opencode.script("opencode", "touch host-started")
    opencode.run([{}, *ALL], answering(opencode, {}))
    assert told(opencode)
    assert not (opencode.folder / "host-started").exists()


def test_the_first_major_gets_nothing_from_the_entry_of_the_second(opencode: Bridged) -> None:
    assert opencode.run([{"major": "half"}, before()], answering(opencode, {"deny": "why"})).results == [{"made": []}]


@pytest.mark.parametrize(("serve", "servers"), [("./bin/serve", ["context-mode"]), ("/opt/bin/serve", [])])
def test_a_package_brings_its_server(opencode: Bridged, serve: str, servers: list[str]) -> None:
    entry = {"type": "local", "command": [str(opencode.folder / "bin/serve"), "--agent", "opencode"]}
    first = opencode.run([{}, {"on": "config", "input": {}}], answering(opencode, {}), serve)
    assert first.printed == ""
    second = opencode.run([{"major": 2}, {"on": "none"}, {"on": "end"}], answering(opencode, {}), serve)
    assert list(second.results[0]["servers"]) == servers
    if servers:
        assert second.results[0]["servers"] == {"context-mode": {**entry, "codemode": False}}
