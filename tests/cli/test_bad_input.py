"""Bad input is one clear line, the exit code of contract section 3, and nothing written."""

import json
import os
import pwd
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from context_mode_installer.app import run_app

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


CASES: list[tuple[list[str], int, str]] = [
    (["setpu"], 2, "setup"),
    (["setup", "--agnets", "codex"], 2, "--agents"),
    (["setup", "--agents", "codx"], 2, "codex"),
    (["setup", "--agents", ""], 2, "leave the option out for all"),
    (["doctor", "--agents", " , "], 2, "leave the option out for all"),
    (["setup", "--scope", "usr"], 2, "'--scope': 'usr' is not one of 'user', 'project'."),
    (["setup", "--undo", "20000101T000000.000000Z"], 2, "20000101T000000.000000Z"),
    (["setup", "--remove", "--history"], 2, "--remove and --history"),
    (["doctor", "--only", "D77"], 2, "known: D1"),
    (["agents", "claude-cod"], 2, "claude-code"),
    (["agents", "validate", "gone.yaml"], 1, "gone.yaml"),
    (["completion", "tcsh"], 2, "bash"),
]


@pytest.mark.parametrize(("words", "code", "said"), CASES, ids=[" ".join(row[0]) for row in CASES])
def test_a_wrong_word_names_the_right_one(words: list[str], code: int, said: str, home: Path, run_cli: Cli) -> None:
    done = run_cli(*words)
    text = done.stdout + done.stderr
    assert done.returncode == code, text
    assert said in text
    assert "Traceback" not in text
    assert len(text.strip().splitlines()) <= 3
    assert snapshot(home) == {}


@pytest.mark.parametrize("words", [["search", "x"], ["stats", "--json"], ["stats", "--jsn"], ["agents"]], ids=" ".join)
@pytest.mark.parametrize(
    ("streams", "code", "said"),
    [
        (">/dev/full", 1, "context-mode: the output can't be written: No space left on device\n"),
        (">&-", 0, ""),
        (">&- 2>&-", 0, ""),
    ],
)
def test_an_output_that_cannot_be_written_is_one_line(
    project: Path, words: list[str], streams: str, code: int, said: str
) -> None:
    script = Path(sysconfig.get_path("scripts")) / "context-mode"
    done = subprocess.run(
        ["sh", "-c", f'"$@" {streams}', "sh", script, *words], cwd=project, capture_output=True, text=True, check=False
    )
    if "--jsn" in words:
        assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    else:
        assert (done.returncode, done.stderr) == (code, said)


def test_errors_are_one_json_object_with_json(run_cli: Cli) -> None:
    done = run_cli("setup", "--agents", "codx", "--json")
    envelope = json.loads(done.stdout)
    assert (envelope["command"], envelope["status"], envelope["exit_code"]) == ("setup", "error", 2)
    assert "codex" in envelope["messages"][0]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        (".claude/settings.json", '{"theme":"dark", "hooks": {', "settings.json:1:"),
        (".claude/settings.json", '{\n  "a": 1\n  "b": 2\n}', "settings.json:3:3"),
        (".claude.json", "[1, 2", ".claude.json:1:"),
        (".codex/config.toml", "a = 1\n[x\n", "config.toml:2:"),
        (".codex/hooks.json", "// mine\n{}", "hooks.json:1:1"),
    ],
)
def test_an_unreadable_config_stops_all_agents_and_changes_nothing(
    file: str, text: str, place: str, home: Path, run_cli: Cli
) -> None:
    (home / file).parent.mkdir(exist_ok=True)
    (home / file).write_text(text)
    before = snapshot(home)
    done = run_cli("setup", "--agents", "claude-code,codex")
    assert done.returncode == 1
    assert place in done.stderr
    assert "Nothing was changed" in done.stderr
    after = {path: data for path, data in snapshot(home).items() if not path.endswith("setup.lock")}
    assert after == before


def test_a_spec_of_the_users_own_with_a_typo_is_named_with_its_place(home: Path, run_cli: Cli) -> None:
    folder = home / ".context-mode/agents"
    folder.mkdir(parents=True)
    shipped = Path(__file__).parents[2] / "agent_specs/codex.yaml"
    text = shipped.read_text("utf-8").replace("id: codex", "id: mine", 1).replace("detection:", "detektion:", 1)
    (folder / "mine.yaml").write_text(text, "utf-8")
    done = run_cli("setup", "--agents", "mine")
    assert done.returncode == 2
    assert "mine.yaml:" in done.stderr
    assert not (home / ".codex").exists()
    checked = run_cli("agents", "validate", str(folder / "mine.yaml"))
    assert checked.returncode == 1
    assert "detection" in checked.stdout


def test_no_home_is_said_and_nothing_is_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HOME")

    def nobody(_: int) -> pwd.struct_passwd:
        raise KeyError("no such user")

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert run_app(["setup"]) == 2
    assert "set HOME" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["stats"], ["dashboard", "--no-open"], ["search", "x"], ["index", "a"], ["doctor"], ["policy", "show"]]
)
def test_a_folder_that_is_gone_is_said(
    words: list[str], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run_app(words) == 2
    assert capsys.readouterr() == ("", "error: the folder you are in is gone; go to another one (cd)\n")
    assert snapshot(home) == {}


def test_a_home_that_can_not_be_written_is_named(run_cli: Cli) -> None:
    done = run_cli("setup", "--agents", "codex", env={**os.environ, "HOME": "/proc"})
    assert done.returncode == 1
    assert "/proc" in done.stderr or "~" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_full_disk_rolls_back(disk: Callable[..., Path], run_cli: Cli) -> None:
    tiny = disk("20k")
    (tiny / ".codex").mkdir()
    (tiny / ".codex/config.toml").write_text('model = "x"  # mine\n')
    before = snapshot(tiny)
    done = run_cli("setup", "--agents", "codex", env={**os.environ, "HOME": str(tiny)})
    assert done.returncode == 1
    assert "No space left" in done.stderr
    kept = {path: data for path, data in snapshot(tiny).items() if ".context-mode" not in path}
    assert kept == before
