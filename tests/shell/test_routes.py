"""Which commands are sent to our tools, and which pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime.shell.hosts import host_allowed
from context_mode_runtime.shell.routes import route
from context_mode_runtime.shell.triggers import possible

CASES = YAML(typ="safe").load((Path(__file__).parent / "routes.yaml").read_text(encoding="utf-8"))
SIZES = {"big.txt": 60_000, "half.txt": 8_000, "half2.txt": 8_000, "half3.txt": 8_000, "small.txt": 100}
HOSTS = ["ok.example.org", "port.example:8123"]


def size_of(path: str) -> int | None:
    return SIZES.get(path.removeprefix("./").removeprefix(".\\"))


@pytest.mark.parametrize("case", CASES, ids=[f"{case.get('dialect', '')}{case['text']}"[:70] for case in CASES])
def test_route(case: dict[str, Any]) -> None:
    found = route(case["text"], case.get("dialect", "bash"), allow_hosts=HOSTS, size_of=size_of)
    assert (found.kind if found else None) == case["route"]
    if found and "urls" in case:
        assert found.urls == case["urls"]
    if found and "paths" in case:
        assert found.paths == case["paths"]


@pytest.mark.parametrize("kind", ["curl", "inlineHttp", "build", "dump"])
def test_a_route_that_is_off_passes_and_the_others_hold(kind: str) -> None:
    texts = {
        "curl": "curl https://example.com",
        "inlineHttp": "python3 -c \"import requests; print(requests.get('https://example.com').text)\"",
        "build": "mvn test",
        "dump": "cat big.txt",
    }
    for other, text in texts.items():
        found = route(text, routes={kind: False}, size_of=size_of)
        assert (found.kind if found else None) == (None if other == kind else other)


def test_ordinary_commands_are_not_read_at_all() -> None:
    for text in ("ls -la", "git status", "npm test", "pytest -q", "grep -rn x src"):
        assert possible(text) == []


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://ok.example.org", True),
        ("https://a.b.ok.example.org/x?y=https://evil.com", True),
        ("ok.example.org", True),
        ("https://ok.example.org.evil.com/", False),
        ("https://notok.example.org/", False),
        ("https://evil.com/ok.example.org", False),
        ("https://evil.com?ok.example.org", False),
        ("https://ok.example.org@evil.com/", False),
        ("https://evil.com#ok.example.org", False),
        ("http://port.example:8123/", True),
        ("http://port.example/", False),
        ("", False),
    ],
)
def test_hosts_are_compared_by_name_never_by_substring(url: str, *, allowed: bool) -> None:
    assert host_allowed(url, HOSTS) is allowed
