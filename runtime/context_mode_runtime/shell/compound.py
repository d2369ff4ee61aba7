"""How words and operators make segments: reserved words, redirections, here-documents, `case`, `for`, arrays."""

from __future__ import annotations

from context_mode_runtime.shell.model import Heredoc, Redirect, Segment
from context_mode_runtime.shell.reserved import NO_TEST, esac, reserved
from context_mode_runtime.shell.words import LITERAL, Word, ansi_c, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.shell.model import Frame
    from context_mode_runtime.shell.scan import Scanner

_REDIRECTS = ("<<<", "<<-", "&>>", "<<", "<>", "<&", ">>", ">&", ">|", "&>", "<", ">")
_TO_FILE = frozenset((">", ">>", ">|", "&>", "&>>"))
_BRACKET_MODES = frozenset(("pattern", "array", "subject", "test"))
_LINE_MODES = frozenset(("for", "test", "function", "line"))


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
        frame.mode = "command"
    segment, group = frame.segment, frame.last_group
    tail: Segment | None = None
    if not segment.empty():
        tail = segment
        _emit(s, frame, segment)
    if group is not None:
        frame.last_group = None
        tail = tail or (s.segments[-1] if s.segments else None)
        _mark_group(s, group, segment, operator)
    if operator == "|":
        if tail is not None:
            tail.piped = True
        frame.pipe_from = tail
    elif operator != "\n" or tail is not None:
        frame.pipe_from = None


def _emit(s: Scanner, frame: Frame, segment: Segment) -> None:
    segment.end = s.pos
    segment.group = frame.last_group
    s.segments.append(segment)
    if frame.pipe_from is not None:
        segment.piped_from = frame.pipe_from
        frame.pipe_from.pipe_next = segment
    frame.segment = Segment(s.text, segment.parent, segment.capture)


def _mark_group(s: Scanner, group: tuple[int, int], segment: Segment, operator: str) -> None:
    if operator == "|":
        s.marks.append((*group, "pipe"))
    if any(r.operator in _TO_FILE and r.fd in ("", "1") for r in segment.redirects):
        s.marks.append((*group, "file"))


def captured(owner: Frame) -> str:
    """Where the output of a substitution in the word in progress goes: `assign` (kept in a variable) or `arg`."""
    if owner.mode != "command":
        return "assign"
    if owner.segment.words or not owner.parts:
        return "arg"
    return "assign" if _assignment(Word(owner.parts, 0)) else "arg"


def echoed(segments: list[Segment]) -> str | None:
    """What a lone `echo` or `printf` of literals prints, else None."""
    segment = segments[0]
    words = segment.words
    if not words or segment.redirects or segment.piped or not all(w.literal for w in words):
        return None
    texts = [w.text for w in words]
    name, rest = texts[0].rpartition("/")[2], texts[1:]
    if name == "echo":
        while rest and rest[0] in ("-n", "-e", "-E", "-ne", "-en"):
            rest = rest[1:]
        return " ".join(rest)
    if name == "printf" and rest:
        rest = rest[1:] if rest[0] == "--" else rest
        return " ".join(rest[1:]) if "%" in rest[0] else ansi_c(rest[0].replace("'", "\\'") + "'", 0)[0]
    return None


def _assignment(word: Word) -> tuple[str, Word] | None:
    """The name and the value when `word` is `name=value`, `name+=value` or `name[i]=value`."""
    kind, text, quoted, _, _ = word.parts[0]
    if kind != LITERAL or quoted:
        return None
    cut = text.find("=")
    name = text[:cut].removesuffix("+") if cut > 0 else ""
    if name.endswith("]"):
        name = name.partition("[")[0]
    if not is_name(name):
        return None
    rest = [(kind, text[cut + 1 :], quoted, None, None), *word.parts[1:]]
    return name, Word(rest, word.start)


def _command_word(s: Scanner, frame: Frame, word: Word) -> None:
    segment = frame.segment
    if not segment.words:
        plain = word.plain
        if plain and segment.empty() and reserved(s, frame, plain):
            return
        found = None if s.fish or not word.parts else _assignment(word)
        if found:
            segment.add_assign(*found)
            segment.start = word.start if segment.start < 0 else segment.start
            return
    if segment.start < 0:
        segment.start = word.start
    segment.words.append(word)


def _for_word(s: Scanner, frame: Frame, word: Word) -> None:
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
    else:
        frame.first = False
        segment = frame.segment
        segment.start = word.start if segment.start < 0 else segment.start
        segment.add_assign(frame.name, word)


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


def _function_word(_s: Scanner, frame: Frame, _word: Word) -> None:
    frame.mode = "command"


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
    "line": lambda _s, _frame, _word: None,
    "array": _array_word,
}


def newline(s: Scanner, frame: Frame) -> None:
    """A newline: ends a command, and here-documents begin behind it."""
    if frame.mode in ("array", "subject", "pattern"):
        end_word(s, frame)
    else:
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
    if frame.mode in ("array", "subject", "pattern"):
        end_word(s, frame)
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
    if frame.mode in ("test", "array", "subject", "pattern"):
        end_word(s, frame)
    else:
        end_segment(s, frame, "|" if operator == "|&" else operator)
    if s.stack[-1] is frame:
        s.pos += len(operator)


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
    if _function_brackets(s, frame):
        return
    end_word(s, frame)
    if s.stack[-1] is frame:
        _open_group(s, frame)


def _open_group(s: Scanner, frame: Frame) -> None:
    if s.text.startswith("((", s.pos):
        s.open_arith(frame, s.pos, "sub")
    else:
        s.push_list(frame, s.pos, "sub")
        s.pos += 1


def _opens_array(s: Scanner, frame: Frame) -> bool:
    if not frame.parts or frame.parts[-1][1][-1:] != "=":
        return False
    found = _assignment(Word(frame.parts, 0))
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


def redirect(s: Scanner, frame: Frame) -> None:
    """`<`, `>` and their kin; process substitutions too."""
    two = s.text[s.pos : s.pos + 2]
    if two in ("<(", ">(") and not s.fish:
        s.push_list(frame, s.pos, "proc")
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
