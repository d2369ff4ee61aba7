"""The clock jumps while we work: nothing is lost, nobody is locked out, searches go on."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.server.conftest import Host

from context_mode_runtime import notes

from .conftest import AGENT, LAUNCH, Figure, Hooks, printed, texts_of

DAY, YEAR = 86_400, 365 * 86_400
JUMPS = {
    "a minute back": -60,
    "a day back": -DAY,
    "back to 1970": -int(time.time()),
    "a day ahead": DAY,
    "forty days ahead": 40 * DAY,
    "ten years ahead": 10 * YEAR,
    "to the year 9000": 6_970 * YEAR,
}
CLOCKED = str(Path(__file__).with_name("clocked.py"))
META = {"claudecode/toolUseId": "toolu_c1"}


@pytest.mark.parametrize("jump", JUMPS)
def test_a_clock_that_jumps_and_comes_back(jump: str, hooks: Hooks, project: Path, tmp_path: Path,
                                           figure: Figure) -> None:  # fmt: skip
    clock = tmp_path / "clock"
    clock.write_text("0")
    start = [sys.executable, "-I", "-S", CLOCKED, str(clock), str(LAUNCH)]
    hooks.start = start
    notes.note_call(AGENT, "toolu_c1", notes.CallNote("c1", "", str(project)))

    def served() -> Host:
        return Host(subprocess.Popen([*start, "serve", "--agent", AGENT], cwd=project, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE), [])  # fmt: skip

    def works(host: Host, word: str) -> None:
        assert hooks.denies()
        assert hooks.stores(f"{word} hook")
        assert host.call("ctx_index", {"text": printed(word), "label": word}, META)[0].startswith("Indexed 1 source(s)")
        for known in words:
            text, failed = host.call("ctx_search", {"queries": [known], "limit": 1}, META)
            assert (failed, f"of {known}" in text) == (False, True), text
        assert not host.call("ctx_resume", {}, META)[1]

    hosts, words = [served()], ["pangolin"]
    works(hosts[0], "pangolin")
    clock.write_text(str(JUMPS[jump]))
    hosts.append(served())
    words.append("quokka")
    works(hosts[0], "quokka")
    text, _ = hosts[1].call("ctx_execute", {"language": "sh", "code": "echo fine"})
    assert text.startswith("exit 0 · 5 B\nfine"), hooks.log()
    assert hosts[1].close() == 0
    clock.write_text("0")
    hosts.append(served())
    words.append("numbat")
    works(hosts[2], "numbat")
    for host in hosts:
        host.close()
        for pipe in (host.process.stdout, host.process.stderr):
            assert pipe
            pipe.close()
    texts = texts_of(project)
    assert "retention" not in hooks.log()
    assert {word: texts.get(word) for word in words} == {word: printed(word) for word in words}
    figure(f"clock {jump} and back: {len(words)} of {len(words)} texts there, none pruned, no search refused")
