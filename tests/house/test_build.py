"""What a wheel and an sdist hold: code, specs, schemas, policy; built from a copy, without the network."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.conftest import ROOT

from .top import TOP, copied

DATA = ("agent_specs", "schemas", "policy")


def files(folder: Path) -> set[str]:
    names = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    return {str(name) for name in names if not any(part == "__pycache__" or part[0] == "." for part in name.parts)}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[set[str], set[str]]:
    """The names inside the wheel and, without the top folder, inside the sdist."""
    copy = copied(TOP, tmp_path_factory.mktemp("build") / "checkout")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", "out"], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [wheel] = (copy / "out").glob("*.whl")
    [sdist] = (copy / "out").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        packed = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    return set(zipfile.ZipFile(wheel).namelist()), packed


def test_the_wheel_holds_the_code_and_every_data_file(built: tuple[set[str], set[str]]) -> None:
    wheel, _ = built
    code = {name for name in wheel if ".dist-info/" not in name and "/_data/" not in name}
    wanted = {name for package in ("runtime", "installer") for name in files(ROOT / package)} - {"build_hook.py"}
    assert code == wanted
    data = {name.removeprefix("context_mode_runtime/_data/") for name in wheel if "/_data/" in name}
    assert data == {f"{folder}/{name}" for folder in DATA for name in files(ROOT / folder)}


def test_the_wheel_brings_the_command_and_the_licence(built: tuple[set[str], set[str]]) -> None:
    wheel, _ = built
    tails = {name.split(".dist-info/")[1] for name in wheel if ".dist-info/" in name}
    assert {"entry_points.txt", "licenses/LICENSE", "METADATA"} <= tails


def test_the_sdist_holds_the_whole_checkout(built: tuple[set[str], set[str]]) -> None:
    _, sdist = built
    wanted = {f"{top}/{name}" if (ROOT / top).is_dir() else top for top in TOP for name in (files(ROOT / top) or {""})}
    assert wanted <= sdist | {f"{top}/" for top in TOP}
