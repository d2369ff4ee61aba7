"""Rules by capability, as a YAML list: read without a YAML library, judged strictest first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from context_mode_runtime.policy.capabilityrules import read_yaml
from context_mode_runtime.policy.hostrules import HostRules, host_rules
from context_mode_runtime.policy.verdicts import Verdict

CASES = YAML(typ="safe", pure=True).load((Path(__file__).parent / "capabilities.yaml").read_text("utf-8"))
NAMES = {
    "shell": ["shell"],
    "read": ["fs_read", "filesystem"],
    "edit": ["fs_write", "filesystem"],
    "fetch": ["web_fetch"],
}
DOCUMENTS = [
    "a: b",
    "a:\n  - b\n  - c: d\n    e: 'f g'\n  -\n    h: i",
    "a:\n- b\n- c",
    '- a\n- [b, \'c, d\', "e\\"f"]\n- {g: [h, {i: j}], k: }',
    "---\n# first\na: 'it''s' # last\nb: x#y\nc: http://x/y\n'd e': \"f: g\"",
    "a: [b,\n    c, # more\n    d]\nf: {g: h,\n  i: [j]}",
    'a: don\'t [b] {c}\nb: say "x"\nc: rm -rf /* now',
    "- - a\n  - b\n- c",
    "a:\n  b:\n    c:\n      - d\n  e: f",
    "a: ~\nb:\nc: null",
    'a: "tab\\t nl\\n back\\\\ slash"',
]


def rules(text: str, tmp_path: Path) -> HostRules:
    (tmp_path / "p").mkdir()
    (tmp_path / "permissions.yaml").write_text(text, encoding="utf-8")
    keys = {"deny": ["rules"], "ask": [], "allow": []}
    file = {"path": "{config}/permissions.yaml", "format": "capability-rules", "anchor": "project", **keys}
    section = {"order": "deny-first", "anchors": "project", "files": [file], "names": NAMES, "unread": None}
    return host_rules({"rules": section}, {"config": str(tmp_path)}, str(tmp_path / "p"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_rules_file(case: dict[str, Any], tmp_path: Path, home: Path) -> None:
    found = rules(case["text"], tmp_path)
    place = {"cwd": str(tmp_path / "p"), "project": str(tmp_path / "p")}
    judges: dict[str, Callable[[str], Verdict | None]] = {
        "commands": lambda text: found.judge_command(text, **place),
        "reads": lambda text: found.judge_path(text, **place),
        "edits": lambda text: found.judge_path(text, tool="Edit", **place),
        "fetches": lambda text: found.judge_tool("WebFetch", text),
    }
    for kind, judge in judges.items():
        for text, expected in case.get(kind, {}).items():
            verdict = judge(text.replace("$P", str(tmp_path / "p")).replace("~", str(home)))
            assert (verdict.decision if verdict else None) == expected, text
    wanted = case.get("findings", [])
    assert len(found.findings) == len(wanted)
    assert all(words in finding for words, finding in zip(wanted, found.findings, strict=True))


def texts(value: object) -> object:
    """Numbers and switches as they are written: rules know texts only."""
    if isinstance(value, dict):
        return {str(key): texts(item) for key, item in value.items()}
    return [texts(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("text", DOCUMENTS)
def test_it_reads_what_a_yaml_library_reads(text: str) -> None:
    assert read_yaml(text) == texts(YAML(typ="safe", pure=True).load(text))


@given(st.text(alphabet="ab: -[]{},'\"#\n\\~/*&", max_size=60))
def test_any_text_is_a_value_or_a_reason(text: str) -> None:
    try:
        reason = None if read_yaml(text) is not None else ""
    except ValueError as error:
        reason = str(error)
    assert not reason or reason.startswith("line ")


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 100_000, "a: {" * 100_000])
def test_a_deep_text_is_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match="line 1: "):
        read_yaml(text)


def test_a_long_list_is_read_in_one_go() -> None:
    """Each line is looked at once: at 20,000 lines anything else is minutes."""
    assert read_yaml("a: [\n" + "b,\n" * 20_000 + "]") == {"a": ["b"] * 20_000}
