"""Reads the values of a policy file, key by key; the schema says the same for editors."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Apply = Callable[[Any, Any], str]
    """Puts a value into a policy; what it returns is a finding, or empty."""

ROUTES = ("webfetch", "curl", "inlineHttp", "build", "read", "dump", "replace", "seat")
BUDGET = {
    "windowMs": "window_ms",
    "fullCalls": "full_calls",
    "fullHits": "full_hits",
    "calls": "calls",
    "laterHits": "later_hits",
}
"""Key in the file to name in the store."""
SANDBOX = ("off", "project", "strict")
_FETCH_NUMBERS = ("maxBytes", "timeoutMs", "ttlHours")
_RETENTION = ("days", "maxMegabytes", "backups")


class Read:
    """A value as the program uses it, and what of it could not be read."""

    __slots__ = ("problems", "value")

    def __init__(self, value: Any, problems: list[str]) -> None:  # noqa: ANN401 - each key has its own type
        self.value = value
        self.problems = problems


def _version(value: object) -> Read:
    if value != 1 or isinstance(value, bool):
        raise ValueError(f"this version knows 1, not {value!r}")
    return Read(1, [])


def _switch(value: object) -> bool:
    if value in ("on", "off") and isinstance(value, str):
        return value == "on"
    raise ValueError(f'"on" or "off", not {value!r}')


def _switch_read(value: object) -> Read:
    return Read(_switch(value), [])


def _table(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - the file is wrong, not a type of ours
    return value


def _routes(value: object) -> Read:
    out: dict[str, bool] = {}
    problems: list[str] = []
    for name, item in _table(value).items():
        if name not in ROUTES:
            problems.append(f"unknown route {name!r}; known: {', '.join(ROUTES)}")
            continue
        try:
            out[name] = _switch(item)
        except ValueError as error:
            problems.append(f"{name}: {error}")
    return Read(out, problems)


def _texts(value: object) -> Read:
    if not isinstance(value, list):
        raise ValueError("it is no list of texts")  # noqa: TRY004 - the file is wrong, not a type of ours
    problems = [f"no text: {item!r}" for item in value if not isinstance(item, str) or not item]
    return Read([item for item in value if isinstance(item, str) and item], problems)


def _servers(value: object) -> Read:
    out: dict[str, list[str]] = {}
    problems = [f"unknown key {name!r}; known: replace" for name in _table(value) if name != "replace"]
    for name, item in _table(_table(value).get("replace", {})).items():
        if name not in ("allow", "deny"):
            problems.append(f"replace: unknown key {name!r}; known: allow, deny")
            continue
        try:
            read = _texts(item)
            out[name] = read.value
            problems += [f"replace.{name}: {problem}" for problem in read.problems]
        except ValueError as error:
            problems.append(f"replace.{name}: {error}")
    return Read(out, problems)


def _number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1 << 53:
        raise ValueError(f"a number above 0, not {value!r}")
    return value


def _word(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f'"off", "environment" or an address, not {value!r}')
    return value


def _fetch(value: object) -> Read:
    out: dict[str, object] = {}
    problems: list[str] = []
    for name, item in _table(value).items():
        try:
            if name == "privateHosts":
                read = _texts(item)
                out[name] = read.value
                problems += [f"{name}: {problem}" for problem in read.problems]
            elif name == "proxy":
                out[name] = _word(item)
            elif name in _FETCH_NUMBERS:
                out[name] = _number(item)
            else:
                problems.append(f"{name}: unknown; known: privateHosts, proxy, {', '.join(_FETCH_NUMBERS)}")
        except ValueError as error:
            problems.append(f"{name}: {error}")
    return Read(out, problems)


def _numbers(names: tuple[str, ...]) -> Callable[[object], Read]:
    def read(value: object) -> Read:
        out: dict[str, int] = {}
        problems: list[str] = []
        for name, item in _table(value).items():
            if name not in names:
                problems.append(f"{name}: unknown; known: {', '.join(names)}")
                continue
            try:
                out[name] = int(_number(item))
            except ValueError as error:
                problems.append(f"{name}: {error}")
        return Read(out, problems)

    return read


def _sandbox(value: object) -> Read:
    if value not in SANDBOX or not isinstance(value, str):
        raise ValueError(f"one of {', '.join(SANDBOX)}, not {value!r}")
    return Read(value, [])


READERS: dict[str, Callable[[object], Read]] = {
    "version": _version,
    "routes": _routes,
    "inject": _switch_read,
    "capture": _switch_read,
    "allowHosts": _texts,
    "mcpServers": _servers,
    "fetch": _fetch,
    "searchBudget": _numbers(tuple(BUDGET)),
    "retention": _numbers(_RETENTION),
    "redact": _texts,
    "sandbox": _sandbox,
}
KEYS = ("version", "deny", "ask", "allow", *[key for key in READERS if key != "version"])
