"""The first file of our processes: `python -I -S launch.py hook AGENT EVENT`, `serve --agent ID` or `seat AGENT ...`.

A hook's exit code is the launcher's protocol: 0 with the reply on stdout, or 100 + N for a host whose deny is exit
code N with the text on stderr. Python itself ends with neither by accident.
"""

from __future__ import annotations

import os
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OLDEST = 0x030B0000
"""`version.OLDEST_PYTHON` as `sys.hexversion` has it: nothing is imported to look."""


def main(arguments: list[str]) -> int:
    """Runs one hook or the server; returns the exit code of the protocol above, 2 for anything else."""
    _find_us()
    word, *rest = arguments or [""]
    if word == "seat":
        return _seat(rest)
    if sys.hexversion < _OLDEST:
        return _too_old(word)
    if word == "hook":
        from context_mode_runtime.hooks.process import run_process

        return run_process(rest, launched=True)
    if word == "serve":
        from context_mode_runtime.server.app import main as serve

        return serve(rest)
    return 2


def _seat(arguments: list[str]) -> int:
    """The shell's seat. Where it can't even begin this process becomes the shell that its arguments name."""
    try:
        if sys.hexversion < _OLDEST:
            raise ImportError  # noqa: TRY301 - as a part that is missing
        from context_mode_runtime.seat.process import run
    except Exception:  # the command runs, whatever of us is gone
        shell = arguments[3:]
        if not shell:
            raise
        os.execv(shell[0], shell)  # noqa: S606 - the words are for a shell
    return run(arguments)


def _find_us() -> None:
    """Our own package is the one beside this file; nothing else in its folder goes before the standard library."""
    sys.path.insert(0, HERE)
    import context_mode_runtime  # noqa: F401 - from here on its parts are found by its own path

    sys.path.remove(HERE)
    if HERE not in sys.path:
        sys.path.append(HERE)


def _too_old(word: str) -> int:
    """A hook passes and leaves a line in the log, the server says it and ends."""
    from context_mode_runtime.log import log_error
    from context_mode_runtime.version import too_old

    text = too_old(sys.version_info[:2], sys.executable)
    log_error(word, text)
    if word == "hook":
        return 0
    sys.stderr.write("context-mode serve: " + text + "\n")
    return 1


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except BaseException:  # noqa: BLE001 - a hook passes, whatever happens; a server has said its word by now
        code = 0 if sys.argv[1:2] == ["hook"] else 1
    try:
        sys.stdout.flush()
    finally:
        os._exit(code)
