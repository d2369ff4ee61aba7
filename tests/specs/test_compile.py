"""The tables of the hooks: up to date, and whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from context_mode_installer.specs.catalog import look_at, shipped_specs
from context_mode_installer.specs.compile import compile_spec, main, outdated
from context_mode_installer.specs.load import load_file
from context_mode_installer.specs.plain import plain_spec


def test_no_table_drifts_from_its_spec() -> None:
    assert [file.name for file in outdated()] == []


def test_check_says_so_and_changes_nothing() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "context_mode_installer.specs.compile", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_a_changed_spec_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("context_mode_installer.specs.compile.generated", lambda: str(tmp_path))
    (tmp_path / "gone.json").write_text("{}")
    assert main(["--check"]) == 1
    assert sorted(capsys.readouterr().err.split()[::5]) == sorted(
        ["gone.json", *(f"{file.stem}.json" for file in shipped_specs())]
    )
    assert main([]) == 0
    assert main(["--check"]) == 0
    assert not (tmp_path / "gone.json").exists()


@pytest.mark.parametrize("file", shipped_specs(), ids=lambda file: file.stem)
def test_every_host_event_leads_to_ours_within_our_limit(file: Path) -> None:
    spec = load_file(file).value
    events = compile_spec(spec)["events"]
    answered = {event["event"] for event in spec["events"] if event["absent"] is None}
    assert {event["event"] for event in events.values()} == answered
    assert answered >= {"session_start", "prompt_submit", "pre_tool", "post_tool"}
    assert all(1000 <= event["timeout_ms"] <= 5000 for event in events.values())


def test_a_spec_as_shipped_is_not_checked_again_and_any_other_is(tmp_path: Path) -> None:
    (shipped, *_) = shipped_specs()
    assert plain_spec(shipped) == load_file(shipped).value
    changed = tmp_path / shipped.name
    changed.write_text(shipped.read_text("utf-8") + "# mine\n", "utf-8")
    assert plain_spec(changed) is None
    assert look_at(changed).document is not None
    changed.write_text("spec: 1\n", "utf-8")
    assert look_at(changed).findings
