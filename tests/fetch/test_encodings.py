"""br and zstd where a decoder is there, what is asked for without one, and bombs in every packing."""

from __future__ import annotations

import gzip
import importlib
import sys
import zlib
from collections.abc import Callable

import pytest
from tests.conftest import not_to_be_had
from tests.fetch.web import Site, answer

from context_mode_runtime.fetch import encodings
from context_mode_runtime.fetch.client import fetch
from context_mode_runtime.fetch.rules import FetchError

PAGE = b"<h1>Retry budget</h1><p>Three attempts, then the circuit opens.</p>"
BOMB = 60_000_000
MODULES = {"br": ("brotli",), "zstd": ("compression.zstd", "backports.zstd")}


def packer(coding: str) -> Callable[[bytes], bytes]:
    """What packs as `coding`; the `test` extra brings both packages."""
    if coding in ("gzip", "deflate"):
        return gzip.compress if coding == "gzip" else zlib.compress
    for name in MODULES[coding]:
        try:
            pack: Callable[[bytes], bytes] = importlib.import_module(name).compress
        except ImportError:
            continue
        return pack
    return not_to_be_had(f"no {coding} here")


@pytest.mark.parametrize("coding", ["br", "zstd"])
def test_a_packed_body_is_asked_for_and_unpacked(site: Site, coding: str) -> None:
    site.pages["/"] = answer(packer(coding)(PAGE), f"Content-Encoding: {coding}")
    page = fetch(site.url, site.rules())
    assert "circuit opens" in page.text
    assert page.printed_bytes == len(PAGE)
    assert coding in encodings.accepted().split(", ")


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("cut", [1, 10])
def test_a_body_that_ends_early_is_an_error(site: Site, coding: str, cut: int) -> None:
    site.pages["/"] = answer(packer(coding)(PAGE * 50)[:-cut], f"Content-Encoding: {coding}")
    with pytest.raises(FetchError, match="its body is damaged"):
        fetch(site.url, site.rules())


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_is_not_packed_so_is_an_error(site: Site, coding: str) -> None:
    packer(coding)
    site.pages["/"] = answer(b"\xff\xfe<html>plain" * 30, f"Content-Encoding: {coding}")
    with pytest.raises(FetchError, match="its body is damaged"):
        fetch(site.url, site.rules())


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_stops_at_the_limit(site: Site, coding: str) -> None:
    site.pages["/"] = answer(packer(coding)(b"a" * BOMB), f"Content-Encoding: {coding}")
    with pytest.raises(FetchError, match="is too large: more, unpacked, the limit is 1,000,000 B"):
        fetch(site.url, site.rules(max_bytes=1_000_000))


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_no_step_is_large(coding: str) -> None:
    """However much a few bytes stand for: the limit is looked at after each step."""
    packed = packer(coding)(b"a" * BOMB)
    steps = [len(step) for step in encodings.unpacked(iter([packed[:100], packed[100:]]), coding)]
    assert sum(steps) == BOMB
    assert max(steps) <= 4 * 2**20  # brotli fills its window before it looks at the limit


@pytest.mark.parametrize("outer", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("inner", ["gzip", "br"])
def test_a_body_that_is_packed_twice_is_not_unpacked(site: Site, outer: str, inner: str) -> None:
    """A bomb in a bomb: nobody was asked for it, and each layer multiplies the one below."""
    body = packer(outer)(packer(inner)(b"a" * 1_000_000))
    for said in (f"{inner}, {outer}", f"{inner},{outer}", ", ".join(["gzip"] * 1_000)):
        site.pages["/"] = answer(body, f"Content-Encoding: {said}")
        with pytest.raises(FetchError, match=f"the server packed the body as {said[:12]}.*, which was not asked for"):
            fetch(site.url, site.rules())
    site.pages["/"] = answer(body, f"Content-Encoding: {inner}", f"Content-Encoding: {outer}")
    with pytest.raises(FetchError, match=f"packed the body as {inner}, {outer}, which was not asked for"):
        fetch(site.url, site.rules())


def test_many_empty_members_are_no_endless_work(site: Site) -> None:
    site.pages["/"] = answer(gzip.compress(b"") * 20_000 + gzip.compress(PAGE), "Content-Encoding: gzip")
    assert "circuit opens" in fetch(site.url, site.rules()).text


def test_a_zstd_body_of_several_frames(site: Site) -> None:
    pack = packer("zstd")
    site.pages["/"] = answer(pack(PAGE[:20]) + pack(PAGE[20:]), "Content-Encoding: zstd")
    assert "circuit opens" in fetch(site.url, site.rules()).text


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any decoder beside the standard library's old ones."""
    for names in MODULES.values():
        for name in names:
            monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("bare")
def test_without_a_decoder_it_is_not_asked_for(site: Site) -> None:
    site.pages["/"] = answer(b"\x0b\x02\x80", "Content-Encoding: br")
    with pytest.raises(FetchError, match="packed the body as br, which was not asked for"):
        fetch(site.url, site.rules())
    assert "Accept-Encoding: gzip, deflate\r\n" in site.requests[0]
