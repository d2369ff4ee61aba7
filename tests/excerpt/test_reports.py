"""The lines of known report forms that must come back in a short reply (F40)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime.excerpt import short_reply

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = YAML(typ="safe").load(HERE / "reports.yaml")


def report(name: str) -> str:
    """The text of a report file, its `@repeat N TEXT` lines written out: {n} counts, {p} is the per cent done."""
    out = []
    for line in (HERE / "reports" / f"{name}.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("@repeat "):
            _, times, text = line.split(" ", 2)
            text = text.replace("\\n", "\n")
            count = int(times)
            out += [text.replace("{n}", str(n)).replace("{p}", str(n * 100 // count)) for n in range(1, count + 1)]
        else:
            out.append(line)
    return "\n".join(out)


@pytest.mark.parametrize("case", CASES, ids=[f"{case['report']}-{case.get('intent', '')}" for case in CASES])
def test_the_lines_that_matter_survive(case: dict[str, Any]) -> None:
    text = report(case["report"])
    reply = short_reply(
        "exit 1 · 1 B", text, pointer="call()", intent=case.get("intent", ""), failed=case.get("failed", False)
    )
    lines = reply.split("\n")
    assert len(text) > 5_000
    assert len(reply.encode()) <= 4_096
    assert [line for line in case["must"] if line not in lines] == []
    known = set(text.split("\n"))
    assert [line for line in lines[1:-1] if line not in known and not line.startswith("[... ")] == []


def test_each_report_is_used() -> None:
    assert {path.stem for path in (HERE / "reports").iterdir()} == {case["report"] for case in CASES}
