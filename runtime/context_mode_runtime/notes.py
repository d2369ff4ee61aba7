"""Small private files under `run/` that join hooks and servers, found without knowing the project.

`run/calls/<agent>/<id>`: who made a call, written by `pre_tool`, read by the server.
`run/matches/<agent>/<digest>`: the same by host process, tool and arguments, for hosts whose requests carry no id.
`run/conversations/<agent>/<id>`: a conversation's first folder. `run/servers/<pid>`: a live server, its file locked.
`run/subagents/<agent>/<id>`: how many sub-agents a conversation has at work and what they were asked, where the host
does not tell them apart. `run/states/<agent>/<id>`: a state block waits for the conversation's next tool.
`run/commands/<agent>/<digest>`: whose a shell command is, written by `pre_tool`, taken by the shell's seat.
An id that is no plain file name stands as its digest.
"""

from __future__ import annotations

import os
import time

from context_mode_runtime import jsonio, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_mode_runtime.agents import Table

_CALL_LIFE_S = 3_600
_CONVERSATION_LIFE_S = 90 * 86_400
_SWEEP_EVERY = 64
_PLAIN_ID_MAX = 100


class CallNote:
    """Who made a tool call: the host's conversation id, the sub-agent's id or an empty string, the project folder."""

    __slots__ = ("conversation", "folder", "subagent")

    def __init__(self, conversation: str, subagent: str, folder: str) -> None:
        self.conversation = conversation
        self.subagent = subagent
        self.folder = folder


def note_call(agent: str, call: str, note: CallNote) -> None:
    """Remembers who makes the call with the host's id `call`. Raises OSError."""
    folder = _folder("calls", agent)
    _write(os.path.join(folder, _name(call)), {"c": note.conversation, "s": note.subagent, "f": note.folder})
    if os.getpid() % _SWEEP_EVERY == 0:
        sweep(folder, _CALL_LIFE_S)


def call_note(agent: str, call: str) -> CallNote | None:
    """The note of a call, or None."""
    value = _read(os.path.join(paths.run_dir(), "calls", _plain(agent), _name(call)))
    return (
        CallNote(str(value["c"]), str(value["s"]), str(value["f"]))
        if value and value.keys() >= {"c", "s", "f"}
        else None
    )


def note_match(agent: str, host_pid: int, tool: str, arguments: object, note: CallNote) -> None:
    """Remembers a call by what it is, for hosts that send no id with it. Two callers of one call make it unknown.

    `tool` is our own name of it (`ctx_search`). Raises OSError.
    """
    folder = _folder("matches", agent)
    path = os.path.join(folder, _name(f"{host_pid} {tool} {canonical(arguments)}"))
    guard = paths.open_private(os.path.join(folder, _GUARD), os.O_RDWR)
    try:
        _wait_for(guard)
        value: dict[str, object] = {"c": note.conversation, "s": note.subagent, "f": note.folder, "t": time.time()}
        before = _read(path)
        if before and _recent(before) and (before.get("c"), before.get("s")) != (note.conversation, note.subagent):
            value = {"c": "", "s": "", "f": "", "t": time.time()}
        _write(path, value)
        sweep(folder, _MATCH_LIFE_S)
    finally:
        os.close(guard)


def match_note(agent: str, host_pid: int, tool: str, arguments: object) -> CallNote | None:
    """The one caller whose noted call was exactly this, moments ago; None when there is none or more than one."""
    path = os.path.join(paths.run_dir(), "matches", _plain(agent), _name(f"{host_pid} {tool} {canonical(arguments)}"))
    value = _read(path)
    if not value or not _recent(value) or not value.get("c"):
        return None
    return CallNote(str(value["c"]), str(value.get("s", "")), str(value.get("f", "")))


def note_command(agent: str, conversation: str, command: str, subagent: str, asked: str) -> None:
    """Remembers for the shell's seat which sub-agent runs a command, and what for. Raises OSError.

    Of one text that two of them run at a time it is nobody's.
    """
    folder = _folder("commands", agent)
    path = os.path.join(folder, _name(f"{conversation} {command}"))
    before = _read(path)
    same = before is None or before.get("s") == subagent
    _write(path, {"s": subagent if same else "", "a": asked})
    if os.getpid() % _SWEEP_EVERY == 0:
        sweep(folder, _CALL_LIFE_S)


