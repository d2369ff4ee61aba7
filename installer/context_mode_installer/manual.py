"""What stands at the end of each command's `--help`: examples and exit codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from collections.abc import Callable


class Page(NamedTuple):
    """Examples, each with what it is for, what exit code 1 means, and the other codes but 0."""

    examples: tuple[tuple[str, str], ...]
    one: str | None = "our own data folder can't be used"
    exits: tuple[tuple[int, str], ...] = (
        (2, "wrong usage or bad input; nothing was done"),
        (3, "a fault of our own; the message says where the log is"),
        (130, "interrupted"),
    )


PAGES = {
    "setup": Page(
        (
            ("setup --dry-run", "show every change, write nothing"),
            ("setup", "set up every agent that is found"),
            ("setup --agents a,b --scope project", "only these agents, only this project"),
            ("setup --undo", "restore the files of the last setup"),
            ("setup --remove", "take out exactly what setup put in"),
        ),
        "a file that can't be changed, or a step that failed: all is as it was",
    ),
    "doctor": Page(
        (
            ("doctor", "every check of every agent that is set up"),
            ("doctor --only D5,D7 -v", "two checks, healthy rows too"),
            ("doctor --fix", "mend what setup can mend, look again"),
            ("doctor --report report.txt", "a report without secrets, to paste"),
        ),
        "a check says FAIL (a WARN alone is 0)",
    ),
    "agents": Page(
        (
            ("agents", "which are known, here, and set up"),
            ("agents ID", "all that its spec says, paths resolved"),
            ("agents validate my-agent.yaml", "check a spec of your own"),
        ),
        "a spec has a fault: file, line, what would be right",
    ),
    "package": Page((("package ID ./context-mode-package", "make it, say how it is installed"),)),
    "policy show": Page((("policy show", "each line with the file it comes from"),)),
    "policy check": Page((("policy check", "for a commit hook or CI, too"),), "a policy file has a fault"),
    "policy explain": Page(
        (('policy explain --agent ID --tool Bash \\\n      --input \'{"command": "git push --force"}\'', ""),)
    ),
    "upgrade": Page(
        (
            ("upgrade --check", "say what would be run, run nothing"),
            ("upgrade", "bring it up to date, set up again, doctor"),
        ),
        "a step failed, or can't be done from here, or doctor says FAIL",
    ),
    "completion": Page(
        (
            (
                "context-mode completion bash > \\\n      ~/.local/share/bash-completion/completions/context-mode",
                "",
            ),
            ('eval "$(context-mode completion zsh)"', "in ~/.zshrc, behind compinit"),
            ("context-mode completion fish > ~/.config/fish/completions/context-mode.fish", ""),
            ("context-mode completion powershell | Out-String | Invoke-Expression", "in $PROFILE"),
        ),
        None,
    ),
    "demo": Page((("demo", "needs no agent, changes nothing"),)),
    "hook": Page(
        (("hook AGENT EVENT < payload.json", "what the agent would be told"),),
        None,
        ((2, "a denied call, where that is how the agent is told"),),
    ),
    "serve": Page((("serve --agent ID", "ends when its input does"),), None),
    "search": Page(
        (
            ('search "retry limit" parseConfig', "two questions"),
            ("search timeout --source s7", "in one source"),
        )
    ),
    "index": Page(
        (
            ("index docs/ https://example.com/api", "a folder and a page"),
            ("index notes.md --label notes", "under a name of your own"),
        ),
        "one place of several can't be indexed, or our data folder can't be used",
    ),
    "stats": Page(
        (("stats", "for people"), ("stats --session ID", "of one conversation"), ("stats --json", "for scripts"))
    ),
    "dashboard": Page(
        (
            ("dashboard", "opens your browser; Ctrl-C ends it, exit 0"),
            ("dashboard --no-open --port 8080", "prints the address, on this port"),
        ),
        exits=(
            (2, "the port can't be had, or wrong usage"),
            (3, "a fault of our own; the message says where the log is"),
        ),
    ),
    "resume": Page(
        (
            ("resume", "the conversations of this project"),
            ("resume --session ID", "what one of them was doing"),
            ("resume 12", "one row of the journal, whole"),
        )
    ),
    "purge": Page(
        (
            ("purge --source s7", "one source"),
            ("purge --session ID", "one conversation"),
            ("purge --project", "all of this project"),
        )
    ),
}
"""By the words of the command."""
_WIDTH = 76
_COMMAND = "context-mode"


class Commands(typer.Typer):
    """A group of commands; the help of each ends with its page, which is found by the function's name."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[..., Any]:  # noqa: ANN401 - typer's own
        """Adds one command."""
        add = super().command

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            page = PAGES.get(function.__name__.replace("_", " "))
            return add(name, **{"epilog": page and page_text(page), **settings})(function)

        return register


def examples(page: Page) -> list[tuple[str, str]]:
    """Whole command lines (a long one is two lines, by a backslash), each with what it is for."""
    return [(one if f"{_COMMAND} " in one else f"{_COMMAND} {one}", note) for one, note in page.examples]


def page_text(page: Page) -> str:
    """The end of one command's help, its lines as they are to stand there."""
    shown = examples(page)
    widest = max((len(one) for one, note in shown if len(one) + len(note) + 4 <= _WIDTH), default=0)
    lines = ["\b", "Examples:"]
    for one, note in shown:
        fits = max(widest, len(one)) + len(note) + 4 <= _WIDTH
        lines += [f"  {one:<{widest}}  {note}".rstrip()] if fits else [f"  {one}", *([f"      {note}"] if note else [])]
    codes = [(0, "fine"), *([(1, page.one)] if page.one else []), *page.exits]
    return "\n".join([*lines, "", "\b", "Exit codes:", *(f"  {code:<5}{what}" for code, what in codes)])
