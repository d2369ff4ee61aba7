"""How words and operators make segments: reserved words, redirections, here-documents, `case`, `for`, arrays."""

from __future__ import annotations

from context_mode_runtime.shell.model import Group, Heredoc, Redirect, Segment
from context_mode_runtime.shell.reserved import NO_TEST, esac, reserved
from context_mode_runtime.shell.words import LITERAL, VARIABLE, Word, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.shell.model import Frame
    from context_mode_runtime.shell.scan import Scanner
    from context_mode_runtime.shell.words import Part

_REDIRECTS = ("<<<", "<<-", "&>>", "<<", "<>", "<&", ">>", ">&", ">|", "&>", "<", ">")
_TO_FILE = frozenset((">", ">>", ">|", "&>", "&>>"))
_LINE_MODES = frozenset(("for", "test", "function", "head", "line"))


_ARGUMENTS = Word([(VARIABLE, "$@", True, "@", None)], 0)
"""What a loop without words goes over."""


def end_word(s: Scanner, frame: Frame) -> None:
    """Closes the word in progress and puts it where it belongs."""
    if frame.word_start < 0:
        return
    word = Word(frame.parts, frame.word_start)
    frame.parts = []
    frame.word_start = -1
    if frame.expect:
        _redirect_target(frame, word)
    else:
        _MODES[frame.mode](s, frame, word)


def end_segment(s: Scanner, frame: Frame, operator: str) -> None:
    """Closes the simple command in progress; `operator` is what ended it."""
    end_word(s, frame)
    if frame.expect:
        s.incomplete = True
        frame.expect = ""
    if frame.mode in _LINE_MODES:
        if frame.mode == "for" and frame.first and frame.name and operator:
            frame.segment.add_assign(frame.name + "*", _ARGUMENTS)
            frame.first = False
        frame.mode = "command"
    segment, group = frame.segment, frame.last_group
    tail: Segment | None = None
    if not segment.empty():
        tail = segment
        _emit(s, frame, segment)
        frame.function = ""
    if group is not None:
        if tail is None:
            segment.group = None
        frame.last_group = None
        tail = tail or (s.segments[-1] if s.segments else None)
        _mark_group(s, group, segment, operator)
    if tail is not None:
        tail.follow = operator
        tail.piped = tail.piped or operator == "|"
    if operator == "|":
        frame.pipe_from = group or tail
    elif operator != "\n" or tail is not None:
        frame.pipe_from = None


def _emit(s: Scanner, frame: Frame, segment: Segment) -> None:
    segment.end = s.pos
    s.segments.append(segment)
    before = frame.pipe_from
    if before is not None:
        segment.piped_from = before
        last = before.source[before.end - 1] if isinstance(before, Group) else before
        last.pipe_next = segment
    frame.segment = Segment(s.text, segment.parent, segment.capture, frame.inside)


def _mark_group(s: Scanner, group: Group, segment: Segment, operator: str) -> None:
    if operator == "|":
        s.marks.append((group.start, group.end, "pipe"))
    if any(r.operator in _TO_FILE and r.fd in ("", "1") for r in segment.redirects):
        s.marks.append((group.start, group.end, "file"))


def captured(owner: Frame) -> str:
    """Where the output of a substitution in the word in progress goes: `assign` (kept in a variable) or `arg`."""
    if owner.mode != "command":
        return "assign"
    if owner.segment.words or not owner.parts:
        return "arg"
    return "assign" if assignment(Word(owner.parts, 0)) else "arg"


def assignment(word: Word) -> tuple[str, Word] | None:
    """What is set (`name`, `name+`, `name[i]`, `name[i]+`) and the value, when `word` is an assignment."""
    kind, text, quoted, _, _ = word.parts[0]
    if kind != LITERAL or quoted:
        return None
    if "=" not in text and "[" not in text:
        return None
    bracket, at, sign = text.find("["), 0, "="
    if 0 < bracket < (text.find("=") % (len(text) + 1)):
        sign = "]="
        at = next((n for n, part in enumerate(word.parts) if _sets(part)), -1)
    if at < 0:
        return None
    kind, text, quoted, _, _ = word.parts[at]
    head, cut, rest = text.partition("]+=" if "]+=" in text else sign)
    head = "".join([part[1] for part in word.parts[:at]]) + head + cut[:-1]
    if not cut or not is_name(head.partition("[")[0].removesuffix("+")):
        return None
    return head, Word([(kind, rest, quoted, None, None), *word.parts[at + 1 :]], word.start)


