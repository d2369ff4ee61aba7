"""Words of the spec language that the shipped specs don't use yet, with a host of the user's own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_installer.commands.setup import Options, run
from context_mode_installer.result import Result, UserError
from context_mode_runtime import resources

Spec = dict[str, Any]
ONLY: Spec = {"since": None, "until": None, "unprobed": True, "platforms": []}


def _file(name: str, form: str, *paths: str, **more: object) -> Spec:
    base = {"name": name, "scope": "user", "format": form, "each": [], "paths": list(paths), "new": None, "seed": None}
    return base | {"own": False, "shared_with": [], "broken": "it does not start"} | more


def _edit(name: str, kind: str, **more: object) -> Spec:
    return {"name": name, "scope": "user", "kind": kind, "approval": False, "affects": None, "only": None} | more


@pytest.fixture
def host(home: Path) -> Callable[..., None]:
    """Writes a spec of the user's own, made from a shipped one: `host("my-host", change)`."""

    def write(agent: str, change: Callable[[Spec], object]) -> None:
        yaml = YAML(typ="safe", pure=True)
        spec = yaml.load(Path(resources.shipped("agent_specs"), "codex.yaml"))
        spec |= {
            "id": agent,
            "name": "My host",
            "trust": None,
            "switches": [],
            "foreign": [],
            "foreign_data": [],
            "native": None,
        }
        spec["texts"]["skills"] = []
        spec["detection"] |= {"binary": None, "also_at": [], "folders": []}
        spec["roots"] = [
            {"name": "config", "platform": None, "default": "{home}/.my-host", "resolved": False, "must_exist": False,
             "variables": [{"name": "MY_HOME", "means": "home", "tail": None}]},
            {"name": "shared", "platform": None, "default": "{home}/.shared", "resolved": False, "must_exist": False,
             "variables": [{"name": "MY_PARENT", "means": "parent", "tail": "inner"}]},
        ]  # fmt: skip
        change(spec)
        folder = home / ".context-mode/agents"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{agent}.yaml").open("w", encoding="utf-8") as file:
            yaml.dump(json.loads(json.dumps(spec, default=str).replace('"codex"', f'"{agent}"')), file)
        replies = Path(resources.shipped("schemas"), "replies/codex.schema.json").read_bytes()
        (folder / f"{agent}.replies.json").write_bytes(replies)

    return write


def set_up(agent: str, **options: Any) -> Result:
    return run(Options(agents=(agent,), **options))


def files(home: Path) -> dict[str, str]:
    return {
        str(path.relative_to(home)): path.read_text()
        for path in sorted(home.rglob("*"))
        if path.is_file() and ".context-mode" not in path.parts
    }


def test_a_flag_is_set_back_and_an_own_file_goes(home: Path, host: Callable[..., None]) -> None:
    def change(spec: Spec) -> None:
        spec["files"] += [
            _file("switches", "yaml", "{config}/switches.yaml"),
            _file("own", "text", "{config}/plug/ours.txt", own=True),
        ]
        spec["edits"] += [
            _edit(
                "hooks-on",
                "flag",
                file="switches",
                at=["hooks", "on"],
                value="true",
                affects="all hooks",
                held_by=[["hooks", "mine"]],
            ),
            _edit("file", "own_file", file="own", text="runs {hook}\n", template=None),
        ]

    host("my-host", change)
    (home / ".my-host").mkdir()
    (home / ".my-host/switches.yaml").write_text("hooks:   # mine\n  on: false\n")
    before = files(home)
    assert set_up("my-host").exit_code == 0
    now = files(home)
    assert now[".my-host/switches.yaml"] == "hooks:   # mine\n  on: true\n"
    assert now[".my-host/plug/ours.txt"] == f"runs {home}/.context-mode/bin/context-mode-hook\n"
    assert (home / ".context-mode/agents/my-host.json").exists()
    assert "nothing was changed" in set_up("my-host").messages[-1]
    run(Options(remove=True))
    assert files(home) == before
    assert not (home / ".my-host/plug").exists()


