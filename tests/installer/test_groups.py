"""What is set up here, as upgrade and `doctor --fix` see it."""

from __future__ import annotations

import shutil
from pathlib import Path

from context_mode_installer.commands.setup import Options, run
from context_mode_installer.groups import Group, groups

EXTRA = Path(__file__).parents[1] / "specs" / "extra"


def test_an_agent_of_the_users_own_whose_spec_is_gone_is_left_out(home: Path) -> None:
    folder = home / ".context-mode" / "agents"
    folder.mkdir(parents=True)
    for name in ("heron.yaml", "heron.replies.json"):
        shutil.copy(EXTRA / name, folder)
    assert run(Options(agents=("heron", "codex"))).exit_code == 0
    assert groups() == {Group("user", None, approved=True): ["heron", "codex"]}
    (folder / "heron.yaml").unlink()
    assert groups() == {Group("user", None, approved=True): ["codex"]}
