"""How bytes on a pipe become lines, however they arrive."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_mode_runtime.server import wire


def _lines(data: bytes) -> list[bytes | None]:
    """The lines of `data`, which fits into a pipe."""
    read_fd, write_fd = os.pipe()
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        os.write(write_fd, data)
        os.close(write_fd)
        return list(wire.Wire(read_fd, sink, []).lines())
    finally:
        os.close(read_fd)
        os.close(sink)


@settings(deadline=None)
@given(st.binary(max_size=300), st.integers(1, 40))
def test_blocks_of_any_size_give_the_same_lines(data: bytes, block: int) -> None:
    wanted = data.split(b"\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "_BLOCK", block)
        assert _lines(data) == wanted[:-1] + ([wanted[-1]] if wanted[-1] else [])


@settings(deadline=None)
@given(st.lists(st.integers(0, 30), max_size=6), st.integers(1, 40))
def test_a_line_that_is_too_long_is_told_and_the_next_one_read(sizes: list[int], block: int) -> None:
    most = 12
    data = b"".join(b"x" * size + b"\n" for size in sizes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "_BLOCK", block)
        patch.setattr(wire, "LINE_MAX", most)
        assert _lines(data) == [b"x" * size if size <= most else None for size in sizes]
