"""What a shell offers behind TAB: agents, checks, conversations, sources, setups. Whatever fails offers nothing.

Only plain words are offered: shells evaluate what they are given, and ids of conversations are others' texts.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from context_mode_runtime.store.db import Store

    Words = Callable[[], Iterable[str]]

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MOST = 50


def _offering(words: Words) -> Callable[[str], list[str]]:
    """A completion of one word."""

    def offer(incomplete: str) -> list[str]:
        try:
            found = [word for word in words() if _PLAIN.fullmatch(word)]
        except Exception:  # noqa: BLE001 - a line that is being typed is no place for an error
            return []
        return [word for word in found if word.startswith(incomplete)][:_MOST]

    return offer


def _listing(words: Words) -> Callable[[str], list[str]]:
    """A completion of the last word of a list with commas; words that are in the list are not offered again."""
    one = _offering(words)

    def offer(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + word for word in one(last) if word not in before.split(",")]

    return offer


def _agents() -> Iterable[str]:
    from context_mode_runtime.agents import known_agents

    return known_agents()


def _checks() -> Iterable[str]:
    from context_mode_installer.commands.doctor import CHECKS

    return [check.id for check in CHECKS]


def _setups() -> Iterable[str]:
    from context_mode_runtime.paths import data_root

    return sorted(os.listdir(os.path.join(data_root(), "backups")), reverse=True)


def _conversations() -> Iterable[str]:
    from context_mode_runtime.store.journal import conversations

    with _store() as store:
        return [key.partition(":")[2] for key, _, _ in conversations(store)]


def _sources() -> Iterable[str]:
    from context_mode_runtime.store.sources import list_sources

    with _store() as store:
        return [source.sid for source in list_sources(store)]


def _store() -> Store:
    """The store of the project we stand in. Raises StoreError, and LookupError outside of a project."""
    from context_mode_runtime.project import find_project
    from context_mode_runtime.store.db import Store

    project = find_project(os.getcwd())
    if project is None:
        raise LookupError("no project here")
    return Store.open(project.key(), name=project.name, create=False)


agent = _offering(_agents)
agents = _listing(_agents)
checks = _listing(_checks)
setup = _offering(_setups)
conversation = _offering(_conversations)
source = _offering(_sources)


def agent_or_validate(incomplete: str) -> list[str]:
    """For `agents`: an id, or the word that files come behind."""
    return [*agent(incomplete), *(word for word in ("validate",) if word.startswith(incomplete))]
