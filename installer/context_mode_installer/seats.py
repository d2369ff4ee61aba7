"""The launcher in the shell's seat: `bin/seat/AGENT/SHELL`, which a host starts in place of the user's shell.

It is the real shell (`exec`) unless the text is one of the model's own commands and our part behind it can start: on
a terminal, without `-c`, without the host's mark in the text, with anything of ours gone.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from context_mode_installer import launchers
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from context_mode_installer.launchers import Interpreter
    from context_mode_installer.specs.setup_parts import Seat

FOLDER = "seat"
_PLACES = ("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
_TEXT = """\
#!{interpreter}
# {made}
ctx_shell={shell}
for ctx_part in {places}; do
  [ -x "$ctx_shell" ] || ctx_shell=$ctx_part/{name}
done
[ -x "$ctx_shell" ] || ctx_shell=/bin/sh
{environment}
ctx_pass() {{ exec "$ctx_shell" "$@"; }}

[ -t 1 ] || [ "${{CTX_RAW-}}" = 1 ] && ctx_pass "$@"
ctx_given= ctx_text=
for ctx_part; do
  case $ctx_part in
    -c | -[!-]*c*) ctx_given=yes ;;
    -* | +*) ;;
    *) ctx_text=$ctx_part; break ;;
  esac
done
[ -n "$ctx_given" ] || ctx_pass "$@"
case $ctx_text in {marks}) ;; *) ctx_pass "$@" ;; esac

ctx_proven=yes
for ctx_part in {parts}; do
  [ -e "$ctx_part" ] || ctx_pass "$@"
  [ {stamp} -nt "$ctx_part" ] || ctx_proven=
done
[ -x {python} ] || ctx_pass "$@"
[ -n "$ctx_proven" ] || {python} -I -S {launch} seat --check {stamp} </dev/null >/dev/null 2>&1 || ctx_pass "$@"
exec {python} -I -S {launch} seat {agent} {root} "${{LC_CTYPE-}}" "$ctx_shell" "$@"
"""
_ENV_TEXT = """\
# {made}
unset {unset}
if [ -n "${{BASH_EXECUTION_STRING-}}" ] && [ -x {launcher} ]; then
  case $BASH_EXECUTION_STRING in {marks}) exec {launcher} -c "$BASH_EXECUTION_STRING" "$0" "$@" ;; esac
fi
"""
_ENV_END = ".env"
_SHELL_LINE = re.compile(r"^ctx_shell=(.*)$", re.MULTILINE)
_SYSTEM_BASH = "/bin/bash"


def _interpreter() -> str:
    """What runs the launcher. A plain `sh` may drop variables whose names are none of its own: exported functions."""
    return f"{_SYSTEM_BASH} -p" if os.access(_SYSTEM_BASH, os.X_OK) else "/bin/sh"


def path_of(agent: str, shell: str) -> str:
    """Where the launcher for a shell of that path lies: a host goes by the name of the file."""
    return os.path.join(paths.bin_dir(), FOLDER, agent, os.path.basename(shell))


def env_path_of(agent: str, shell: str) -> str:
    """Where the file for `BASH_ENV` lies that starts this launcher."""
    return path_of(agent, shell) + _ENV_END


def started(pointed_to: str) -> tuple[str, dict[str, str]]:
    """The program that a host starts which points to a launcher, or to its file for `BASH_ENV`; variables for it."""
    if not pointed_to.endswith(_ENV_END):
        return pointed_to, {}
    return shutil.which("bash", path=os.pathsep.join(_PLACES)) or "bash", {"BASH_ENV": pointed_to}


def launcher_behind(pointed_to: str) -> str:
    """The launcher that a file for `BASH_ENV` starts, or the launcher itself."""
    return pointed_to.removesuffix(_ENV_END)


def is_ours(path: str, agent: str, seat: Seat) -> bool:
    """Whether a setting that holds this points to a launcher of ours, or to its file; in whatever data folder."""
    folder, _, name = launcher_behind(path).rpartition(os.sep)
    return name in seat.shells and folder.endswith(os.path.join(os.sep, "bin", FOLDER, agent))


def shell_behind(pointed_to: str) -> str:
    """The real shell that a launcher starts; empty where there is no such launcher."""
    try:
        text = Path(launcher_behind(pointed_to)).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
    found = _SHELL_LINE.search(text)
    return shlex.split(found[1])[0] if found else ""


def user_shell(agent: str, seat: Seat, environment: Mapping[str, str]) -> str | None:
    """The shell that the host takes for this user: `$SHELL` where it can, else the first of its list; None for none."""
    told = environment.get("SHELL", "")
    if os.path.basename(told) in seat.shells and os.access(told, os.X_OK) and not is_ours(told, agent, seat):
        return told
    search = os.pathsep.join([environment.get("PATH", ""), *_PLACES])
    return next((found for name in seat.shells if (found := shutil.which(name, path=search))), None)


def text_of(agent: str, seat: Seat, shell: str, use: Interpreter) -> str:
    """The text of the launcher."""
    return _TEXT.format(
        interpreter=_interpreter(),
        made=launchers.MADE,
        shell=shlex.quote(shell),
        name=os.path.basename(shell),
        places=" ".join(_PLACES),
        environment="\n".join(_environment(seat)),
        marks=_marks(seat),
        stamp=shlex.quote(os.path.join(paths.run_dir(), FOLDER, "ok")),
        parts=" ".join(map(shlex.quote, _parts(use))),
        python=shlex.quote(use.python),
        launch=shlex.quote(use.launch),
        agent=shlex.quote(agent),
        root=shlex.quote(use.root or ""),
    )


def env_text_of(launcher: str, seat: Seat) -> str:
    """The text of the file for `BASH_ENV`: a shell that is given a command becomes the launcher."""
    return _ENV_TEXT.format(
        made=launchers.MADE,
        launcher=shlex.quote(launcher),
        unset=" ".join(variable.name for variable in seat.environment if variable.value is None),
        marks=_marks(seat),
    )


def _marks(seat: Seat) -> str:
    return " | ".join(f"*{shlex.quote(mark)}*" for mark in seat.marks) or "*"


def _environment(seat: Seat) -> Iterator[str]:
    for variable in seat.environment:
        if variable.value is None:
            yield f"unset {variable.name}"
        else:
            value = '"$ctx_shell"' if variable.value == "{shell}" else shlex.quote(variable.value)
            yield f"{variable.name}={value}; export {variable.name}"


def _parts(use: Interpreter) -> list[str]:
    """What has to be there, and older than our last start that was seen; folders tell what was exchanged in them."""
    real = os.path.realpath(use.python)
    shared = os.path.join(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("LDLIBRARY") or "")
    files = [use.python, real, use.launch]
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and os.path.isfile(shared):
        files.append(shared)
    folders = map(os.path.dirname, (use.python, real, use.launch, os.__file__))
    return list(dict.fromkeys([*files, *folders]))
