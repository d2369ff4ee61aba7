"""A server whose user has no home folder: commands run, every other tool says why it can't work."""

from __future__ import annotations

from typing import Any

import pytest

SAID = "no home folder: set HOME, or CONTEXT_MODE_DATA_DIR to a folder of yours"
HOMELESS = {"HOME": "not/absolute", "USERPROFILE": "not/absolute"}


def test_commands_run(serve: Any) -> None:
    host = serve(env=HOMELESS)
    for code, start in (("echo fine", "exit 0 · 5 B\nfine"), ("seq 1 9000", "exit 0 · 43893 B\n")):
        text, failed = host.call("ctx_execute", {"language": "sh", "code": code})
        assert (failed, text.startswith(start), SAID in text) == (False, True, True), text
    text, failed = host.call("ctx_batch", {"commands": ["echo fine"], "queries": ["fine"]})
    assert (failed, "exit 0 · 5 B" in text, SAID in text) == (False, True, True), text


@pytest.mark.parametrize(
    ("agent", "tool", "arguments"),
    [
        (None, "ctx_index", {"text": "x"}),
        (None, "ctx_search", {"queries": ["x"]}),
        (None, "ctx_resume", {}),
        (None, "ctx_stats", {}),
        (None, "ctx_doctor", {}),
        (None, "ctx_purge", {"project": True}),
        ("claude-code", "ctx_execute", {"language": "sh", "code": "echo fine"}),  # its own rules can't be read
    ],
)
def test_what_needs_a_folder_says_so(serve: Any, agent: str | None, tool: str, arguments: dict[str, Any]) -> None:
    text, failed = serve(agent, env=HOMELESS).call(tool, arguments)
    assert (failed, SAID in text) == (True, True), text