def test_a_flag_stays_while_something_else_needs_it(home: Path, host: Callable[..., None]) -> None:
    def change(spec: Spec) -> None:
        spec["files"] += [_file("switches", "json", "{config}/switches.json")]
        spec["edits"] += [
            _edit("hooks-on", "flag", file="switches", at=["on"], value="true", affects="all hooks", held_by=[["mine"]])
        ]

    host("my-host", change)
    set_up("my-host")
    path = home / ".my-host/switches.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"mine": ["x"]}))
    run(Options(remove=True))
    assert json.loads(path.read_text()) == {"on": True, "mine": ["x"]}


def test_what_the_user_set_in_one_copy_of_a_file_stays(home: Path, host: Callable[..., None]) -> None:
    """Setup put it into the other copy only."""

    def change(spec: Spec) -> None:
        spec["files"] += [_file("more", "json", "{each}/more.json", each=["{home}/a", "{home}/b"])]
        spec["edits"] += [
            _edit("wake", "flag", file="more", at=["on"], value="true", held_by=[["other"]], affects="all of it")
        ]

    host("my-host", change)
    for name in ("a", "b"):
        (home / name).mkdir()
    (home / "b/more.json").write_text('{"on": true}')
    set_up("my-host")
    assert json.loads((home / "a/more.json").read_text()) == {"on": True}
    run(Options(remove=True))
    assert files(home)["b/more.json"] == '{"on": true}'
    assert not (home / "a/more.json").exists()


def test_a_strangers_file_under_our_name_is_given_back(home: Path, host: Callable[..., None]) -> None:
    def change(spec: Spec) -> None:
        spec["files"] += [_file("own", "text", "{config}/ours.txt", own=True)]
        spec["edits"] += [_edit("file", "own_file", file="own", text="ours", template=None)]

    host("my-host", change)
    (home / ".my-host").mkdir()
    (home / ".my-host/ours.txt").write_text("a stranger's")
    set_up("my-host")
    assert (home / ".my-host/ours.txt").read_text() == "ours"
    run(Options(remove=True))
    assert (home / ".my-host/ours.txt").read_text() == "a stranger's"


CANDIDATES = [([], "b.jsonc"), (["a.jsonc"], "a.jsonc"), (["a.jsonc", "b.jsonc"], "b.jsonc")]


@pytest.mark.parametrize(("there", "used"), CANDIDATES)
def test_the_file_in_use_is_edited_and_no_other_made(
    home: Path, host: Callable[..., None], there: list[str], used: str
) -> None:
    """F05."""

    def change(spec: Spec) -> None:
        paths = ["{config}/a.jsonc", "{config}/b.jsonc"]
        spec["files"][0] = _file(
            "config", "jsonc-trailing", *paths, seed='{\n  "$schema": "https://example.com/c"\n}\n'
        )

    host("my-host", change)
    (home / ".my-host").mkdir()
    for name in there:
        (home / ".my-host" / name).write_text('{\n  "plugin": ["a, ]",], // keep\n}\n')
    before = files(home)
    set_up("my-host")
    texts = {name: text for name, text in files(home).items() if "mcp_servers" in text}
    assert list(texts) == [f".my-host/{used}"]
    assert ("$schema" in texts[f".my-host/{used}"]) == (not there)
    run(Options(remove=True))
    assert files(home) == before


def test_two_owners_of_one_hook_file_have_one_entry(home: Path, host: Callable[..., None]) -> None:
    for one, other in (("my-host", "your-host"), ("your-host", "my-host")):

        def change(spec: Spec, other: str = other, one: str = one) -> None:
            spec["files"][0] = _file("config", "toml", f"{{config}}/{one}.toml")
            spec["files"][1] = _file("hooks", "json", "{shared}/hooks.json", shared_with=[other])

        host(one, change)
    set_up("my-host")
    alone = files(home)
    hooks = home / ".shared/hooks.json"
    assert set_up("your-host").exit_code == 0
    assert files(home).keys() - alone.keys() == {".my-host/your-host.toml"}
    assert hooks.read_text() == alone[".shared/hooks.json"]
    run(Options(remove=True, agents=("my-host",)))
    assert hooks.read_text() == alone[".shared/hooks.json"].replace(" my-host ", " your-host ")
    run(Options(remove=True, agents=("your-host",)))
    assert files(home) == {}


