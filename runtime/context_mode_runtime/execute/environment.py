"""What the environment of started code holds: the server's own, minus what would load or ask something by itself."""

from __future__ import annotations

import os

MARK = "CONTEXT_MODE_RUN"
"""Variable that tells the processes of one run apart, also those that left its group."""

_SHELLS = ("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "ZDOTDIR", "PROMPT_COMMAND")
"""A file or options taken in before the script."""
_LINKER = ("LD_PRELOAD", "LD_AUDIT", "GCONV_PATH", "OPENSSL_CONF")
"""What the dynamic linker and libraries load by themselves."""
_INTERPRETERS = (
    *("PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHONEXECUTABLE", "__PYVENV_LAUNCHER__"),
    *("NODE_OPTIONS", "NODE_REPL_EXTERNAL_MODULE", "NODE_CHANNEL_FD", "ELECTRON_RUN_AS_NODE"),
    *("RUBYOPT", "PERL5OPT", "PERL5DB", "PHPRC", "PHP_INI_SCAN_DIR", "R_PROFILE", "R_PROFILE_USER", "LUA_INIT"),
    *("ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS", "ELIXIR_ERL_OPTIONS", "DOTNET_STARTUP_HOOKS"),
)
"""Start files, options, other homes, debuggers."""
_ASKERS = ("GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS", "GIT_EXTERNAL_DIFF")
"""Programs that would open a window."""
_LAUNCHED = ("CONTEXT_MODE_HOST_PID",)
"""What our launcher tells the server of its host."""
_PRELOAD = frozenset((*_SHELLS, *_LINKER, *_INTERPRETERS, *_ASKERS, *_LAUNCHED, "_"))
_PRELOAD_PREFIXES = ("BASH_FUNC_", "DYLD_", "CORECLR_", "COR_", "COMPLUS_", "LUA_INIT_")

_SET = {
    **dict.fromkeys(("EDITOR", "GIT_EDITOR", "VISUAL"), "true"),
    "GIT_TERMINAL_PROMPT": "0",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "PYTHONUNBUFFERED": "1",
    "TERM": "dumb",
}
"""No colours, no pager, no questions, no editor that would wait for a terminal; lines arrive as they are printed, so
that a time-out loses none."""


def is_preload(name: str) -> bool:
    """True for a variable that loads code, changes how a script is read, asks the user, or is the server's own."""
    return name in _PRELOAD or name.upper().startswith(_PRELOAD_PREFIXES)


def child_environment(cwd: str, mark: str, *, base: dict[str, str] | None = None) -> dict[str, str]:
    """The environment for code that runs in `cwd`: `base` (the server's own when None), `PATH` as it is.

    `mark` goes into `MARK`. `PWD` names `cwd`, so that a shell doesn't believe in the server's folder.
    """
    source = os.environ if base is None else base
    kept = {name: value for name, value in source.items() if not is_preload(name)}
    return {**kept, **_SET, "PWD": cwd, MARK: mark}
