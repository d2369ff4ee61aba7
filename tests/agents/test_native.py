"""The native package by the host's own commands: added, listed, in force with no entry beside it, renewed, removed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.agents.conftest import installed, set_up
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.agents.hosts import HOSTS
from tests.conftest import Cli

from context_mode_installer.native.make import MARK
from context_mode_installer.native.starters import FOLDERS
from context_mode_installer.places import fill_text
from context_mode_installer.specs.catalog import find_spec
from context_mode_installer.specs.model import Native
from context_mode_runtime.version import VERSION

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
OLD = "0.0.1"
BIG = "seq -f 'line %g of it' 0 1499"


@pytest.fixture(scope="session", params=[agent for agent in sorted(HOSTS) if find_spec(agent).native])
def host(request: pytest.FixtureRequest) -> Host:
    """Each real agent that has a native form."""
    return installed(request.param)


@pytest.fixture
def native(host: Host) -> Native:
    """The form that the host's spec describes."""
    form = find_spec(host.agent).native
    assert form is not None
    return form


class Package:
    """The package of one host in a folder, and the host's commands for it in the throw-away home."""

    def __init__(self, run: HostRun, native: Native, folder: Path, run_cli: Cli) -> None:
        self.run, self.native, self.folder, self.run_cli = run, native, folder, run_cli

    def make(self, version: str = VERSION) -> None:
        """Makes the folder, or an older one by its version numbers."""
        done = self.run_cli("package", self.run.host.agent, str(self.folder))
        assert done.returncode == 0, done.stderr
        if version != VERSION:
            for name in (*(file.path for file in self.native.files), str(Path(self.native.folder or "", MARK))):
                path = self.folder / name
                path.write_text(path.read_text().replace(f'"{VERSION}"', f'"{version}"'))

    def do(self, commands: Iterable[tuple[str, ...]]) -> str:
        """Runs the host's commands one after the other; what they printed."""
        env = self.run.environment("http://127.0.0.1:9")
        env |= {pair.name: pair.value for pair in self.native.environment}
        said = {"folder": str(self.folder), "version": VERSION}
        out = ""
        for words in commands:
            argv = [str(self.run.host.bin_dir / words[0]), *(fill_text(word, said) for word in words[1:])]
            done = subprocess.run(
                argv, cwd=self.run.project, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=120, check=False,
            )  # fmt: skip
            assert done.returncode == 0, (argv, done.stdout, done.stderr)
            out += done.stdout + done.stderr
        return out

    def listed(self) -> str:
        """What the host's own list says, colours taken out; empty where it has none."""
        if self.native.list_ is None:
            return ""
        text = re.sub(r"\x1b\[[0-9;]*m", "", self.do([self.native.list_.argv]))
        return text if re.search(self.native.list_.healthy, text, re.MULTILINE) else ""

    def set_up(self, *options: str) -> str:
        """Our setup for this host; what it said."""
        done = self.run_cli("setup", "--agents", self.run.host.agent, *options, env=self.path(), timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def path(self) -> dict[str, str]:
        """The variables under which our commands find the host."""
        return {"PATH": self.run.environment("")["PATH"], **self.run.host.light}

    def rows(self, *only: str) -> dict[str, tuple[str, str]]:
        """Doctor's rows, or these: status and detail."""
        words = ["doctor", "--agents", self.run.host.agent, "--offline", "--json"]
        words += ["--only", ",".join(only)] if only else []
        done = self.run_cli(*words, env=self.path(), timeout=300)
        return {row["id"]: (row["status"], row["detail"]) for row in json.loads(done.stdout)["data"]["checks"]}


@pytest.fixture
def package(host: Host, native: Native, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> Package:
    """A host that was set up by its files before its package comes."""
    run = set_up(host, HostRun(host, home, project, tmp_path), run_cli)
    return Package(run, native, tmp_path / "package", run_cli)


def test_added_listed_in_force_and_removed(package: Package, home: Path) -> None:
    """The package is in force as soon as the host has it: setup takes the entries out, doctor finds nothing twice."""
    native, run = package.native, package.run
    package.make()
    package.do(native.add)
    assert package.listed() or native.list_ is None
    assert package.rows("D3")["D3"][0] == "FAIL"  # two servers
    assert "is in force" in package.set_up()
    assert package.set_up().splitlines()[-1] == "All is set up already; nothing was changed."
    rows = package.rows()
    assert {name: row for name, row in rows.items() if row[0] == "FAIL"} == {}
    assert rows["D3"][1].startswith(f"package {VERSION} in ")

    if any(Path(folder, f"python3.{minor}").exists() for folder in FOLDERS for minor in range(11, 17)):
        shutil.rmtree(home / ".context-mode/bin")  # nobody but the package itself can answer now
    prefix = native.tool_name.replace("{tool}", "")
    played = run.play([run.host.shell(BIG), {"tool": f"{prefix}ctx_stats", "args": {}}, {"text": "over"}])
    assert played.exit_code == 0, played.log
    assert [stats for stats in played.of("ctx_stats") if "ctx_stats: " in stats.text], played.log
    if "replace" in run.host.can:
        assert f"{prefix}ctx_search" in played.results[0].text
    assert (home / ".context-mode/bin").exists() or list((home / ".context-mode/run/pycache").rglob("app.*.pyc"))

    package.do(native.remove)
    run.host.take_out(home, package.folder)
    assert not package.listed()
    package.set_up()
    assert package.rows("D3")["D3"] == ("PASS", "~/.context-mode/bin/context-mode-serve")


def test_another_version_is_renewed_by_the_hosts_own_command(package: Package) -> None:
    """R02, R05: what the host has is older; its own command renews it, and is a warning where that changes nothing."""
    package.make(OLD)
    package.do(package.native.add)
    said = package.set_up()
    assert f"package {OLD} is another version than {VERSION}" in said
    # a host without such a command: making the package anew is all
    assert (f"the package is still {OLD}" in said) == bool(package.native.update)
    status, detail = package.rows("D3")["D3"]
    assert (status, detail.startswith(f"package {OLD} in ")) == ("WARN", True)
    package.make()
    package.set_up()
    status, detail = package.rows("D3")["D3"]
    assert (status, detail.startswith(f"package {VERSION} in ")) == ("PASS", True)