def test_a_hosts_own_command_runs_last_and_its_failure_is_a_word(home: Path, host: Callable[..., None]) -> None:
    def change(spec: Spec) -> None:
        run_words = ["/bin/sh", "-c", "echo no such plugin >&2; test -f {config}/config.toml && exit 4"]
        spec["edits"] += [_edit("list", "host_command", run=run_words, undo=[])]

    host("my-host", change)
    done = set_up("my-host")
    assert done.exit_code == 0
    assert [
        line
        for line in done.messages
        if line.endswith("failed: no such plugin (run it by hand: setup does not try again)")
    ]


def test_a_hosts_own_command_runs_once_and_is_taken_back(home: Path, host: Callable[..., None]) -> None:
    def change(spec: Spec) -> None:
        words = ["/bin/sh", "-c", "echo {config} >> {home}/ran"]
        spec["edits"] += [
            _edit("list", "host_command", run=words, undo=["/bin/sh", "-c", "echo back >> {home}/ran"], approval=True,
                  affects="all of it")
        ]  # fmt: skip

    host("my-host", change)
    shown = set_up("my-host", dry_run=True)
    assert [line for line in shown.messages if "approval added by a command, afterwards: /bin/sh -c" in line]
    assert not (home / "ran").exists()
    set_up("my-host", approve=False)
    assert not (home / "ran").exists()
    set_up("my-host")
    assert set_up("my-host").messages[-1] == "All is set up already; nothing was changed."
    assert (home / "ran").read_text() == f"{home}/.my-host\n"
    run(Options(remove=True))
    assert (home / "ran").read_text() == f"{home}/.my-host\nback\n"


def test_entries_for_other_versions_and_systems_are_left_out(home: Path, host: Callable[..., None]) -> None:
    def change(spec: Spec) -> None:
        spec["files"] += [_file("more", "json", "{config}/more.json")]
        for name, only in {
            "since": ONLY | {"since": "2.0.0", "unprobed": False},
            "windows": ONLY | {"platforms": ["windows"]},
            "unprobed": ONLY | {"since": "2.0.0"},
        }.items():
            spec["edits"] += [_edit(name, "key", file="more", at=[name], value="1", only=only)]

    host("my-host", change)
    set_up("my-host")
    assert json.loads((home / ".my-host/more.json").read_text()) == {"unprobed": 1}


