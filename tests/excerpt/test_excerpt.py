"""What an excerpt may be made of, whatever the text; and which lines it picks."""

from __future__ import annotations

import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_mode_runtime.excerpt import Excerpt, excerpt, more_line, short_reply, size
from context_mode_runtime.excerpt_scan import intent_words

GAP = re.compile(r"\[\.\.\. (\d+) (lines?|B of this line) left out \.\.\.\]")

words = st.sampled_from(
    [
        "error",
        "FAILED tests/a.py::b - x",
        "E   boom",
        "ok",
        "zwölf",
        "🚀",
        "a" * 700,
        "x, y; z " * 90,
        "",
        "  indented",
        "12:00 INFO",
    ]
)
texts = st.lists(st.one_of(words, st.text(max_size=40)), max_size=120).map("\n".join)


def check(text: str, part: Excerpt, budget: int) -> None:
    assert size(part.text) <= max(budget, 0)
    at = 0
    for line in part.text.split("\n"):
        if GAP.fullmatch(line) and line not in text:
            continue
        found = text.find(line, at)
        assert found >= 0, line
        at = found + len(line)


@settings(max_examples=150, deadline=None)
@given(text=texts, budget=st.integers(120, 1500), intent=st.text(max_size=40), failed=st.booleans())
def test_every_line_stands_in_the_text_in_order_and_it_fits(
    text: str, budget: int, intent: str, *, failed: bool
) -> None:
    part = excerpt(text, budget=budget, intent=intent, failed=failed)
    check(text, part, budget)
    assert (part.left_out_bytes == 0) == (size(text) <= budget)


@settings(max_examples=60, deadline=None)
@given(text=texts, budget=st.integers(0, 120))
def test_a_budget_that_is_too_small_for_anything_is_kept_all_the_same(text: str, budget: int) -> None:
    check(text, excerpt(text, budget=budget), budget)


@settings(max_examples=60, deadline=None)
@given(text=texts, intent=st.text(max_size=40))
def test_what_is_shown_and_what_is_left_out_add_up(text: str, intent: str) -> None:
    part = excerpt(text, budget=600, intent=intent)
    shown = [line for line in part.text.split("\n") if not GAP.fullmatch(line)]
    gaps = [match for line in part.text.split("\n") if (match := GAP.fullmatch(line))]
    if part.left_out_bytes and not any(match.group(2).startswith("B") for match in gaps):
        assert sum(int(match.group(1)) for match in gaps) == part.left_out_lines
    assert part.left_out_bytes <= size(text)
    assert len(shown) + len(gaps) == len(part.text.split("\n"))


def test_the_same_text_gives_the_same_excerpt() -> None:
    text = log(3_000)
    assert excerpt(text, budget=3_000).text == excerpt(text, budget=3_000).text


def log(lines: int, *, seed: int = 1) -> str:
    some = random.Random(seed)
    return "\n".join(
        f"2026-11-29T10:{n // 60 % 60:02}:{n % 60:02}Z INFO worker-{some.randrange(8)} took job"
        f" {some.getrandbits(48):012x} of {some.choice(['ann', 'bo', 'cy', 'di'])} in {some.randrange(900)} ms"
        for n in range(lines)
    )


def with_line(text: str, line: str) -> str:
    lines = text.split("\n")
    lines.insert(len(lines) // 2, line)
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("usual", "odd"),
    [
        ("10:{s} GET /v1/items/{n} 200 {n} B", "10:20 GET /v1/items/733 404 12 B"),
        ("check {n}: rc=0 after {n} ms", "check 733: rc=1 after 12 ms"),
        ("row {n} | ok=1 | size {s}0", "row 733 | ok=0 | size 120"),
    ],
)
def test_the_one_line_with_another_value_survives(usual: str, odd: str) -> None:
    text = with_line("\n".join(usual.format(n=n * 7 % 1_000, s=10 + n % 50) for n in range(4_000)), odd)
    assert odd in excerpt(text, budget=2_000).text.split("\n")


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-29T10:20:00Z INFO worker-3 gave back job 00a1f2 of ann, lease expired",
        "2026-11-29T10:20:00Z WARN worker-3 took job 00a1f2 of ann in 12 ms",
        "2026-11-29T10:20:00Z INFO worker-3 took job 00a1f2 of ann in 12 ms (slow)",
        "panic: runtime error: invalid memory address",
        "Segmentation fault (core dumped)",
    ],
)
def test_the_one_line_that_is_unlike_all_others_survives(line: str) -> None:
    text = with_line(log(2_800), line)
    assert len(text) > 200_000
    assert line in excerpt(text, budget=3_600).text.split("\n")


