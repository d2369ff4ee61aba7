"""The lock file: all that the test install takes, with hashes, in the ranges of pyproject.toml, and no more."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.conftest import ROOT

LINE = re.compile(
    r"^([A-Za-z0-9._-]+)==([^\s;]+)(?: ; ([^\\\n]+?))? \\\n((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE
)
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TEXT = (ROOT / ".ci/lock.txt").read_text(encoding="utf-8")
LOCKED = {canonicalize_name(name): (version, marker) for name, version, marker, _ in LINE.findall(TEXT)}


def wanted() -> list[Requirement]:
    project = PYPROJECT["project"]
    needs = [
        *project["dependencies"],
        *project["optional-dependencies"]["test"],
        *PYPROJECT["build-system"]["requires"],
    ]
    return [Requirement(need) for need in needs]


def test_every_line_is_a_version_with_hashes() -> None:
    rest = LINE.sub("", TEXT)
    assert [line for line in rest.splitlines() if line and not line.startswith("#")] == []


def test_what_pyproject_names_is_locked_within_its_range() -> None:
    bad = [str(need) for need in wanted() if not need.specifier.contains(LOCKED[canonicalize_name(need.name)][0])]
    assert bad == []


def test_what_those_need_is_locked_and_nothing_else() -> None:
    """As this interpreter's own installation tells it; lines with a condition may be for another system."""
    seen: set[str] = set()
    todo = [(need.name, extra) for need in wanted() if applies(need, "") for extra in ("", *need.extras)]
    while todo:
        name, extra = todo.pop()
        seen.add(canonicalize_name(name))
        for text in distribution(name).requires or ():
            need = Requirement(text)
            if applies(need, extra) and canonicalize_name(need.name) not in seen:
                todo += [(need.name, one) for one in ("", *need.extras)]
    assert sorted(seen - LOCKED.keys()) == []
    assert sorted(name for name, (_, marker) in LOCKED.items() if not marker and name not in seen) == []


def test_the_page_names_what_an_install_brings() -> None:
    page = (ROOT / "docs/SECURITY.md").read_text(encoding="utf-8")
    said = dict(re.findall(r"^\| (\S+) (\d[\d.]*) \|", page, re.MULTILINE))
    names = [Requirement(need).name for need in PYPROJECT["project"]["dependencies"]]
    assert said == {name: LOCKED[canonicalize_name(name)][0] for name in names}


def applies(need: Requirement, extra: str) -> bool:
    return need.marker is None or need.marker.evaluate({"extra": extra})
