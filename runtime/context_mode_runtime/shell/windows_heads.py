"""What stands in front of a command in PowerShell and cmd: assignments and conditions."""

from __future__ import annotations

from context_mode_runtime.shell.words import LITERAL, VARIABLE, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.shell.model import Segment


def take_assignment(segment: Segment) -> None:
    """`$x = ...`: the value is known when it is one literal; what stands there runs all the same."""
    words, values = segment.words[:2], segment.words[2:]
    if not values or words[1].plain not in ("=", "+=") or words[0].parts[0][0] != VARIABLE:
        return
    lone = values[0] if values[1:] == [] else None
    if lone is not None:
        segment.add_assign(words[0].parts[0][3] or "", lone)
    segment.words = [] if lone is not None and lone.quoted else values
    segment.capture = segment.capture or "assign"


def take_condition(segment: Segment) -> None:
    """Cmd's `if [not] [/i] condition command`, `for ... do command`, and `set name=value`."""
    texts = [w.text.lower() for w in segment.words[:8]]
    at = 0
    if texts[:1] == ["if"]:
        at = 1
        while texts[at : at + 1] and texts[at] in ("not", "/i"):
            at += 1
        head = texts[at : at + 2]
        if head and head[0] in ("exist", "defined", "errorlevel", "cmdextversion"):
            at += 2
        else:
            at += 1 if head and "==" in head[0].strip("=") else 3
    elif texts[:1] == ["for"] and "do" in texts:
        at = texts.index("do") + 1
    segment.words = segment.words[at:]
    if segment.words and segment.words[0].plain.startswith("@"):
        segment.words[0] = Word([(LITERAL, segment.words[0].plain[1:], False, None, None)], segment.words[0].start)
    if len(segment.words) > 1 and segment.words[0].text.lower() == "set":
        name, _, value = segment.words[1].text.partition("=")
        rest = " ".join([value, *[w.text for w in segment.words[2:]]])
        segment.add_assign(name.lower(), Word([(LITERAL, rest, False, None, None)], segment.start))
