"""The bench runs, once and small; bytes and answers are exact, times are not looked at."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bench import hooktime, savings
from tests.bench.__main__ import main

ROWS = {"issue list", "git log in the shell", "whole Read of a source file", "count by a script", "test run"}


def test_the_questions_do_not_hold_their_answers() -> None:
    for row in savings.table():
        asks = " ".join([row["ask"]] if isinstance(row["ask"], str) else row["ask"])
        assert not any(need in asks for need in row["need"]), row["name"]


def test_a_small_run(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    parts = "hook,seat,server,index,search,bytes"
    assert main(["--only", parts, "--rows", ",".join(ROWS), "--runs", "1", "--long", "4", "--out", str(out)]) == 0
    result = json.loads(out.read_text(encoding="utf-8"))
    assert list(result["parts"]) == parts.split(",")
    assert all(len(one["sha256"]) == 64 for one in result["inputs"].values())
    hook = result["parts"]["hook"]
    for row in hooktime.agents():
        passed = hook[f"ours/{row['agent']}/pass"]
        assert (passed["code"], passed["bytes"] <= len("{}")) == (0, True)
        assert hook[f"ours/{row['agent']}/deny"]["answered"] or hook[f"ours/{row['agent']}/deny"]["code"] != 0
    seat = result["parts"]["seat"]
    assert seat["seat/2 KB printed"]["bytes"] == seat["bare/2 KB printed"]["bytes"] == 2_000
    assert seat["seat/200 KB stored"]["bytes"] <= 4_096
    assert seat["bare/200 KB stored"]["bytes"] > 200_000
    assert result["parts"]["server"]["ours"]["tools"] == 9
    assert result["parts"]["server"]["ours"]["list_bytes"] <= 6_144
    side = result["parts"]["bytes"]["ours"]
    assert {row["name"] for row in side["rows"]} == ROWS
    assert all(row["answer"] and 0 < row["context"] < row["raw"] / 20 for row in side["rows"])
    assert side["long"]["answer"]
    report = out.with_suffix(".md").read_text(encoding="utf-8")
    assert "| tools/list, bytes |" in report
    assert "| issue list | ours |" in report
    digest = result["inputs"]["issues.json"]["sha256"][:12]
    assert f'issues.json `{digest}` | `python -m tests.bench --only bytes --rows "issue list"` |' in report
