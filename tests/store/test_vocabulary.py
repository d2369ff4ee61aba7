"""What the spelling fix knows: words, no figures, and of one text a bounded number."""

from __future__ import annotations

import unicodedata

import pytest

from context_mode_runtime.store import sources, words
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.search import search


def known(store: Store) -> set[str]:
    return {row[0] for row in store.db.execute("SELECT word FROM vocabulary")}


@pytest.mark.parametrize(
    ("word", "figure"),
    [
        ("1234", True),
        ("0x7f3a", True),
        ("9f86d081884c7d65", True),
        ("E3B0C442", True),
        ("4096mb", False),
        ("ed25519", False),
        ("deadbeef", False),
        ("utf8", False),
        ("0xygen", False),
    ],
)
def test_numbers_and_digests_are_figures(word: str, figure: bool) -> None:
    assert words.is_figure(word) is figure


def test_figures_are_found_and_no_words_of_the_vocabulary(store: Store) -> None:
    sources.add_source(store, "build 40961 of 9f86d081884c7d65 took long\n", label="a", kind="log")
    assert known(store) == {"build", "took", "long"}
    for figure in ("40961", "9f86d081884c7d65"):
        assert search(store, figure, scope="project").hits


def test_a_text_of_endless_different_words_gives_a_bounded_vocabulary(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "VOCABULARY_MAX", 500)
    text = "".join(f"step item{n}x done\n" for n in range(20_000))
    sources.add_source(store, text, label="a", kind="log")
    assert 500 <= len(known(store)) < 1_000
    assert search(store, "item19999x", scope="project").hits
    sources.add_source(store, "few words left\n", label="b", kind="log")
    assert len(known(store)) < 1_000


def test_a_source_that_changes_takes_its_words_with_it(store: Store) -> None:
    sources.add_source(store, "alpha parseHeaderLine 12345\n", label="a", kind="log", origin="run:1")
    sources.add_source(store, "bravo\n", label="a", kind="log", origin="run:1")
    assert known(store) == {"bravo"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don\u2019t — “quote” … a→b │ ✓", ["don", "t", "quote", "a", "b"]),
        ("naïve café — résumé", ["naïve", "café", "résumé"]),
        ("Ελληνικά кириллица \u2019 x_y", ["Ελληνικά", "кириллица", "x", "y"]),
        ("x² ½ Ⅻ ①", ["x²", "½", "Ⅻ", "①"]),
        ("函数 return 値", ["函数", "return", "値"]),
    ],
)
def test_words_beyond_ascii(text: str, expected: list[str]) -> None:
    assert words.words_of(text) == expected


def test_the_composed_ranges_hold_nothing_that_nfc_changes() -> None:
    decomposed = [unicodedata.decomposition(chr(code)).split() for code in range(0x110000)]
    seconds = {chr(int(parts[1], 16)) for parts in decomposed if len(parts) == 2 and parts[0][0] != "<"}
    for first, last in words.COMPOSED:
        for char in map(chr, range(ord(first), ord(last) + 1)):
            assert unicodedata.normalize("NFC", char) == char
            assert not unicodedata.combining(char)
            assert char not in seconds
    assert words.nfc("e\u0301") == "é"
