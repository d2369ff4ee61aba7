"""A link that another process turns over all the time never makes us read what a rule denies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from context_mode_runtime.fetch.folder import DocumentError, read_document, walk

TURN = """
import os, sys
link, places = sys.argv[1], sys.argv[2:]
print(flush=True)
while True:
    for place in places:
        os.symlink(place, link + ".new")
        os.replace(link + ".new", link)
"""
ROUNDS = 3_000
ROUNDS_MAX = 200_000


@pytest.fixture
def turning(tmp_path: Path) -> Iterator[str]:
    """Two folders with a file of one name, and what leads to either by turns: a link to the folder."""
    for name in ("open", "denied"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
    link = str(tmp_path / "link")
    os.symlink("open", link)
    with subprocess.Popen([sys.executable, "-c", TURN, link, "denied", "open"], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        yield link
        process.kill()


def judge(path: str) -> str | None:
    return "denied by rule" if "/denied/" in path else None


def test_a_denied_file_is_never_read_while_its_folder_is_swapped(turning: str) -> None:
    said: dict[str, int] = {}
    for count in range(ROUNDS_MAX):
        try:
            found = read_document(f"{turning}/a.txt", judge=judge).text
        except DocumentError as error:
            found = str(error)
        said[found] = said.get(found, 0) + 1
        if count >= ROUNDS and {"open", "denied by rule"} <= said.keys():
            break
    assert {"open", "denied by rule"} <= said.keys(), "the link did not turn while we read"
    assert "denied" not in said


def test_a_denied_file_is_never_read_while_a_folder_is_listed(turning: str) -> None:
    for _ in range(40):
        for path in walk(turning):
            try:
                assert read_document(path, judge=judge).text == "open"
            except DocumentError as error:
                assert "denied by rule" in str(error) or "changed while" in str(error)  # noqa: PT017
