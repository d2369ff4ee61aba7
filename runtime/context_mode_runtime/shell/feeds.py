"""Shell text that reaches a shell by its input, a file, a variable or an alias."""

from __future__ import annotations

from context_mode_runtime.shell import outputs, programs
from context_mode_runtime.shell.model import Group
from context_mode_runtime.shell.opened import base, plain_path, quoted
from context_mode_runtime.shell.text_table import (
    COMPILERS,
    SCRIPT_FILES,
    SCRIPT_OPERANDS,
    TEXT_VARIABLES,
    VARIABLE_ENDS,
    VARIABLE_STARTS,
)
from context_mode_runtime.shell.values import Unseen, unseen
from context_mode_runtime.shell.wrapper_table import SHELLS
from context_mode_runtime.shell.wrappers import is_wrapper, operand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.shell.model import Segment
    from context_mode_runtime.shell.opened import Opened, Text
    from context_mode_runtime.shell.values import Env
    from context_mode_runtime.shell.words import Word

_STARTUP = ("--rcfile", "--init-file")
_STREAMS = ("-", "/dev/stdin", "/dev/fd/", "/proc/self/fd/", "<(")
_READERS = frozenset(("source", ".", "at", "batch", "iex", "invoke-expression"))
"""No shells by name, but what comes in is run as shell text."""
_HOLDERS = frozenset(("env", "sudo", "doas", "export", "declare", "typeset", "readonly", "local"))
_EVALUATES = frozenset(
    (
        *("let", "[[", "[", "test", "printf", "declare", "typeset", "local", "export", "readonly", "unset", "read"),
        *("mapfile", "wait"),
    )
)
"""Words of theirs are evaluated as arithmetic, where the substitutions in a subscript run."""
_ARGUMENTS_FROM_INPUT = frozenset(("xargs", "gxargs", "parallel", "env_parallel"))
FED = _EVALUATES | _HOLDERS | _READERS | _ARGUMENTS_FROM_INPUT | frozenset((*SHELLS, *programs.SCRIPTS))
"""What they run may come from elsewhere in the text."""
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_LOGINS = {
    "su": "",
    "runuser": "",
    "sudo": "-s -i --shell --login",
    "doas": "-s",
    "chroot": "",
    "nsenter": "",
    "unshare": "",
    "systemd-run": "-S --shell",
}
"""Without a command they start a shell that reads (with one of these options, where some are named)."""
_LINES_MAX = 64
_INPUT_WORD = "$input"


class Fed:
    """What a command is fed: `texts` for shells, `commands` as words; `seen` is False when there is more."""

    __slots__ = ("commands", "seen", "texts")

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self.commands: list[list[str]] = []
        self.seen = True


def fed(words: list[str], segment: Segment, env: Env, found: Opened | None) -> Fed:
    """What `words` runs of its input, of files that the text writes, and of aliases."""
    result = Fed()
    if env.aliases:
        _aliased(words, env, result)
    name = base(words[0])
    lower = name.lower()
    if "/" in words[0] and (env.files or env.untold):
        _file(words[0], None, env, result, words)
    if name in _EVALUATES or name in _HOLDERS:
        _of_words(name, words, env, result)
    if name in programs.SCRIPTS:
        _script(name, words, segment, env, result)
    elif name in _ARGUMENTS_FROM_INPUT and found is not None:
        _arguments(name, words, segment, env, found, result)
    elif lower in SHELLS or lower in _READERS or _logs_in(name, words, found):
        _startup(words, segment, env, result)
        if found is None or not any(text[0] for text in found.texts):
            _shell(name, words, segment, env, result)
    return result


def read_by(segment: Segment, env: Env) -> list[str]:
    """What a program reads of process substitutions and on its input."""
    texts = [text for word in segment.words for text in outputs.of_process(word, env, 0, raw=True)[0]]
    return texts + outputs.inputs(segment, env, 0)[0]


def _logs_in(name: str, words: list[str], found: Opened | None) -> bool:
    if name not in _LOGINS or (found is not None and (found.commands or found.texts)):
        return False
    needed = _LOGINS[name].split()
    return not needed or any(word in needed for word in words[1:])


def _startup(words: list[str], segment: Segment, env: Env, result: Fed) -> None:
    """The file that a shell reads before its program."""
    for at, word in enumerate(segment.words[1:]):
        if segment.words[at].text in _STARTUP:
            made, known = outputs.of_process(word, env, 0, raw=True)
            result.texts += [(text, None, []) for text in made]
            result.seen = result.seen and known
    for at, file in enumerate(words[1:]):
        if words[at] in _STARTUP:
            _file(file, None, env, result)


