"""One pipe, whatever comes in: each line gets its answer or nothing, and the next request is answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

CASES = Path(__file__).parent / "cases"


def _cases(name: str) -> list[Any]:
    found = YAML(typ="safe").load((CASES / name).read_text(encoding="utf-8"))
    return [pytest.param(case, id=case["name"]) for case in found]


def _line(item: dict[str, Any]) -> bytes:
    ((kind, value),) = item.items()
    if kind == "hex":
        return bytes.fromhex(value)
    if kind == "json":
        return json.dumps(value).encode() + b"\n"
    if kind == "long":
        return b'"' + b"x" * int(value) + b"\n"
    if kind == "deep":
        return b"[" * int(value) + b"\n"
    return str(value).encode() + b"\n"


def _holds(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(key in got and _holds(got[key], value) for key, value in wanted.items())
    return bool(got == wanted)


@pytest.mark.parametrize("case", [*_cases("wire.yaml"), *_cases("eras.yaml")])
def test_each_line_gets_its_answer_and_the_next_request_too(serve: Any, case: dict[str, Any]) -> None:
    host = serve()
    for item in case["send"]:
        host.send(_line(item))
    for wanted in case["answers"]:
        got = host.answer(wanted["id"])
        assert _holds(got, wanted), f"{got} is not {wanted}"
    assert host.ask("ping")["result"] == {}
    assert host.close() == 0


PAYLOADS = Path(__file__).parents[1] / "payloads"
OPENINGS = sorted([*PAYLOADS.glob("*/mcp-initialize.json"), *PAYLOADS.glob("*/mcp-*discover.json")])


@pytest.mark.parametrize("path", OPENINGS, ids=[f"{path.parent.name}-{path.stem}" for path in OPENINGS])
def test_every_hosts_opening_is_answered_in_its_era(serve: Any, path: Path) -> None:
    payload = json.loads(path.read_text(encoding="utf-8"))
    params = payload.get("params", payload)
    host = serve()
    if "protocolVersion" in params:
        assert host.ask("initialize", params)["result"]["protocolVersion"] == params["protocolVersion"]
        assert {"name", "inputSchema"} <= host.ask("tools/list")["result"]["tools"][0].keys()
    else:
        assert host.ask("server/discover", params)["result"]["supportedVersions"] == ["2026-07-28"]
        listed = host.ask("tools/list", {"_meta": params["_meta"]})["result"]
        assert (listed["resultType"], listed["cacheScope"]) == ("complete", "private")
    assert host.close() == 0
