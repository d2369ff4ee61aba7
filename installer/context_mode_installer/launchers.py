"""The three programs in `bin/` that configs point to: they start the one interpreter that they were set up with.

A hook's child ends with 0 (what it printed is the reply) or 100 + N (that goes to stderr, and N is the host's
deny code); whatever else happens becomes exit 0 without a word. None of them looks at `PATH` or at a project.
"""

from __future__ import annotations

import os
import re
import shlex
import site
import sys
from typing import TYPE_CHECKING, NamedTuple

from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Iterator

HOOK = "context-mode-hook"
SERVE = "context-mode-serve"
COMMAND = "context-mode"
MODE = 0o700
MADE = "Made by `context-mode setup`, made anew by each setup and upgrade: changes here don't last."

_RUN_HOOK_SH = """\
exec 3>&2 2>/dev/null
out=$(CONTEXT_MODE_HOST_PID=$PPID "$python" -I -S{options} "$launch" hook "$@" 3>&-)
code=$?
if [ "$code" -eq 0 ]; then
  [ -z "$out" ] || printf '%s\\n' "$out"
elif [ "$code" -gt 100 ] && [ "$code" -lt 126 ]; then
  printf '%s\\n' "$out" >&3
  exit $((code - 100))
fi
exit 0
"""
_RUN_SERVE_SH = """\
CONTEXT_MODE_HOST_PID=$PPID "$python" -I{options} "$launch" serve "$@"
code=$?
[ "$code" -eq 0 ] && exit 0
echo "context-mode: the server ended with $code. Run: context-mode doctor" >&2
exit 1
"""
_HEAD_SH = """\
#!/bin/sh
# {made}
python={python}
launch={launch}
{root}"""
_GONE_SH = """\
gone=
[ -f "$launch" ] || gone=$launch
[ -x "$python" ] || gone=$python
if [ -n "$gone" ]; then
  echo "context-mode: $gone is gone. Install context-mode again and run: context-mode setup" >&2
  exit 1
fi
"""
_COMMAND_SH = """\
exec "$python" {isolated} -c 'from context_mode_installer.cli import main; main()' "$@"
"""
_RUN_HOOK_CMD = """\
set "out=%TEMP%\\context-mode-%RANDOM%%RANDOM%.out"
{python} -I -S{options} {launch} hook %* >"%out%" 2>nul
set code=%errorlevel%
if %code% equ 0 type "%out%"
if %code% gtr 100 if %code% lss 126 type "%out%" 1>&2
del "%out%" 2>nul
if %code% gtr 100 if %code% lss 126 (set /a code-=100) else (set code=0)
exit /b %code%
"""
_RUN_SERVE_CMD = """\
{python} -I{options} {launch} serve %*
if %errorlevel% equ 0 exit /b 0
echo context-mode: the server ended with %errorlevel%. Run: context-mode doctor 1>&2
exit /b 1
"""
_HEAD_CMD = """\
@echo off
rem {made}
setlocal
{root}"""
_GONE_CMD = """\
if not exist {python} (
  echo context-mode: its Python is gone. Install context-mode again and run: context-mode setup 1>&2
  exit /b 1
)
"""
_COMMAND_CMD = """\
{python} {isolated} -c "from context_mode_installer.cli import main; main()" %*
exit /b %errorlevel%
"""


def run_sh(name: str, options: str = "") -> str:
    """The part of a hook's or server's launcher that starts `$python` with `$launch` and ends with the right code."""
    return (_RUN_HOOK_SH if name == HOOK else _RUN_SERVE_SH).replace("{options}", options)


def run_cmd(name: str, python: str, launch: str, options: str = "") -> str:
    """The same for Windows; `python` and `launch` are quoted."""
    text = _RUN_HOOK_CMD if name == HOOK else _RUN_SERVE_CMD
    return text.replace("{python}", python).replace("{launch}", launch).replace("{options}", options)


