"""The numbers in the pages are those of the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.docs.pages import DOCS, read
from tests.docs.part_policy import DEFAULT

from context_mode_runtime import limits

ROW = re.compile(r"^\| `([\w.]+)` \| ([\d,]+)[^|]*\| ([^|]+) \|$", re.MULTILINE)
SAID = {name: int(value.replace(",", "")) for name, value, _ in ROW.findall(read(DOCS / "how-it-works.md"))}


def numbers(table: dict[str, Any], path: str = "") -> Iterator[tuple[str, int]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from numbers(value, f"{path}{name}.")
        elif isinstance(value, int) and path:
            yield path + name, value


def test_every_number_is_said_with_its_value() -> None:
    code = {name: value for name, value in vars(limits).items() if name.isupper()}
    assert {name: value for name, value in SAID.items() if name.isupper()} == code
    assert {name: value for name, value in SAID.items() if not name.isupper()} == dict(numbers(DEFAULT))


def test_every_number_has_a_reason() -> None:
    assert all(len(why) > 8 for _, _, why in ROW.findall(read(DOCS / "how-it-works.md")))
