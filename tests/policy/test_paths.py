"""Path rules: the table of anchors and wildcards, and the bounds of the matcher."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from tests.conftest import not_to_be_had

from context_mode_runtime.policy import candidates
from context_mode_runtime.policy.candidates import windows_form
from context_mode_runtime.policy.gate import judge_command, judge_path
from context_mode_runtime.policy.load import Policy
from context_mode_runtime.policy.rules import Place, parse_rule
from context_mode_runtime.wildcard import matches, path_matches

CASES = YAML(typ="safe").load((Path(__file__).parent / "paths.yaml").read_text(encoding="utf-8"))


def rows() -> Iterator[tuple[dict[str, Any], str, bool]]:
    for case in CASES:
        for path in case.get("denied", []):
            yield case, path, True
        for path in case.get("passed", []):
            yield case, path, False


@pytest.mark.parametrize(
    ("case", "path", "denied"), list(rows()), ids=[f"{r[0]['rule']} {r[1]} {r[2]}" for r in rows()]
)
def test_path_rule(case: dict[str, Any], path: str, *, denied: bool, tmp_path: Path) -> None:
    home = Path(os.environ["HOME"])
    project = tmp_path / "p"
    (project / "sub").mkdir(parents=True)
    (home / "vault").mkdir()
    (project / "link").symlink_to(home / "vault")
    (home / "here").symlink_to(project)
    settings = home / ".context-mode"
    policy = Policy()
    policy.fold = case.get("fold", False)
    policy.deny.append(parse_rule(case["rule"], Place("~/.context-mode/policy.json", str(settings))))
    for hole, value in (("{P}", project), ("{H}", home), ("{S}", settings)):
        path = path.replace(hole, str(value))
    verdict = judge_path(policy, path, cwd=str(project), project=str(project), tool=case.get("tool", "Read"))
    assert (verdict is not None) is denied


@pytest.mark.parametrize(
    ("given", "opened"), YAML(typ="safe").load((Path(__file__).parent / "windows_paths.yaml").read_text("utf-8"))
)
def test_what_windows_opens(given: str, opened: str) -> None:
    assert windows_form(given) == opened


@pytest.mark.parametrize("given", ["secret.env::$DATA", "secret.env. ", r"sub\..\secret.env", ".\\secret.env:x"])
def test_on_windows_the_file_that_is_opened_is_judged(given: str, tmp_path: Path, monkeypatch: Any) -> None:
    policy = Policy()
    policy.deny.append(parse_rule("Read(./secret.env)", Place("f", str(tmp_path))))
    assert not judge_path(policy, given, cwd=str(tmp_path), project=str(tmp_path))
    monkeypatch.setattr(candidates, "WINDOWS", True)
    assert judge_path(policy, given, cwd=str(tmp_path), project=str(tmp_path))
    assert judge_command(policy, f"cat '{given}'", cwd=str(tmp_path), project=str(tmp_path))


def test_paths_are_taken_from_the_folder_of_the_call(tmp_path: Path) -> None:
    policy = Policy()
    policy.deny.append(parse_rule("Read(./secret.env)", Place("f", str(tmp_path))))
    (tmp_path / "sub").mkdir()
    project = str(tmp_path)
    assert judge_path(policy, "../secret.env", cwd=str(tmp_path / "sub"), project=project)
    assert not judge_path(policy, "../other.env", cwd=str(tmp_path / "sub"), project=project)


def test_the_way_over_the_kernels_links_is_the_same_path(tmp_path: Path) -> None:
    if not os.path.isdir("/proc/self/fd"):
        not_to_be_had("no /proc")
    policy = Policy()
    policy.deny.append(parse_rule("Read(./secret.env)", Place("f", str(tmp_path))))
    secret = tmp_path / "secret.env"
    secret.write_text("x")
    with secret.open() as file:
        ways = [f"/proc/self/root{secret}", f"/proc/self/fd/{file.fileno()}", f"/dev/fd/{file.fileno()}"]
        assert all(judge_path(policy, way, cwd="/", project=str(tmp_path)) for way in ways)


def test_a_path_with_a_nul_is_judged_and_never_raises(tmp_path: Path) -> None:
    policy = Policy()
    policy.deny.append(parse_rule("Read(./a*)", Place("f", str(tmp_path))))
    assert judge_path(policy, "a\0b", cwd=str(tmp_path), project=None)


@given(st.text(alphabet="ab*", max_size=12), st.text(alphabet="ab", max_size=12))
def test_wildcard_means_what_a_plain_matcher_says(pattern: str, text: str) -> None:
    def plain(p: str, t: str) -> bool:
        if not p:
            return not t
        if p[0] == "*":
            return any(plain(p[1:], t[n:]) for n in range(len(t) + 1))
        return bool(t) and p[0] == t[0] and plain(p[1:], t[1:])

    assert matches(pattern, text) == plain(pattern, text)


@given(st.lists(st.sampled_from(["a", "b", "*", "**"]), max_size=6), st.lists(st.sampled_from(["a", "b"]), max_size=6))
def test_path_wildcard_means_what_a_plain_matcher_says(pattern: list[str], path: list[str]) -> None:
    def plain(p: list[str], t: list[str]) -> bool:
        if not p:
            return not t
        if p[0] == "**":
            return any(plain(p[1:], t[n:]) for n in range(len(t) + 1))
        return bool(t) and p[0] in ("*", t[0]) and plain(p[1:], t[1:])

    assert path_matches("/" + "/".join(pattern), "/" + "/".join(path)) == plain(pattern, path)


def test_no_pattern_makes_the_matcher_go_back() -> None:
    assert not matches("a*" * 2_000 + "b", "a" * 100_000)
    assert not path_matches("/**/a" * 50 + "/b", "/a" * 2_000)
