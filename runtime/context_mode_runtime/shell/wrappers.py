"""Programs that run another program: where its words begin (`wrapper_table.py`), or which argument is shell text."""

from __future__ import annotations

from context_mode_runtime.shell import programs, windows_programs
from context_mode_runtime.shell.opened import Opened, base
from context_mode_runtime.shell.subcommand_table import BEHIND, SUBCOMMANDS
from context_mode_runtime.shell.text_table import ESCAPES, MARKS, SETTINGS, TEXT_OPTIONS, TEXT_WORDS
from context_mode_runtime.shell.wrapper_table import ASSIGNING, JOINING, QUERIES, SHELLS, WRAPPERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_GIVEN_MAX = 16
"""Arguments behind `:::` that are tried, each by itself."""
_HEADS = frozenset(("{", "!", "then", "do", "else", "if", "while", "until", "(", "&"))
_FIND_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))


def opened(words: list[str]) -> Opened | None:
    """What `words` runs inside itself, or None when it is no wrapper."""
    name = base(words[0])
    if name not in KNOWN:
        name = name.lower()
        if name not in KNOWN:
            return None
    opener = _OPENERS.get(name)
    result = opener(name, words) if opener is not None else None
    for more in (_behind_subcommand(name, words), programs.held(name, words)):
        if more is not None:
            result = result or Opened()
            result.commands += more.commands
            result.texts += more.texts
    return result


def _behind_subcommand(name: str, words: list[str]) -> Opened | None:
    known = SUBCOMMANDS.get(name, {})
    at = next((at for at, word in enumerate(words[1:], 1) if word in known), 0)
    return _from(words, at + 1, *known[words[at]]) if at else None


def is_wrapper(words: list[str]) -> bool:
    """What `words` runs is still to come."""
    found = opened(words)
    return found is not None and not found.commands and not any(text[0] for text in found.texts)


def operand(name: str, words: list[str]) -> str:
    """The file that a shell (or `source`) is given instead of its input, else an empty string."""
    if name in ("source", "."):
        return words[1] if len(words) > 1 else ""
    if name in ("at", "batch"):
        return words[words.index("-f") + 1] if "-f" in words[:-1] else ""
    values = frozenset(("-o", "-O", "+o", "+O", "--rcfile", "--init-file"))
    at = 1
    while at < len(words) and words[at][:1] in ("-", "+") and len(words[at]) > 1:
        if words[at].startswith("-") and not words[at].startswith("--") and words[at].endswith("s"):
            return ""
        at += 2 if words[at] in values or words[at][-1:] in ("o", "O") else 1
    return words[at] if at < len(words) else ""


def _behind(name: str, words: list[str]) -> Opened | None:
    """What follows one of the program's options is the command."""
    result = Opened()
    for option in BEHIND[name]:
        at = _place(words, (option,)) + 1
        glued = next((word for word in words[1:] if option.startswith("--") and word.startswith(option + "=")), "")
        if at > 1:
            inner = words[at:]
            _add(result, [word for word in inner if word != "--"] if name == "start-stop-daemon" else inner)
            break
        if glued:
            _add(result, [glued[len(option) + 1 :], *words[words.index(glued) + 1 :]])
            break
    if name in TEXT_OPTIONS:
        _option_texts(result, words, TEXT_OPTIONS[name], "bash")
    if name in TEXT_WORDS:
        result.texts += _text_words(name, words).texts
    wrapped = _wrapper(name, words) if not result.commands and name in WRAPPERS else None
    if wrapped:
        result.commands += wrapped.commands
        result.texts += wrapped.texts
    return result if result.commands or result.texts else None


def _place(words: list[str], options: tuple[str, ...]) -> int:
    """Where one of `options` stands, else where letters end in it; 0: nowhere."""
    exact = next((at for at, word in enumerate(words[1:], 1) if word in options), 0)
    return exact or next((at for at, word in enumerate(words[1:], 1) if programs.cluster_end(word, options)), 0)


def _add(result: Opened, inner: list[str]) -> None:
    """A command that the program starts; a single word with a blank in it may go to a shell."""
    if inner:
        result.commands.append(inner)
    if len(inner) == 1 and " " in inner[0]:
        result.texts.append((inner[0], "bash", []))