@pytest.mark.parametrize(
    ("intent", "line"),
    [
        (
            "which port does the metrics endpoint use",
            "2026-11-29T10:20:00Z INFO worker-3 metrics endpoint on port 9187",
        ),
        ("maxRetryCount", "2026-11-29T10:20:00Z INFO worker-3 settings max_retry_count=5"),
        ("max_retry_count value", "2026-11-29T10:20:00Z INFO worker-3 settings {maxRetryCount: 5}"),
        ("认证失败的用户", "2026-11-29T10:20:00Z INFO 用户认证系统拒绝了令牌"),
        ("what was cancelled?", "2026-11-29T10:20:00Z INFO worker-3 job cancel requested"),
    ],
)
def test_the_line_that_answers_the_intent_survives_among_other_odd_ones(intent: str, line: str) -> None:
    odd = "\n".join(
        f"odd thing {word} of {word[::-1]}" for word in (f"{a}{b}lo" for a in "abcdefgh" for b in "rstuvwxyz")
    )
    text = with_line(log(1_300) + "\n" + odd + "\n" + log(1_300, seed=2), line)
    assert line in excerpt(text, budget=3_600, intent=intent).text.split("\n")


def test_a_line_of_five_million_characters_shows_the_stretch_that_answers() -> None:
    rows = [f'{{"id":{n},"name":"item {n}","note":"plain"}}' for n in range(100_000)]
    rows[61_234] = '{"id":61234,"name":"item 61234","note":"returned by the customs office"}'
    text = "[" + ",".join(rows) + "]"
    part = excerpt(text, budget=3_600, intent="customs")
    assert '"note":"returned by the customs office"' in part.text
    check(text, part, 3_600)
    assert part.left_out_bytes > 4_000_000


def test_a_text_that_fits_comes_back_whole() -> None:
    part = excerpt("one\ntwo\n", budget=8)
    assert (part.text, part.left_out_lines, part.left_out_bytes) == ("one\ntwo", 0, 0)


def test_without_any_hint_both_ends_are_shown() -> None:
    text = "\n".join(f"line {n}" for n in range(1, 2_001))
    lines = excerpt(text, budget=400).text.split("\n")
    assert lines[0] == "line 1"
    assert lines[-1] == "line 2000"
    assert sum(1 for line in lines if GAP.fullmatch(line)) == 1


def test_a_word_that_says_there_is_no_error_is_no_error() -> None:
    quiet = "\n".join(f"tests/test_error_{n}.py::test_fails_{n} PASSED" for n in range(300))
    text = quiet + "\nDone, 0 errors, 0 failures\n" + "\n".join(f"wrote file {n}" for n in range(300))
    shown = excerpt(text, budget=1_000, failed=True).text
    assert shown.count("PASSED") < 20


def test_many_failures_leave_room_for_their_errors() -> None:
    blocks = "".join(
        f"____ test_{n} ____\n\n>       assert f({n}) == {n}\nE       assert {n + 1} == {n}\n\n"
        f"tests/test_x.py:{n}: AssertionError\n"
        for n in range(300)
    )
    names = "".join(f"FAILED tests/test_x.py::test_{n} - assert {n + 1} == {n}\n" for n in range(300))
    shown = excerpt(blocks + names + "==== 300 failed in 2.11s ====\n", budget=3_600, failed=True).text.split("\n")
    assert sum(line.startswith("FAILED ") for line in shown) >= 10
    assert sum(line.startswith("E  ") for line in shown) >= 5
    assert shown[-1] == "==== 300 failed in 2.11s ===="


def test_f40_a_log_of_sixty_kilobytes_keeps_the_failure() -> None:
    passes = "\n".join(
        f"tests/test_{n % 9}.py::test_number_{n}_does_what_it_should_do_in_every_case_we_know PASSED [{n // 4}%]"
        for n in range(700)
    )
    failure = """\
tests/test_pay.py::test_refund FAILED [100%]

=== FAILURES ===
___ test_refund ___

>       assert refund(3) == 3
E       assert 2 == 3
E        +  where 2 = refund(3)

tests/test_pay.py:9: AssertionError
=== short test summary info ===
FAILED tests/test_pay.py::test_refund - assert 2 == 3
=== 1 failed, 700 passed in 9.71s ===
"""
    text = passes + "\n" + failure
    assert len(text) > 60_000
    reply = short_reply("exit 1 · 61,001 B", text, pointer='ctx_search({"queries":[],"source":"s7"})', failed=True)
    lines = reply.split("\n")
    assert size(reply) <= 4_096
    assert lines[0] == "exit 1 · 61,001 B"
    assert "FAILED tests/test_pay.py::test_refund - assert 2 == 3" in lines
    assert "E       assert 2 == 3" in lines
    assert re.fullmatch(
        r'[\d,]+ lines, [\d,]+ B left out; more: ctx_search\(\{"queries":\[\],"source":"s7"\}\)', lines[-1]
    )
    assert all(GAP.fullmatch(line) or line in text.split("\n") for line in lines[1:-1])