class Interpreter(NamedTuple):
    """What the launchers start: a Python, the runtime's `launch.py`, and the data root unless it is the default one."""

    python: str
    launch: str
    root: str | None
    isolated: bool
    """Whether the installer can be imported with `-I`: not from the user's own site-packages."""


def this_interpreter() -> Interpreter:
    """The interpreter that runs now, by a path that outlives upgrades of the Python itself."""
    import context_mode_runtime

    folder = os.path.dirname(os.path.abspath(context_mode_runtime.__file__))
    root = paths.data_root()
    user_site = site.getusersitepackages()
    moved = root != os.path.join(paths.home(), ".context-mode")
    return Interpreter(
        stable(sys.executable),
        stable(os.path.join(folder, "launch.py")),
        root if moved else None,
        isolated=not folder.startswith(user_site + os.sep),
    )


def stable(path: str) -> str:
    """The same file by a path that a package manager keeps over its upgrades, where there is one.

    `/opt/x/Cellar/python@3.11/3.11.9/bin/..` by its `opt` link, `versions/3.11.9/bin/..` by a link `3.11` or `current`
    beside that folder. Others stay as they are: a virtual environment's own path is stable.
    """
    return next((one for one in _links(path) if os.path.exists(one) and os.path.samefile(one, path)), path)


def _links(path: str) -> Iterator[str]:
    cellar = re.match(r"(?P<prefix>.*)/Cellar/(?P<name>[^/]+)/[^/]+/(?P<rest>.*)", path)
    if cellar:
        yield f"{cellar['prefix']}/opt/{cellar['name']}/{cellar['rest']}"
    for folder in re.finditer(r"(?<=[\\/])(?P<name>[^\\/]*?\d+\.\d+)\.\d+(?P<more>[^\\/]*)(?=[\\/])", path):
        for link in (folder["name"] + folder["more"], "current"):
            yield path[: folder.start()] + link + path[folder.end() :]


def names(*, windows: bool = os.name == "nt") -> dict[str, str]:
    """The file names in `bin/` of the three launchers."""
    return {name: name + ".cmd" if windows else name for name in (HOOK, SERVE, COMMAND)}


def text(name: str, use: Interpreter, *, windows: bool = os.name == "nt") -> str:
    """The text of one launcher."""
    if windows:
        return _windows(name, use)
    line = "" if use.root is None else _root_line(use.root)
    head = _HEAD_SH.format(made=MADE, python=shlex.quote(use.python), launch=shlex.quote(use.launch), root=line)
    if name == HOOK:
        return f'{head}[ -x "$python" ] && [ -f "$launch" ] || exit 0\n{run_sh(name)}'
    return head + _GONE_SH + (run_sh(name) if name == SERVE else _COMMAND_SH.format(isolated=_isolated(use)))


def _isolated(use: Interpreter) -> str:
    return "-I" if use.isolated else "-P"


def _root_line(root: str) -> str:
    return (
        f'[ -n "${{CONTEXT_MODE_DATA_DIR-}}" ] || CONTEXT_MODE_DATA_DIR={shlex.quote(root)}\n'
        "export CONTEXT_MODE_DATA_DIR\n"
    )


def _windows(name: str, use: Interpreter) -> str:
    def quoted(path: str) -> str:
        return '"' + path.replace("%", "%%") + '"'

    root = "" if use.root is None else use.root.replace("%", "%%")
    line = f'if not defined CONTEXT_MODE_DATA_DIR set "CONTEXT_MODE_DATA_DIR={root}"\n' if root else ""
    python, launch = quoted(use.python), quoted(use.launch)
    head = _HEAD_CMD.format(made=MADE, root=line)
    if name == COMMAND:
        body = _COMMAND_CMD.format(python=python, isolated=_isolated(use))
    else:
        gone = f"if not exist {python} exit /b 0\n" if name == HOOK else _GONE_CMD.format(python=python)
        body = gone + run_cmd(name, python, launch)
    return (head + body).replace("\n", "\r\n")
