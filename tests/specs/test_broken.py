"""Broken specs: each fault is found once, with its place, and what would be right is said."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from syrupy.assertion import SnapshotAssertion

from context_mode_installer.specs.check import BadSpecError, check_file, load_spec

HERE = Path(__file__).parent
EXTRA = HERE / "extra"
SPECS = {file.stem: file for file in [*(HERE.parents[1] / "agent_specs").glob("*.yaml"), *EXTRA.glob("*.yaml")]}
CASES = YAML(typ="safe", pure=True).load((HERE / "broken.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_a_fault_is_found(case: dict[str, Any], tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    shutil.copytree(EXTRA, tmp_path, dirs_exist_ok=True)
    text = SPECS[case["of"]].read_text("utf-8")
    assert case["old"] in text
    broken = tmp_path / f"{case['of']}.yaml"
    broken.write_text(text.replace(case["old"], case["new"], 1), "utf-8")
    found = check_file(broken).findings
    findings = [str(finding).removeprefix(f"{tmp_path}/") for finding in found]
    assert findings
    assert [finding for finding in found if not finding.right or "docs/" in finding.right] == []
    assert all(re.match(rf"{case['of']}\.yaml:\d+:\d+ ", finding) for finding in findings)
    assert "\n".join(findings) == snapshot


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "1:1 the file is empty"),
        (b"# nothing\n", "1:1 the file is empty"),
        (b"a: \xff", "1:1 not UTF-8"),
        (b"just text", "1:1 the spec is"),
        (b"- 1", "1:1 the spec is"),
        (b"a: &x [*x]", "an alias that holds itself"),
        (b"a: 1\n  b: 2", "2:4 not YAML"),
        (b"? [a]\n: 1", "1:3 a key that is not text"),
        (b"a: " + b"[" * 5000, "1:1 nested too deep"),
    ],
)
def test_what_is_no_spec_is_said(content: bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / "odd.yaml"
    file.write_bytes(content)
    (finding, *_) = check_file(file).findings
    assert f"{file}:{says}" in str(finding) or says in str(finding)
    assert finding.right


def test_a_faulty_spec_has_no_model(tmp_path: Path) -> None:
    (tmp_path / "odd.yaml").write_text("id: odd", "utf-8")
    with pytest.raises(BadSpecError, match=r"odd.yaml:1:1 the spec lacks the key bridge; add it"):
        load_spec(tmp_path / "odd.yaml")


def test_a_file_that_is_not_there_is_one_finding(tmp_path: Path) -> None:
    (finding,) = check_file(tmp_path / "none.yaml").findings
    assert str(finding).endswith("none.yaml:1:1 No such file or directory; name a file that can be read")


def test_a_user_spec_needs_a_schema_of_its_replies(tmp_path: Path) -> None:
    shutil.copytree(EXTRA, tmp_path, dirs_exist_ok=True)
    (tmp_path / "heron.replies.json").unlink()
    (finding,) = check_file(tmp_path / "heron.yaml").findings
    assert (finding.wrong, finding.right) == (
        "there is no schema of its replies",
        "put heron.replies.json beside the spec",
    )
