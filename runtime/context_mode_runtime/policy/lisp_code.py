"""Lisp code before the rules: lists whose first symbol starts a program, by the texts in them. Linear, never raises."""

from __future__ import annotations

from context_mode_runtime.policy.literals import Reach, joined

_STARTS = frozenset(
    (
        *("system", "system*", "shell", "sh", "process", "process*", "exec", "execl", "execlp", "execle", "spawn", "$"),
        *(
            "run-program",
            "launch-program",
            "run-shell-command",
            "run-process",
            "run",
            "run/s",
            "run/ss",
            "run/i",
            "call",
        ),
        *("shell-command", "shell-command-to-string", "async-shell-command", "shell-command-on-region", "compile"),
        *("call-process", "call-process-shell-command", "call-process-region", "process-lines", "process-file"),
        *("start-process", "start-process-shell-command", "start-file-process", "make-process", "make-term", "term"),
        *("start-file-process-shell-command", "process-file-shell-command", "eshell-command", "ansi-term"),
        *("open-pipe", "open-pipe*", "open-input-pipe", "open-output-pipe", "open-input-output-pipe", "subprocess"),
        *("process-run", "process-execute", "sys-system", "sys-exec", "with-input-from-process", "execute", "!"),
        *("ProcessBuilder", "shell-out", "popen", "check_call", "check_output", "run-pipe-process", "pipe-from"),
    )
)
"""Last parts of symbols."""
_NAMED = frozenset(
    (
        *("start-process", "start-file-process", "make-process", "make-term", "ansi-term", "call-process-region"),
        *("subprocess", "start-process-shell-command", "start-file-process-shell-command"),
    )
)
"""Texts of theirs that stand in front of the program's: a name, a buffer."""
_JOINING = frozenset(("concat", "str", "string-append", "strcat"))
_CALLING = frozenset(("apply", "funcall", ".", "doto", "->", "->>", "comp", "partial"))
"""What they call is the symbol behind them, or one further on."""
_TEXTS_MAX = 64
_SYMBOLS_MAX = 6
"""Texts and symbols of a list that are kept."""
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_ENDS = frozenset('()[]{}"; \t\r\n')
_SPREAD = 8
_SPREAD_ALWAYS = 10_000
"""Signs of texts that are handed up, for each sign of the code and beside them."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class _List:
    """A list that is being read: its symbols, and its texts with those of the lists in it."""

    __slots__ = ("symbols", "texts")

    def __init__(self) -> None:
        self.symbols: list[str] = []
        self.texts: list[str] = []


def read_lisp(code: str) -> tuple[list[str], bool]:
    """The commands that lists in `code` start, as shell text, each once; and whether those are all."""
    found: dict[str, None] = {}
    reach = Reach(_SPREAD * len(code) + _SPREAD_ALWAYS)
    stack = [_List()]
    at = 0
    while at < len(code):
        sign = code[at]
        if sign == '"':
            text, at = _text(code, at + 1)
            stack[-1].texts.append(text)
        elif sign == ";":
            end = code.find("\n", at)
            at = end if end >= 0 else len(code)
        elif sign in _OPEN:
            stack.append(_List())
            at += 1
        elif sign in _CLOSE:
            if len(stack) > 1:
                _close(stack, found, reach)
            at += 1
        else:
            at = _symbol(code, at, stack[-1])
    while len(stack) > 1:
        _close(stack, found, reach)
    return [command for command in found if command.strip()], reach.left > 0


def _text(code: str, at: int) -> tuple[str, int]:
    out: list[str] = []
    while at < len(code) and code[at] != '"':
        if code[at] == "\\" and at + 1 < len(code):
            out.append(_ESCAPES.get(code[at + 1], code[at + 1]))
            at += 2
        else:
            out.append(code[at])
            at += 1
    return "".join(out), at + 1


def _symbol(code: str, at: int, into: _List) -> int:
    """A symbol, or signs between them; what stands behind a backslash is a part of it."""
    end = at
    while end == at or (end < len(code) and code[end] not in _ENDS):
        end += len("\\x") if code[end] == "\\" else 1
    word = code[at:end].strip("'`,@ \t\r\n")
    if word and len(into.symbols) < _SYMBOLS_MAX:
        into.symbols.append(word)
    return end


def _close(stack: list[_List], found: dict[str, None], reach: Reach) -> None:
    """Ends the list on top: its texts go to the list around it, and are a command when it starts one."""
    done = stack.pop()
    if not reach.take(sum(map(len, done.texts))):
        return
    head = _last(done.symbols[0]) if done.symbols else ""
    if head in _JOINING:
        done.texts = ["".join(done.texts)]
    heads = [_last(symbol) for symbol in done.symbols] if head in _CALLING else [head]
    starts = next((one for one in heads if one in _STARTS), "")
    if starts and done.texts:
        found.update(dict.fromkeys((done.texts[0], joined(done.texts))))
        for skipped in range(1, len(done.texts)) if starts in _NAMED else ():
            found[joined(done.texts[skipped:])] = None
            if skipped > 1:
                break
    stack[-1].texts += done.texts[:_TEXTS_MAX]


def _last(symbol: str) -> str:
    """A symbol's own name: without package, name space and the dots of Java."""
    for sign in (":", "/", "."):
        tail = symbol.rstrip(".").rpartition(sign)[2]
        if tail and symbol not in _STARTS:
            symbol = tail
    return symbol
