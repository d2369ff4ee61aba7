from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import only

from context_mode_runtime.fetch.folder import WALK_FILE_MAX, walk
from context_mode_runtime.fetch.globs import Patterns

HERE = Path(__file__).parent
IGNORE = [line for line in (HERE / "ignore.txt").read_text().splitlines() if " => " in line and line[:3] != "# p"]


@pytest.fixture(params=["git", "by hand"])
def checkout(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is walked with git's help, and the same one on a machine without git."""
    if request.param == "by hand":
        monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    folder = tmp_path / "code"
    folder.mkdir()
    if request.param == "git":
        git(folder, "init", "-q")
    return folder


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True)


def put(folder: Path, **files: str | bytes) -> None:
    """Writes files; `__` in a name is a slash, `_` before an extension's name a dot."""
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def names(folder: Path, *include: str, exclude: tuple[str, ...] = ()) -> list[str]:
    return [os.path.relpath(path, folder) for path in walk(str(folder), include, exclude)]


def test_ignored_files_stay_out(checkout: Path) -> None:
    put(checkout, _gitignore="*.log\nbuild/\n!keep.log\n", a_py="a", x_log="x", keep_log="k", build__o_txt="o")
    put(checkout, sub___gitignore="/local.txt\n", sub__local_txt="l", sub__deep__local_txt="d", sub__b_md="b")
    assert names(checkout) == [".gitignore", "a.py", "keep.log", "sub/.gitignore", "sub/b.md", "sub/deep/local.txt"]


def test_patterns_choose_files(checkout: Path) -> None:
    put(checkout, a_py="a", b_md="b", docs__c_md="c", docs__api__d_md="d", src__e_py="e")
    assert names(checkout, "*.md") == ["b.md", "docs/api/d.md", "docs/c.md"]
    assert names(checkout, "docs/") == ["docs/api/d.md", "docs/c.md"]
    assert names(checkout, "docs/*.md", "/a.py") == ["a.py", "docs/c.md"]
    assert names(checkout, "*.md", exclude=("api/",)) == ["b.md", "docs/c.md"]
    assert names(checkout, exclude=("*.md",)) == ["a.py", "src/e.py"]


def test_what_is_no_text_is_left_out_and_counted(checkout: Path) -> None:
    put(checkout, a_txt="text", p_png=b"\x89PNG\r\n\x1a\n\0\0", o_bin=b"\0\1\2", d_pdf=b"%PDF-1.7\n\0\1", empty_txt="")
    put(checkout, utf16_txt="wide".encode("utf-16"), latin_txt=b"caf\xe9")
    with (checkout / "huge.csv").open("wb") as file:
        file.truncate(WALK_FILE_MAX + 1)
    (checkout / "inner").symlink_to("a.txt")
    (checkout / "gone").symlink_to("missing")
    listing = walk(str(checkout))
    assert [os.path.basename(path) for path in listing] == ["a.txt", "d.pdf", "empty.txt", "latin.txt", "utf16.txt"]
    assert listing.told() == "left out: 2 binary, 2 link, 1 over 16 MiB"


