"""`hook-errors.log`: one line an error, rotated at 1 MiB. Never raises: it is the last resort."""

from __future__ import annotations

import os
import time

from context_mode_runtime import limits, paths

_LINE_MAX = 2_000


def log_error(where: str, error: BaseException | str) -> None:
    """Appends `time where: error` as one line, secrets and control characters cut out. Silent where it can't write."""
    try:
        from context_mode_runtime.redact import redact

        kind = "" if isinstance(error, str) else f"{type(error).__name__}: "
        whole = f"{where}: {kind}{error}"
        clean, _ = redact(whole[: 4 * _LINE_MAX], cut_off=len(whole) > 4 * _LINE_MAX)
        text = "".join(c if c.isprintable() else " " for c in clean)[:_LINE_MAX]
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        _append(paths.error_log(), f"{stamp} {text}\n".encode(errors="replace"))
    except Exception:  # noqa: BLE001, S110 - a log that fails must not fail what it logs
        pass


def _append(path: str, line: bytes) -> None:
    paths.make_private(os.path.dirname(path))
    try:
        if os.path.getsize(path) + len(line) > limits.LOG_MAX_BYTES:
            _rotate(path, limits.LOG_MAX_BYTES - len(line))
    except OSError:
        pass
    handle = paths.open_private(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(handle, line)
    finally:
        os.close(handle)


def _rotate(path: str, room: int) -> None:
    """Moves the log aside unless another process just did: what is moved must be the file that is over `room`."""
    try:
        import fcntl
    except ImportError:
        os.replace(path, path + ".1")
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_size > room and os.path.samestat(os.stat(path), os.fstat(handle)):
            os.replace(path, path + ".1")
    finally:
        os.close(handle)
