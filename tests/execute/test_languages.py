"""Every language that is installed here runs; one that is not says what was looked for."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tests.conftest import not_to_be_had

from context_mode_runtime.execute import languages
from context_mode_runtime.execute.errors import ExecuteError

from .conftest import Execute

CASES = YAML(typ="safe").load(Path(__file__).with_name("languages.yaml"))
TEXT = "zwölf\nBoxkämpfer 🥊"


@pytest.fixture(autouse=True)
def toolchains(monkeypatch: pytest.MonkeyPatch) -> None:
    """rustup keeps its toolchains in the real home; the throw-away one has none."""
    real = pwd.getpwuid(os.getuid()).pw_dir
    if os.path.isdir(os.path.join(real, ".rustup")):
        monkeypatch.setenv("RUSTUP_HOME", os.path.join(real, ".rustup"))


def missing(language: str) -> bool:
    return language not in languages.available()


def test_the_table_has_a_case_for_each_language() -> None:
    assert list(CASES) == list(languages.LANGUAGES)


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_a_language_gets_the_file_and_reports_both_streams_in_order(language: str, execute: Execute) -> None:
    if missing(language):
        with pytest.raises(ExecuteError, match=f"^{language} is not installed: looked for "):
            execute(language, CASES[language])
        return
    outcome = execute(language, CASES[language], file=("/data/in.txt", TEXT))
    assert outcome.text == f"{TEXT}|/data/in.txt\noops\n"
    assert outcome.exit_code == 3
    assert outcome.printed_bytes == len(outcome.text.encode())


@pytest.mark.parametrize(
    ("language", "code", "place"),
    [
        ("shell", "true\nnosuchcommand", "script.sh: line 2: nosuchcommand: command not found"),
        ("dash", "true\nnosuchcommand", "script.sh: 2: nosuchcommand: not found"),
        ("python", "x = 1\nraise ValueError('bad')", 'script.py", line 2, in <module>'),
        ("python", "x = 1\nx = = 2", 'script.py", line 2\n    x = = 2\n'),
        ("javascript", "let x = 1;\nthrow new Error('bad')", "script.cjs:2\n"),
        ("javascript", "import fs from 'fs';\nthrow new Error('bad')", "script.mjs:2\n"),
        ("perl", "1;\ndie 'bad'", "script.pl line 2."),
        ("rust", "fn main() {\n    nope();\n}", "script.rs:2:5"),
    ],
)
@pytest.mark.parametrize("file", [None, ("/data/in.txt", "text")], ids=["alone", "with-file"])
def test_error_messages_name_the_line_of_the_code_as_given(
    language: str, code: str, place: str, file: tuple[str, str] | None, execute: Execute
) -> None:
    if missing(language):
        with pytest.raises(ExecuteError, match=f"^{language} is not installed: looked for "):
            execute(language, code, file=file)
        return
    outcome = execute(language, code, file=file)
    assert outcome.exit_code not in (0, None)
    assert place in outcome.text
    assert "<string>" not in outcome.text


def test_python_imports_from_the_working_folder_and_is_main(execute: Execute, tmp_path: Path) -> None:
    (tmp_path / "helper_of_mine.py").write_text("answer = 42\n")
    outcome = execute("python", "import helper_of_mine, sys\nprint(helper_of_mine.answer, __name__, len(sys.argv))")
    assert outcome.text == "42 __main__ 1\n"


def test_javascript_finds_the_packages_of_the_project(execute: Execute, tmp_path: Path) -> None:
    if missing("javascript"):
        not_to_be_had("no javascript here")
    package = tmp_path / "node_modules" / "tiny"
    package.mkdir(parents=True)
    (package / "index.js").write_text("module.exports = 'tiny';\n")
    (tmp_path / "deep").mkdir()
    both = "import tiny from 'tiny';\nconsole.log(tiny, require('tiny'), await 1);"
    assert execute("javascript", both, cwd=str(tmp_path / "deep")).text == "tiny tiny 1\n"
    assert execute("javascript", "console.log(require('tiny'))").text == "tiny\n"
    assert (package / "index.js").exists()


def test_an_unknown_language_names_the_known_ones(execute: Execute) -> None:
    with pytest.raises(ExecuteError, match="unknown language cobol: one of shell, sh, bash"):
        execute("cobol", "")


def test_shell_is_bash_where_there_is_one(execute: Execute) -> None:
    if missing("bash"):
        not_to_be_had("no bash here")
    assert execute("shell", "echo ${BASH_VERSION:+bash}").text == "bash\n"
