from __future__ import annotations

import ipaddress
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_mode_runtime.fetch.addresses import allowed_private, forbidden, unusual_spelling

HERE = Path(__file__).parent
ADDRESSES = [
    tuple(part.strip() for part in line.split("|"))
    for line in (HERE / "addresses.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
PRIVATE: list[dict[str, Any]] = json.loads((HERE / "private_hosts.json").read_text())


@pytest.mark.parametrize(("address", "expected"), ADDRESSES)
def test_what_forbids_an_address(address: str, expected: str) -> None:
    assert (forbidden(address) or "public") == expected


@given(st.ip_addresses(v=4))
def test_an_inner_address_stays_inner_in_every_ipv6_wrapping(inner: ipaddress.IPv4Address) -> None:
    number = int(inner)
    for base, shift in (("::ffff:0:0", 0), ("64:ff9b::", 0), ("64:ff9b:1::", 0), ("::", 0), ("2002::", 80)):
        wrapped = ipaddress.IPv6Address(int(ipaddress.IPv6Address(base)) | number << shift)
        assert forbidden(str(wrapped))


@given(st.ip_addresses())
def test_what_python_calls_inner_we_call_inner(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    if not address.is_global:
        assert forbidden(str(address))


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    unusual_spelling(text)
    assert forbidden(text) is None or isinstance(forbidden(text), str)
    assert isinstance(allowed_private(text, 80, text, [text]), bool)


@pytest.mark.parametrize("case", PRIVATE, ids=lambda case: f"{case['rules']} {case['host']}:{case['port']}")
def test_a_listed_private_host_is_compared_with_name_and_address(case: dict[str, Any]) -> None:
    assert allowed_private(case["host"], case["port"], case["address"], case["rules"]) is case["allowed"]


@pytest.mark.parametrize("host", ["example.com", "1e100.net", "8.8.8.8", "::1", "a.b.c", "x1", "1.2.3.4.example", ""])
def test_a_usual_name_or_address_is_not_unusual(host: str) -> None:
    assert unusual_spelling(host) is None