def _text_words(name: str, words: list[str]) -> Opened:
    """Each word with a blank in it is shell text."""
    result = (_wrapper(name, words) if name in WRAPPERS else None) or Opened()
    result.texts += [(word, "bash", []) for word in words[1:] if " " in word or "\t" in word]
    return result


def _from(words: list[str], at: int, values: str, own: int) -> Opened:
    result = Opened()
    at = _behind_options(words, at, frozenset(values.split()))
    at += own
    _add(result, words[at + 1 :] if own and words[at : at + 1] == ["--"] else words[at:])
    return result


def _behind_options(words: list[str], at: int, values: frozenset[str]) -> int:
    """The index of the first word that is no option and no option's value."""
    while at < len(words):
        word = words[at]
        if word == "--":
            return at + 1
        if not _option(word, values):
            return at
        at += 2 if _takes_next(word, values) else 1
    return at


def _option(word: str, values: frozenset[str]) -> bool:
    return len(word) > 1 and (word[0] == "-" or word in values)


def _takes_next(word: str, values: frozenset[str]) -> bool:
    """`-n`, `--user`, and a cluster whose last letter takes a value; never `-n5` or `--user=x`."""
    if word.startswith("--") or word in values:
        return word in values
    for place, letter in enumerate(word[1:], 1):
        if "-" + letter in values:
            return place == len(word) - 1
    return False


def _wrapper(name: str, words: list[str]) -> Opened | None:
    result = Opened()
    text_options = TEXT_OPTIONS.get(name, ())
    if text_options and _option_texts(result, words, text_options, None):
        return result
    if any(w in QUERIES.get(name, ()) for w in words[1:3]):
        return None
    values, own = WRAPPERS[name]
    at = _behind_options(words, 1, frozenset(values.split()))
    if name in ASSIGNING:
        while at < len(words) and "=" in words[at].lstrip("="):
            at += 1
    at += own
    while at < len(words) and words[at] in _HEADS:
        at += 1
    inner = words[at:]
    if name in JOINING:
        _joined(name, inner, result)
    elif inner:
        result.commands.append(inner[1:] if inner[0] == "--" else inner)
    return result


def _joined(name: str, inner: list[str], result: Opened) -> None:
    """Programs that give their words to a shell: as one text, or each word a text (`hyperfine`)."""
    if name == "hyperfine":
        result.texts += [(word, None, []) for word in inner]
        return
    given: list[str] = []
    for mark in (":::", "::::", ":::+"):
        if mark in inner:
            given = inner[inner.index(mark) + 1 :] if mark == ":::" else []
            inner = inner[: inner.index(mark)]
            result.texts += [] if inner else [(word, None, []) for word in given]
    if inner:
        result.commands += [inner, *[[*inner, one] for one in given[:_GIVEN_MAX]]]
        result.texts.append((" ".join(inner), None, []))


def _option_texts(result: Opened, words: list[str], options: tuple[str, ...], dialect: str | None) -> bool:
    for at, word in enumerate(words[1:], 1):
        if word in options or programs.cluster_end(word, options):
            if at + 1 < len(words):
                text, *rest = [" ".join(words[at + 1 :])] if word == "-S" else words[at + 1 :]
                result.texts.append((text, dialect, [one for one in rest if one != "--"]))
            return True
        for option in options:
            if option.startswith("--") and word.startswith(option + "="):
                result.texts.append((word[len(option) + 1 :], dialect, []))
                return True
            if not option.startswith("--") and word.startswith(option) and len(word) > len(option):
                result.texts.append((" ".join([word[len(option) :], *words[at + 1 :]]), dialect, []))
                return True
    return False


def _text_option(name: str, words: list[str]) -> Opened:
    result = Opened()
    found = _option_texts(result, words, TEXT_OPTIONS[name], "bash")
    if not found and name == "runuser" and "-u" in words:
        result.commands.append([word for word in words[words.index("-u") + 2 :] if word != "--"])
    elif not found and name == "script":
        at = _behind_options(words, 1, frozenset(("-E", "-I", "-O", "-B", "-T", "-m", "-o", "-t"))) + 1
        if words[at:]:
            result.commands.append(words[at:])
    return result


