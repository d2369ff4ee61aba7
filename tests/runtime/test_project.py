"""F51: a folder below a checkout is that checkout; worktrees and submodules belong where git says."""

import subprocess
from pathlib import Path

from context_mode_runtime.project import find_project


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "protocol.file.allow=always", *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    (folder / "a.txt").write_text("a")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "a")


def found(folder: Path) -> tuple[str, str]:
    project = find_project(str(folder))
    assert project
    return project.root, project.worktree


def test_a_folder_below_a_checkout_is_that_checkout(project: Path) -> None:
    (project / "sub/deep").mkdir(parents=True)
    assert found(project / "sub/deep") == found(project) == (str(project), str(project))


def test_a_linked_worktree_is_its_own_scope_of_the_same_project(project: Path) -> None:
    commit(project)
    other = project.parent / f"{project.name}-wt"
    git(project, "worktree", "add", "-q", str(other))
    assert found(other) == (str(project), str(other))
    first, second = find_project(str(project)), find_project(str(other))
    assert first
    assert second
    assert first.key() == second.key()


def test_a_submodule_belongs_to_its_superproject(project: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    git(library, "init", "-q")
    commit(library)
    git(project, "submodule", "add", "-q", str(library), "lib")
    assert found(project / "lib")[0] == str(project)


def test_plain_folders_need_no_git(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    assert found(folder) == (str(folder.resolve()), str(folder.resolve()))


def test_home_root_our_data_and_missing_folders_are_no_projects(home: Path) -> None:
    data = home / ".context-mode" / "projects"
    data.mkdir(parents=True)
    assert [find_project(str(folder)) for folder in (home, Path("/"), data, home / "gone")] == [None] * 4


def test_a_native_package_is_no_project_even_in_a_checkout(project: Path) -> None:
    """Some hosts start a package's server in its folder."""
    package = project / "plugins/context-mode"
    (package / "runtime").mkdir(parents=True)
    assert find_project(str(package)) is not None
    (package / "context-mode.json").write_text("{}")
    assert find_project(str(package)) is None
    assert find_project(str(project)) is not None


def test_a_checkout_of_the_home_is_not_the_project_of_what_lies_below(home: Path) -> None:
    git(home, "init", "-q")
    folder = home / "work"
    folder.mkdir()
    assert found(folder) == (str(folder), str(folder))


def test_the_key_holds_a_plain_name_and_a_digest(tmp_path: Path) -> None:
    folder = tmp_path / "ümläut name!"
    folder.mkdir()
    project = find_project(str(folder))
    assert project
    name, _, digest = project.key().rpartition("-")
    assert (name, len(digest)) == ("_ml_ut_name_", 16)
