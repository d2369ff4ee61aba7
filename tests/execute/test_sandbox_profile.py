"""The profile for macOS as text: it can't be run elsewhere, but what it says can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from context_mode_runtime.execute.isolation import seatbelt
from context_mode_runtime.execute.isolation.places import Places


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    (home / ".context-mode").mkdir(exist_ok=True)
    folder = tmp_path / 'a "quoted" project'
    (folder / ".git" / "hooks").mkdir(parents=True)
    (tmp_path / "own").mkdir()
    return folder


def rules(project: Path, tmp_path: Path, *, strict: bool) -> list[str]:
    lines = seatbelt.profile(Places(str(project), str(tmp_path / "own"), strict=strict)).splitlines()
    assert all(line.count("(") == line.count(")") for line in lines)
    return lines


@pytest.mark.parametrize("strict", [False, True])
def test_the_last_rules_take_back_what_stays_closed(project: Path, tmp_path: Path, home: Path, strict: bool) -> None:
    lines = rules(project, tmp_path, strict=strict)
    written = next(n for n, line in enumerate(lines) if line.startswith("(allow file-write* "))
    kept = next(n for n, line in enumerate(lines) if line.startswith("(deny file-write* "))
    assert lines.index("(deny file-write*)") < written < kept < len(lines) - 1
    assert 'a \\"quoted\\" project' in lines[written]
    assert ".git/hooks" in lines[kept]
    assert lines[-1].startswith("(deny file-read* file-write* ")
    assert str((home / ".context-mode").resolve()) in lines[-1]


def test_only_strict_closes_the_network_and_reading(project: Path, tmp_path: Path, home: Path) -> None:
    closed = {"(deny network*)", "(deny file-read-data)"}
    assert closed <= set(rules(project, tmp_path, strict=True))
    assert not closed & set(rules(project, tmp_path, strict=False))
    [reading] = [
        line for line in rules(project, tmp_path, strict=True) if line.startswith("(allow file-read-data (sub")
    ]
    assert f'(subpath "{home}")' not in reading
