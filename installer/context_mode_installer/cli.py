"""The `context-mode` command: parses, calls one command, shows its result, ends with its exit code.

`hook` and `serve` go straight to the runtime, before anything heavy is imported.
"""

from __future__ import annotations

import gc
import os
import sys

from context_mode_runtime.version import too_old

_RUNTIME_COMMANDS = ("hook", "serve")
_COLLECTED_AT = (50_000, 20, 100)
"""For the collector of garbage. What a command's libraries make stays to the end: looked at as often as Python does by
itself, and once more when it ends, it takes 15 to 20 % of a command's CPU time."""


def main() -> None:
    """Entry point of the console script."""
    arguments = sys.argv[1:]
    old = too_old(sys.version_info[:2], sys.executable)
    if old:
        raise SystemExit(f"context-mode: {old}")
    if arguments and arguments[0] in _RUNTIME_COMMANDS and not {"--help", "-h"} & set(arguments):
        raise SystemExit(_runtime(arguments))
    raise SystemExit(_command(arguments))


def _command(arguments: list[str]) -> int:
    _open_streams()
    gc.set_threshold(*_COLLECTED_AT)
    try:
        from context_mode_installer.app import run_app

        return run_app(arguments)
    except KeyboardInterrupt:  # while the imports run
        return 130
    finally:
        gc.freeze()


def _open_streams() -> None:
    """Whoever starts us with a closed stdout or stderr wants none of it: it goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - until our end


def _runtime(arguments: list[str]) -> int:
    if arguments[0] == "hook":
        from context_mode_runtime.hooks.process import run_process

        return run_process(arguments[1:], launched=False)
    from context_mode_runtime.server.app import main as serve

    return serve(arguments[1:])


if __name__ == "__main__":
    main()
