"""What `(` and `)` open and close: groups, functions, arrays, patterns, arithmetic."""

from __future__ import annotations

from context_mode_runtime.shell.compound import assignment, end_segment, end_word
from context_mode_runtime.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.shell.model import Frame
    from context_mode_runtime.shell.scan import Scanner

_BRACKET_MODES = frozenset(("pattern", "array", "subject", "test"))
_PATTERN_MAX = 256


def open_bracket(s: Scanner, frame: Frame) -> None:
    """`(`: a group, a function's brackets, an array, a substitution (fish), or arithmetic."""
    if s.fish:
        s.push_list(frame, s.pos, "arg")
        s.pos += 1
        return
    if frame.mode in ("test", "array", "subject", "pattern") or (frame.mode == "for" and frame.name):
        end_word(s, frame)
        s.pos += 1
        return
    if frame.word_start >= 0 and _opens_array(s, frame):
        return
    if s.dialect == "zsh" and [part[1] for part in frame.parts] == ["="]:
        s.push_list(frame, s.pos, "proc")
        s.pos += 1
        return
    if _pattern_brackets(s, frame) or _function_brackets(s, frame):
        return
    end_word(s, frame)
    if s.stack[-1] is frame:
        _open_group(s, frame)


def _pattern_brackets(s: Scanner, frame: Frame) -> bool:
    """`@(a|b)` and its kin, in zsh `(a|b)` in a word, too."""
    if frame.word_start < 0 or not frame.parts or s.text[s.pos + 1 : s.pos + 2] == ")":
        return False
    end = s.text.find(")", s.pos, s.pos + _PATTERN_MAX)
    if end < 0 or (s.dialect != "zsh" and frame.parts[-1][1][-1:] not in ("?", "*", "+", "@", "!")):
        return False
    s.literal(frame, s.text[s.pos : end + 1], quoted=False)
    s.pos = end + 1
    return True


def _open_group(s: Scanner, frame: Frame) -> None:
    if s.text.startswith("((", s.pos):
        s.open_arith(frame, s.pos, "sub")
    else:
        s.push_list(frame, s.pos, "sub")
        s.pos += 1


def _opens_array(s: Scanner, frame: Frame) -> bool:
    if not frame.parts or frame.parts[-1][1][-1:] != "=":
        return False
    found = assignment(Word(frame.parts, 0))
    if not found:
        return False
    frame.name, frame.array, frame.mode = found[0], [], "array"
    segment = frame.segment
    segment.start = frame.word_start if segment.start < 0 else segment.start
    frame.parts, frame.word_start = [], -1
    s.pos += 1
    return True


def _function_brackets(s: Scanner, frame: Frame) -> bool:
    """`name ()`: the name is no command; what follows is its body."""
    end = s.pos + 1
    while end < s.size and s.text[end] in " \t":
        end += 1
    if s.text[end : end + 1] != ")":
        return False
    end_word(s, frame)
    if len(frame.segment.words) > 1:
        return False
    if frame.segment.words:
        frame.function = frame.segment.words[0].text
    frame.segment.words.clear()
    frame.segment.start = -1
    frame.mode = "command"
    s.pos = end + 1
    return True


def close_bracket(s: Scanner, frame: Frame) -> None:
    """`)`: ends a `case` pattern, an array, a list of values, or the list on top of the stack."""
    if frame.mode in _BRACKET_MODES:
        end_word(s, frame)
    if s.stack[-1] is not frame:
        return
    mode = frame.mode
    if mode in _BRACKET_MODES:
        s.pos += 1
        if mode == "array":
            frame.segment.add_assign(frame.name, frame.array or [])
        if mode != "test":
            frame.mode = "command"
        return
    end_segment(s, frame, "")
    if s.stack[-1] is not frame:
        return
    s.pos += 1
    if frame.closer == ")" and len(s.stack) > 1:
        s.pop_list()
    else:
        s.incomplete = s.incomplete or mode != "for"