def _shell(name: str, words: list[str]) -> Opened:
    dialect = SHELLS[name]
    if dialect == "powershell":
        return windows_programs.powershell(name, words)
    if dialect == "cmd":
        return windows_programs.cmd(name, words)
    result = Opened()
    at = 1
    while at < len(words) and words[at][:1] in ("-", "+") and len(words[at]) > 1:
        word = words[at]
        short = word[1:] if not word.startswith("--") else ""
        if ("c" in short and word[0] == "-") or word in ("--command", "--commands"):
            at = _behind_options(words, at + 1, frozenset(("-o", "-O", "+o", "+O")))
            if at < len(words):
                result.texts.append((words[at], dialect, words[at + 1 :]))
            return result
        if word.startswith(("--command=", "--init-command=")):
            result.texts.append((word.partition("=")[2], dialect, words[at + 1 :]))
            return result
        takes = short[-1:] in ("o", "O") or word in ("--rcfile", "--init-file", "--emulate")
        if dialect == "fish" and short == "C":
            result.texts += [(w, dialect, []) for w in words[at + 1 : at + 2]]
            takes = True
        at += 2 if takes else 1
    return result


def _eval(_name: str, words: list[str]) -> Opened:
    result = Opened()
    rest = words[2:] if words[1:2] == ["--"] else words[1:]
    result.texts.append((" ".join(rest), None, []))
    return result


def _trap(_name: str, words: list[str]) -> Opened | None:
    at = 2 if words[1:2] == ["--"] else 1
    if len(words) <= at + 1 or words[at] in ("-", "-l", "-p"):
        return None
    result = Opened()
    result.texts.append((words[at], None, []))
    return result


def _group(_name: str, words: list[str]) -> Opened:
    """`sg [-] group [-c] command`."""
    result = Opened()
    rest = [word for word in words[1:] if word not in ("-", "-c")]
    result.texts += [(word, "bash", []) for word in rest[1:2]]
    return result


def _alias(_name: str, words: list[str]) -> Opened:
    """Each value is shell text that runs when the alias is used."""
    result = Opened()
    for word in words[1:]:
        if "=" in word:
            result.texts.append((word.partition("=")[2], None, []))
    return result


def _find(_name: str, words: list[str]) -> Opened:
    result = Opened()
    start = -1
    for at, word in enumerate(words):
        if start < 0 and word in _FIND_RUNS:
            start = at + 1
        elif start >= 0 and (word == ";" or (word == "+" and words[at - 1] == "{}")):
            result.commands.append(words[start:at])
            start = -1
    if start >= 0:
        result.commands.append(words[start:])
    return result


_TMUX_VALUES = ("-t", "-s", "-n", "-c", "-S", "-L", "-f", "-dmS", "-DmS")


def _tmux(name: str, words: list[str]) -> Opened | None:
    """`new-session`, `send-keys` and the like hand their last words to a shell."""
    result = _text_words(name, words[1:])
    at = 1 if name == "screen" else 2
    while at < len(words) and (words[at][:1] == "-" or words[at - 1] in _TMUX_VALUES):
        at += 1
    if words[at:]:
        result.commands.append(words[at:])
    return result if result.commands or result.texts else None


def _ip(_name: str, words: list[str]) -> Opened | None:
    """`ip netns exec NAME command`, `ip vrf exec NAME command`."""
    if "exec" not in words:
        return None
    return _from(words, words.index("exec") + 1, "", 0 if words[1] in ("-a", "-all") else 1)


_SPECIAL: dict[str, Callable[[str, list[str]], Opened | None]] = {
    "eval": _eval,
    "alias": _alias,
    "find": _find,
    "gfind": _find,
    **dict.fromkeys(("su", "runuser", "newrole", "script", "scriptlive", "nix-shell"), _text_option),
    "sg": _group,
    "ip": _ip,
    "trap": _trap,
    **dict.fromkeys(("tmux", "tmate", "byobu", "screen"), _tmux),
    **windows_programs.OPENERS,
}
_OPENERS: dict[str, Callable[[str, list[str]], Opened | None]] = {
    **dict.fromkeys(TEXT_OPTIONS, programs.option_texts),
    **dict.fromkeys(WRAPPERS, _wrapper),
    **dict.fromkeys(TEXT_WORDS, _text_words),
    **dict.fromkeys(BEHIND, _behind),
    **programs.OPENERS,
    **dict.fromkeys(SHELLS, _shell),
    **_SPECIAL,
}
KNOWN = frozenset((*_OPENERS, *SUBCOMMANDS, *SETTINGS, *MARKS, *ESCAPES))
"""Names that may run something."""
