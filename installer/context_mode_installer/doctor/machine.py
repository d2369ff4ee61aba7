"""D1 version, D2 python, D13 data folder: what is the same for every agent."""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
import stat
import subprocess
from pathlib import Path

import context_mode_runtime
from context_mode_installer import launchers
from context_mode_installer.doctor.model import Outcome, Subject, failed, passed, rights_fix, skipped, warned
from context_mode_installer.origin import DISTRIBUTION, TO_STAY, Origin, find_origin, in_cache, newest
from context_mode_installer.screen import quoted
from context_mode_installer.specs.catalog import faulty_specs, mend_command
from context_mode_runtime import paths
from context_mode_runtime.store import filesystem
from context_mode_runtime.version import VERSION, too_old

_ROOM = 200 * 1024 * 1024
"""Less free space than this is a warning: one conversation's outputs may need it."""
_ASK_SECONDS = 10
_PYTHON_LINE = re.compile(r"^python=(.*)$", re.MULTILINE)


def version(subject: Subject) -> Outcome:
    """D1: ours, the agent's, and whether the installer that brought us knows a newer one."""
    known = f"context-mode {VERSION}, {subject.host.title}"
    profiles = "".join(f", profile {one}" for one in subject.host.places.profiles())
    if subject.host.version is None and subject.host.spec.detection.binary:
        return _unknown(subject, f"{known}{profiles}")
    origin = find_origin()
    if not origin.indexed:
        return passed(f"{known}{profiles}; {origin.shown}")
    if subject.offline:
        return skipped(f"{known}{profiles}; the newest version was not asked for (--offline)")
    latest = _newest(origin)
    if latest is None:
        return skipped(f"{known}{profiles}; the newest version could not be learnt")
    if latest != VERSION:
        return warned(f"{known}{profiles}; {latest} is out", "context-mode upgrade")
    return passed(f"{known}{profiles}; the newest")


def _unknown(subject: Subject, known: str) -> Outcome:
    """An agent whose version can't be told: why, and what to do."""
    detection = subject.host.spec.detection
    if subject.host.binary is not None:
        ask = " ".join([quoted(subject.host.binary), *detection.arguments])
        return warned(f"{known}: its program does not tell its version", ask)
    gone = f"{known}: its program {detection.binary} is not on PATH"
    if not subject.set_up:
        return skipped(f"{gone}, and nothing of ours is set up for it")
    remove = f"context-mode setup --remove --agents {subject.agent}"
    return warned(f"{gone}. If it is gone, take our entries out, too", remove)


@functools.cache
def _newest(origin: Origin) -> str | None:
    """Asked once, however many agents there are: it may take seconds."""
    return newest(origin)


def python(subject: Subject) -> Outcome:
    """D2: the interpreter behind each launcher, and the byte code that a hook's speed hangs on."""
    missing, interpreters = [], set()
    for file in launchers.names().values():
        try:
            text = Path(paths.bin_dir(), file).read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            missing.append(file)
            continue
        interpreters.update(_named(text))
    if len(missing) == len(launchers.names()) and not subject.problem:
        packaged = next((target.install for target in subject.targets if target.install is not None), None)
        if packaged is not None:
            return _packaged(subject, packaged.program(launchers.SERVE))
    if missing:
        return failed(f"no launcher {', '.join(missing)} in {paths.tilde(paths.bin_dir())}", subject.setup)
    return _behind(sorted(interpreters), subject)


def _behind(interpreters: list[str], subject: Subject) -> Outcome:
    """Whether what the launchers start runs, will stay, and is fast."""
    for interpreter in interpreters:
        told = _asked(interpreter)
        if told is None:
            return failed(f"{interpreter}, which the launchers start, does not run", subject.setup)
        if too_old(told, interpreter):
            return failed(too_old(told, interpreter), subject.setup)
    shown = ", ".join(map(paths.tilde, interpreters))
    if any(in_cache(os.path.dirname(os.path.dirname(interpreter))) for interpreter in interpreters):
        tool = "uv tool" if shutil.which("uv") else "pipx"
        fix = f"{tool} install {DISTRIBUTION} && context-mode setup"
        return warned(f"{shown} lies in a cache and may go any time; {TO_STAY}", fix)
    if not _compiled():
        return warned(f"{shown}; the runtime is not compiled, which makes each hook slower", subject.setup)
    return passed(shown)


def _packaged(subject: Subject, starter: str) -> Outcome:
    """Nothing of ours but a package is here: whether its starter finds a Python."""
    try:
        done = subprocess.run(
            [starter, "--agent", subject.agent], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=_ASK_SECONDS, check=False, env=dict(subject.environment),
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return failed(f"{paths.tilde(starter)} does not run: {error}", subject.setup)
    if done.returncode != 0:
        return failed(done.stderr.strip().removeprefix("context-mode: "), subject.setup)
    return passed("the package's own runtime, by a Python of the system")


def _named(launcher: str) -> list[str]:
    found = _PYTHON_LINE.search(launcher)
    return shlex.split(found[1])[:1] if found else []


@functools.cache
def _asked(interpreter: str) -> tuple[int, int] | None:
    argv = [interpreter, "-I", "-S", "-c", "import sys; print(*sys.version_info[:2])"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_ASK_SECONDS, check=True)
        major, minor = map(int, done.stdout.split())
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return major, minor


def _compiled() -> bool:
    folder = Path(context_mode_runtime.__file__).parent / "hooks"
    return any((folder / "__pycache__").glob("run.*.pyc"))


def data_folder(subject: Subject | None = None) -> Outcome:
    """D13: whose it is, who may read it, specs of the user's own with faults, how much room there is."""
    root = paths.data_root()
    shown = paths.tilde(root)
    try:
        status = os.stat(root)
    except OSError as error:
        not_yet = subject is None and isinstance(error, FileNotFoundError)
        later = skipped(f"{shown} is made by setup, or with the first text that is stored")
        return later if not_yet else failed(f"{shown}: {error.strerror}", "context-mode setup")
    if os.name == "posix" and status.st_uid != os.getuid():
        return failed(f"{shown} belongs to user {status.st_uid}", f"sudo chown -R $(id -u) {shown}")
    if not os.access(root, os.W_OK | os.X_OK) or not stat.S_ISDIR(status.st_mode):
        return _unwritable(root, shown, status.st_mode)
    for spec in faulty_specs():
        return failed(f"{paths.tilde(str(spec.path))} has faults, so its agent is left out", mend_command(spec))
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o077:
        return warned(f"{shown} can be read by others (mode {stat.S_IMODE(status.st_mode):o})", rights_fix())
    return _room(root, shown)


def _unwritable(root: str, shown: str, mode: int) -> Outcome:
    if not stat.S_ISDIR(mode):
        return failed(f"{shown} is no folder", f"ls -l {shown}")
    if filesystem.is_read_only(root):
        return failed(f"{shown} {filesystem.READ_ONLY}", f"df {shown}")
    return failed(f"{shown} can't be written", rights_fix())


def _room(root: str, shown: str) -> Outcome:
    free = shutil.disk_usage(root).free
    if free < _ROOM:
        return warned(f"{shown}: only {free // (1024 * 1024)} MiB free", f"du -sh {shown}/* | sort -h")
    return passed(f"{shown}, private, {free // (1024 * 1024 * 1024)} GiB free")