def _shell(name: str, words: list[str], segment: Segment, env: Env, result: Fed) -> None:
    dialect = SHELLS.get(name.lower())
    file = "" if name in _LOGINS else operand(name, words)
    given = _given(words, file)
    for word in segment.words:
        made, known = outputs.of_process(word, env, 0, raw=True)
        result.texts += [(text, dialect, given) for text in made]
        result.seen = result.seen and known
    if file and not file.startswith(_STREAMS):
        if isinstance(file, Unseen) and file.startswith(("$(", "`")) and not file.bare:
            return
        _file(file, dialect, env, result, given)
        return
    if file.startswith("<("):
        return
    texts, seen = outputs.inputs(segment, env, 0)
    if "/fd/" in file:
        texts = [*texts, *env.files.get("&" + file.rpartition("/")[2], [])]
    result.texts += [(text, dialect, given) for text in texts if text.strip()]
    if seen is False and not _from_file(segment, env) and not _beside(segment, file):
        result.seen = False


def _given(words: list[str], file: str) -> list[str]:
    """The script's name and the arguments that a shell hands to it; empty when there are none."""
    if file:
        at = words.index(file, 1)
        return words[at:] if len(words) > at + 1 else []
    at = next((at for at, word in enumerate(words) if at and word[:1] == "-" and word[1:2] != "-" and "s" in word), 0)
    rest = [word for word in words[at + 1 :] if word != "--"] if at else []
    return [words[0], *rest] if rest else []


def _beside(segment: Segment, file: str) -> bool:
    """All that comes in has descriptors of its own, which the shell doesn't read by itself."""
    taken = [redirect.fd for redirect in segment.redirects if redirect.operator[0] == "<"]
    return segment.piped_from is None and "/fd/" not in file and bool(taken) and not {"", "0"} & set(taken)


def _from_file(segment: Segment, env: Env) -> bool:
    """A file of the project comes in, by `<` or `cat`: as good as its name behind the shell's."""
    words = [r.target for r in segment.redirects if r.operator == "<"]
    before = segment.piped_from
    if not words and before is not None and not isinstance(before, Group):
        words = before.words[1:] if base(before.words[0].text) == "cat" else []
    return bool(words) and all(word.literal and plain_path(word.text) not in env.untold for word in words)


def _file(path: str, dialect: str | None, env: Env, result: Fed, given: list[str] | None = None) -> None:
    result.seen = result.seen and plain_path(path) not in env.untold
    result.texts += [(text, dialect, given or []) for text in env.files.get(plain_path(path), [])]


def _aliased(words: list[str], env: Env, result: Fed) -> None:
    for value in env.aliases.get(words[0], ()):
        rest = words[1:]
        if value.endswith(" ") and rest and rest[0] in env.aliases:
            rest = [env.aliases[rest[0]][-1], *[quoted(word) for word in rest[1:]]]
        else:
            rest = [quoted(word) for word in rest]
        if value.split(" ")[0] != words[0]:
            result.texts.append((" ".join([value, *rest]), None, []))


def _arguments(name: str, words: list[str], segment: Segment, env: Env, found: Opened, result: Fed) -> None:
    """`xargs` and `parallel`: what comes in becomes words of the command."""
    texts, seen = _xargs_input(segment, env)
    if not seen:
        texts = [*texts, unseen(_INPUT_WORD)]
    for text in [text for text in texts if text.strip()]:
        if name == "parallel" and not found.commands and not isinstance(text, Unseen):
            result.texts.append((text, None, []))
        for inner in found.commands:
            result.commands += _filled(inner, text, _replaced(words))


def _filled(inner: list[str], text: str, mark: str) -> list[list[str]]:
    """The commands that `inner` becomes with `text` in the place of `mark`, or at its end."""
    if isinstance(text, Unseen):
        if not mark and inner and base(inner[0]) in SHELLS:
            return [[*inner, text, text]]
        if not mark:
            return [[*inner, text]] if inner and is_wrapper(inner) else []
        runs = inner[:1] == [mark] or (base(inner[0]) in SHELLS and any(word.startswith(mark) for word in inner))
        return [[text if word == mark else word.replace(mark, text) for word in inner]] if runs else []
    if not mark:
        return [[*inner, *words] for words in (text.split(), [text]) if words]
    lines = [line for line in (*text.split("\n")[:_LINES_MAX], text.rstrip("\n")) if line]
    made = [[word.replace(mark, line) for word in inner] for line in lines]
    return [one for one in made if one != inner]


def _xargs_input(segment: Segment, env: Env) -> tuple[list[str], bool | None]:
    for word in segment.words:
        made, known = outputs.of_process(word, env, 0, raw=True)
        if made:
            return made, known
    return outputs.inputs(segment, env, 0)


