"""Cleans printed bytes that come piece by piece: joined, the pieces are what `clean` makes of the whole."""

from __future__ import annotations

import codecs

from context_mode_runtime.execute.clean import clean, last_stretch

HELD_MAX = 262_144
"""Characters of an unfinished line that wait for its end. Of a longer line, what was given out before a carriage
return came stays."""
_SEQUENCE_MAX = 5_000
"""Characters in which an escape sequence that has begun must end to be taken out whole."""


class Cleaner:
    """One output. Holds at most HELD_MAX characters and what one `feed` brings."""

    __slots__ = ("_decode", "_held", "_long")

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._held = ""
        self._long = False

    def feed(self, data: bytes) -> str:
        """The lines that are whole now, clean; a part of a very long one."""
        text = self._held + self._decode(data)
        end = text.rfind("\n") + 1
        self._held = text[end:]
        lines = self._lines(text[:end]) if end else ""
        return lines + self._part() if len(self._held) > HELD_MAX else lines

    def end(self) -> str:
        """What is left when nothing more comes."""
        text, self._held = self._held + self._decode(b"", True), ""  # noqa: FBT003 - final
        return self._lines(text)

    def _lines(self, text: str) -> str:
        if not self._long:
            return clean(text)
        self._long = False
        first, feed, rest = text.partition("\n")
        return clean(last_stretch(first) + feed) + clean(rest)

    def _part(self) -> str:
        """What may be given out of a line whose end is not in sight."""
        begun = self._held.rfind("\x1b", len(self._held) - _SEQUENCE_MAX)
        cut = begun if begun >= 0 else len(self._held)
        text, open_sequence = self._held[:cut], self._held[cut:]
        if "\r" in text or "\b" in text:
            self._long = True
            text = last_stretch(text) + ("\r" if text.endswith("\r") else "")
        if len(text) <= HELD_MAX // 2 or text.endswith("\r"):
            self._held = text + open_sequence
            return ""
        self._held = open_sequence
        return clean(text)
