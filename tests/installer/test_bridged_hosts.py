"""Hosts with a bridge inside: which program is the host, what setup writes for which version, doctor's checks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.installer.homefiles import fill, tree

from context_mode_installer import detect
from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.detect import find_hosts
from context_mode_installer.result import UserError
from context_mode_installer.specs.catalog import find_spec
from context_mode_installer.system import DryRunSystem

MCP = ".pi/agent/mcp.json"
BRIDGE = ".pi/agent/extensions/context-mode.js"
Rows = dict[str, tuple[str, str]]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """`program(script)`: what answers to the host's name on PATH."""

    def put(script: str) -> None:
        file = tmp_path / "pi"
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return put


def rows(*only: str) -> Rows:
    """Doctor's checks by id: status and detail."""
    found = doctor.run(doctor.Options(agents=("pi",), only=only, offline=True)).data["checks"]
    return {row["id"]: (row["status"], row["detail"]) for row in found}


@pytest.mark.parametrize(
    ("script", "found", "version"),
    [
        ("echo 1.6.0", True, "1.6.0"),
        ("echo 0.73.1 >&2", True, "0.73.1"),
        ("echo 1.7.0-beta.2", True, "1.7.0"),
        ("exit 1", True, None),
        ("echo 'pi 4.2: digits of pi'", False, None),
        ("echo 3.14159", False, None),
        ("echo usage: pi DIGITS >&2; exit 2", False, None),
    ],
)
def test_which_program_of_that_name_is_the_host(
    home: Path, program: Callable[[str], None], script: str, found: bool, version: str | None
) -> None:
    program(script)
    [host] = find_hosts([find_spec("pi")], DryRunSystem([str(home)]), dict(os.environ))
    assert (host.found, host.version) == (found, version)


def test_a_program_that_takes_too_long_is_the_host_without_a_version(
    home: Path, program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    program("exec sleep 60")
    monkeypatch.setattr(detect, "PROBE_SECONDS", 0.2)
    [host] = find_hosts([find_spec("pi")], DryRunSystem([str(home)]), dict(os.environ))
    assert (host.found, host.version) == (True, None)


@pytest.mark.parametrize(
    ("version", "entry"), [("1.6.0", True), ("0.99.0", True), ("0.98.9", False), ("0.73.1", False), (None, True)]
)
def test_who_offers_our_tools(home: Path, program: Callable[[str], None], version: str | None, entry: bool) -> None:
    """A Pi with MCP by its own entry, an older one by the bridge; either way doctor shakes hands with the server."""
    program(f"echo {version}" if version else "exit 1")
    fill(home, "pi")
    before = tree(home)
    done = run(Options(agents=("pi",)))
    assert [one["checked"] for one in done.data["agents"]] == [["hook answers", "server answers"]]
    servers = json.loads((home / MCP).read_text())["mcpServers"]
    assert ("context-mode" in servers) == entry
    if entry:
        assert (servers["context-mode"]["exposure"], servers["context-mode"]["timeout"]) == ("direct", 660)
    assert {name for name, (status, _) in rows().items() if status == "FAIL"} == set()
    assert rows("D3", "D7")["D7"][1].startswith("9 tools: ")
    run(Options(remove=True))
    assert tree(home) == before


def test_what_a_newer_version_needs_is_put_in_and_what_an_older_one_had_goes(
    home: Path, program: Callable[[str], None]
) -> None:
    program("echo 0.73.1")
    run(Options(agents=("pi",)))
    assert not (home / MCP).exists()
    program("echo 1.6.0")
    assert rows("D3")["D3"] == ("FAIL", "no MCP entry of ours in the files of Pi")
    run(Options(agents=("pi",)))
    assert rows("D3")["D3"][0] == "PASS"
    program("echo 0.73.1")
    run(Options(agents=("pi",)))
    assert "context-mode" not in (home / MCP).read_text() if (home / MCP).exists() else True


def bridge_gone(home: Path) -> None:
    (home / BRIDGE).unlink()


def bridge_changed(home: Path) -> None:
    (home / BRIDGE).write_text((home / BRIDGE).read_text().replace("agent_end", "agent_settled"))


def bridge_of_another_home(home: Path) -> None:
    (home / BRIDGE).write_text((home / BRIDGE).read_text().replace(str(home), "/nowhere"))


def hook_breaks(home: Path) -> None:
    (home / ".context-mode/bin/context-mode-hook").write_text("#!/bin/sh\necho '{\"block\": 7}'\n")


def server_off(home: Path) -> None:
    config = json.loads((home / MCP).read_text())
    config["mcpServers"]["context-mode"]["enabled"] = False
    (home / MCP).write_text(json.dumps(config))


def tools_hidden(home: Path) -> None:
    config = json.loads((home / MCP).read_text())
    config["mcpServers"]["context-mode"]["exposure"] = "hidden"
    (home / MCP).write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("breaks", "check", "words"),
    [
        (bridge_gone, "D4", "missing or not as setup writes it"),
        (bridge_gone, "D5", "no hook of ours to run"),
        (bridge_changed, "D4", "missing or not as setup writes it"),
        (bridge_of_another_home, "D5", "no hook of ours to run"),
        (hook_breaks, "D5", "does not take"),
        (server_off, "D12", "our server is switched off"),
        (tools_hidden, "D3", "mcpServers.context-mode mended"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_what_is_broken_is_named_and_mended(
    home: Path, program: Callable[[str], None], breaks: Callable[[Path], None], check: str, words: str
) -> None:
    program("echo 1.6.0")
    run(Options(agents=("pi",)))
    breaks(home)
    status, detail = rows(check)[check]
    assert status == "FAIL"
    assert words in detail
    if check != "D12":
        run(Options(agents=("pi",)))
        assert rows(check)[check][0] == "PASS"


def test_a_home_with_signs_of_javascript_in_its_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F11: what stands in the bridge is the path as it is."""
    odd = home / 'a "b" \\c $d `e ${f}'
    odd.mkdir()
    monkeypatch.setenv("HOME", str(odd))
    assert run(Options(agents=("pi",))).data["agents"][0]["checked"] == ["hook answers", "server answers"]
    [line] = [line for line in (odd / BRIDGE).read_text().splitlines() if line.startswith("const HOOK")]
    assert (
        json.loads(line.removeprefix("const HOOK = ").removesuffix(";")) == f"{odd}/.context-mode/bin/context-mode-hook"
    )


def test_a_project_gets_files_without_a_folder_of_this_machine(
    home: Path, project: Path, program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    program("echo 1.6.0")
    monkeypatch.chdir(project)
    before = tree(project)
    done = run(Options(agents=("pi",), scope="project", project=project))
    assert [one["checked"] for one in done.data["agents"]] == [["hook answers", "server answers"]]
    assert tree(home) == {}
    made = {name: data.decode() for name, (kind, _, data) in tree(project / ".pi").items() if kind == "file"}
    assert {"mcp.json", "extensions/context-mode.js", "skills/ctx-stats/SKILL.md"} <= set(made)
    assert not [name for name, text in made.items() if str(home) in text or str(project) in text]
    assert {name for name, (status, _) in rows().items() if status == "FAIL"} == set()
    run(Options(remove=True))
    assert tree(project) == before


def test_programs_outside_the_home_are_refused_for_a_project(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTEXT_MODE_DATA_DIR", str(tmp_path / "data"))
    with pytest.raises(UserError, match="is not below the home"):
        run(Options(agents=("pi",), scope="project", project=project))
    assert not (project / ".pi").exists()
