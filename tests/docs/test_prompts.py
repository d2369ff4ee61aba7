"""The prompts to try are work that the bench does, and that its tests run on every change."""

from __future__ import annotations

from tests.bench import net, test_bench
from tests.docs.generate import MARKED
from tests.docs.pages import DOCS, read

PAGE = read(DOCS / "prompts.md")


def test_each_is_run_by_a_test() -> None:
    parts = [words for _, words, _ in MARKED.findall(PAGE)]
    assert len(parts) == PAGE.count("\n> ") == 4
    assert {words.partition(" ")[2] for words in parts if words.startswith("prompt ")} <= test_bench.ROWS
    assert parts[-1] == "prompt-job"


def test_the_job_is_that_of_the_bench() -> None:
    assert f"\n> {net.JOB['prompt']}\n" in PAGE
