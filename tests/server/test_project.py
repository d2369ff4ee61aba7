"""Where commands run: the conversation's project, never the home, our own folder, or a guess."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

HERE = Path(__file__).parent
CASES = YAML(typ="safe").load((HERE / "cases" / "project.yaml").read_text(encoding="utf-8"))


def _checkout(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def folders(home: Path, project: Path, tmp_path: Path) -> dict[str, Path]:
    inner = project / "src" / "deep"
    inner.mkdir(parents=True)
    worktree = tmp_path.resolve() / "branch"
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {project}/.git/worktrees/branch\n", encoding="utf-8")
    (project / ".git" / "worktrees" / "branch").mkdir(parents=True)
    (project / ".git" / "worktrees" / "branch" / "commondir").write_text("../..\n", encoding="utf-8")
    other = _checkout(tmp_path.resolve() / "other")
    return {
        "project": project,
        "other": other,
        "inner": inner,
        "home": home,
        "root": Path("/"),
        "worktree": worktree,
        "gone": tmp_path / "gone",
    }


def _meta(agent: str, name: str, project: Path) -> dict[str, Any]:
    text = (HERE.parent / "payloads" / agent / f"{name}.json").read_text(encoding="utf-8")
    meta: dict[str, Any] = json.loads(text.replace("$PROJECT", str(project)))["_meta"]
    return meta


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_commands_run_in_the_project(serve: Any, folders: dict[str, Path], case: dict[str, Any]) -> None:
    offered = "roots" in case
    roots = [folders[name].as_uri() for name in case.get("roots", [])]
    env = {name: str(folders[value]) for name, value in case.get("env", {}).items()}
    host = serve(case["agent"], cwd=folders[case["cwd"]], roots=roots, env=env)
    host.handshake(**({"roots": {}} if offered else {}))
    meta = _meta(case["agent"], case["meta"], folders["project"]) if "meta" in case else None
    text, failed = host.call("ctx_execute", {"language": "sh", "code": "pwd"}, meta)
    if case["runs_in"] is None:
        assert failed
        assert text.startswith("the project is not known")
    else:
        assert text.splitlines()[1:] == [str(folders[case["runs_in"]])]


def test_roots_that_change(serve: Any, folders: dict[str, Path]) -> None:
    host = serve(cwd=folders["home"], roots=[folders["project"].as_uri()])
    host.handshake(roots={"listChanged": True})
    assert host.call("ctx_execute", {"language": "sh", "code": "pwd"})[0].endswith(str(folders["project"]))
    host.roots = [folders["other"].as_uri()]
    host.send({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
    assert host.call("ctx_execute", {"language": "sh", "code": "pwd"})[0].endswith(str(folders["other"]))


def test_a_live_server_is_known_by_its_mark_for_its_project_only(
    serve: Any, folders: dict[str, Path], project: Path
) -> None:
    from context_mode_runtime import notes

    assert not notes.live_server("codex", str(project))
    host = serve("codex", cwd=project)
    host.ask("ping")
    assert notes.live_server("codex", str(project))
    assert not notes.live_server("codex", str(folders["other"]))
    assert not notes.live_server("claude-code", str(project))
    host.close()
    assert not notes.live_server("codex", str(project))


def test_nothing_but_the_mark_is_written_before_the_first_call(serve: Any, home: Path) -> None:
    host = serve()
    host.handshake()
    host.ask("tools/list")
    files = [path for path in (home / ".context-mode").rglob("*") if path.is_file()]
    assert [path.parent.name for path in files] == ["servers"]
    again = serve()
    again.handshake()
    assert again.ask("tools/list") == host.ask("tools/list") | {"id": again._next}
