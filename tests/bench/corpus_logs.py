"""Logs of a made-up shop: mostly the same lines with other numbers, now and then something that happens once."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

MADE_OF = YAML(typ="safe").load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
BYTES = 300_000
"""Least size of each log."""
_DAY = "2031-05-04"
_PATHS = ("/", "/v2/{word}s/{n}", "/v2/{word}s?page={n}", "/assets/{word}-{id}.js", "/login", "/img/{word}/{n}.webp")


def texts() -> dict[str, str]:
    """Each log by its label."""
    return {"logs/compose.log": _container(), "logs/app.jsonl": _events(), "logs/access.log": _access()}


def _identity(draw: random.Random) -> str:
    return f"{draw.getrandbits(48):012x}"


def _filled(template: str, draw: random.Random) -> str:
    while "{n}" in template:
        template = template.replace("{n}", str(draw.randrange(1, 90_000)), 1)
    return template.replace("{id}", _identity(draw)).replace("{word}", draw.choice(MADE_OF["words"]))


def _clock(second: int) -> str:
    return f"{10 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def _mixed(usual: list[str], rare: list[str]) -> str:
    """The rare ones at even distances among the usual ones."""
    step = len(usual) // (len(rare) + 1)
    parts: list[str] = []
    for number, text in enumerate(rare):
        parts += [*usual[number * step : (number + 1) * step], text]
    return "".join([*parts, *usual[len(rare) * step :]])


def _lines(draw: random.Random, line: Any, fewest: int = BYTES) -> list[str]:
    """Lines that `line(number of the line)` gives, until they have this many characters."""
    out: list[str] = []
    size = 0
    while size < fewest:
        out.append(line(len(out)))
        size += len(out[-1])
    return out


def _container() -> str:
    draw = random.Random("compose")

    def usual(number: int) -> str:
        level, _, message = draw.choice(MADE_OF["usual"]).partition(" ")
        stamp = f"{_DAY}T{_clock(number * 3)}.{draw.randrange(1000):03}Z"
        service = draw.choice(MADE_OF["services"])
        return f"{service:<10} | {stamp} {level:<5} [{_identity(draw)}] {_filled(message.strip(), draw)}\n"

    lines = _lines(draw, usual)
    rare = [
        text.replace("{at}", f"{_DAY}T{_clock(700 * number + 41)}.{draw.randrange(1000):03}Z").replace(
            "{id}", _identity(draw)
        )
        for number, text in enumerate(MADE_OF["container"])
    ]
    return _mixed(lines, rare)


def _events() -> str:
    draw = random.Random("events")

    def framed(number: int, fields: dict[str, Any]) -> str:
        frame = {"ts": f"{_DAY}T{_clock(number * 4)}.{draw.randrange(1000):03}Z", "requestId": _identity(draw)}
        return json.dumps(frame | fields) + "\n"

    def usual(number: int) -> str:
        word = draw.choice(MADE_OF["words"])
        event = draw.choice(("created", "updated", "viewed", "synced", "rejected"))
        fields: dict[str, Any] = {"level": "info", "event": f"{word}.{event}", f"{word}Id": draw.randrange(10**6)}
        if event == "rejected":
            fields |= {"level": "warn", "error": {"type": "ValidationError", "message": f"{word} amount is missing"}}
        return framed(number, fields | {"durationMs": draw.randrange(900), "user": f"u{draw.randrange(5000)}"})

    lines = _lines(draw, usual)
    return _mixed(lines, [framed(500 + number * 31, fields) for number, fields in enumerate(MADE_OF["events"])])


def _access() -> str:
    draw = random.Random("access")

    def stamped(number: int) -> str:
        return f"04/May/2031:{_clock(number * 5)} +0000"

    def usual(number: int) -> str:
        path = _filled(draw.choice(_PATHS), draw)
        status = draw.choice((200, 200, 200, 200, 304, 301, 404, 500))
        agent = draw.choice(("Mozilla/5.0 (X11; Linux x86_64)", "acme-android/9.14", "curl/8.9.1"))
        head = f"192.0.2.{draw.randrange(1, 250)} - - [{stamped(number)}]"
        return f'{head} "GET {path} HTTP/1.1" {status} {draw.randrange(90_000)} "-" "{agent}"\n'

    lines = _lines(draw, usual)
    rare = [text.replace("{apache}", stamped(90 * number + 7)) + "\n" for number, text in enumerate(MADE_OF["access"])]
    return _mixed(lines, rare)
