"""The commands on what is stored for the current project; `commands/stored.py` does the work, with the tools' code."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from context_mode_installer import suggest
from context_mode_installer.answer import Json, answer
from context_mode_installer.manual import Commands

stored_app = Commands()


def _conversation(text: str) -> object:
    return typer.Option(metavar="ID", help=text, autocompletion=suggest.conversation)


def _source(text: str) -> object:
    return typer.Option(metavar="ID", help=text, autocompletion=suggest.source)


@stored_app.command(short_help="Search what is stored for the current project.")
def search(
    queries: Annotated[list[str], typer.Argument(metavar="QUERY...", help="What to look for; several are several.")],
    source: Annotated[str | None, _source("Only this source: id, label or its start.")] = None,
    scope: Annotated[Literal["worktree", "project"], typer.Option(help="How far to look.")] = "worktree",
    limit: Annotated[int, typer.Option(min=1, max=20, help="Hits a query.")] = 3,
    json: Json = False,
) -> None:
    """Search what is stored for the current project. No hit is no error."""
    from context_mode_installer.commands import stored as command

    arguments: dict[str, object] = {"queries": queries, "scope": scope, "limit": limit, "source": source}
    answer("search", lambda: command.search(arguments), as_json=json)


@stored_app.command(short_help="Make files, folders and pages searchable.")
def index(
    places: Annotated[list[str], typer.Argument(metavar="PATH|URL...", help="Files, folders, pages.")],
    label: Annotated[str | None, typer.Option(help="Its name in results, for one path or page.")] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Fetch pages again that are not old yet.")] = False,
    json: Json = False,
) -> None:
    """Make files, folders and pages searchable in the current project."""
    from context_mode_installer.commands import stored as command

    answer("index", lambda: command.index(places, label, refresh=refresh), as_json=json)


@stored_app.command()
def stats(
    session: Annotated[str | None, _conversation("This conversation, not the newest one.")] = None,
    json: Json = False,
) -> None:
    """Show how many bytes were kept out of the agents' contexts."""
    from context_mode_installer.commands import stats as command

    answer("stats", lambda: command.stats(session), as_json=json)


@stored_app.command(short_help="Show savings and what is stored on a local page.")
def dashboard(
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65_535, help="Listen on this port; 0: a free one.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the address, open no browser.")] = False,
) -> None:
    """Show savings, sources and conversations on a local page; Ctrl-C ends it."""
    from context_mode_installer.commands import dashboard as command

    answer("dashboard", lambda: command.run(port, opens=not no_open), as_json=False)


@stored_app.command(short_help="Show what a conversation was doing, or list them.")
def resume(
    seq: Annotated[int | None, typer.Argument(metavar="[SEQ]", help="Show this row of the journal whole.")] = None,
    session: Annotated[str | None, _conversation("The state of this conversation.")] = None,
    json: Json = False,
) -> None:
    """Show what a conversation of the current project was doing, or list its conversations."""
    from context_mode_installer.commands import stored as command

    answer("resume", lambda: command.resume(seq, session), as_json=json)


@stored_app.command()
def purge(
    session: Annotated[str | None, _conversation("Delete this conversation.")] = None,
    source: Annotated[str | None, _source("Delete this source, by id or exact label.")] = None,
    project: Annotated[bool, typer.Option("--project", help="Delete all that is stored for this project.")] = False,
    json: Json = False,
) -> None:
    """Delete stored text of the current project for good. Say what: one of the three options."""
    from context_mode_installer.commands import stored as command

    answer("purge", lambda: command.purge(session, source, project=project), as_json=json)
