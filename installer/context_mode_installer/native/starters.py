"""The programs in a package's `bin/`: they start what `context-mode setup` installed, else the runtime beside them.

There they take the first Python 3.11 or newer of a fixed list of absolute places, never `PATH`'s; without one a hook
passes and the server says what to do. Byte code goes into the data folder: a host may hash the package's files.
"""

from __future__ import annotations

import shlex

from context_mode_installer import launchers

FOLDERS = (
    "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/opt/local/bin", "/home/linuxbrew/.linuxbrew/bin",
    "/usr/pkg/bin", "/run/current-system/sw/bin",
)  # fmt: skip
FRAMEWORK = "/Library/Frameworks/Python.framework/Versions"
VERSIONS = ("3.14", "3.13", "3.12", "3.11", "3.15", "3.16")
"""Tried in this order: released ones before those to come."""
INSTALL = "pipx install context-mode-py && context-mode setup"

_SH = """\
#!/bin/sh
# Made by `context-mode package`: starts what `context-mode setup` installed, else the runtime in this package.
CONTEXT_MODE_PACKAGE={agent}
export CONTEXT_MODE_PACKAGE
root=${{CONTEXT_MODE_DATA_DIR:-${{HOME-}}/.context-mode}}
# a launcher whose Python or runtime is gone is passed over: two lines of it name them
lives() {{
  [ -x "$1" ] || return 1
  python= launch=
  while IFS= read -r line; do
    case $line in python=* | launch=*) eval "$line" ;; esac
    [ -n "$launch" ] && break
  done <"$1"
  [ -x "$python" ] && [ -f "$launch" ]
}}
lives "$root/bin/{name}" && exec "$root/bin/{name}" "$@"
find_python() {{
  for folder in {folders}; do
    for version in {versions}; do
      python=$folder/python$version
      [ -x "$python" ] && return
    done
  done
  for version in {versions}; do
    python={framework}/$version/bin/python$version
    [ -x "$python" ] && return
  done
  for folder in {folders}; do
    python=$folder/python3
    # without its developer tools macOS answers this one with a window
    [ "$folder" = /usr/bin ] && [ -e /usr/bin/xcode-select ] && continue
    [ -x "$python" ] && "$python" -I -S -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && return
  done
  python=
}}
find_python
case $0 in */*) here=${{0%/*}}/.. ;; *) here=.. ;; esac
launch=$here/runtime/context_mode_runtime/launch.py
"""
_CACHE_SH = """\
[ -d "$root/run" ] || (umask 077; mkdir -p "$root/run") 2>/dev/null
"""
_HOOK_SH = '[ -n "$python" ] && [ -f "$launch" ] || exit 0\n'
_SERVE_SH = """\
if [ -z "$python" ]; then
  echo "context-mode: no Python 3.11 or newer in {places}. Install one, or: {install}" >&2
  exit 1
fi
if [ ! -f "$launch" ]; then
  echo "context-mode: $launch is gone. Install this package again, or: {install}" >&2
  exit 1
fi
"""
_CMD = """\
@echo off
rem Made by `context-mode package`: starts what `context-mode setup` installed, else the runtime in this package.
setlocal
set "CONTEXT_MODE_PACKAGE={agent}"
set "root=%CONTEXT_MODE_DATA_DIR%"
if not defined root set "root=%USERPROFILE%\\.context-mode"
if exist "%root%\\bin\\{name}.cmd" "%root%\\bin\\{name}.cmd" %*
set "python="
for %%v in ({versions}) do (
  for %%d in ("%LOCALAPPDATA%\\Programs\\Python\\Python%%v" "%ProgramFiles%\\Python%%v" "C:\\Python%%v") do (
    if not defined python if exist "%%~d\\python.exe" set "python=%%~d\\python.exe"
  )
)
set "launch=%~dp0..\\runtime\\context_mode_runtime\\launch.py"
"""
_HOOK_CMD = "if not defined python exit /b 0\n"
_SERVE_CMD = """\
if not defined python (
  echo context-mode: no Python 3.11 or newer in its usual places. Install one, or: {install} 1>&2
  exit /b 1
)
"""


def starters(agent: str) -> dict[str, str]:
    """File name and text of each starter of a package."""
    out = {}
    for name in (launchers.HOOK, launchers.SERVE):
        out[name] = _sh(name, agent)
        out[f"{name}.cmd"] = _cmd(name, agent)
    return out


def _sh(name: str, agent: str) -> str:
    head = _SH.format(
        agent=shlex.quote(agent), name=name, folders=" ".join(FOLDERS), versions=" ".join(VERSIONS), framework=FRAMEWORK
    )
    places = ", ".join([*FOLDERS, FRAMEWORK])
    gone = _HOOK_SH if name == launchers.HOOK else _SERVE_SH.format(places=places, install=INSTALL)
    run = launchers.run_sh(name, ' -X pycache_prefix="$root/run/pycache"')
    return head + gone + _CACHE_SH + run


def _cmd(name: str, agent: str) -> str:
    versions = " ".join(version.replace(".", "") for version in VERSIONS)
    gone = _HOOK_CMD if name == launchers.HOOK else _SERVE_CMD.format(install=INSTALL.replace("&&", "^&^&"))
    run = launchers.run_cmd(name, '"%python%"', '"%launch%"', ' -X pycache_prefix="%root%\\run\\pycache"')
    return (_CMD.format(agent=agent, name=name, versions=versions) + gone + run).replace("\n", "\r\n")
