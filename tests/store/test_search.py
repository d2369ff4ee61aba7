"""Any text is a query; the right part comes first; nothing is explained."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from context_mode_runtime.limits import SNIPPET_MAX_BYTES
from context_mode_runtime.store.chunks import PLAIN
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.search import Found, search
from context_mode_runtime.store.snippet import GAP, snippet
from context_mode_runtime.store.sources import add_source, source_text

HERE = Path(__file__).parent
CASES = YAML(typ="safe").load((HERE / "relevance.yaml").read_text(encoding="utf-8"))
Form = Literal["NFC", "NFD"]


def load(store: Store) -> None:
    for file in CASES["files"]:
        text = (HERE / "texts" / file["name"]).read_text(encoding="utf-8")
        add_source(store, text, label=file["name"], kind=file["kind"], conversation="c1", worktree="/w1")


@pytest.mark.parametrize("case", CASES["queries"], ids=lambda case: case["q"])
def test_the_right_part_comes_first(store: Store, case: dict[str, str]) -> None:
    load(store)
    found = search(store, case["q"], scope="project")
    top = found.hits[0]
    assert (top.label, case["text"] in top.snippet) == (case["file"], True), [
        (hit.label, hit.heading, hit.snippet[:200]) for hit in found.hits
    ]
    if "heading" in case:
        assert top.heading == case["heading"]


QUERIES = [
    "retry-budget", "38.101", "@acme", "C++", "a=b", "src/auth/login.ts", "don't", '"', "*", "AND", "NEAR(", "col:val",
    "^x", "50%", "why?", "", " ", "\0", "\ud800", "NOT", "OR OR", '"a" NOT', "{heading}: x", "a" * 300, "a " * 5000,
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES, ids=repr)
def test_any_text_is_a_query(store: Store, query: str) -> None:
    add_source(store, f"before\n{query[:300]} stands here\nafter\n", label="a", kind="log")
    found = search(store, query, scope="project")
    if any(map(str.isalnum, query)) and query.strip():
        assert "stands here" in found.hits[0].snippet
    else:
        assert found.nothing is not None
        assert "no word" in found.nothing.text


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text(max_size=60))
def test_no_query_raises(store: Store, query: str) -> None:
    add_source(store, "用户认证 plain text with words\n", label="a", kind="log")
    for scope in ("project", "session", "worktree"):
        search(store, query, scope=scope, conversation="c", worktree="/w")


@pytest.mark.parametrize("query", ["认证", "令牌登", "用户", "录", "승인", "초과", "ログ", "ファイル"])
def test_words_inside_unspaced_text_are_found(store: Store, query: str) -> None:
    add_source(store, "用户认证系统使用令牌登录\n", label="zh", kind="text")
    add_source(store, "초과근무 승인 규칙\n", label="ko", kind="text")
    add_source(store, "ログファイルを読む\n", label="ja", kind="text")
    hit = search(store, query, scope="project").hits[0]
    assert query in hit.snippet


@pytest.mark.parametrize(("form", "asked"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_both_unicode_forms_find_each_other(store: Store, form: Form, asked: Form) -> None:
    for word in ("Überprüfung", "café", "승인"):
        text = unicodedata.normalize(form, word)
        add_source(store, ("filler line\n" * 200) + text + " is here\n" + "more filler\n" * 200, label=word, kind="log")
        hit = search(store, unicodedata.normalize(asked, word), scope="project").hits[0]
        assert text in hit.snippet
        assert text in source_text(store, hit.sid)


def why(found: Found) -> tuple[str, list[str], int]:
    assert not found.hits
    assert found.nothing is not None
    return found.nothing.kind, found.nothing.near, found.nothing.elsewhere


def test_the_reasons_for_nothing_are_told_apart(store: Store) -> None:
    assert why(search(store, "walrus")) == ("empty", [], 0)
    add_source(store, "the walrus sleeps", label="zoo.md", kind="text", conversation="c1", worktree="/w1")
    assert why(search(store, "walrus", scope="session", conversation="c2")) == ("scope", [], 1)
    assert why(search(store, "walrus", scope="session", conversation=None)) == ("scope", [], 1)
    add_source(store, "plain filler", label="other.md", kind="text", conversation="c2", worktree="/w2")
    assert why(search(store, "walrus", scope="session", conversation="c2")) == ("scope", [], 1)
    assert why(search(store, "walrus", scope="worktree", worktree="/w2")) == ("scope", [], 1)
    assert why(search(store, "walrus", source="other.md")) == ("scope", [], 1)
    assert why(search(store, "xylophone", scope="project"))[0] == "no_match"
    assert why(search(store, "wxlrxs", scope="project"))[:2] == ("no_match", [])
    assert why(search(store, "walrus", source="zoe.md"))[:2] == ("no_source", ["zoo.md", "other.md"])


def test_scopes_hold_their_own_sources(store: Store) -> None:
    for number, (conversation, worktree) in enumerate((("c1", "/w1"), ("c2", "/w1"), ("c3", "/w2"), ("c4", None))):
        add_source(
            store, f"walrus {number}", label=str(number), kind="text", conversation=conversation, worktree=worktree
        )

    def labels(scope: str, conversation: str | None = None, worktree: str | None = None) -> list[str]:
        found = search(store, "walrus", limit=9, scope=scope, conversation=conversation, worktree=worktree)
        return sorted(hit.label for hit in found.hits)

    assert labels(scope="session", conversation="c1") == ["0"]
    assert labels(scope="worktree", worktree="/w1") == ["0", "1", "3"]
    assert labels(scope="project") == ["0", "1", "2", "3"]
    with pytest.raises(ValueError, match="session, worktree, project"):
        search(store, "walrus", scope="all")


def test_one_unknown_word_among_known_ones_is_corrected(store: Store) -> None:
    add_source(
        store,
        "# Foreign keys\n\nAdd a foreign key constraint.\n\n# Other\n\nkeys and more keys\n",
        label="a",
        kind="markdown",
    )
    found = search(store, "forein keys", scope="project")
    assert found.fixed == [("forein", "foreign")]
    assert found.hits[0].heading == "Foreign keys"


def test_identifiers_are_found_by_their_parts(store: Store) -> None:
    add_source(store, "call fileURLToPath(x) here", label="a", kind="code")
    add_source(store, "call parse_http_header(x) here", label="b", kind="code")
    add_source(store, "see src/auth/login.ts here", label="c", kind="code")
    for query, label in (
        ("file path url", "a"), ("fileURLToPath", "a"), ("fileurltopath", "a"), ("file_url_to_path", "a"),
        ("parseHttpHeader", "b"), ("http header", "b"), ("login.ts", "c"), ("auth/login", "c"), ("urltop", "a"),
    ):  # fmt: skip
        assert search(store, query, scope="project").hits[0].label == label, query


def test_a_source_is_read_in_order(store: Store) -> None:
    text = "".join(f"line {number} {'x' * 60}\n" for number in range(300))
    add_source(store, text, label="run", kind="log")
    parts = [search(store, "", source="run", limit=2)]
    while parts[-1].next:
        parts.append(search(store, "", source="run", offset=parts[-1].next, limit=2))
    assert "".join(hit.snippet for part in parts for hit in part.hits) == text
    assert parts[-1].hits[-1].heading.startswith("lines ")
    for behind in (99, 10**20):
        assert why(search(store, "", source="run", offset=behind))[0] == "no_match"


def test_snippets_are_verbatim_bounded_and_hold_the_match(store: Store) -> None:
    words = [f"needle{number:03}" for number in range(40)]
    lines = [
        f"{'filler words ' * (1 + number % 9)}{word} {'more filler ' * (number % 7)}"
        for number, word in enumerate(words)
    ]
    add_source(store, "\n".join(lines), label="lines", kind="log")
    add_source(store, "é" * 3000 + " oneline " + "é" * 3000, label="long", kind="text")
    for word in (*words, "oneline"):
        hit = search(store, word, scope="project").hits[0]
        assert word in hit.snippet
        assert len(hit.snippet.encode()) <= SNIPPET_MAX_BYTES
        text = source_text(store, hit.sid)
        stretches = hit.snippet.split(GAP)
        assert len(stretches) <= 2
        assert all(stretch.strip("\n") in text for stretch in stretches)


def test_a_snippet_holds_the_two_places_that_say_most(store: Store) -> None:
    filler = "".join(f"Nothing of note happens in step {number} of it.\n" for number in range(20))
    text = f"## Quarry pump\n\nThe quarry pump starts by hand.\n{filler}The pump stops at depth: 417 m.\n{filler}"
    add_source(store, text, label="pump", kind="markdown")
    (hit, *_) = search(store, "quarry pump starts, stops at which depth", scope="project").hits
    assert "starts by hand" in hit.snippet
    assert "417 m" in hit.snippet
    assert GAP in hit.snippet


def test_the_second_place_says_what_the_first_does_not(store: Store) -> None:
    row = "".join(f"{number:02x}:" * 16 + "\n" for number in range(16))
    twice = "Issuer: Skerry Premium ECC\nNot before: May\n"
    text = f"# Skerry Premium ECC\n{twice}{row}Subject: Skerry Premium ECC\n{row}NIST CURVE: P-384\n{row}"
    add_source(store, text, label="certificate", kind="markdown")
    (hit, *_) = search(store, "Skerry Premium ECC curve", scope="project").hits
    assert "Skerry Premium ECC" in hit.snippet
    assert "P-384" in hit.snippet


POD = "Name:    {name}-pod\nNode:    worker-2\n{filler}Events:\n  Warning: {event}\n"


@pytest.mark.parametrize("kind", PLAIN)
def test_what_stands_far_below_the_name_of_a_record_is_found_by_it(store: Store, kind: str) -> None:
    filler = "".join(f"  variable_{number}: some value of it\n" for number in range(70))
    events = {"mail": "disk is full", "geo": "secret is missing", "cron": "image is gone", "auth": "probe failed"}
    pods = (POD.format(name=name, filler=filler, event=event) for name, event in events.items())
    add_source(store, "\n".join(pods), label="pods", kind=kind)
    for name, event in events.items():
        hit = search(store, f"{name} pod events warning", scope="project").hits[0]
        assert (hit.heading, event in hit.snippet) == (f"Name: {name}-pod", True)


COLUMNS = [
    "code",
    "name",
    "official_name",
    *(f"remark_of_kind_{number}" for number in range(12)),
    "currency_alphabetic",
]


@pytest.mark.parametrize(
    "query", ["Brondal currency alphabetic", "official name Brondal", "currency_alphabetic of Brondal"]
)
def test_a_row_leads_before_the_line_that_names_the_columns(store: Store, query: str) -> None:
    rows = [
        [f"C{number}", f"Land{number}", f"State of Land{number}", *"abcdefghijkl", f"XQ{number}"]
        for number in range(90)
    ]
    rows[70][1:3] = ["Brondal", "Realm of Brondal"]
    add_source(store, "\n".join(",".join(row) for row in [COLUMNS, *rows]), label="lands.csv", kind="text")
    add_source(store, "The currency of most lands is alphabetic. Its official name is long.", label="note", kind="text")
    assert "Realm of Brondal" in search(store, query, scope="project").hits[0].snippet


def test_the_columns_are_found_by_their_names(store: Store) -> None:
    add_source(store, "id,colour,weight\n" + "1,red,7\n" * 900, label="t.csv", kind="text")
    assert search(store, "colour weight", scope="project").hits[0].heading == "id,colour,weight"


def test_the_label_of_a_source_counts(store: Store) -> None:
    for label in ("wget", "curl", "ftp"):
        add_source(
            store, f"Exit status 28: it was too slow.\nNote of {label[:2]}.", label=f"man-{label}.txt", kind="text"
        )
    assert search(store, "curl exit status 28", scope="project").hits[0].label == "man-curl.txt"


def test_one_that_holds_half_of_what_is_asked_follows_one_with_the_rare_word(store: Store) -> None:
    for number in range(40):
        add_source(store, f"Version {number} is installed, the installed version.", label=f"v{number}", kind="text")
    add_source(store, "heaptrack 1.4.0\n", label="list", kind="text")
    assert search(store, "installed version of heaptrack", scope="project").hits[0].label == "list"


@pytest.mark.parametrize(
    ("query", "text"), [("running job", "it continues to run as a job"), ("copy job", "he copies a job")]
)
def test_other_forms_of_short_words_count(store: Store, query: str, text: str) -> None:
    add_source(store, "A job that nobody knows of, and a job that is new.\n", label="other", kind="text")
    add_source(store, f"Of all that is new here {text}.\n", label="right", kind="text")
    assert search(store, query, scope="project").hits[0].label == "right"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [("carry the refund over", ("commit 00002a", "Author: Ada")), ("deposit 30 leaked", ("test_30 ____", "assert 30"))],
)
def test_what_a_record_begins_with_comes_along(store: Store, query: str, wanted: tuple[str, ...]) -> None:
    commits = [
        f"commit {n:06x}\nAuthor: {'Ada' if n == 42 else 'Bo'} <a@b.example>\nDate:   2031-04-{n:02}\n\n"
        f"    {'ledger: carry the refund over' if n == 42 else 'mend it'}\n\n src/f{n}.py | {n} +-\n\n"
        for n in range(90)
    ]
    failures = [
        f"____ test_{n} ____\n\n    def test():\n>       assert {n}\nE       deposit {n} leaked\n\n" for n in range(60)
    ]
    add_source(store, "".join(commits), label="git log", kind="log")
    add_source(store, "==== FAILURES ====\n" + "".join(failures), label="pytest", kind="log")
    shown = search(store, query, scope="project").hits[0].snippet
    assert [part for part in wanted if part not in shown] == []


FORMS = "\n\n".join(
    f"Paragraph {n} of the manual says nothing that anybody asks for, and it says it at length." for n in range(40)
)


@pytest.mark.parametrize(
    ("query", "first", "second"),
    [
        ("which folder", "The folder holds the file names which matter.", "Folders hold file names, which matter."),
        (
            "grace_period default",
            "grace_period (integer)\n    five by default",
            "see grace_period, by default it is five",
        ),
        ("file name limit", "the filename limit is 255", "a limit is set in the file, by its first name"),
        ("SHA-1 of a row", "the sha1 of a row is its key", "of 1 row"),
    ],
    ids=lambda text: text[:20],
)
def test_of_two_that_hold_the_words_the_closer_one_leads(store: Store, query: str, first: str, second: str) -> None:
    add_source(store, f"{FORMS}\n\n{second}\n\n{FORMS}", label="second", kind="text")
    add_source(store, f"{FORMS}\n\n{first}\n\n{FORMS}", label="first", kind="text")
    assert first.partition("\n")[0] in search(store, query, scope="project").hits[0].snippet


LINES = st.lists(
    st.sampled_from(["", "word", "    word and word", "x" * 70, "é" * 200, "word " * 90]), min_size=1, max_size=60
)


@given(
    lines=LINES,
    places=st.lists(st.tuples(st.integers(0, 4_000), st.integers(0, 3)), min_size=1, max_size=20),
    records=st.booleans(),
)
@example(lines=["x" * 1_200 + "y" * 394], places=[(0, 0), (1_300, 1)], records=False)
def test_any_snippet_is_bounded_and_of_the_text(lines: list[str], places: list[tuple[int, int]], records: bool) -> None:
    text = "\n".join(lines)
    known = sorted((at % max(len(text), 1), word, 0.2) for at, word in places)
    shown = snippet(text, known, (known[0][0], known[len(known) // 2][0]), records=records)
    assert len(shown.encode()) <= SNIPPET_MAX_BYTES
    assert all(part.strip("\n") in text for part in f"{shown}\n".split(GAP))


def test_what_stands_in_a_comment_is_not_what_a_page_says(store: Store) -> None:
    history = "<!-- YAML\nchanges: walrus feeding was added\n-->\n"
    add_source(store, f"# One\n\n{history}\nHow to clean the pool.\n", label="one", kind="markdown")
    add_source(store, "# Two\n\nBefore walrus feeding the pool is closed.\n", label="two", kind="markdown")
    assert [hit.label for hit in search(store, "walrus feeding", scope="project").hits] == ["two", "one"]


def test_rare_words_that_say_little_do_not_lead(store: Store) -> None:
    add_source(store, "# Tide\n\nPerhaps it takes too long.\n", label="talk", kind="markdown")
    for number in range(30):
        add_source(store, f"# Pier {number}\n\nThe harbour has a pier.\n", label=f"pier {number}", kind="markdown")
    add_source(store, "# Mooring\n\nMooring at the harbour pier: 45 minutes.\n", label="mooring", kind="markdown")
    hits = search(store, "how long does mooring at the harbour take", scope="project").hits
    assert hits[0].label == "mooring"


def test_equal_chunks_of_two_sources_are_shown_once(store: Store) -> None:
    for label in ("a", "b"):
        add_source(store, "the walrus sleeps\n", label=label, kind="text")
    assert len(search(store, "walrus", scope="project").hits) == 1


SPELLING = YAML(typ="safe").load((HERE / "spelling.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("asked", "known"), SPELLING["asked"].items())
def test_unknown_words_are_corrected_to_near_ones_only(store: Store, asked: str, known: str | None) -> None:
    add_source(store, SPELLING["known"], label="a", kind="log")
    assert search(store, asked, scope="project").fixed == ([(asked, known)] if known else [])


def test_an_unknown_camel_case_word_is_looked_for_by_each_of_its_parts(store: Store) -> None:
    text = "# Address\n\nnothing but the address\n\n# Lists\n\ncollapse a list of address objects\n"
    add_source(store, text, label="n", kind="markdown")
    assert search(store, "collapseAddress").hits[0].heading == "Lists"


@pytest.mark.parametrize(
    ("query", "text"),
    [("再送は何回まで", "上限まで再送します。既定では六回です。"), ("最多重试几次", "客户端会重试六次后放弃。")],
)
def test_a_sentence_without_spaces_is_looked_for_by_pairs(store: Store, query: str, text: str) -> None:
    add_source(store, f"# 一\n\n無関係\n\n# 二\n\n{text}\n", label="n", kind="markdown")
    assert search(store, query).hits[0].heading == "二"
