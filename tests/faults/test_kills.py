"""kill -9 at random points of setup, remove, index, purge and upgrade: the next command finds old or new, never half.

Each run is drawn from a seed that the failure names: at which change of a file its end is near, and how many
ms later it and all it started are killed. (At every single step: tests/installer/test_transaction.py.)
"""

from __future__ import annotations

import os
import random
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from .conftest import Figure, Size, texts_of

STOPPABLE = str(Path(__file__).with_name("stoppable.py"))
AGENTS = "claude-code,codex"
BESIDE = ("backups", "run", "setup.lock", "hook-errors.log", "projects")
FILES, LINES = 6, 1_500
BACKUP = re.compile(rb"\d{8}T\d{6}\.\d{6}Z")  # of the receipt: another one each time
MARK = "zygomorphic"
Tree = dict[str, tuple[int, bytes]]


class Case(NamedTuple):
    """`words` is the command, `late_ms` how long after the chosen change it may still run, `shares` of all kills."""

    words: tuple[str, ...]
    late_ms: float
    share: float = 0.2


CASES = {
    "setup": Case(("setup", "--agents", AGENTS), 40),
    "remove": Case(("setup", "--remove"), 40),
    "remove data": Case(("setup", "--remove", "--data"), 40, 0.1),
    "upgrade": Case(("upgrade",), 1_500, 0.1),
    "index": Case(("index", "texts"), 300),
    "purge source": Case(("purge", "--source", "texts/0.txt"), 200, 0.1),
    "purge project": Case(("purge", "--project"), 100, 0.1),
}


def tree(home: Path) -> Tree:
    """Mode and bytes of every file but those that are no part of a setup."""
    return {
        str(path.relative_to(home)): (path.stat().st_mode, BACKUP.sub(b"ID", path.read_bytes()))
        for path in sorted(home.rglob("*"))
        if path.is_file() and not (path.parts[len(home.parts)] == ".context-mode" and set(path.parts) & set(BESIDE))
    }


def run(words: tuple[str, ...], cwd: Path, *, at: int = 0, late_ms: float = 0) -> tuple[bool, int]:
    """Runs a command, killed `late_ms` after its change number `at` (0: never); (was killed, changes it made)."""
    out, into = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-B", STOPPABLE, str(at), str(into), *words], cwd=cwd, pass_fds=[into], start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(into)
    with os.fdopen(out, "rb", 0) as told:
        word = told.read(1)
        if word == b"x":
            select.select([told], [], [], late_ms / 1000)
            os.killpg(process.pid, signal.SIGKILL)
        else:
            word += told.read()
    errors = process.communicate()[1].decode()
    killed = process.returncode == -signal.SIGKILL
    assert killed or process.returncode == 0, errors
    return killed, int(word) if word.isdigit() else 0


class Rig:
    """A home and a project that can be put back to a kept state, at the same place."""

    def __init__(self, home: Path, project: Path, keep: Path) -> None:
        self.home, self.project, self._keep = home, project, keep

    def keep(self, name: str) -> None:
        shutil.copytree(self.home, self._keep / name, symlinks=True)

    def back(self, name: str) -> None:
        shutil.rmtree(self.home)
        shutil.copytree(self._keep / name, self.home, symlinks=True)


@pytest.fixture
def rig(home: Path, project: Path, tmp_path: Path) -> Rig:
    """Two agents with settings of their user's, and a folder of texts."""
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{\n  "theme": "dark" \n}\n')
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text('model = "x"  # mine\n')
    (project / "texts").mkdir()
    for number in range(FILES):
        (project / f"texts/{number}.txt").write_text(text_of(number))
    return Rig(home, project, tmp_path)


def text_of(number: int) -> str:
    return "".join(f"line {line} of text {number} {MARK}{number} word{number}x{line}\n" for line in range(LINES))


