"""What the shared tests ask of a real agent: one subclass a host, in `hosts/`.

The defaults are those of a host without the thing: no file tool of its own (the shell reads), no sub-agents, no
compaction that can be played. A host that can overrides; where it can't, `cannot` says why and the test asserts what
happens instead.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tests.agents.models.base import Json, StandIn, Step

from context_mode_runtime import notes

if TYPE_CHECKING:
    from tests.agents.hostrun import HostRun, Played
    from tests.agents.tap import Heard


@dataclass(frozen=True)
class Entry:
    """The host's entry for our server: file in the home, its parser, keys down to the entry.

    `command` is where the program stands in the entry; with `first` it is the first item of that list.
    """

    file: str
    keys: tuple[str, ...]
    parse: Callable[[str], Any] = json.loads
    command: str = "command"
    first: bool = False


@dataclass(frozen=True)
class Compaction:
    """How a compaction is brought about: variables and flags for the run, the words of the prompt.

    `decision` are the steps by which the user decides "bcrypt stays"; empty: the prompt says so. `in_last`: of the
    run's last requests those that hold the state block; 1 where it comes with the result of the next tool.
    """

    variables: dict[str, str]
    flags: tuple[str, ...] = ()
    prompt: str = "fix login\nDecision: bcrypt stays."
    decision: tuple[Step, ...] = ()
    in_last: int = 2


def noted(agent: str, call_id: str) -> str:
    """Conversation and sub-agent as our hook noted them for a call: the server joins by the same note."""
    note = notes.call_note(agent, call_id)
    assert note is not None
    return f"{note.conversation}/{note.subagent}"


ABILITIES = frozenset({"replace", "replace_failures", "resume", "delegate", "subagents", "budget", "instructions"})


class Host(ABC):
    """One agent.

    `beside`: files that setup makes in a home whose config is not moved. `moved_by`: the variable that moves the config
    folder. `deny_touch`: a file of the host's own rules that denies `touch`, as path in the home and text.
    `user_files`: what a user had, oddly formatted, for the removal. `own_hook`: a file of the home to which a hook in
    `user_files` adds the line "ran" at the end of each run. `fact_at`: lines of the 200 KB log where a fact and a line
    to search for stand, for what the host cuts is seen by no hook. `light`: variables under which the program starts
    sooner and does the same.

    `can`: "replace" outputs, also "replace_failures"; tell of a "resume"; "delegate" to sub-agents, which are told
    apart as "subagents"; have a "budget" (the conversation reaches the server); "instructions" (the names of our tools
    stand in the first request). `cannot`: the reason for each of them that is not there, for "compact" without
    `compaction`, "rules" without `deny_touch`, "move" without `moved_by`.
    """

    agent: ClassVar[str]
    program: ClassVar[str]
    model: ClassVar[type[StandIn]]
    tool_prefix: ClassVar[str]
    shell_tool: ClassVar[str]
    shell_key: ClassVar[str] = "command"
    entry: ClassVar[Entry]
    beside: ClassVar[tuple[str, ...]]
    moved_by: ClassVar[str | None] = None
    deny_touch: ClassVar[tuple[str, str] | None] = None
    user_files: ClassVar[dict[str, str]]
    own_hook: ClassVar[str | None] = None
    fact_at: ClassVar[tuple[int, int]] = (1_300, 2_000)
    can: ClassVar[frozenset[str]]
    cannot: ClassVar[dict[str, str]] = {}
    compaction: ClassVar[Compaction | None] = None
    light: ClassVar[dict[str, str]] = {}
    bin_dir: Path = Path()

    @abstractmethod
    def env(self, url: str) -> dict[str, str]:
        """Variables that point at the model and keep the network still."""

    @abstractmethod
    def start(self, run: HostRun, url: str, prompt: str, extra: Sequence[str], log: Path, *, resumed: bool) -> int:
        """One run to its end: its exit code, 124 when it was stopped by the time limit. All it says goes to `log`."""

    def close(self) -> None:
        """Ends what outlives a run, at the end of a test."""

    def prepare(self, home: Path, project: Path) -> None:
        """What is there after the host's own first start, before setup."""

    def call(self, name: str, **args: object) -> Step:
        """The step that calls one of our tools as this host's model does."""
        return {"tool": self.tool_prefix + name, "args": args}

    def shell(self, command: str, **args: object) -> Step:
        """The step that runs a command in the host's own shell tool."""
        return {"tool": self.shell_tool, "args": {self.shell_key: command, **args}}

    def read(self, file: Path, lines: int | None = None) -> Step:
        """The step that reads a file, or its first `lines`."""
        return self.shell(f"head -n {lines} {file}" if lines else f"cat {file}")

    def fetch(self, url: str) -> Step:
        """The step that gets a page."""
        return self.shell(f"curl -s {url}")

    def whole(self, text: str) -> str:
        """A tool result as the model saw it; where the host moved a big one into a file, what that file holds."""
        return text

    @abstractmethod
    def edit(self, file: Path, old: str, new: str) -> list[Step]:
        """The steps that change a file with the host's own tool."""

    def search_tools(self) -> list[Step]:
        """The steps after which all our tools are offered; none where they are from the start."""
        return []

    def delegate(self, tasks: Sequence[str], main: str) -> list[Step]:
        """The steps of the `main` conversation (text in its requests) that start a sub-agent for each task and wait.

        None where the host has no sub-agents: `cannot` says why.
        """
        return []

    def take_out(self, home: Path, folder: Path) -> None:
        """Takes our package out of the host's files, where the host has no command for that."""

    def carried(self, call: Heard, played: Played) -> str:
        """The conversation (and sub-agent, behind a slash) that a call told our server, asserted from what came.

        Of a host that sends nothing with a call: what our hook noted of the call itself.
        """
        assert set(call.meta) <= {"progressToken"}
        assert call.noted
        return call.noted

    def gaps(self) -> set[str]:
        """What the host can't do; `cannot` has the reason for each."""
        missing = {
            "compact": self.compaction is None,
            "rules": self.deny_touch is None,
            "move": self.moved_by is None,
        }
        return {*(ABILITIES - self.can), *(name for name, is_missing in missing.items() if is_missing)}

    def command_of(self, entry: Json) -> str:
        """The program of our server in the host's entry."""
        value = entry[self.entry.command]
        return str(value[0] if self.entry.first else value)


class CommandHost(Host):
    """An agent that is run by one command line with one prompt."""

    @abstractmethod
    def argv(self, url: str, prompt: str, project: Path) -> list[str]:
        """Arguments of one run with one prompt. Permissions are the user's own; ours are what setup wrote."""

    @abstractmethod
    def again(self, argv: list[str]) -> list[str]:
        """The same run, going on with the latest conversation."""

    def start(self, run: HostRun, url: str, prompt: str, extra: Sequence[str], log: Path, *, resumed: bool) -> int:
        argv = self.argv(url, prompt, run.project)
        argv = self.again(argv) if resumed else argv
        return run.process([str(self.bin_dir / self.program), *argv, *extra], url, log)
