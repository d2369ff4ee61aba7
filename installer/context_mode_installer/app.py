"""The commands for people and scripts: options, help, exit codes. What they do stands in `commands/`."""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer.completion import completion_init, get_completion_script  # type: ignore[attr-defined]  # imported there
from typer.exceptions import TyperException

from context_mode_installer import result as results
from context_mode_installer import suggest
from context_mode_installer.answer import Json
from context_mode_installer.answer import answer as _call
from context_mode_installer.app_stored import stored_app
from context_mode_installer.manual import Commands
from context_mode_installer.screen import OutputError, complain, show, usage_error
from context_mode_runtime.log import log_error
from context_mode_runtime.paths import NoHomeError, error_log, tilde
from context_mode_runtime.version import VERSION

app = Commands(
    name="context-mode",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Keeps large tool output out of your coding agent's context and gives back the part it asks for.",
    epilog="Start with: context-mode setup --dry-run\n\nThe help of each command has examples and exit codes.",
)
policy_app = Commands(
    no_args_is_help=True,
    help="The policy in force, its validity, and why a call is decided as it is.",
    short_help="The rules in force, and why a call is decided so.",
    epilog="Start with: context-mode policy show",
)
app.add_typer(policy_app, name="policy")
app.add_typer(stored_app)
NEWEST = "newest"
Agents = Annotated[
    str | None,
    typer.Option(
        "--agents",
        metavar="A,B",
        help="Only these agents (ids). Default: every agent found.",
        autocompletion=suggest.agents,
    ),
]


