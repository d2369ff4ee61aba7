"""From printed bytes to text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from context_mode_runtime.execute.clean import OVERWRITE_MAX, clean, clean_bytes

CASES = YAML(typ="safe").load(Path(__file__).with_name("clean.yaml"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_text_looks_as_a_terminal_would_leave_it(case: dict[str, str]) -> None:
    assert clean(case["printed"]) == case["shown"]


def test_f38_bad_bytes_become_replacement_characters() -> None:
    assert clean_bytes(b"ok\nerr caf\xe9\nend\n") == "ok\nerr caf\ufffd\nend\n"


def test_a_line_of_millions_of_overwritings_shows_the_last_stretch() -> None:
    line = "".join(f"{n} of 1000000\r" for n in range(100_000))
    assert len(line) > OVERWRITE_MAX
    assert clean(line + "\nend") == "99999 of 1000000\nend"


@given(st.binary(max_size=300))
def test_no_control_character_is_left_and_no_line_is_lost(data: bytes) -> None:
    text = clean_bytes(data)
    assert not [c for c in text if (ord(c) < 32 and c not in "\t\n") or c == "\x7f"]
    assert text.count("\n") <= data.count(b"\n")


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=100))
def test_text_without_control_characters_is_not_touched(text: str) -> None:
    assert clean(text) == text
    assert clean_bytes(text.encode()) == text
