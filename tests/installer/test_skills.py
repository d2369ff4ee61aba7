"""Our three skills: the texts in each host's folders, shared folders, strangers' files, what doctor says (D10)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.places import find_places
from context_mode_installer.plan.skills import FILE
from context_mode_installer.skilltexts import SKILLS
from context_mode_installer.specs.catalog import usable_specs
from context_mode_installer.specs.model import AgentSpec
from context_mode_runtime.server.tools.registry import TOOLS

DOCS = Path(__file__).parents[2] / "docs"

SPECS = [spec for spec in usable_specs() if spec.texts.skills]
NAME_MAX, DESCRIPTION_MAX = 64, 1024
"""The narrowest limits of any host for the front matter (tests/payloads say nothing of skills; docs/hosts does)."""


def set_up(*agents: str, **more: Any) -> Any:
    for spec in usable_specs():
        if spec.id in agents:
            for root in spec.roots:
                if root.must_exist:
                    Path(find_places(spec, os.environ).holes[root.name]).mkdir(parents=True, exist_ok=True)
    return run(Options(agents=agents, **more))


def folders(spec: AgentSpec, scope: str = "user", project: Path | None = None) -> list[Path]:
    places = find_places(spec, os.environ, str(project) if project else None)
    return [Path(places.path(one.folder)) for one in spec.texts.skills if one.scope == scope]


def read(folder: Path) -> dict[str, str]:
    return {name: (folder / name / FILE).read_text() for name in SKILLS if (folder / name / FILE).exists()}


def look(agent: str, **more: Any) -> dict[str, Any]:
    rows: list[dict[str, Any]] = doctor.run(doctor.Options(agents=(agent,), only=("D10",), offline=True, **more)).data[
        "checks"
    ]
    return rows[0]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_each_host_gets_three_skills_in_its_own_words(home: Path, spec: AgentSpec) -> None:
    set_up(spec.id)
    for folder, record in zip(folders(spec), [one for one in spec.texts.skills if one.scope == "user"], strict=True):
        texts = read(folder)
        assert list(texts) == list(SKILLS)
        for name, text in texts.items():
            head, body = text.removeprefix("---\n").split("\n---\n", 1)
            front = YAML(typ="safe", pure=True).load(head)
            assert list(front) == ["name", "description"]
            assert (front["name"], len(name) <= NAME_MAX, len(front["description"]) <= DESCRIPTION_MAX) == (
                name, True, True,
            )  # fmt: skip
            tool = SKILLS[name].tool
            assert tool in {one.name for one in TOOLS}
            wanted = tool if record.shared_with else spec.server.tool_name.replace("{tool}", tool)
            assert f"`{wanted}`" in body.replace("\n", " ")
            assert "{" not in body.replace('{"action":"check"}', "")
            if record.shared_with and spec.texts.skill_call:
                assert spec.texts.skill_call.replace("{name}", "ctx-upgrade") not in body
    assert look(spec.id)["status"] == "PASS"


def test_two_hosts_that_read_one_folder_name_each_other() -> None:
    found: dict[str, set[str]] = {}
    said: dict[tuple[str, str], set[str]] = {}
    for spec in SPECS:
        places = find_places(spec, os.environ, "/project")
        for one in spec.texts.skills:
            found.setdefault(places.path(one.folder), set()).add(spec.id)
            said[places.path(one.folder), spec.id] = set(one.shared_with)
    wrong = {
        (folder, agent): readers - {agent} - said[folder, agent]
        for folder, readers in found.items()
        for agent in readers
        if readers - {agent} - said[folder, agent]
    }
    assert wrong == {}


def test_a_dry_run_shows_the_skills_and_writes_none(home: Path) -> None:
    done = set_up("claude-code", dry_run=True)
    files = {one["path"]: one["diff"] for one in done.data["files"]}
    stats = files[str(home / ".claude/skills/ctx-stats/SKILL.md")]
    assert "+Call the tool `mcp__context-mode__ctx_stats`" in stats
    assert "skills ctx-doctor, ctx-stats, ctx-upgrade written" in "\n".join(done.messages)
    assert list(home.iterdir()) == []


def test_a_strangers_skill_is_kept_and_given_back(home: Path) -> None:
    file = home / ".claude/skills/ctx-stats/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"---\r\nname: ctx-stats\r\n---\r\nsomebody else's, without a last line end")
    file.chmod(0o640)
    before = file.read_bytes()
    assert look("claude-code")["detail"].startswith("ctx-doctor, ctx-upgrade in ~/.claude/skills missing")
    first = set_up("claude-code")
    assert "kept and given back by --remove" in "\n".join(first.messages)
    assert "mcp__context-mode__ctx_stats" in file.read_text()
    set_up("claude-code")
    run(Options(remove=True))
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (before, 0o640)
    assert [path.name for path in (home / ".claude/skills").iterdir()] == ["ctx-stats"]


def test_a_strangers_skill_is_back_even_when_ours_was_changed(home: Path) -> None:
    file = home / ".claude/skills/ctx-stats/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("theirs\n")
    set_up("claude-code")
    file.write_text(file.read_text().replace("Show how much", "Tell how much"))
    run(Options(remove=True))
    assert file.read_text() == "theirs\n"


FAULTS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "missing": (lambda file: file.unlink(), "FAIL", "ctx-stats in ~/.claude/skills missing"),
    "changed": (lambda file: file.write_text("mine"), "WARN", "ctx-stats in ~/.claude/skills changed since"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_doctor_names_the_fault_and_mends_it(home: Path, fault: str) -> None:
    spoil, status, detail = FAULTS[fault]
    set_up("claude-code")
    spoil(home / ".claude/skills/ctx-stats/SKILL.md")
    row = look("claude-code")
    assert (row["status"], row["fix"]) == (status, "context-mode setup --agents claude-code")
    assert row["detail"].startswith(detail)
    assert look("claude-code", fix=True)["status"] == "PASS"


def test_mending_leaves_out_the_approvals_that_the_user_left_out(home: Path) -> None:
    set_up("claude-code", approve=False)
    (home / ".claude/skills/ctx-stats/SKILL.md").unlink()
    look("claude-code", fix=True)
    assert "permissions" not in json.loads((home / ".claude/settings.json").read_text())


def test_a_strangers_skill_is_a_warning_before_setup(home: Path) -> None:
    for name in SKILLS:
        file = home / f".claude/skills/{name}/SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text("theirs")
    row = look("claude-code")
    assert (row["status"], "belong to something else" in row["detail"]) == ("WARN", True)


def test_a_project_gets_its_own_and_loses_them(home: Path, project: Path) -> None:
    before = sorted(project.rglob("*"))
    set_up("claude-code", scope="project", project=project)
    assert list(read(project / ".claude/skills")) == list(SKILLS)
    run(Options(remove=True))
    assert sorted(project.rglob("*")) == before


@pytest.fixture
def two_hosts(home: Path) -> tuple[str, str]:
    """Two agents of the user's own with different tool names, which read one skill folder."""
    folder = home / ".context-mode/agents"
    folder.mkdir(parents=True)
    yaml = YAML(typ="safe", pure=True)
    names = ("my-agent", "your-agent")
    for agent, other in (names, names[::-1]):
        text = (DOCS / "my-agent.yaml").read_text()
        spec = yaml.load(text.replace("my-agent", agent))
        spec["texts"]["skills"] = [{"scope": "user", "folder": "{home}/.skills", "shared_with": [other]}]
        spec["roots"][0]["default"] = f"{{home}}/.{agent}"
        with (folder / f"{agent}.yaml").open("w") as file:
            yaml.dump(json.loads(json.dumps(spec, default=str)), file)
        replies = (DOCS / "my-agent.replies.json").read_bytes()
        (folder / f"{agent}.replies.json").write_bytes(replies)
    return names


def test_a_shared_folder_has_one_text_and_goes_with_its_last_owner(home: Path, two_hosts: tuple[str, str]) -> None:
    first, second = two_hosts
    set_up(first)
    texts = read(home / ".skills")
    assert all(f"`{SKILLS[name].tool}`" in text for name, text in texts.items())
    set_up(second)
    assert read(home / ".skills") == texts
    run(Options(agents=(first,), remove=True))
    assert read(home / ".skills") == texts
    assert look(second)["status"] == "PASS"
    run(Options(agents=(second,), remove=True))
    assert not (home / ".skills").exists()


def test_both_owners_at_once(home: Path, two_hosts: tuple[str, str]) -> None:
    set_up(*two_hosts)
    assert list(read(home / ".skills")) == list(SKILLS)
    run(Options(remove=True))
    assert not (home / ".skills").exists()
