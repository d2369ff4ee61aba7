"""Which mechanism isolates here, whether it works, and a command wrapped in it. Never a silent fall-back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

from context_mode_runtime.execute.errors import ExecuteError
from context_mode_runtime.execute.isolation import landlock, seatbelt, seccomp
from context_mode_runtime.execute.isolation.places import TOOL_HOMES, Places, real_home

_PROBE_SECONDS = 5.0
_SECRET_WORDS = (
    *("password", "passwd", "passphrase", "secret", "token", "credential", "apikey", "api_key", "access_key"),
    *("private_key", "connection_string", "dsn", "cookie"),
)
_DOORS = ("SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "XAUTHORITY")
"""Variables that lead to sockets and files of other programs."""
_RUNTIME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from {} import main; main()".format(
    "context_mode_runtime.execute.isolation.launch"
)

_known: dict[str, Mechanism] = {}


class Mechanism:
    """`name`: bubblewrap, landlock, seatbelt, or empty with the reasons in `why`. `gaps`: what it does not cut."""

    __slots__ = ("gaps", "name", "program", "why")

    def __init__(self, name: str, program: str = "", *, gaps: tuple[str, ...] = (), why: str = "") -> None:
        self.name = name
        self.program = program
        self.gaps = gaps
        self.why = why


def found() -> Mechanism:
    """The best one that works here, tried once a process by running something in it."""
    if "found" not in _known:
        _known["found"] = _look()
    return _known["found"]


def check(sandbox: str, *, from_project: bool = False) -> Mechanism:
    """The mechanism for `project` or `strict`. Raises ExecuteError that says what is missing and how to mend it.

    `from_project`: the project's own policy file asks for it; code that could write that file could switch it off.
    """
    mechanism = found()
    if not mechanism.name:
        raise ExecuteError(f"not run: policy sandbox {sandbox} can't be had here: {mechanism.why}")
    if from_project and mechanism.name == "landlock":
        raise ExecuteError(
            f"not run: the project's policy.json asks for sandbox {sandbox}, and Landlock can't keep code from "
            "changing that file: put it into ~/.context-mode/policy.json, or install bubblewrap"
        )
    return mechanism


def ends_all() -> bool:
    """Whether all that a run started ends with it: bubblewrap's runs have processes of their own."""
    return found().name == "bubblewrap"


def told(sandbox: str, *, from_project: bool = False) -> tuple[bool, str]:
    """Whether runs are isolated as wanted (or not wanted to be), and a few words for doctor."""
    if sandbox == "off":
        return True, "sandbox off"
    try:
        mechanism = check(sandbox, from_project=from_project)
    except ExecuteError as error:
        return False, str(error).replace("not run:", "nothing runs:", 1)
    gaps = f" (not cut: {', '.join(mechanism.gaps)})" if mechanism.gaps else ""
    return True, f"sandbox {sandbox} by {mechanism.name}{gaps}"


def wrapped(sandbox: str, argv: list[str], *, project: str, folder: str) -> list[str]:
    """`argv` as it runs isolated. Raises ExecuteError where nothing works here, or this project can't be isolated."""
    return _wrapped(sandbox, check(sandbox), argv, project=project, folder=folder)


def _wrapped(sandbox: str, mechanism: Mechanism, argv: list[str], *, project: str, folder: str) -> list[str]:
    places = Places(project, folder, strict=sandbox == "strict")
    if mechanism.name == "seatbelt":
        return [mechanism.program, "-p", seatbelt.profile(places), *argv]
    plan = {
        "mechanism": mechanism.name,
        "program": mechanism.program,
        "strict": sandbox == "strict",
        "argv": argv,
        "places": places.table(),
    }
    return [sys.executable, "-I", "-S", "-B", "-c", _START, _RUNTIME, json.dumps(plan)]


def environment(sandbox: str, env: dict[str, str], folder: str) -> dict[str, str]:
    """`env` with temporary files and caches in the run's own `folder`; strict: with another home, without secrets."""
    temporary = os.path.join(folder, "tmp")
    os.makedirs(os.path.join(temporary, "cache"), mode=0o700, exist_ok=True)
    cache = os.path.join(temporary, "cache")
    own = {**dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temporary), "XDG_CACHE_HOME": cache}
    own |= {"npm_config_cache": os.path.join(cache, "npm"), "GOCACHE": os.path.join(cache, "go")}
    if sandbox != "strict":
        return {**env, **own}
    home = os.path.join(temporary, "home")
    os.makedirs(home, mode=0o700, exist_ok=True)
    tools = {
        name: path
        for name, default in TOOL_HOMES.items()
        if name not in env and os.path.isdir(path := os.path.join(real_home(), default))
    }
    kept = {name: value for name, value in env.items() if not _tells(name, value)}
    kept = {name: value for name, value in kept.items() if not name.startswith("XDG_")}
    return {**tools, **kept, **own, "HOME": home}


def _tells(name: str, value: str) -> bool:
    """True for a variable that holds a secret, by its name or its value, or leads to somebody's socket."""
    from context_mode_runtime.redact import redact

    low = name.lower()
    if name.startswith("FILE_"):
        return False
    return name in _DOORS or any(word in low for word in _SECRET_WORDS) or redact(f"{name}={value}")[1] > 0


def _look() -> Mechanism:
    if sys.platform == "darwin":
        return _tried(Mechanism("seatbelt", seatbelt.PROGRAM))
    if sys.platform != "linux":
        return Mechanism("", why=f"there is no mechanism of ours for {sys.platform}; set it to off to run without")
    machine = os.uname().machine
    if machine not in seccomp.AUDIT:
        return Mechanism("", why=f"its filter of system calls is not written for {machine}; set it to off")
    bwrap = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
    tried = _tried(Mechanism("bubblewrap", bwrap)) if bwrap else Mechanism("", why="bubblewrap is not installed")
    return tried if tried.name else landlock_only(tried.why)


def landlock_only(no_bubblewrap: str = "") -> Mechanism:
    """Landlock with the filter, as it is taken where bubblewrap can't be had for the reason given."""
    version = landlock.version()
    mend = "install bubblewrap and allow user namespaces, or use a kernel from 6.2 on with Landlock switched on"
    if version < landlock.VERSION_MIN:
        had = f"Landlock is version {version}, too old" if version else "the kernel has no Landlock"
        return Mechanism("", why=f"{no_bubblewrap}; {had}; {mend}")
    gaps = ["modes, owners and times of files outside", ".git/hooks, .git/config and .context-mode of the project"]
    if version < landlock.VERSION_SCOPES:
        gaps.append("signals to your other processes")
    tried = _tried(Mechanism("landlock", gaps=tuple(gaps)))
    return tried if tried.name else Mechanism("", why=f"{no_bubblewrap}; {tried.why}; {mend}")


def _tried(mechanism: Mechanism) -> Mechanism:
    """The mechanism when a strict run works in it, else none with its first words."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="ctx-") as folder:
        project, own = os.path.join(folder, "project"), os.path.join(folder, "own")
        os.mkdir(project)
        os.mkdir(own)
        argv = _wrapped("strict", mechanism, ["/bin/sh", "-c", "echo in"], project=project, folder=own)
        try:
            done = subprocess.run(
                argv, cwd=project, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_PROBE_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Mechanism("", why=f"{mechanism.name} does not start: {error}")
    if done.stdout == b"in\n":
        return mechanism
    said = " ".join(done.stderr.decode(errors="replace").split())[:200]
    return Mechanism("", why=f"{mechanism.name} does not work here: {said or f'exit {done.returncode}'}")
