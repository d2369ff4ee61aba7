"""After a compaction the state of the work comes back to the model, once; a later prompt gets what belongs to it.

Where the host has a tool that asks its user, the answer is the decision; elsewhere the prompt holds one. A host that
tells hooks no exit code has its failure known by what the command printed.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from tests.agents.host import Compaction
from tests.agents.hostrun import HostRun, Played
from tests.agents.hosts import HOSTS
from tests.agents.models.base import Step

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
COMPACTING = pytest.mark.parametrize(
    "host", sorted(agent for agent, host in HOSTS.items() if host.compaction), indirect=True
)
STATE = re.compile(r"<context_mode_state session=.*?</context_mode_state>", re.DOTALL)
MATCH = re.compile(r"<context_mode_match>.*?</context_mode_match>", re.DOTALL)
CHECK = "sh check_login.sh"
FAILED = "FAILED tests/test_login.py::test_login - assert False"
EARLIER = "There is earlier work in this conversation"


def strings(value: object) -> list[str]:
    """Every string in a request."""
    if isinstance(value, str):
        return [value]
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [found for one in inner for found in strings(one)]


def blocks(played: Played, form: re.Pattern[str]) -> list[list[str]]:
    """The blocks of one form in each request of a run; some hosts write the signs of added text as entities."""
    return [form.findall(html.unescape("\n".join(strings(body)))) for body in played.requests]


def setting(run: HostRun) -> Compaction:
    """How this host is brought to compact."""
    assert run.host.compaction
    return run.host.compaction


def work(run: HostRun) -> list[Step]:
    """An edit, the docs, a failing test, a decision where the host has a tool for it, a compaction, one more step."""
    (run.project / "a.py").write_text("def login():\n    return False\n", encoding="utf-8")
    (run.project / "check_login.sh").write_text(f"echo '{FAILED}'\nexit 1\n", encoding="utf-8")
    (run.project / "build_docs.sh").write_text("echo built\n", encoding="utf-8")
    change = run.host.edit(run.project / "a.py", "return False", "return True")
    decision = setting(run).decision
    steps = [*change, run.host.shell("sh build_docs.sh"), run.host.shell(CHECK), *decision]
    steps.append({**run.host.shell("echo before"), "input_tokens": 99_000})
    return [*steps, run.host.shell("echo after"), {"text": "over"}]


def first_run(run: HostRun) -> tuple[Played, str]:
    """The run with the compaction, and its state block."""
    how = setting(run)
    run.env.update(how.variables)
    played = run.play(work(run), how.prompt, *how.flags)
    assert played.exit_code == 0, played.log
    assert len(played.summaries) == 1
    seen = blocks(played, STATE)
    assert [len(found) for found in seen] == [0] * (len(seen) - how.in_last) + [1] * how.in_last
    [block] = {text for found in seen for text in found}
    return played, block


def lines(block: str) -> dict[str, tuple[int, str]]:
    """`word #SEQ: text` of a block: word -> (SEQ, text); of several with one word the last."""
    found = re.findall(r"^(\w+) #(\d+): (.*)$", block, re.MULTILINE)
    return {word: (int(seq), text) for word, seq, text in found}


@COMPACTING
def test_the_state_block_comes_once_and_holds_the_four_things(run: HostRun) -> None:
    _, block = first_run(run)
    assert len(block.encode()) <= 2_048
    found = lines(block)
    assert found["request"][1].startswith("fix login")
    assert found["editing"][1] == "a.py"
    assert found["failing"][1].startswith(CHECK)
    assert FAILED in found["failing"][1]
    assert "bcrypt stays" in found["decision"][1]


@COMPACTING
def test_the_next_prompt_gets_what_belongs_to_it_and_rows_come_whole(run: HostRun) -> None:
    _, block = first_run(run)
    failing = lines(block)["failing"][0]
    resume = run.host.call("ctx_resume", seq=failing)
    flags = setting(run).flags
    played = run.play([resume, run.host.call("ctx_resume"), {"text": "over"}], "now the docs", *flags, resumed=True)
    assert played.exit_code == 0, played.log

    seen = blocks(played, MATCH)
    assert [len(found) for found in seen] == [1] * len(seen)
    [match] = {text for found in seen for text in found}
    assert "command #" in match
    assert "sh build_docs.sh" in match
    assert "login" not in match

    assert blocks(played, STATE)[0] in ([], [block])
    row, state = played.of("ctx_resume")
    assert re.search(rf"^#{failing} failure · .* UTC · session {run.host.agent}:", row.text, re.MULTILINE), row.text
    assert CHECK in row.text
    assert FAILED in row.text
    [now] = STATE.findall(state.text)
    assert lines(now)["request"][1] == "now the docs"
    assert lines(now)["failing"][0] == failing


def test_a_resumed_conversation_is_told_of_its_work_and_a_fresh_one_is_not(run: HostRun) -> None:
    fresh = run.play([{"text": "over"}], "count the herons")
    assert fresh.exit_code == 0, fresh.log
    assert EARLIER not in json.dumps(fresh.requests)

    resumed = run.play([{"text": "over"}], "and the egrets", resumed=True)
    assert resumed.exit_code == 0, resumed.log
    if "resume" not in run.host.can:
        assert EARLIER not in json.dumps(resumed.requests), run.host.cannot["resume"]
        return
    told: list[Any] = [one for one in strings(resumed.requests[0]) if EARLIER in one]
    assert len(told) == 1
    [line] = [line for line in told[0].splitlines() if EARLIER in line]
    assert f'{run.host.tool_prefix}ctx_search({{"queries":[],"scope":"session"}})' in line

    other = run.play([{"text": "over"}], "a new subject")
    assert other.exit_code == 0, other.log
    assert EARLIER not in json.dumps(other.requests)