def _sets(part: Part) -> bool:
    """The plain text holds what ends the subscript of an assignment."""
    return part[0] == LITERAL and not part[2] and ("]=" in part[1] or "]+=" in part[1])


def _command_word(s: Scanner, frame: Frame, word: Word) -> None:
    segment = frame.segment
    if not segment.words:
        plain = word.plain
        if plain and segment.empty() and reserved(s, frame, plain):
            return
        found = assignment(word) if word.parts else None
        if found:
            segment.add_assign(*found)
            segment.start = word.start if segment.start < 0 else segment.start
            return
    elif _closes_in_line(s, frame, word.plain):
        end_segment(s, frame, ";")
        _command_word(s, frame, word)
        return
    if segment.start < 0:
        segment.start = word.start
    segment.words.append(word)


def _closes_in_line(s: Scanner, frame: Frame, plain: str) -> bool:
    """Zsh: `}` ends a group wherever it stands, and `{` follows a test."""
    if s.dialect != "zsh" or plain not in ("{", "}"):
        return False
    return bool(frame.groups) if plain == "}" else frame.segment.words[-1].plain == "]]"


def _for_word(s: Scanner, frame: Frame, word: Word) -> None:
    """The words of a loop: each field of each is a value, which `name*` says."""
    plain = word.plain
    if not frame.name and plain in ("do", "{"):
        frame.mode = "command"
        _command_word(s, frame, word)
    elif not frame.name:
        frame.name = word.text
    elif plain == "in" and frame.first:
        frame.first = False
    elif plain == "do" and frame.first:
        frame.mode = "command"
        frame.segment.add_assign(frame.name + "*", _ARGUMENTS)
    else:
        frame.first = False
        segment = frame.segment
        segment.start = word.start if segment.start < 0 else segment.start
        segment.add_assign(frame.name + "*", word)


def _subject_word(_s: Scanner, frame: Frame, word: Word) -> None:
    if word.plain == "in" and not frame.first:
        frame.mode, frame.first = "pattern", True
    else:
        frame.first = False


def _pattern_word(s: Scanner, frame: Frame, word: Word) -> None:
    if word.plain == "esac" and frame.first:
        esac(s, frame, "esac")
    frame.first = False


def _test_word(_s: Scanner, frame: Frame, word: Word) -> None:
    frame.segment.words.append(word)
    if word.plain == "]]":
        frame.mode = "command"


def _function_word(s: Scanner, frame: Frame, word: Word) -> None:
    if word.plain == "{":
        frame.mode = "command"
        _command_word(s, frame, word)
        return
    frame.mode, frame.function = "function" if s.dialect == "zsh" else "command", word.text


def _head_word(_s: Scanner, frame: Frame, word: Word) -> None:
    """Fish: a function's name, and the names of its arguments behind `-a`."""
    group = frame.inside
    if group is None:
        return
    if not group.name:
        group.name, group.body = word.text, group
    elif word.plain[:1] == "-":
        frame.first = word.plain in ("-a", "--argument-names")
    elif frame.first:
        group.params.append(word.text)


def _array_word(_s: Scanner, frame: Frame, word: Word) -> None:
    if frame.array is not None:
        frame.array.append(word)


_MODES: dict[str, Callable[[Scanner, Frame, Word], None]] = {
    "command": _command_word,
    "for": _for_word,
    "subject": _subject_word,
    "pattern": _pattern_word,
    "test": _test_word,
    "function": _function_word,
    "head": _head_word,
    "line": lambda _s, _frame, _word: None,
    "array": _array_word,
}


def _within(s: Scanner, frame: Frame) -> bool:
    """Ends the word; whether it stands in an array or the head or patterns of a `case`, which `esac` ends."""
    if frame.mode not in ("array", "subject", "pattern"):
        return False
    end_word(s, frame)
    return frame.mode != "command"


def newline(s: Scanner, frame: Frame) -> None:
    """A newline: ends a command, and here-documents begin behind it."""
    if not _within(s, frame):
        end_segment(s, frame, "\n")
    if s.stack[-1] is not frame:
        return
    s.pos += 1
    if frame.pending:
        pending, frame.pending = frame.pending, ()
        for segment, document in pending:
            _read_body(s, segment, document)