def _script(name: str, words: list[str], segment: Segment, env: Env, result: Fed) -> None:
    """A script that comes in on the input, or stands in a file that the text writes."""
    texts: list[str] = []
    if programs.reads_script(name, words):
        texts, _ = _xargs_input(segment, env)
    elif name in programs.SEDS and programs.runs_lines(words):
        texts, seen = outputs.inputs(segment, env, 0)
        result.texts += [(text, "sh", []) for text in texts]
        result.seen = seen is not False
        return
    texts += [text for file in _script_files(name, words) for text in env.files.get(plain_path(file), [])]
    result.texts += [(one, "sh", []) for text in texts for one in programs.SCRIPTS[name](text) if one]


def _script_files(name: str, words: list[str]) -> list[str]:
    """The files whose script the program runs."""
    files = programs.option_values(words, SCRIPT_FILES.get(name, ()))
    if name == "nmap":
        files = [one for file in files for part in file.split(",") for one in (part, part + ".nse")]
    if name in SCRIPT_OPERANDS:
        files += [word for word in words[1:] if word[:1] != "-"]
    elif name in programs.SSHES and not files:
        files = ["~/.ssh/config", "$HOME/.ssh/config"]
    elif name in programs.MAKES and not files:
        folders = programs.option_values(words, ("-C", "--directory")) or [""]
        files = [f"{folder}/{file}".lstrip("/") for folder in folders for file in _MAKEFILES]
    return files


def _of_words(name: str, words: list[str], env: Env, result: Fed) -> None:
    """Variables that are set by words, functions that are handed on, and subscripts that are evaluated."""
    evaluates = name in _EVALUATES and (name != "printf" or "-v" in words)
    for word in words[1:]:
        if evaluates and "[" in word and ("$(" in word or "`" in word):
            result.texts.append(substituted(word))
        key, cut, value = word.partition("=") if name in _HOLDERS else ("", "", "")
        if cut and _is_run(key):
            result.texts += _run_by(key, [value], env)
        elif cut and value.startswith("() {"):
            result.texts.append(("f " + value, "bash", []))


def _replaced(words: list[str]) -> str:
    for at, word in enumerate(words[1:], 1):
        if word in ("-I", "-i", "--replace", "-J"):
            return words[at + 1] if word in ("-I", "-J") and at + 1 < len(words) else "{}"
        if word[:2] in ("-I", "-i") and word[2:3]:
            return word[2:]
        if word.startswith("--replace="):
            return word[10:]
    return "{}" if base(words[0]) == "parallel" else ""


def of_variable(env: Env, name: str, word: Word | list[Word], segment: Segment) -> list[Text]:
    """Shell text that runs because a variable holds it: by its name, or where it is evaluated as arithmetic."""
    makes = bool(segment.words) and base(segment.words[0].text) in programs.MAKES
    value = next(iter(env.of(name)), "")
    fields = [value] if isinstance(value, str) else value
    if not _is_run(name) and not (makes and name in programs.MAKE_PROGRAMS):
        return [substituted(text) for text in fields if "[" in text and ("$(" in text or "`" in text)]
    texts: list[str] = []
    if not isinstance(word, list) and TEXT_VARIABLES.get(name, "") is None:
        texts, _ = outputs.of_process(word, env, 0, raw=True)
    return [*_run_by(name, fields, env), *[(text, "bash", []) for text in texts]]


def _is_run(name: str) -> bool:
    """A variable of this name holds what is run."""
    return name in TEXT_VARIABLES or name.startswith(VARIABLE_STARTS) or name.endswith(VARIABLE_ENDS)


def _run_by(name: str, fields: list[str], env: Env) -> list[Text]:
    """What runs when the variable `name` holds `fields`: command lines, or the substitutions in them and files."""
    front = TEXT_VARIABLES.get(name, "")
    if name in COMPILERS:
        fields = [field for field in fields if not isinstance(field, Unseen) or field.head.strip()]
    if front is not None:
        return [(front + text.lstrip("|!-" if not front else ""), "bash", []) for text in fields if text]
    paths = [plain_path(field) for field in fields]
    files = [text for path in paths for text in env.files.get(path, [])]
    files += [f"$(cat {quoted(path)})" for path in paths if path in env.untold]
    found = [substituted(text) for text in fields if "$(" in text or "`" in text]
    return [*found, *[(text, "bash", []) for text in files]]


def substituted(text: str) -> Text:
    """Text of which only the substitutions run."""
    return 'echo "' + text.replace('"', "") + '"', "bash", []