def take_command(agent: str, conversation: str, command: str) -> tuple[str, str]:
    """The sub-agent that runs a command and what for, as noted; both empty without a note. It counts once."""
    path = os.path.join(paths.run_dir(), "commands", _plain(agent), _name(f"{conversation} {command}"))
    value = _read(path)
    if value is None:
        return "", ""
    try:
        os.unlink(path)
    except FileNotFoundError:  # the same command beside it was faster
        return "", ""
    return str(value.get("s", "")), str(value.get("a", ""))


def _recent(value: dict[str, object]) -> bool:
    noted = value.get("t")
    return isinstance(noted, float) and abs(time.time() - noted) < _MATCH_LIFE_S


_MATCH_LIFE_S = 60
_GUARD = ".lock"


def host_process() -> int:
    """The host's process: above our launcher, which tells its parent, and above the shells that started that one."""
    told = os.environ.get("CONTEXT_MODE_HOST_PID", "")
    process = int(told) if told.isascii() and told.isdigit() and len(told) < _PID_DIGITS else os.getppid()
    for _ in range(_SHELLS_MAX):
        name, parent = _process(process)
        if name not in _SHELLS or parent <= 1:
            break
        process = parent
    return process


_PID_DIGITS = 10
_SHELLS_MAX = 4
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "busybox"))


def _process(process: int) -> tuple[str, int]:
    """Name and parent of a process where the system tells them in `/proc`."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            head, _, rest = file.read().rpartition(")")
        return head.partition("(")[2], int(rest.split()[1])
    except (OSError, ValueError, IndexError):
        return "", 0


def canonical(value: object) -> str:
    """JSON with sorted keys: the same for the same arguments in any order."""
    return jsonio.dumps(value, ordered=True)


def note_conversation(agent: str, conversation: str, folder: str) -> None:
    """Keeps the first folder of a conversation; later ones (a `cd`) change nothing. Raises OSError."""
    where = _folder("conversations", agent)
    path = os.path.join(where, _name(conversation))
    if not os.path.exists(path):
        _write(path, {"f": folder})
        sweep(where, _CONVERSATION_LIFE_S)


def conversation_folder(agent: str, conversation: str) -> str | None:
    """The first folder of a conversation, or None."""
    value = _read(os.path.join(paths.run_dir(), "conversations", _plain(agent), _name(conversation)))
    return str(value["f"]) if value and "f" in value else None


def told_folders(table: Table, conversation: str) -> Iterator[str]:
    """Where a conversation's project is, best first: the host's variables, its first folder. Any may be empty."""
    rules = table["project"]
    for name in rules["variables"]:
        yield os.environ.get(name, "")
    if rules["note"] and conversation:
        yield conversation_folder(table["id"], conversation) or ""


def conversation_key(agent: str, conversation: str, subagent: str = "") -> str | None:
    """`agent:conversation[:sub-agent]`, the store's name of a conversation; None when the host tells none."""
    parts = [agent, conversation, "" if subagent == conversation else subagent]
    return ":".join(part for part in parts if part) if conversation else None


def note_subagents(agent: str, conversation: str, change: int, asked: Sequence[str] = ()) -> None:
    """Counts the sub-agents that a conversation has at work: 1 more, -1 fewer, 0 none. Raises OSError.

    `asked`: texts of which one may be what the new one is asked.
    """
    folder = _folder("subagents", agent)
    path = os.path.join(folder, _name(conversation))
    guard = paths.open_private(os.path.join(folder, _GUARD), os.O_RDWR)
    try:
        _wait_for(guard)
        count = max(0, _counted(path) + change) if change else 0
        if count:
            told = [*_asked(path), *map(_digest, asked)][-_ASKED_MAX:]
            _write(path, {"n": count, "t": time.time(), "p": told})
        elif os.path.exists(path):
            os.unlink(path)
        sweep(folder, _SUBAGENT_LIFE_S)
    finally:
        os.close(guard)


def subagents_at_work(agent: str, conversation: str) -> bool:
    """Whether a conversation waits for sub-agents: then nobody knows which of them is calling."""
    return _counted(os.path.join(paths.run_dir(), "subagents", _plain(agent), _name(conversation))) > 0


def subagent_was_asked(agent: str, conversation: str, prompt: str) -> bool:
    """Whether a prompt is what a sub-agent at work was asked, and so not the user's."""
    path = os.path.join(paths.run_dir(), "subagents", _plain(agent), _name(conversation))
    return _counted(path) > 0 and _digest(prompt) in _asked(path)


