"""What follows a setup: the hosts' own commands, byte code for the hooks. What fails here is said, not rolled back."""

from __future__ import annotations

import compileall
import contextlib
import io
import os
import shlex
from typing import TYPE_CHECKING

import context_mode_runtime
from context_mode_runtime import paths
from context_mode_runtime.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from context_mode_installer.detect import Host
    from context_mode_installer.native.found import Install
    from context_mode_installer.system import System

    Commands = Iterable[tuple[str, tuple[str, ...]]]
    """Agent and words."""

_SECONDS = 60
_UPDATE_SECONDS = 300
_YES = "y\n"
"""For a host that asks once more whether to renew what the plan says."""


class HostCommands:
    """Commands of the hosts of one run, with their programs as they were found."""

    def __init__(self, system: System, environment: Mapping[str, str], hosts: Sequence[Host]) -> None:
        """`environment` is that of every command; a package's own variables come on top."""
        self.system = system
        self.environment = environment
        self.hosts = {host.spec.id: host for host in hosts}

    def run(self, commands: Commands) -> list[str]:
        """Runs what the specs' edits ask for; a line for each that failed. The receipt has it all the same."""
        failed = [said for agent, words in commands for said in self._one(self.hosts[agent], words, _SECONDS)]
        return [f"{said} (run it by hand: setup does not try again)" for said in failed]

    def renew(self, commands: Commands, installed: Callable[[Host], Install | None]) -> list[str]:
        """Has the hosts renew a package of ours of another version; what went wrong, and how it is done by hand."""
        notes, touched = [], []
        for agent, words in commands:
            host = self.hosts[agent]
            more = {one.name: one.value for one in host.spec.native.environment} if host.spec.native else {}
            notes += self._one(host, words, _UPDATE_SECONDS, more)
            touched += [host] if host not in touched else []
        for host in touched:
            install = installed(host)
            if install is not None and install.version != VERSION:
                way = f"context-mode package {host.spec.id} DIR"
                notes.append(
                    f"{host.spec.name}: the package is still {install.version}. Make it anew and install that: {way}"
                )
        return notes

    def _one(
        self, host: Host, words: Sequence[str], seconds: float, more: Mapping[str, str] | None = None
    ) -> list[str]:
        program = host.binary if host.binary and words[0] == host.spec.detection.binary else words[0]
        ran = self.system.run(
            [program, *words[1:]], env={**self.environment, **(more or {})}, stdin="" if more is None else _YES,
            timeout=seconds, cwd=paths.home(),
        )  # fmt: skip
        if ran.code == 0:
            return []
        said = (ran.err.strip() or ran.out.strip())[:200]
        return [f"{host.spec.name}: `{shlex.join(words)}` failed: {said}"]


def compile_runtime() -> None:
    """Byte code for the hooks, where the installer of our package made none and the folder can be written."""
    folder = os.path.dirname(context_mode_runtime.__file__)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(OSError):
        compileall.compile_dir(folder, quiet=2)
