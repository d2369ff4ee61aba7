"""Secrets go, ordinary text stays, and the time grows with the text, not faster."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from context_mode_runtime import redact as redaction
from context_mode_runtime.redact import PRIVATE, REDACTED, redact

CASES = YAML(typ="safe").load(Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES["cut"], ids=lambda case: case["text"][:40])
def test_secrets_are_cut(case: dict[str, str]) -> None:
    text, cut = redact(case["text"])
    assert text == case["out"]
    marks = text.count(REDACTED) * len(REDACTED) + text.count(PRIVATE) * len(PRIVATE)
    assert cut == len(case["text"].encode()) - len(text.encode()) + marks


@pytest.mark.parametrize("case", CASES["kept"], ids=lambda case: case["text"][:40])
def test_ordinary_text_is_kept(case: dict[str, str]) -> None:
    assert redact(case["text"]) == (case["text"], 0)


@pytest.mark.parametrize("case", CASES["cut"], ids=lambda case: case["text"][:40])
def test_a_second_time_cuts_nothing_more(case: dict[str, str]) -> None:
    assert redact(case["out"]) == (case["out"], 0)


@given(st.data())
def test_a_prefixed_value_is_one_long_word(data: st.DataObject) -> None:
    needle, back, source = data.draw(st.sampled_from([one for one in redaction._PREFIXES if "/" not in one[2]]))
    value = data.draw(st.from_regex(source, fullmatch=True, alphabet=st.characters(codec="ascii")))
    words = redaction._long_words(f"({value})".encode())[1]
    assert words == [value.encode()]
    assert value.startswith(needle, back)


TAGGED = re.compile(r"(?s).?<private>.*?</private>", re.IGNORECASE)
MENTION = re.compile(r"(?s)([`'\"])<private>\1[^\n]*\n.*", re.IGNORECASE)
PIECES = st.sampled_from(
    ["password", "token", "key", "=", ": ", '"', "'", "\\", "<private>", "</private>", "-----BEGIN PRIVATE KEY-----",
     "-----END PRIVATE KEY-----", "://", "@", "eyJ", ".", "\n", "\u0130", "é", "\ud800", "a1b2c3d4", "AKIA", " "]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=8), max_size=40))
def test_any_text_passes_and_private_text_never_does(pieces: list[str]) -> None:
    text = "".join(pieces)
    out, cut = redact(text)
    assert cut >= 0
    assert [found for found in TAGGED.finditer(out) if not MENTION.fullmatch(found[0])] == []
    assert (out == text) == (cut == 0)


@given(st.lists(PIECES | st.text(max_size=8), max_size=40))
def test_of_a_text_that_was_cut_off_an_open_private_part_goes_too(pieces: list[str]) -> None:
    out, _ = redact("".join(pieces), cut_off=True)
    assert [found for found in re.finditer(r"(?s)(.?)<private>(.?)", out, re.IGNORECASE) if found[1] != found[2]] == []


@pytest.mark.parametrize(
    "unit",
    ["password", 'password="', "secret_key_", "key=", "<private>", "-----BEGIN PRIVATE KEY-----", "://a:", "eyJaaa",
     "auth", "token token", "name: token ", "a" * 64, "`<private>`", "`<private>`\n", "<private>`</private>"],
)  # fmt: skip
def test_hostile_repeats_end(unit: str) -> None:
    text = unit * (400_000 // len(unit))
    redact(text)


def test_a_name_of_the_policy_is_one_also_where_it_is_a_doubtful_one_of_ours() -> None:
    text = "key: abc\nnext_token=foo\npwd: here\n"
    assert redact(text) == (text, 0)
    assert redact(text, ["Key", "token", "pwd"])[0] == "key: [redacted]\nnext_token=[redacted]\npwd: [redacted]\n"


def test_further_key_names_of_the_policy() -> None:
    text = "SORT_CODE=123456\nsortCode: plain\nother: plain"
    assert redact(text, ["sort_code", "sortcode"])[0] == "SORT_CODE=[redacted]\nsortCode: [redacted]\nother: plain"
    assert redact(text) == (text, 0)
