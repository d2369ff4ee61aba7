"""What can go wrong with a store, each told with the path and the reason."""

from __future__ import annotations


class StoreError(Exception):
    """The store can't be used: `path` and `reason`, both for people."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class StoreMissingError(StoreError):
    """There is no store yet and the caller didn't want one made."""


class StoreForeignError(StoreError):
    """A database of another program stands in our place. It is never touched."""


class StoreNewerError(StoreError):
    """The file was written by a newer version of ours."""


class StoreBusyError(StoreError):
    """Other writers held the store for longer than the busy timeout."""


class StoreDamagedError(StoreError):
    """SQLite calls the file or one of its tables malformed."""


class UnknownSourceError(StoreError):
    """No source has the id or label; `near` holds the labels that look most like it."""

    def __init__(self, path: str, reason: str, near: list[str]) -> None:
        super().__init__(path, reason)
        self.near = near