def _asked(path: str) -> list[str]:
    told = (_read(path) or {}).get("p")
    return [str(one) for one in told] if isinstance(told, list) else []


_ASKED_MAX = 64


def note_state(agent: str, conversation: str, *, waits: bool) -> None:
    """Remembers whether a state block waits for the next tool of a conversation. Raises OSError."""
    if waits:
        folder = _folder("states", agent)
        _write(os.path.join(folder, _name(conversation)), {})
        sweep(folder, _CONVERSATION_LIFE_S)
        return
    try:
        os.unlink(os.path.join(paths.run_dir(), "states", _plain(agent), _name(conversation)))
    except FileNotFoundError:  # none waited, or a call beside this one took it
        return


def state_waits(agent: str, conversation: str) -> bool:
    """Whether one waits."""
    return os.path.exists(os.path.join(paths.run_dir(), "states", _plain(agent), _name(conversation)))


def _counted(path: str) -> int:
    value = _read(path) or {}
    count, noted = value.get("n"), value.get("t")
    if not isinstance(count, int) or not isinstance(noted, float):
        return 0
    return count if abs(time.time() - noted) < _SUBAGENT_LIFE_S else 0


_SUBAGENT_LIFE_S = 3_600
"""A sub-agent that works longer, or whose end no hook was told, is forgotten."""


def mark_server(agent: str, project: str | None) -> int:
    """Marks this process as a live server of `agent` for `project` (its root; None: not known yet).

    Returns the locked file's handle, which must stay open: the lock is what says that the server lives. Raises OSError.
    """
    path = os.path.join(_folder("servers", ""), str(os.getpid()))
    handle = paths.open_private(path, os.O_RDWR)
    _lock(handle)
    rewrite_mark(handle, agent, project)
    return handle


def rewrite_mark(handle: int, agent: str, project: str | None) -> None:
    """Tells in an own mark that the project is now another one."""
    data = jsonio.dumps({"agent": agent, "project": project}).encode()
    os.ftruncate(handle, 0)
    os.pwrite(handle, data, 0)


def live_server(agent: str, project: str | None) -> bool:
    """Whether a server of `agent`, or of nobody by name, lives for `project`, or does not know its project yet."""
    folder = os.path.join(paths.run_dir(), "servers")
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    return any(_serves(os.path.join(folder, name), agent, project) for name in names)


def _serves(path: str, agent: str, project: str | None) -> bool:
    value = _read(path)
    if value is None or value.get("agent") not in (agent, "") or value.get("project") not in (None, project):
        return False
    return _locked(path)


def _lock(handle: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: a live process id has to do
        return
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _wait_for(handle: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: the last one of two at one moment counts
        return
    fcntl.flock(handle, fcntl.LOCK_EX)


def _locked(path: str) -> bool:
    """Whether its server holds the file's lock; a mark that nobody holds is taken away.

    Looked at with a shared lock: hooks that look at one moment must not take each other for the server.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        os.unlink(path)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def sweep(folder: str, life_s: int) -> None:
    """Takes away the notes in `folder` that were last written more than `life_s` seconds ago."""
    oldest = time.time() - life_s
    for entry in os.scandir(folder):
        try:
            if entry.stat().st_mtime < oldest and entry.name != _GUARD:
                os.unlink(entry.path)
        except OSError:
            continue


def _plain(agent: str) -> str:
    return "".join(c for c in agent if c.isalnum() or c in "-_")


def _folder(kind: str, agent: str) -> str:
    return paths.make_private(os.path.join(paths.run_dir(), kind, _plain(agent)))


def _name(text: str) -> str:
    """A file name for an id of the host's: the id where it is plain, else its digest."""
    if 0 < len(text) <= _PLAIN_ID_MAX and all(c.isascii() and (c.isalnum() or c in "-_") for c in text):
        return text
    return "." + _digest(text)


def _digest(text: str) -> str:
    from context_mode_runtime.digests import sha256

    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def _write(path: str, value: dict[str, object]) -> None:
    """A whole file or none: written under a name of our own and moved into place."""
    temporary = f"{path}.{os.getpid()}"
    handle = paths.open_private(temporary, os.O_WRONLY | os.O_TRUNC)
    try:
        os.write(handle, jsonio.dumps(value).encode())
    finally:
        os.close(handle)
    os.replace(temporary, path)


def _read(path: str) -> dict[str, object] | None:
    try:
        with open(path, encoding="utf-8") as file:
            value = jsonio.loads(file.read())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None
