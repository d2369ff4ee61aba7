"""One call of a tool, as its handler sees it: fitted arguments, who calls, where, and the store."""

from __future__ import annotations

from context_mode_runtime import jsonio, limits, log, paths
from context_mode_runtime.oneline import shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.project import Project
    from context_mode_runtime.server.calls import Running
    from context_mode_runtime.server.guard import Guard
    from context_mode_runtime.server.identity import Caller
    from context_mode_runtime.server.session import Connection
    from context_mode_runtime.store.db import Store
    from context_mode_runtime.store.errors import StoreError


NO_PROJECT = (
    "the project is not known: neither the host nor the folder it started us in names one "
    "(the home folder never counts). Start the agent, or the command, in the project's folder."
)


class ToolError(Exception):
    """The call could not be done: one line for the model, who called it and can mend it.

    What the model gave stands in it, so control characters go, and what is over SHORT_REPLY.
    """

    def __init__(self, text: str) -> None:
        super().__init__(shortened(text, limits.SHORT_REPLY))


class UnusableStoreError(ToolError):
    """The store can't be read or written: what could not be done, the path, the reason."""

    def __init__(self, what: str, error: StoreError) -> None:
        super().__init__(f"{what}: {paths.tilde(error.path)}: {error.reason}")


class Call:
    """One `tools/call`. The store is taken when it is first asked for and given back with the call."""

    __slots__ = ("_guard", "_store", "arguments", "caller", "connection", "found", "raw_bytes", "running", "tool")

    def __init__(
        self,
        tool: str,
        arguments: dict[str, object],
        connection: Connection,
        where: tuple[Caller, Project | None],
        running: Running,
    ) -> None:
        """`arguments` are as `lenient.fitted` leaves them: known names, right types, nothing null."""
        self.tool = tool
        self.arguments = arguments
        self.connection = connection
        self.caller, self.found = where
        self.running = running
        self.raw_bytes: int | None = None
        self._store: Store | None = None
        self._guard: Guard | None = None

    def text(self, name: str) -> str:
        """A text argument, empty when it is not there."""
        value = self.arguments.get(name, "")
        return value if isinstance(value, str) else ""

    def number(self, name: str, default: int) -> int:
        """A whole number argument."""
        value = self.arguments.get(name, default)
        return value if isinstance(value, int) else default

    def flag(self, name: str) -> bool:
        """A boolean argument, false when it is not there."""
        return self.arguments.get(name) is True

    def texts(self, name: str) -> list[str]:
        """A list argument's texts."""
        value = self.arguments.get(name)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def project(self) -> Project:
        """The project. Raises ToolError when it is not known: nothing is guessed."""
        if self.found is None:
            raise ToolError(NO_PROJECT)
        return self.found

    def store(self, *, create: bool = True) -> Store:
        """The project's store. Raises StoreError with path and reason, ToolError without a project."""
        if self._store is None:
            from context_mode_runtime.policy.load import load_policy
            from context_mode_runtime.server import stores

            project = self.project()
            self._store = stores.take(project.key(), project.name, create=create)
            self._store.secret_names = tuple(load_policy(project.root).redact)
        return self._store

    def lend(self, store: Store) -> None:
        """Has the call use this store, which stays its lender's: such a call is not closed."""
        self._store = store

    def guard(self) -> Guard:
        """The policy in force for this call, read when it is first asked for. Raises ToolError without a project."""
        if self._guard is None:
            from context_mode_runtime.server.guard import Guard

            self._guard = Guard(self)
        return self._guard

    def session(self) -> str:
        """What scope `session` means for this call: the conversation, or this connection when it is unknown."""
        return self.caller.key or self.connection.key

    def example(self, tool: str, arguments: dict[str, object]) -> str:
        """A call as this host spells it, on one line: `NAME({JSON})`."""
        return f"{self.connection.spelled(tool)}({jsonio.dumps(arguments)})"

    def count(self, returned: int) -> None:
        """Writes into the ledger how many bytes there were (when the handler has said so) and how many came back."""
        if self.raw_bytes is None:
            return
        from context_mode_runtime.store import ledger
        from context_mode_runtime.store.errors import StoreError

        try:
            store = self.store()
            ledger.add_call(store, self.tool, self.raw_bytes, returned, self.session())
        except StoreError as error:
            log.log_error(f"serve {self.tool}", error)

    @property
    def used_store(self) -> bool:
        """Whether the store was opened for this call."""
        return self._store is not None

    def notices(self) -> list[str]:
        """What the store wants to be told, once: a damaged file that was moved aside, say."""
        return list(self._store.notices) if self._store is not None else []

    def close(self) -> None:
        """Lets go of the store."""
        if self._store is not None:
            from context_mode_runtime.server import stores

            stores.give_back(self.project().key(), self._store)
            self._store = None
