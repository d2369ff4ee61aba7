"""What the spelling fix knows: words, no figures, and of one text a bounded number."""

from __future__ import annotations

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