def _read_body(s: Scanner, segment: Segment, document: Heredoc) -> None:
    lines: list[str] = []
    found = False
    while s.pos < s.size and not found:
        end = s.text.find("\n", s.pos)
        end = s.size if end < 0 else end
        line = s.text[s.pos : end]
        line = line.lstrip("\t") if document.strip else line
        s.pos = min(end + 1, s.size)
        found = line.removesuffix("\r") == document.delimiter
        if not found:
            lines.append(line)
    s.incomplete = s.incomplete or not found
    document.body = "\n".join(lines)
    if not document.quoted and ("$" in document.body or "`" in document.body):
        s.inner(document.body, segment, "arg", body=True)


def semicolon(s: Scanner, frame: Frame) -> None:
    """`;`, and what ends a branch of `case`."""
    two = s.text[s.pos : s.pos + 2]
    if _within(s, frame):
        s.pos += 1
        return
    end_segment(s, frame, ";")
    if s.stack[-1] is not frame:
        return
    s.pos += 1
    if frame.cases and two in (";;", ";&", ";|"):
        s.pos += 2 if s.text.startswith(";;&", s.pos - 1) else 1
        frame.mode, frame.first = "pattern", True


def ampersand(s: Scanner, frame: Frame) -> None:
    """`&&`, `&`, and the redirections that begin with it."""
    two = s.text[s.pos : s.pos + 2]
    if two == "&>" and s.dialect not in NO_TEST and frame.mode == "command":
        end_word(s, frame)
        redirect(s, frame)
        return
    _operator(s, frame, "&&" if two == "&&" else "&")


def bar(s: Scanner, frame: Frame) -> None:
    """`||`, `|&` and `|`."""
    two = s.text[s.pos : s.pos + 2]
    if two in ("||", "|&"):
        _operator(s, frame, two)
    else:
        _operator(s, frame, "|")


def _operator(s: Scanner, frame: Frame, operator: str) -> None:
    if frame.mode == "test":
        end_word(s, frame)
    elif not _within(s, frame):
        end_segment(s, frame, "|" if operator == "|&" else operator)
    if s.stack[-1] is frame:
        s.pos += len(operator)


def redirect(s: Scanner, frame: Frame) -> None:
    """`<`, `>` and their kin; process substitutions too."""
    two = s.text[s.pos : s.pos + 2]
    if two in ("<(", ">(") and not s.fish:
        made = s.push_list(frame, s.pos, "proc")
        made.segment.capture = "into" if two == ">(" else "proc"
        s.pos += 2
        return
    if frame.mode in ("test", "array", "subject", "pattern"):
        end_word(s, frame)
        s.pos += 1
        return
    start = frame.word_start
    frame.fd = _descriptor(frame)
    end_word(s, frame)
    if s.stack[-1] is not frame:
        return
    operator = next(op for op in _REDIRECTS if s.text.startswith(op, s.pos))
    if frame.segment.start < 0:
        frame.segment.start = start if frame.fd and start >= 0 else s.pos
    frame.expect = operator
    s.pos += len(operator)


def _descriptor(frame: Frame) -> str:
    """Takes `2` or `{fd}` right before the operator out of the word in progress."""
    if frame.word_start < 0 or len(frame.parts) != 1 or frame.parts[0][0] != LITERAL or frame.parts[0][2]:
        return ""
    text = frame.parts[0][1]
    if not (text.isdigit() or (text[0] == "{" and text[-1] == "}" and is_name(text[1:-1]))):
        return ""
    frame.parts, frame.word_start = [], -1
    return text


def _redirect_target(frame: Frame, word: Word) -> None:
    operator, frame.expect = frame.expect, ""
    if operator in ("<<", "<<-"):
        document = Heredoc(word.text, quoted=word.quoted, strip=operator == "<<-")
        frame.segment.add_heredoc(document)
        frame.segment.add_redirect(Redirect(frame.fd, operator, word))
        if not isinstance(frame.pending, list):
            frame.pending = []
        frame.pending.append((frame.segment, document))
    else:
        frame.segment.add_redirect(Redirect(frame.fd, operator, word))
    frame.fd = ""
