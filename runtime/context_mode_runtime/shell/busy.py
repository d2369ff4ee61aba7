"""Programs that may start another, or change what a text knows: all others need no look."""

from __future__ import annotations

from context_mode_runtime.shell.subcommand_table import BEHIND, SUBCOMMANDS
from context_mode_runtime.shell.text_table import (
    DOWNLOADS,
    ESCAPES,
    MARKS,
    SCRIPT_FILES,
    SETTINGS,
    TEXT_OPTIONS,
    TEXT_WORDS,
)
from context_mode_runtime.shell.wrapper_table import DECLARING, SHELLS, WRAPPERS

_TABLES = (
    *(WRAPPERS, SHELLS, BEHIND, SUBCOMMANDS, DECLARING),
    *(TEXT_OPTIONS, TEXT_WORDS, SETTINGS, MARKS, ESCAPES, SCRIPT_FILES, DOWNLOADS),
)
BUSY = frozenset(
    (
        *(name for table in _TABLES for name in table),
        *("alias", "eval", "find", "gfind", "ip", "screen", "sg", "trap", "abbr", "cp", "dd", "hash", "integer"),
        *(
            "ln",
            "mv",
            "rsync",
            "getopts",
            "nameref",
            "read",
            "set",
            "shift",
            "sponge",
            "tee",
            "printf",
            "let",
            "[",
            "[[",
            "test",
            "unset",
            "wait",
        ),
        *("source", ".", "at", "batch", "crontab", "bind", "bwrap", "git", "gh", "glab", "ansible"),
        *("conhost", "forfiles", "icim", "iex", "iwmi", "psexec"),
        *("invoke-cimmethod", "invoke-expression", "invoke-wmimethod", "nal", "new-alias", "new-scheduledtaskaction"),
        *("sal", "saps", "schtasks", "set-alias", "start", "start-process", "start-threadjob", "wmic"),
        *("@command", "@commandline", "@execute", "@filepath", ".addscript", ".create", ".exec", ".filename", ".shell"),
        *(".invokescript", ".newscriptblock", ".run", ".shellexecute", ".start"),
    )
)
ONLY_WITH = {
    "git": (
        *("-c", "--config", "archive", "bisect", "clone", "config", "daemon", "difftool", "ext::", "fetch"),
        *("filter-branch", "for-each-repo", "grep", "instaweb", "ls-remote", "pull", "push", "rebase", "send-email"),
        *("send-pack", "shell", "submodule"),
    ),
    "npm": ("-c", "--", "exec", "explore", "x"),
}
"""They do so only with a word that begins with one of these."""
