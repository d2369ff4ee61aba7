"""Content codings: gzip and deflate by the standard library, br and zstd where the machine has a decoder.

Neither is worth a dependency: every server that packs at all packs as gzip when that is asked for. Decoders that can't
be told where to stop are not used: a small packed body must not fill the memory.
"""

from __future__ import annotations

import importlib
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Pieces = Iterator[bytes]

_STEP = 1_048_576
"""Bytes that one step of unpacking may give."""
_ZLIB, _GZIP = 15, 31
"""Window bits of zlib."""
_WINDOW_LOG = 23
"""zstd as a content coding uses windows of at most 8 MiB (RFC 9659)."""
_ZSTD_MODULES = ("compression.zstd", "backports.zstd")


class UnpackError(Exception):
    """The body is damaged or ends early."""


class UnknownCodingError(Exception):
    """The body is packed in a way that was not asked for."""


def accepted() -> str:
    """What can be unpacked here, as `Accept-Encoding` says it."""
    return ", ".join(["gzip", "deflate", *(["br"] if _brotli() else []), *(["zstd"] if _zstd() else [])])


def unpacked(pieces: Pieces, coding: str) -> Pieces:
    """The pieces, unpacked in steps of at most 1 MiB. Raises UnpackError, UnknownCodingError."""
    name = coding.strip().lower()
    if name in ("", "identity"):
        return pieces
    if name in ("gzip", "x-gzip"):
        return _told(_members(pieces, _gzip_member, more=b"\x1f"))
    if name == "deflate":
        return _told(_members(pieces, _deflate_member, more=None))
    zstd, brotli = _zstd(), _brotli()
    if name == "zstd" and zstd:
        options = {zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}
        return _told(_frames(pieces, lambda: zstd.ZstdDecompressor(options=options)))
    if name == "br" and brotli:
        return _told(_stream(pieces, brotli.Decompressor()))
    raise UnknownCodingError(coding)


def _told(steps: Pieces) -> Pieces:
    """The steps, every decoder's own error as an UnpackError."""
    try:
        yield from steps
    except _errors() as error:
        raise UnpackError(str(error)) from None


def _members(pieces: Pieces, start: Callable[[bytes], zlib._Decompress], *, more: bytes | None) -> Pieces:
    """Streams of zlib; behind the first one others may follow that begin with `more`, what else follows is padding."""
    unpacker, members = None, 0
    for piece in pieces:
        rest = piece
        while rest:
            if unpacker is None:
                if members and not (more and rest.startswith(more)):
                    return
                unpacker = start(rest)
            yield unpacker.decompress(rest, _STEP)
            rest = unpacker.unconsumed_tail
            if unpacker.eof:
                rest, unpacker, members = unpacker.unused_data, None, members + 1
    if unpacker is not None:
        yield unpacker.flush()
        raise UnpackError("it ends early")


def _gzip_member(_start: bytes) -> zlib._Decompress:
    return zlib.decompressobj(_GZIP)


def _deflate_member(start: bytes) -> zlib._Decompress:
    """`deflate` should be a zlib stream (RFC 9110); some servers send the raw one."""
    zlib_header = len(start) > 1 and start[0] & 0x0F == 8 and (start[0] << 8 | start[1]) % 31 == 0  # noqa: PLR2004
    return zlib.decompressobj(_ZLIB if zlib_header else -_ZLIB)


def _frames(pieces: Pieces, start: Callable[[], Any]) -> Pieces:
    """Frames of zstd, one or several in a row."""
    unpacker = None
    for piece in pieces:
        rest = piece
        while rest or (unpacker is not None and not unpacker.needs_input):
            unpacker = unpacker or start()
            yield unpacker.decompress(rest, _STEP)
            rest = b""
            if unpacker.eof:
                rest, unpacker = unpacker.unused_data, None
    if unpacker is not None:
        raise UnpackError("it ends early")


def _stream(pieces: Pieces, unpacker: Any) -> Pieces:  # noqa: ANN401 - a package that may be missing
    """One stream of brotli."""
    for piece in pieces:
        yield unpacker.process(piece, output_buffer_limit=_STEP)
        while not unpacker.can_accept_more_data():
            yield unpacker.process(b"", output_buffer_limit=_STEP)
    if not unpacker.is_finished():
        raise UnpackError("it ends early")


def _brotli() -> Any:  # noqa: ANN401
    """The package `brotli` from 1.2 on, which can be told where to stop; else None."""
    found = _module("brotli")
    return found if found and hasattr(found.Decompressor, "can_accept_more_data") else None


def _zstd() -> Any:  # noqa: ANN401
    """The standard library's module (Python 3.14), or the package that brings it to older ones; else None."""
    return next((found for found in map(_module, _ZSTD_MODULES) if found), None)


def _module(name: str) -> Any:  # noqa: ANN401
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _errors() -> tuple[type[Exception], ...]:
    brotli, zstd = _brotli(), _zstd()
    return (zlib.error, *((brotli.error,) if brotli else ()), *((zstd.ZstdError,) if zstd else ()))