def test_the_last_line_counts_bytes_alone_when_no_whole_line_is_missing() -> None:
    assert more_line(Excerpt("", 0, 12_345), "call()") == "12,345 B left out; more: call()"
    assert more_line(Excerpt("", 0, 0), "call()") == "again: call()"


@pytest.mark.parametrize(
    ("intent", "found"),
    [
        ("Show me the failing tests", ["test"]),
        ("parseHTTPHeader in src/net_io.py", ["parsehttpheader", "parse", "http", "header", "src", "net", "io", "py"]),
        ("用户认证", ["用户", "户认", "认证"]),
        ("?!", []),
    ],
)
def test_words_of_an_intent(intent: str, found: list[str]) -> None:
    assert sorted(intent_words(intent)[0]) == sorted(found)
    assert intent_words(intent)[1] == ("failing" in intent)


def test_an_answer_comes_without_filler() -> None:
    text = with_line(log(2_800), "2026-11-29T10:20:00Z INFO worker-3 metrics endpoint on port 9187")
    part = excerpt(text, budget=3_600, intent="which port does the metrics endpoint use")
    assert "port 9187" in part.text
    assert len(part.text.encode()) <= 1_000
    check(text, part, 3_600)


def test_an_answer_that_many_lines_give_is_not_repeated_to_the_end() -> None:
    lines = log(2_800).split("\n")
    lines[100:2_700:20] = [f"2026-11-29T10:20:00Z INFO gateway {n} timed out after 3000 ms" for n in range(130)]
    part = excerpt("\n".join(lines), budget=3_600, intent="gateway timed out")
    shown = part.text.count("timed out after 3000 ms")
    assert 3 <= shown <= 20
    assert len(part.text.encode()) <= 2_400


def test_every_failure_is_shown_as_long_as_there_is_room() -> None:
    failures = "\n".join(f"FAILED tests/test_{n}.py::test_it - assert {n}" for n in range(40))
    part = excerpt(log(2_000) + "\n" + failures, budget=3_600, failed=True)
    assert part.text.count("FAILED tests/") == 40


def test_when_nothing_answers_the_reply_says_more_of_the_text() -> None:
    part = excerpt(log(2_800), budget=3_600, intent="walrus xylophone")
    assert len(part.text.encode()) > 2_000


@pytest.mark.parametrize("intent", ["", "which run is short"])
def test_the_one_odd_member_of_a_json_reply_comes_with_its_object(intent: str) -> None:
    runs = [
        {"id": f"run-{n:04}", "host": f"node-{n % 7}", "took": 3 * n, "pool": "day", "state": "fine"}
        for n in range(200)
    ]
    runs[119]["state"] = "short"
    text = json.dumps(runs, indent=2)
    found = excerpt(text, budget=4_000, intent=intent).text
    assert json.dumps(runs[119], indent=2).replace("\n", "\n  ") in found


def test_an_object_of_many_lines_is_not_shown_for_one_member() -> None:
    plain = {f"key-{n}": n for n in range(300)}
    text = json.dumps({**plain, "state": "short", "rest": plain}, indent=2)
    assert '"key-150"' not in excerpt(text, budget=4_000, intent="which state").text


def test_a_level_that_every_record_says_hides_no_record() -> None:
    """As a linter's JSON: hundreds of `"severity": "error"`, and the record asked for has inner objects."""
    findings = [
        {"code": f"X{n % 9}", "at": {"row": n, "column": 1}, "file": f"part{n}.py", "fix": {"edits": [{"at": n}] * 5},
         "severity": "error"}
        for n in range(300)
    ]  # fmt: skip
    findings[211] |= {"code": "B006", "file": "ledger.py"}
    shown = excerpt(json.dumps(findings, indent=2), budget=3_600, intent="which rule does ledger break").text
    assert '"code": "B006"' in shown
    assert 0 < shown.count('"severity": "error"') <= 3
