"""What leaves doctor: JSON in the form of its schema whatever is wrong, a report that can be pasted anywhere."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.doctor.test_doctor import AGENTS, BROKEN, settings

from context_mode_installer.commands import doctor, setup
from context_mode_installer.doctor.model import Finding, Status
from context_mode_installer.doctor.screens import shareable

SCHEMA = Draft202012Validator(
    json.loads((Path(__file__).parents[2] / "schemas" / "reports" / "doctor.schema.json").read_text("utf-8"))
)
SECRET = "tok-AAA111-very-secret"
DAMAGE = list(dict.fromkeys(row[0] for row in BROKEN))


def no_home(_: Path) -> None:
    """Nothing is set up, nothing is found."""


def gone(home: Path) -> None:
    """All of ours is gone, the entries stay."""
    for path in (home / ".context-mode/bin").iterdir():
        path.unlink()


def policy_broken(home: Path) -> None:
    (home / ".context-mode/policy.json").write_text('{"version": 1, "deny": 7}')


def rules_broken(home: Path) -> None:
    settings(home, lambda value: value.update(permissions={"deny": "no list"}))


@pytest.mark.parametrize("damage", [*DAMAGE, no_home, gone, policy_broken, rules_broken], ids=lambda one: one.__name__)
def test_the_json_of_a_damaged_home_fits_its_schema(damage: Callable[[Path], None], home: Path) -> None:
    """Whatever is wrong, each row that fails or warns carries one command, and no other row does."""
    if damage is not no_home:
        (home / ".claude").mkdir()
        assert setup.run(setup.Options(agents=AGENTS)).exit_code == 0
    damage(home)
    checks = ("D1", "D2", "D3", "D4", "D8", "D9", "D10", "D11", "D12", "D13")
    said = json.loads(doctor.run(doctor.Options(only=checks, offline=True)).as_json())
    assert [f"{error.json_path}: {error.message}" for error in SCHEMA.iter_errors(said)] == []
    statuses = {row["status"] for row in said["data"]["checks"]}
    assert said["status"] == ("findings" if "FAIL" in statuses else "ok")
    assert all("\n" not in (row["fix"] or "") for row in said["data"]["checks"])


@pytest.mark.parametrize(
    ("status", "fix", "mendable"),
    [
        ("FAIL", "context-mode setup --agents x", True),
        ("WARN", "context-mode setup", True),
        ("FAIL", "context-mode doctor --fix", True),
        ("WARN", "chmod 700 ~/.context-mode", True),
        ("WARN", "chmod 700 ~/other", False),
        ("FAIL", "context-mode setup --agents x --replace", False),
        ("WARN", "context-mode setup --remove --agents x", False),
        ("FAIL", "npm uninstall -g context-mode", False),
        ("PASS", None, False),
    ],
)
def test_what_fix_takes_on_itself(status: Status, fix: str | None, mendable: bool) -> None:
    assert Finding("D3", "x", status, "", fix).mendable is mendable


def test_a_report_is_safe_to_paste(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the user is in it: secrets of config and environment, home, user, machine; the findings are."""
    monkeypatch.setattr(platform, "node", lambda: "quagga-7.example")
    for name, value in {"USER": "wilhelmina", "MY_API_KEY": SECRET, "GH_TOKEN": "ghp_" + "a1" * 18}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SHELL", "/home/wilhelmina/bin/zsh")
    (home / ".claude").mkdir()
    assert setup.run(setup.Options(agents=("claude-code",))).exit_code == 0
    policy = {"version": 1, "deny": 7, "password": "hunter2hunter2", f"{home}/on quagga-7 of wilhelmina {SECRET}": 1}
    (home / ".context-mode/policy.json").write_text(json.dumps(policy))
    settings(home, lambda value: value.update(env={"GITHUB_TOKEN": SECRET, "AWS_SECRET_ACCESS_KEY": "x1" * 20}))
    report = tmp_path / "report.txt"
    doctor.run(doctor.Options(agents=("claude-code",), offline=True, report=report, only=("D1", "D3", "D9", "D11")))
    text = report.read_text("utf-8")
    for private in (SECRET, "ghp_", "hunter2", "x1x1", "wilhelmina", "quagga", str(home), home.name):
        assert private not in text
    assert "D9 policy | WARN" in text or "D9 policy             | " in text
    assert "context-mode policy check" in text


@pytest.mark.parametrize(
    ("text", "environment", "shown"),
    [
        ("at /media/jane/x", {"USER": "jane"}, "at /media/USER/x"),
        ("janet and jane-doe", {"USER": "jane"}, "janet and jane-doe"),
        ("root owns /root", {"USER": "root"}, "root owns /root"),
        ("says hush-hush-1", {"MY_TOKEN": "hush-hush-1"}, "says [redacted]"),
        ("SSH_AUTH_SOCK is yes", {"USE_AUTH": "yes"}, "SSH_AUTH_SOCK is yes"),
        ("pass through", {"THE_PASSWORD": "pass"}, "pass through"),
    ],
)
def test_what_is_cut_out_of_a_report(text: str, environment: dict[str, str], shown: str) -> None:
    assert shareable(text, environment) == shown
