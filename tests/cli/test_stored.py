"""`context-mode search|index|stats|resume|purge`: the tools for people and scripts, in the current project."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime.project import find_project
from context_mode_runtime.server import direct
from context_mode_runtime.store import unindexed
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.journal import add_row

COMMANDS = ("search", "index", "stats", "resume", "purge")


def _store(project: Path) -> Store:
    found = find_project(str(project))
    assert found
    return Store.open(found.key(), name=found.name)


def test_what_was_indexed_is_found_from_any_folder_of_the_project(run_cli: Any, project: Path) -> None:
    (project / "docs").mkdir()
    (project / "docs" / "guide.md").write_text("# Guide\n\nThe numbat retries four times.\n", encoding="utf-8")
    done = run_cli("index", "guide.md", cwd=project / "docs")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Indexed 1 source(s), 1 chunk(s) from s1. Label: docs/guide.md\n"
    with _store(project) as store:
        assert unindexed.waiting(store) == []
    done = run_cli("search", "numbat retries", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith('Query "numbat retries":\ndocs/guide.md #1: Guide\n  ')
    assert "  The numbat retries four times.\n" in done.stdout


def test_a_search_as_json(run_cli: Any, project: Path) -> None:
    (project / "a.txt").write_text("one wombat\n", encoding="utf-8")
    run_cli("index", "a.txt", cwd=project)
    done = run_cli("search", "wombat", "zebrafish", "--json", cwd=project)
    envelope = json.loads(done.stdout)
    assert (envelope["command"], envelope["status"], envelope["exit_code"]) == ("search", "ok", 0)
    hit, nothing = envelope["data"]["queries"]
    assert hit["hits"] == [
        {"sid": "s1", "label": "a.txt", "n": 1, "heading": "line 1", "snippet": "one wombat", "stale": ""}
    ]
    assert (nothing["query"], nothing["hits"]) == ("zebrafish", [])
    assert nothing["nothing"]


def test_a_search_without_a_hit_is_no_error_and_makes_nothing(run_cli: Any, home: Path, project: Path) -> None:
    done = run_cli("search", "anything", cwd=project)
    assert done.returncode == 0
    assert done.stdout == 'Query "anything":\n  nothing is indexed in this project yet\n'
    assert not list((home / ".context-mode").glob("projects/*"))


@pytest.mark.parametrize(
    "words", [["search", "numbat"], ["stats"], ["resume"], ["resume", "1"], ["index", "a.txt"], ["purge", "--project"]]
)
def test_a_store_that_cannot_be_used_is_no_wrong_usage(run_cli: Any, project: Path, words: list[str]) -> None:
    (project / "a.txt").write_text("one numbat\n", encoding="utf-8")
    assert run_cli("index", "a.txt", cwd=project).returncode == 0
    with _store(project) as store:
        path = Path(store.path)
        store.db.execute("PRAGMA user_version = 99999")
    done = run_cli(*words, cwd=project)
    assert (done.returncode, done.stdout) == (1, ""), done
    assert f"~/{path.relative_to(Path.home())}: written by a newer context-mode" in done.stderr
    envelope = json.loads(run_cli(*words, "--json", cwd=project).stdout)
    assert (envelope["status"], envelope["exit_code"]) == ("error", 1)


def test_a_person_is_outside_the_search_budget(project: Path) -> None:
    (project / "a.txt").write_text("one wombat\n", encoding="utf-8")
    calls: list[tuple[str, dict[str, Any]]] = [("ctx_index", {"path": "a.txt"})]
    for tool, arguments in calls + [("ctx_search", {"queries": ["wombat"]})] * 10:
        call = direct.open_call(tool, arguments, str(project))
        assert "a.txt" in direct.reply(call)
        call.close()


def test_several_places_and_one_that_can_not_be_had(run_cli: Any, project: Path) -> None:
    (project / "a.txt").write_text("one wombat\n", encoding="utf-8")
    done = run_cli("index", "a.txt", "nothing.txt", "http://127.0.0.1:9/", "--json", cwd=project)
    envelope = json.loads(done.stdout)
    assert (done.returncode, envelope["status"]) == (1, "findings")
    assert [one["place"] for one in envelope["data"]["indexed"]] == ["a.txt"]
    assert [one["place"] for one in envelope["data"]["failed"]] == ["nothing.txt", "http://127.0.0.1:9/"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["index", "nothing.txt"], "nothing.txt: no such file"),
        (["index", "a", "b", "--label", "x"], "--label names one path or page"),
        (["index"], "Missing argument"),
        (["search"], "Missing argument"),
        (["search", "x", "--limit", "0"], "--limit"),
        (["search", "x", "--scope", "galaxy"], "galaxy"),
        (["purge"], "say what to delete: one of --session ID, --source ID, --project"),
        (["purge", "--source", "s1", "--project"], "say what to delete"),
        (["purge", "--source", "s1"], "nothing is stored in this project yet"),
        (["resume", "7"], "no row #7 in this project's journal; it is empty"),
        (["stats", "--session", "x"], "no conversation 'x' in this project; known: none"),
        (["resume", "--session", "x"], "no conversation 'x' in this project; known: none"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line_and_exit_2(run_cli: Any, project: Path, words: list[str], said: str) -> None:
    done = run_cli(*words, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [["search", "x"], ["stats"], ["resume"], ["purge", "--project"], ["index", "a"]])
def test_the_home_is_no_project(run_cli: Any, home: Path, words: list[str]) -> None:
    done = run_cli(*words, cwd=home)
    assert done.returncode == 2
    assert "the project is not known" in done.stderr


def test_resume_shows_the_only_conversation_lists_several_and_shows_the_one_that_is_named(
    run_cli: Any, project: Path
) -> None:
    with _store(project) as store:
        add_row(store, "claude-code:c-1", "prompt", "fix the login")
    done = run_cli("resume", cwd=project)
    assert done.stdout.startswith(
        '<context_mode_state session="claude-code:c-1" upto="1">\nrequest #1: fix the login\n'
    )
    with _store(project) as store:
        add_row(store, "codex:c-2", "prompt", "write a poem")
    done = run_cli("resume", cwd=project)
    assert done.returncode == 0
    assert [line.split()[:2] for line in done.stdout.splitlines()[1:3]] == [
        ["codex:c-2", "1"],
        ["claude-code:c-1", "1"],
    ]
    for name in ("c-1", "claude-code:c-1"):
        assert "fix the login" in run_cli("resume", "--session", name, cwd=project).stdout
    assert run_cli("resume", "--session", "c-3", cwd=project).returncode == 2


def test_resume_shows_a_row_whole(run_cli: Any, project: Path) -> None:
    words = "many words " * 1_500
    with _store(project) as store:
        add_row(store, "claude-code:c-1", "prompt", words)
    done = run_cli("resume", "1", cwd=project)
    assert done.stdout.split("\n", 1)[1] == words + "\n"
    assert json.loads(run_cli("resume", "1", "--json", cwd=project).stdout)["data"]["row"]["text"] == words


def test_purge(run_cli: Any, home: Path, project: Path) -> None:
    (project / "a.txt").write_text("one zygomorphic heron\n", encoding="utf-8")
    run_cli("index", "a.txt", cwd=project)
    done = run_cli("purge", "--source", "a.txt", cwd=project)
    assert done.returncode == 0
    assert re.fullmatch(r"ctx_purge: deleted \d+ rows \(scope: source\)\. This cannot be undone\.\n", done.stdout)
    files = [path for path in (home / ".context-mode").rglob("*") if path.is_file()]
    assert not any(b"zygomorphic" in path.read_bytes() for path in files)
    data = json.loads(run_cli("purge", "--project", "--json", cwd=project).stdout)["data"]
    assert data["scope"] == "project"
    assert data["deleted"] >= 0


def test_the_gate_stands_before_index(run_cli: Any, home: Path, project: Path) -> None:
    (home / ".context-mode").mkdir(mode=0o700)
    (home / ".context-mode" / "policy.json").write_text('{"version": 1, "deny": ["Read(./a.txt)"]}', encoding="utf-8")
    (project / "a.txt").write_text("x", encoding="utf-8")
    done = run_cli("index", "a.txt", cwd=project)
    assert done.returncode == 2
    assert "denied by rule Read(./a.txt) of ~/.context-mode/policy.json" in done.stderr
