"""The host's own rules stand before our tools as they stand before the host's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

CASES = YAML(typ="safe").load((Path(__file__).parent / "cases" / "host_rules.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_host_rules(serve: Any, home: Path, project: Path, case: dict[str, Any]) -> None:
    base, _, rest = case["file"].partition("/")
    path = (home if base == "home" else project) / rest
    path.parent.mkdir(parents=True)
    path.write_text(case["text"], encoding="utf-8")
    (project / "secret.env").write_text("wombat=1\n", encoding="utf-8")
    text, failed = serve(case["agent"]).call(*case["call"])
    assert failed == (case["error"] is not None), text
    assert text.startswith(case["error"] or "")
    assert not (project / "made").exists()