def test_variables_that_replace_the_home_or_name_the_folder_above(
    home: Path, host: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(spec: Spec) -> None:
        spec["files"][1] = _file("hooks", "json", "{shared}/hooks.json")

    host("my-host", change)
    monkeypatch.setenv("MY_HOME", str(home / "other"))
    monkeypatch.setenv("MY_PARENT", str(home / "above"))
    set_up("my-host")
    assert sorted(files(home)) == ["above/inner/hooks.json", "other/.my-host/config.toml"]


def test_a_path_that_the_host_would_expand_is_refused(
    home: Path, host: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    host("my-host", lambda spec: spec["hooks"][0]["command"].update({"expands": ["MY_PROJECT"]}))
    root = tmp_path / "a ${MY_PROJECT} b"
    os.renames(home / ".context-mode", root)
    monkeypatch.setenv("CONTEXT_MODE_DATA_DIR", str(root))
    with pytest.raises(UserError, match=r"My host would replace \$MY_PROJECT in the path"):
        set_up("my-host")
    assert files(home) == {}


def _one_list(spec: Spec) -> None:
    """All hooks in one list of one file, each saying its event."""
    spec["files"][1] = _file("hooks", "json", "{config}/hooks.json", seed='{\n  "version": 1\n}\n')
    surface = spec["hooks"][0]
    surface["files"] = [{"scope": "user", "file": "hooks", "or": None}]
    surface |= {"list_at": ["hooks"], "handlers_at": None}
    surface["group"] = '{"on": {"event": "{event}"}, "match": "{matcher}", "run": "{command}", "timeout": "{timeout}"}'
    surface["command"] |= {"program_at": ["run"]}


def test_one_list_for_all_events_holds_each_once(home: Path, host: Callable[..., None]) -> None:
    host("my-host", _one_list)
    path = home / ".my-host/hooks.json"
    path.parent.mkdir()
    path.write_text('{"version": 1, "hooks": [{"on": {"event": "Stop"}, "run": "say done", "timeout": 1}]}\n')
    before = files(home)
    assert set_up("my-host").exit_code == 0
    entries = json.loads(path.read_text())["hooks"]
    events = [entry["on"]["event"] for entry in entries if "context-mode-hook" in entry["run"]]
    assert len(events) == len(set(events)) == 9
    assert "nothing was changed" in set_up("my-host").messages[-1]
    path.write_text(
        json.dumps({"version": 1, "hooks": [*entries, entries[-1], {**entries[-1], "on": {"event": "Old"}}]})
    )
    set_up("my-host")
    assert len(json.loads(path.read_text())["hooks"]) == 10
    run(Options(remove=True))
    assert json.loads(path.read_text()) == json.loads(before[".my-host/hooks.json"])


def test_a_made_file_with_one_list_goes(home: Path, host: Callable[..., None]) -> None:
    host("my-host", _one_list)
    set_up("my-host")
    run(Options(remove=True))
    assert files(home) == {}


def test_what_a_newer_version_does_not_need_goes(
    home: Path, host: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = ONLY | {"until": "2.0.0"}

    def change(spec: Spec) -> None:
        _one_list(spec)
        spec["detection"] |= {"binary": "my-host", "arguments": ["--version"], "version": r"^(\d+\.\d+\.\d+)$"}
        spec["hooks"][0]["only"] = old
        spec["hooks"].append({**json.loads(json.dumps(spec["hooks"][0])), "surface": "new", "only": None})
        spec["files"].append(_file("new", "json", "{config}/new.json"))
        spec["hooks"][1]["files"] = [{"scope": "user", "file": "new", "or": None}]
        spec["edits"].append(_edit("allow", "list_item", file="hooks", at=["allow"], value='"ours"', only=old))
        for event in spec["events"]:
            one = {**event["hosts"][0], "surface": "new", "name": event["hosts"][0]["name"]}
            event["hosts"][0]["surface"] = "hooks-file"
            event["hosts"].append({**one, "name": f"{one['name']}2"})
            spec["knows"]["events"].append(f"{one['name']}2")
        replies = home / ".context-mode/agents/my-host.replies.json"
        spec["replies"]["verbs"] += [{**verb, "event": f"{verb['event']}2"} for verb in spec["replies"]["verbs"]]
        assert not replies.exists()

    host("my-host", change)
    replies = home / ".context-mode/agents/my-host.replies.json"
    schema = json.loads(replies.read_text())
    schema["$defs"] |= {
        f"{name.partition('.')[0]}2{''.join(name.partition('.')[1:])}": {}
        for name in list(schema["$defs"]) if name != "text"
    }  # fmt: skip
    replies.write_text(json.dumps(schema))
    program = tmp_path / "bin/my-host"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    for version, there in (
        ("1.9.0", ["config.toml", "hooks.json", "new.json"]),
        ("2.0.0", ["config.toml", "new.json"]),
    ):
        program.write_text(f"#!/bin/sh\necho {version}\n")
        program.chmod(0o755)
        assert set_up("my-host").exit_code == 0
        assert sorted(path.name for path in (home / ".my-host").iterdir() if path.suffix) == there
        assert "nothing was changed" in set_up("my-host").messages[-1]
    run(Options(remove=True))
    assert files(home) == {}