def run_app(arguments: list[str]) -> int:
    """Runs one command; returns its exit code: 0 fine, 1 findings, 2 usage, 3 our fault, 130 stopped."""
    completion_init()
    try:
        code = app(args=_with_newest(arguments), prog_name="context-mode", standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        return _ended(arguments, "interrupted", results.INTERRUPTED)
    except TyperException as error:
        if error.format_message().startswith("Usage:"):  # a group of commands without a command: its help
            typer.echo(error.format_message(), err=True)
            return results.USAGE
        return _ended(arguments, usage_error(error, arguments), results.USAGE)
    except OutputError as error:
        complain(str(error))
        _drop_output()
        return results.FINDINGS
    except Exception as error:  # noqa: BLE001 - the one place where our own faults end
        return _our_fault(arguments, error)
    return code if isinstance(code, int) else 0


def _drop_output() -> None:
    """What waits to be written goes nowhere: at its end Python would try again, and say so."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _with_newest(arguments: list[str]) -> list[str]:
    """`--undo` without an id means the newest setup."""
    words: list[str] = []
    for word, following in itertools.zip_longest(arguments, arguments[1:], fillvalue="-"):
        words.append(word)
        if word == "--undo" and following.startswith("-"):
            words.append(NEWEST)
    return words


def _our_fault(arguments: list[str], error: Exception) -> int:
    import traceback

    where = traceback.extract_tb(error.__traceback__)[-1]
    log_error(f"context-mode {' '.join(arguments)} ({Path(where.filename).name}:{where.lineno})", error)
    try:
        place = f"; the line is in {tilde(error_log())}"
    except NoHomeError:
        place = ""
    return _ended(arguments, f"a fault of our own: {type(error).__name__}: {error}{place}", results.FAULT)


def _ended(arguments: list[str], line: str, code: int) -> int:
    """What ends a command from outside of it: a line on stderr, or the one object of `--json`."""
    if "--json" in arguments:
        name = next((word for word in arguments if not word.startswith("-")), "")
        show(results.failed(name, results.UserError(line, exit_code=code)), as_json=True)
    elif code == results.INTERRUPTED:
        complain(line)
    else:
        show(results.failed("", results.UserError(line, exit_code=code)), as_json=False)
    return code


def _names(text: str | None) -> tuple[str, ...]:
    """The names of a list with commas; none where the option wasn't given. An empty list is a slip, not "all"."""
    if text is None:
        return ()
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise typer.BadParameter("an empty list; leave the option out for all")
    return names


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer's callback form
    if wanted:
        typer.echo(f"context-mode {VERSION}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    del version


@app.command()
def setup(  # noqa: PLR0913, PLR0917 - the options of contract section 3
    agents: Agents = None,
    scope: Annotated[Literal["user", "project"], typer.Option(help="Whose configuration to change.")] = "user",
    project: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The project of --scope project. Default: here.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show every change with its diff and write nothing.")
    ] = False,
    no_approve: Annotated[
        bool, typer.Option("--no-approve", help="Leave out what lets our tools run without a question.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Back up and take out a foreign tool of our name.")
    ] = False,
    shell_seat: Annotated[
        bool,
        typer.Option("--shell-seat", help="Also sit in for the agent's shell: short output, failing commands too."),
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take out exactly what setup put in.")] = False,
    data: Annotated[bool, typer.Option("--data", help="With --remove: delete our data and launchers, too.")] = False,
    undo: Annotated[
        str | None,
        typer.Option(
            "--undo",
            metavar="ID",
            help="Restore the files of an earlier setup (default: the newest).",
            autocompletion=suggest.setup,
        ),
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="List the earlier setups.")] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show each change with its diff.")] = False,
    json: Json = False,
) -> None:
    """Set up, repair or remove the agents' entries. Also the re-run: a second run changes nothing."""
    from context_mode_installer.commands import setup as command

    options = command.Options(
        agents=_names(agents), scope=scope, project=project, dry_run=dry_run, approve=not no_approve, replace=replace,
        shell_seat=shell_seat, remove=remove, data=data, undo=undo, history=history, verbose=verbose,
    )  # fmt: skip
    _call("setup", lambda: command.run(options), as_json=json)


@app.command()
def doctor(  # noqa: PLR0913, PLR0917 - the options of contract section 3
    agents: Agents = None,
    json: Json = False,
    fix: Annotated[bool, typer.Option("--fix", help="Run setup for what it can mend, then look again.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Ask nothing of the network.")] = False,
    only: Annotated[
        str | None,
        typer.Option(metavar="D5", help="Only these checks, by their numbers.", autocompletion=suggest.checks),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report to FILE, ready to paste.")
    ] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Every row, healthy ones too.")] = False,
) -> None:
    """Check what setup wrote, by effect. Exit 1 when something fails."""
    from context_mode_installer.commands import doctor as command

    options = command.Options(
        agents=_names(agents), fix=fix, offline=offline, only=_names(only), report=report, verbose=verbose
    )
    _call("doctor", lambda: command.run(options), as_json=json)


@app.command(short_help="List the known agents, show one, or check spec files.")
def agents(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID | validate FILE...]", help="An agent's id.", autocompletion=suggest.agent_or_validate
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the known agents, show all that one's spec says, or check spec files."""
    from context_mode_installer.commands import agents as command

    match words or []:
        case []:
            _call("agents", command.list_agents, as_json=json)
        case ["validate", *files]:
            _call("agents validate", lambda: command.validate([Path(file) for file in files]), as_json=json)
        case [agent]:
            _call("agents", lambda: command.show_agent(agent), as_json=json)
        case _:
            raise typer.BadParameter("one agent id, or: validate FILE...")


@app.command(short_help="Make an agent's own plugin or extension folder.")
def package(
    agent: Annotated[str, typer.Argument(metavar="ID", help="The agent's id.", autocompletion=suggest.agent)],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, an empty one, or an earlier package.")],
    json: Json = False,
) -> None:
    """Make the agent's own plugin or extension folder, and say how the agent installs it."""
    from context_mode_installer.commands import package as command

    _call("package", lambda: command.run(agent, folder), as_json=json)


@policy_app.command("show", short_help="Print the rules in force, and where each comes from.")
def policy_show(json: Json = False) -> None:
    """Print the policy in force here, and the file that each line comes from."""
    from context_mode_installer.commands import policy as command

    _call("policy show", command.show, as_json=json)


@policy_app.command("check")
def policy_check(json: Json = False) -> None:
    """Check the policy files: file, line, what is wrong. Exit 1 on a finding."""
    from context_mode_installer.commands import policy as command

    _call("policy check", command.check, as_json=json)


@policy_app.command("explain")
def policy_explain(
    agent: Annotated[
        str, typer.Option(metavar="ID", help="The agent that would make the call.", autocompletion=suggest.agent)
    ],
    tool: Annotated[str, typer.Option(metavar="NAME", help="The tool, as the agent names it, or one of ours.")],
    input_: Annotated[str, typer.Option("--input", metavar="JSON", help="Its input, a JSON object.")],
    json: Json = False,
) -> None:
    """Say which rule or route decides about a call, and why. Nothing is run."""
    from context_mode_installer.commands import policy as command

    _call("policy explain", lambda: command.explain(agent, tool, input_), as_json=json)


@app.command(short_help="Bring context-mode up to date, then set up again.")
def upgrade(
    check: Annotated[bool, typer.Option("--check", help="Say what would be run; run nothing.")] = False,
    json: Json = False,
) -> None:
    """Bring context-mode up to date the way it was installed, then set up again what is set up, then doctor."""
    from context_mode_installer.commands import upgrade as command

    _call("upgrade", lambda: command.run(check=check), as_json=json)


@app.command(short_help="Print the completion script of your shell.")
def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish", "powershell"],
        typer.Argument(metavar="SHELL", help="bash, zsh, fish or powershell."),
    ],
) -> None:
    """Print the completion script of a shell; nothing is written into your start files."""
    script = get_completion_script(prog_name="context-mode", complete_var="_CONTEXT_MODE_COMPLETE", shell=shell)
    typer.echo(script[script.find("$scriptblock") :] if shell == "powershell" else script)  # keys stay the user's


@app.command()
def demo(json: Json = False) -> None:
    """Show in seconds, without an agent, what the tool does."""
    from context_mode_installer.commands import demo as command

    _call("demo", command.run, as_json=json)


@app.command(
    short_help="Answer one hook call (agents run this).",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def hook(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent that calls.", autocompletion=suggest.agent)],
    event: Annotated[str, typer.Argument(metavar="EVENT", help="The agent's name of the event, or ours.")],
) -> None:
    """Answer one hook call: payload on stdin, reply on stdout. Agents call it; exit 0 whatever happens."""
    raise AssertionError(f"{agent} {event} goes to the runtime")


@app.command(short_help="Run the MCP server (agents run this).")
def serve(
    agent: Annotated[
        str | None, typer.Option(metavar="ID", help="The agent that starts us.", autocompletion=suggest.agent)
    ] = None,
) -> None:
    """Run the MCP server on stdin and stdout. Agents start it."""
    raise AssertionError(f"{agent} goes to the runtime")
