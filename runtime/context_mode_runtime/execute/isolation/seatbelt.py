"""The profile for macOS' `sandbox-exec`: text in the language of `sandbox(7)`; the last rule that matches decides."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.execute.isolation.places import Places

PROGRAM = "/usr/bin/sandbox-exec"
_SYSTEM = ("/System", "/Library", "/usr", "/bin", "/sbin", "/opt", "/private/etc", "/private/var/db", "/Applications")
_OUTSIDE = (
    "com.apple.SecurityServer",
    "com.apple.securityd",
    "com.apple.coreservices.launchservicesd",
    "com.apple.coreservices.appleevents",
)
"""Services that would hand out keychain entries, or start a program outside."""


def profile(places: Places) -> str:
    """The rules for one run. Strict when `places.read` names what may be read."""
    lines = ["(version 1)", "(allow default)", "(deny file-write*)", "(deny appleevent-send)"]
    lines += ["(deny signal)", "(allow signal (target same-sandbox))"]
    lines += [f"(deny mach-lookup (global-name {_quoted(name)}))" for name in _OUTSIDE]
    if places.read is not None:
        lines += ["(deny network*)", "(deny file-read-data)"]
        lines += [_rule("allow", "file-read-data", (*_SYSTEM, *places.read, *places.write, "/dev"))]
        lines += ['(allow file-read-data (literal "/"))']
    lines += [_rule("allow", "file-write*", places.write), '(allow file-write-data (regex #"^/dev/(null|zero|tty)$"))']
    if places.protect:
        lines.append(_rule("deny", "file-write*", places.protect))
        lines += [f"(deny file-write-unlink (literal {_quoted(path)}))" for path in _above(places)]
    if places.hide:
        lines.append(_rule("deny", "file-read* file-write*", places.hide))
    return "\n".join(lines) + "\n"


def _above(places: Places) -> list[str]:
    """Folders that may not be moved away with the protected parts in them."""
    return sorted({path.rpartition("/")[0] for path in places.protect} - {places.project})


def _rule(verb: str, what: str, folders: tuple[str, ...] | list[str]) -> str:
    return f"({verb} {what} {' '.join(f'(subpath {_quoted(path)})' for path in folders)})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