def drawn(rig: Rig, case: str, count: int, check: Callable[[], None], whole: Callable[[], object] = int) -> int:
    """Runs the case `count` times from the state it finds, each killed elsewhere; how many were hit before their end.

    `whole` is called once before them, after a run that nobody killed.
    """
    words, late_ms, _ = CASES[case]
    rig.keep("start")
    changes = run(words, rig.project)[1]
    whole()
    hit = 0
    for seed in range(count):
        rig.back("start")
        drawing = random.Random(f"{case} {seed}")
        at, late = drawing.randint(1, changes), drawing.uniform(0, late_ms)
        hit += run(words, rig.project, at=at, late_ms=late)[0]
        try:
            check()
        except BaseException as error:
            error.add_note(f"killed {late:.1f} ms after change {at} of {changes}: seed {seed} of {case!r}")
            raise
    return hit


def share(size: Size, case: str) -> int:
    return max(1, round(size("kills") * CASES[case].share))


@pytest.mark.parametrize("case", ["setup", "remove", "remove data", "upgrade"])
def test_configs_are_old_or_new(rig: Rig, case: str, size: Size, figure: Figure) -> None:
    words = CASES[case].words
    bare = tree(rig.home)
    if case != "setup":
        run(CASES["setup"].words, rig.project)
    if case == "upgrade":
        for file in (rig.home / ".context-mode/bin").iterdir():
            file.write_text(file.read_text().replace(sys.executable, "/gone/python3"))
    old, new = tree(rig.home), bare
    counts = {"old": 0, "new": 0}

    def whole() -> None:
        nonlocal new
        new = tree(rig.home)
        assert new != old
        assert case != "remove data" or new == bare

    def check() -> None:
        run(("agents",), rig.project)  # any command of ours finishes what was cut off
        found = tree(rig.home)
        if case == "remove data":  # data goes last, file by file
            ours = {path for path in (*old, *new) if path.startswith(".context-mode/")}
            assert without(found, ours) in (without(old, ours), without(new, ours))
        else:
            changed, left = differing(found, old), differing(found, new)
            assert not changed or not left, f"of {changed} only some are done: {left} are not"
        counts["new" if found == new else "old"] += 1
        run(words, rig.project)
        assert tree(rig.home) == new

    count = share(size, case)
    hit = drawn(rig, case, count, check, whole)
    figure(
        f"kill -9 of {case}: {count} runs, {hit} cut off; then {counts['old']} as before, {counts['new']} done, 0 half"
    )


def differing(one: Tree, other: Tree) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def without(files: Tree, names: set[str]) -> Tree:
    return {name: value for name, value in files.items() if name not in names}


def test_an_index_run_keeps_whole_texts_only(rig: Rig, size: Size, figure: Figure) -> None:
    texts = {f"texts/{number}.txt": text_of(number) for number in range(FILES)}
    counts: list[int] = []

    def check() -> None:
        found = texts_of(rig.project)
        assert found.items() <= texts.items()
        counts.append(len(found))
        run(CASES["index"].words, rig.project)
        assert texts_of(rig.project) == texts

    count = share(size, "index")
    hit = drawn(rig, "index", count, check)
    figure(f"kill -9 of index: {count} runs, {hit} cut off, {sum(counts)} of {FILES * count} texts stored, each whole")


@pytest.mark.parametrize("case", ["purge source", "purge project"])
def test_a_purge_is_done_by_asking_again(rig: Rig, case: str, size: Size, figure: Figure) -> None:
    run(CASES["index"].words, rig.project)
    texts = {f"texts/{number}.txt": text_of(number) for number in range(FILES)}
    gone = {"texts/0.txt"} if case == "purge source" else set(texts)
    kept = {label: text for label, text in texts.items() if label not in gone}

    def check() -> None:
        found = texts_of(rig.project)
        assert kept.items() <= found.items()
        assert all(texts[label].startswith(text) for label, text in found.items())
        if gone & found.keys():
            run(CASES[case].words, rig.project)
        else:  # its rows are gone; that their words leave the file, too, is for the next purge
            run(("index", "texts/0.txt"), rig.project)
            run(CASES[case].words, rig.project)
        assert texts_of(rig.project) == kept
        bytes_left = b"".join(path.read_bytes() for path in (rig.home / ".context-mode").rglob("*") if path.is_file())
        assert [label for label in gone if f"{MARK}{Path(label).stem}".encode() in bytes_left] == []

    count = share(size, case)
    hit = drawn(rig, case, count, check)
    figure(f"kill -9 of {case}: {count} runs, {hit} cut off; asked again, 0 bytes of it left in any file")
