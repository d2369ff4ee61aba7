"""What we want and what the user made of it, put together: a longer time limit or one more variable stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_mode_installer import formats

if TYPE_CHECKING:
    from context_mode_installer.formats import Path
    from context_mode_installer.plan.draft import Config


def merged(wanted: object, current: object, written: object) -> object:
    """`wanted`, with the user's changes that don't break it. `written` is what setup wrote last, MISSING if unknown.

    Texts say what runs and are always ours. A number or switch that the user changed or took out stays so; keys that we
    don't know stay; a list may hold more than we want.
    """
    if isinstance(wanted, dict) and isinstance(current, dict):
        return _merged_table(wanted, current, written)
    if isinstance(wanted, list) and isinstance(current, list):
        rest = iter(current)
        return current if all(any(formats.same(item, one) for one in rest) for item in wanted) else wanted
    mine = written if written is not formats.MISSING else wanted
    if type(wanted) is type(current) and not isinstance(wanted, str) and not formats.same(current, mine):
        return current
    return wanted


def _merged_table(wanted: dict[str, object], current: dict[str, object], written: object) -> dict[str, object]:
    out = dict(current)
    for key, value in wanted.items():
        old = formats.get(written, (key,))
        if key in current:
            out[key] = merged(value, current[key], old)
        elif old is formats.MISSING or isinstance(value, str | list | dict):
            out[key] = value
    return out


def write_differences(config: Config, at: Path, current: object, new: object) -> bool:
    """Writes what differs, value by value, so that remarks and order inside stay. Says whether anything did."""
    if formats.same(current, new):
        return False
    if not isinstance(current, dict) or not isinstance(new, dict):
        config.set(at, new)
        return True
    for key, value in new.items():
        old = current.get(key, formats.MISSING)
        if old is formats.MISSING:
            config.set((*at, key), value)
        else:
            write_differences(config, (*at, key), old, value)
    for key in current:
        if key not in new:
            config.remove((*at, key))
    return True
