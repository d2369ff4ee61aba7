"""A full or read-only disk: rules hold, commands run, nothing is replaced, and all goes on when there is room."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Disk

from .conftest import AGENT, Figure, Hooks, printed, texts_of

SHELL = {"language": "sh", "code": "seq 1 20000"}
KEPT = {"text": printed("pangolin"), "label": "early"}


def fill(folder: Path) -> Path:
    """A file that takes all that is left."""
    path = folder / "filler"
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            return path
    raise AssertionError("a disk without end")


def begun(folder: Path, serve: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Any]:
    """The disk with our data on it, and a server that has stored a text there."""
    monkeypatch.setenv("CONTEXT_MODE_DATA_DIR", str(folder / "data"))
    host = serve(AGENT)
    assert host.call("ctx_index", KEPT)[0].startswith("Indexed 1 source(s)")
    return folder, host


def without_room(hooks: Hooks, host: Any, data: Path) -> None:
    """What holds while nothing can be written."""
    assert hooks.denies()
    assert not hooks.stores("wombat")
    text, failed = host.call("ctx_execute", SHELL)
    assert (text.split(" ")[:2], failed) == (["exit", "0"], False), text
    assert "1\n2\n3\n" in text
    text, failed = host.call("ctx_index", {"text": printed("quokka") * 20, "label": "late"})
    assert failed
    assert str(data) in text, text


def with_room(hooks: Hooks, host: Any, project: Path, figure: Figure, name: str) -> None:
    """What was there before is there; what comes is stored."""
    assert hooks.stores("wombat")
    assert host.call("ctx_index", {"text": printed("quokka"), "label": "late"})[0].startswith("Indexed 1 source(s)")
    texts = texts_of(project)
    assert texts["early"] == printed("pangolin")
    assert texts["late"] == printed("quokka")
    figure(f"{name}: rule held, output passed, command ran, 0 of {len(texts)} texts damaged when there was room again")


def test_a_full_disk(disk: Disk, hooks: Hooks, serve: Any, project: Path, figure: Figure,
                     monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    folder, host = begun(disk("1m"), serve, monkeypatch)
    filler = fill(folder)
    without_room(hooks, host, folder)
    filler.unlink()
    with_room(hooks, host, project, figure, "full disk")


def test_a_read_only_disk(disk: Disk, hooks: Hooks, serve: Any, project: Path, figure: Figure,
                          monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    folder, host = begun(disk("4m"), serve, monkeypatch)
    host.close()
    disk(folder, "ro")
    host = serve(AGENT)
    without_room(hooks, host, folder)
    host.close()
    disk(folder, "rw")
    with_room(hooks, serve(AGENT), project, figure, "read-only disk")


@pytest.mark.parametrize("kind", ["full", "read-only"])
def test_what_needs_the_store_names_path_and_reason(
    disk: Disk, serve: Any, run_cli: Any, project: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, host = begun(disk("1m"), serve, monkeypatch)
    if kind == "full":
        fill(folder)
    else:
        host.close()
        disk(folder, "ro")
        host = serve(AGENT)
    text, failed = host.call("ctx_purge", {"source": "early"})
    assert (failed, str(folder) in text) == (True, True), text
    text, _ = host.call("ctx_batch", {"commands": ["seq 1 20000"], "queries": ["777"]})
    assert f"(not stored: {folder}" in text
    if kind == "full":
        host.call("ctx_execute", SHELL)
        assert host.call("ctx_stats", {})[0].startswith("ctx_stats: 0.0% kept out all-time, 0.0% this session.\n")
    (project / "later.txt").write_text(printed("quokka") * 20)
    for words in (["index", "later.txt"], ["purge", "--project"]):
        done = run_cli(*words, cwd=project)
        assert (done.returncode, str(folder) in done.stderr, done.stdout) == (1, True, ""), (words, done)


def test_doctor_says_that_a_disk_is_read_only(
    disk: Disk, serve: Any, run_cli: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, host = begun(disk("4m"), serve, monkeypatch)
    host.close()
    disk(folder, "ro")
    done = run_cli("doctor", "--agents", AGENT, "--only", "D8,D13", "--json", cwd=project)
    rows = {row["id"]: row for row in json.loads(done.stdout)["data"]["checks"]}
    assert {name: row["status"] for name, row in rows.items()} == {"D8": "FAIL", "D13": "FAIL"}
    assert "/context.db: " in rows["D8"]["detail"]
    assert rows["D13"]["detail"].endswith("read-only file system; CONTEXT_MODE_DATA_DIR can name another folder")
    text, _ = serve(AGENT).call("ctx_doctor", {})
    assert "D13 data folder | FAIL" in text
    assert "read-only file system" in text


@pytest.mark.parametrize(
    "words", [("setup", "--agents", "codex"), ("setup", "--remove"), ("setup", "--remove", "--data")]
)
@pytest.mark.parametrize("kind", ["full", "read-only"])
def test_setup_where_nothing_can_be_written(
    disk: Disk, run_cli: Any, kind: str, words: tuple[str, ...], figure: Figure
) -> None:
    """All done or nothing done; the exit code says which."""
    folder = disk("2m")
    env = {"HOME": str(folder)}
    (folder / ".codex").mkdir()
    (folder / ".codex/config.toml").write_text('model = "x"  # mine\n')
    bare = configs(folder)
    if "--remove" in words:
        assert run_cli("setup", "--agents", "codex", env=env).returncode == 0
    before = configs(folder)
    filler = fill(folder) if kind == "full" else disk(folder, "ro")
    done = run_cli(*words, env=env)
    assert "Traceback" not in done.stderr
    if done.returncode == 0:
        assert "--remove" in words
        assert configs(folder) == bare
    else:
        assert done.returncode == 1, done.stderr
        assert configs(folder) == before
        assert done.stderr.count("error: ") == 1, done.stderr
    if kind == "full":
        filler.unlink()
    else:
        disk(folder, "rw")
    assert run_cli(*words, env=env).returncode == 0
    assert (configs(folder) == bare) is ("--remove" in words)
    figure(f"{' '.join(words)} on a {kind} disk: exit {done.returncode}, then done when there was room")


def configs(home: Path) -> dict[str, bytes]:
    """Every file of an agent."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and ".context-mode" not in path.parts and path.name != "filler"
    }