def test_links_lead_nowhere(checkout: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    put(outside, secret_txt="s")
    (checkout / "out").symlink_to(outside)
    (checkout / "loop").symlink_to(checkout)
    (checkout / "file.txt").symlink_to(outside / "secret.txt")
    assert names(checkout) == []
    assert walk(str(checkout)).told() == "left out: 3 link"


def test_a_folder_without_a_fitting_file_says_why(checkout: Path) -> None:
    put(checkout, a_py="a")
    told = "no file: the folder is empty, ignored by git, or no file fits the patterns"
    assert walk(str(checkout), ["*.md"]).told() == told


def test_a_link_to_the_folder_itself_is_followed(checkout: Path, tmp_path: Path) -> None:
    put(checkout, a_py="a")
    (tmp_path / "link").symlink_to(checkout)
    assert walk(str(tmp_path / "link")) == [str(checkout.resolve() / "a.py")]


@only.POSIX
def test_a_pipe_does_not_make_it_wait(checkout: Path) -> None:
    os.mkfifo(checkout / "pipe")
    assert names(checkout) == []


def test_odd_names_come_whole(checkout: Path) -> None:
    for name in ("ü ñ.txt", 'quo"te.txt', "new\nline.txt", "-dash.txt", "#hash.txt"):
        (checkout / name).write_text("x")
    assert names(checkout) == sorted(["ü ñ.txt", 'quo"te.txt', "new\nline.txt", "-dash.txt", "#hash.txt"])


def test_tracked_files_count_even_when_ignored_and_deleted_ones_do_not(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    put(tmp_path, kept_log="k", gone_txt="g")
    git(tmp_path, "add", "-f", ".")
    put(tmp_path, _gitignore="*.log\n", new_log="n")
    (tmp_path / "gone.txt").unlink()
    assert names(tmp_path) == [".gitignore", "kept.log"]


def test_a_checkout_in_a_checkout_is_entered(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    put(tmp_path, a_txt="a", inner__b_txt="b", inner___gitignore="c.txt\n", inner__c_txt="c")
    git(tmp_path / "inner", "init", "-q")
    git(tmp_path / "inner", "add", ".")
    git(tmp_path / "inner", "commit", "-qm", "x")
    assert names(tmp_path) == ["a.txt", "inner/.gitignore", "inner/b.txt"]


def test_listing_runs_no_program_that_a_checkout_names(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    put(tmp_path, a_txt="a")
    mark = tmp_path.parent / f"{tmp_path.name}-ran"
    script = tmp_path.parent / f"{tmp_path.name}.sh"
    script.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    script.chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(script))
    assert names(tmp_path) == ["a.txt"]
    assert not mark.exists()


def test_without_git_installed_packages_stay_out(tmp_path: Path) -> None:
    put(tmp_path, a_py="a", node_modules__x_js="x", _venv__y_py="y")
    (tmp_path / "node.modules").rename(tmp_path / "node_modules")
    assert names(tmp_path) == ["a.py"]


def test_a_file_or_nothing_is_no_folder(tmp_path: Path) -> None:
    put(tmp_path, a_txt="a")
    with pytest.raises(NotADirectoryError):
        walk(str(tmp_path / "a.txt"))
    with pytest.raises(FileNotFoundError):
        walk(str(tmp_path / "missing"))


def _expected(line: str) -> tuple[list[str], str, str]:
    patterns, _, rest = line.partition(" => ")
    path, _, verdict = rest.rpartition(": ")
    return patterns.split("|"), path, verdict


@pytest.mark.parametrize("line", IGNORE)
def test_a_pattern_reads_as_git_reads_it(line: str) -> None:
    patterns, path, verdict = _expected(line)
    rules = Patterns(patterns)
    folder = path.endswith("/")
    plain = path.rstrip("/")
    parents_out = rules.covers(plain + "/x") if folder else rules.covers(plain)
    assert ("out" if parents_out else "in") == verdict


@pytest.mark.parametrize("line", [line for line in IGNORE if "*a*a" not in line])  # git takes for ever on that one
def test_git_agrees(line: str, tmp_path: Path) -> None:
    patterns, path, verdict = _expected(line)
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("\n".join(patterns) + "\n")
    asked = path + "x" if path.endswith("/") else path
    done = subprocess.run(["git", "check-ignore", "-q", "--no-index", "--", asked], cwd=tmp_path, check=False)
    assert ("out" if done.returncode == 0 else "in") == verdict


@given(st.lists(st.text(alphabet="ab*?[]!/\\#. ^-", max_size=12), max_size=4), st.text(alphabet="ab/.", max_size=12))
def test_any_pattern_has_an_answer(patterns: list[str], path: str) -> None:
    Patterns(patterns).covers(path)
