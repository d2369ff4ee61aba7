"""What the runtime can check of itself where the installer is not there: a native package folder, say."""

from __future__ import annotations

import os
import platform
import sys

from context_mode_runtime import paths
from context_mode_runtime.server import installed
from context_mode_runtime.server.call import ToolError
from context_mode_runtime.version import VERSION, too_old

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from context_mode_runtime.server.call import Call

    Row = tuple[str, str, str]
    """Status, detail, fix."""

TITLES = {
    "D1": "version", "D2": "python", "D3": "MCP entry", "D4": "leftovers", "D5": "hook replies", "D6": "hook time",
    "D7": "MCP handshake", "D8": "store", "D9": "policy", "D10": "skills", "D11": "shells, languages",
    "D12": "switches, trust", "D13": "data folder",
}  # fmt: skip
"""The checks of doctor, by their numbers."""


def environment(agent: str) -> list[str]:
    """The two lines that a report begins with."""
    system = f"{platform.system().lower()}-{platform.machine()}"
    where = (
        f"Python {platform.python_version()} at {paths.tilde(sys.executable)}, shell {os.environ.get('SHELL', 'none')}"
    )
    return [f"Environment: context-mode {VERSION}, agent {agent or '?'} ?", f"Environment: {system}, {where}"]


def rows(call: Call, names: Iterable[str] = TITLES) -> list[list[str]]:
    """One row a check: what the runtime knows of itself, the rest SKIP with the command that brings the installer."""
    out = []
    for name in names:
        title = TITLES[name]
        check = _CHECKS.get(name)
        status, detail, fix = _tried(check, call) if check else ("SKIP", "needs the installer", installed.INSTALL)
        out.append([f"{name} {title}", status, detail, fix])
    return out


def _tried(check: Callable[[Call], Row], call: Call) -> Row:
    try:
        return check(call)
    except ToolError as error:
        return "SKIP", str(error), "-"
    except Exception as error:  # noqa: BLE001 - a check that raises is a finding
        return "FAIL", f"the check itself failed: {type(error).__name__}: {error}", "-"


def _version(_call: Call) -> Row:
    return "PASS", f"context-mode {VERSION}, without its installer", "-"


def _python(_call: Call) -> Row:
    old = too_old(sys.version_info[:2], paths.tilde(sys.executable))
    return ("FAIL", old, installed.INSTALL) if old else ("PASS", paths.tilde(sys.executable), "-")


def _store(call: Call) -> Row:
    from context_mode_runtime.store import health, inventory
    from context_mode_runtime.store.errors import StoreError, StoreMissingError

    every = inventory.all_files()
    total = inventory.spoken(sum(one.bytes + one.wal for one in every))
    sizes = f"{len(every)} projects, {total} in all"
    try:
        findings = health.findings(call.store(create=False))
    except StoreMissingError:
        return "PASS", f"nothing stored for this project; {sizes}", "-"
    except StoreError as error:
        return "FAIL", f"{paths.tilde(error.path)}: {error.reason}", "-"
    return ("WARN", f"{findings[0]}; {sizes}", "-") if findings else ("PASS", sizes, "-")


def _policy(call: Call) -> Row:
    from context_mode_runtime.policy.load import load_policy

    found = load_policy(call.found.root if call.found else None)
    if found.closed:
        return "FAIL", f"the gate is closed, nothing runs: {found.closed}", "-"
    count = f"{len(found.deny) + len(found.ask)} deny and ask rules of ours"
    return ("WARN", found.findings[0], "-") if found.findings else ("PASS", count, "-")


def _languages(call: Call) -> Row:
    from context_mode_runtime.execute import languages
    from context_mode_runtime.execute.isolation import mechanism
    from context_mode_runtime.policy.load import load_policy

    policy = load_policy(call.found.root if call.found else None)
    works, sandbox = mechanism.told(policy.sandbox, from_project=policy.sandbox_by_project)
    found = languages.available()
    there = ", ".join(f"{name} {paths.tilde(path)}" for name, path in found.items())
    if "shell" not in found:
        return "FAIL", "no shell was found", "-"
    return "PASS" if works else "WARN", f"{sandbox}; {there}", "-"


def _data_folder(_call: Call) -> Row:
    from context_mode_runtime.store import filesystem

    root = paths.data_root()
    if os.path.exists(root) and not os.path.isdir(root):
        return "FAIL", f"{paths.tilde(root)} is no folder", f"ls -l {paths.tilde(root)}"
    if not os.path.isdir(root):
        return "PASS", f"{paths.tilde(root)}: made with the first text that is stored", "-"
    if filesystem.is_read_only(root):
        return "FAIL", f"{paths.tilde(root)} {filesystem.READ_ONLY}", f"df {paths.tilde(root)}"
    if not os.access(root, os.W_OK | os.X_OK):
        return "FAIL", f"{paths.tilde(root)} can't be written", f"chmod 700 {paths.tilde(root)}"
    if os.name == "posix" and os.stat(root).st_mode & 0o077:
        return "WARN", f"{paths.tilde(root)} can be read by others", f"chmod 700 {paths.tilde(root)}"
    return "PASS", f"{paths.tilde(root)}, private", "-"


_CHECKS: dict[str, Callable[[Call], Row]] = {
    "D1": _version,
    "D2": _python,
    "D8": _store,
    "D9": _policy,
    "D11": _languages,
    "D13": _data_folder,
}
