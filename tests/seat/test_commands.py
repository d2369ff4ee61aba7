"""The same commands with and without the seat: nothing of them changes but the length of what is long."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests import only
from tests.seat.conftest import Done, Stand, open_gate

from context_mode_runtime import limits

CASES: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("commands.yaml").read_text("utf-8"))
TOLD = {"BASH_FUNC_told_by_host%%": '() { echo "told $*"\n}', "odd.name": "kept", "text": "mine", "command": "mine"}
pytestmark = only.LINUX


@pytest.mark.parametrize("host_reads", ["a file", "a pipe"])
@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_the_same_with_and_without(stand: Stand, gate: Path, case: dict[str, Any], host_reads: str) -> None:
    stand.env |= TOLD
    command = case["command"].replace("{gate}", str(gate))
    bare = stand.bare(command)
    seated = stand.seated(command) if host_reads == "a file" else stand.piped(command)
    open_gate(gate)
    assert seated.code == bare.code
    assert bare.code == case.get("exit", 0)
    if not case.get("long"):
        assert seated.out == (case["by_pipe"].encode() if "by_pipe" in case and host_reads == "a pipe" else bare.out)
        assert stand.nothing_stored()
        return
    assert len(seated.out) <= limits.SHORT_REPLY < len(bare.out)
    assert stand.stored() == [bare.out.decode()]
    head, *_, pointer = seated.out.decode().splitlines()
    assert head.startswith(f"stored whole · {len(bare.out):,} B as s1")
    assert 'mcp__context-mode__ctx_search({"queries":[],"source":"s1"})' in pointer


def test_the_environment_is_the_host_s(stand: Stand, tmp_path: Path) -> None:
    """But for what the host says of its shell, and for `_`, which each shell sets itself."""
    stand.env |= TOLD | {"LANG": "C", "part": "mine", "shell": "mine", "word": "mine"}
    told = tmp_path / "told"
    command = f"env -0 | tr '\\n\\0' ' \\n' | grep -v '^_=' | sort > {told}"
    seen = []
    for run in (stand.seated, stand.bare):
        assert run(command) == Done(0, b"")
        seen.append(told.read_bytes())
    assert seen[0] == seen[1]
    assert b"part=mine" in seen[0]


@pytest.mark.parametrize("ctype", ["", "C", "C.UTF-8"])
def test_the_locale_is_the_host_s(stand: Stand, monkeypatch: pytest.MonkeyPatch, ctype: str) -> None:
    """Python sets a variable of its own in the C locale."""
    for name in ("LANG", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    if ctype:
        monkeypatch.setenv("LC_CTYPE", ctype)
    command = "env | grep -E '^(LC_|LANG)'; locale 2>&1 | head -n 2"
    assert stand.seated(command).out == stand.bare(command).out
