"""What programs and cmdlets of Windows run inside themselves, and the other names of cmdlets."""

from __future__ import annotations

from context_mode_runtime.shell.opened import Opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ENCODED_MAX = 65_536
_POWERSHELL_VALUES = ("ex", "ep", "w", "v", "in", "o", "config", "custom", "settings", "ps", "wo", "if")
"""Beginnings of options of PowerShell that take the next word."""
_PROGRAM = ("-filepath", "-execute", "-command", "-program", "-path")
_ARGUMENTS = ("-argumentlist", "-arguments", "-argument", "-args", "-commandline")
_FLAGS = frozenset(
    ("-wait", "-nonewwindow", "-passthru", "-loaduserprofile", "-usenewenvironment", "-asjob", "-confirm")
)
_VALUES = frozenset(("-verb", "-workingdirectory", "-windowstyle", "-credential"))
_SHORTEST = 2
_ALIASES = {
    "remove-item": "ri del rm erase rd rmdir",
    "get-childitem": "gci ls dir",
    "get-content": "gc cat type",
    "set-content": "sc",
    "copy-item": "cpi cp copy",
    "move-item": "mi mv move",
    "rename-item": "rni ren",
    "new-item": "ni",
    "clear-content": "clc",
    "clear-item": "cli",
    "set-item": "si",
    "set-location": "sl cd chdir",
    "push-location": "pushd",
    "stop-process": "spps kill",
    "get-process": "gps ps",
    "start-process": "saps start",
    "stop-service": "spsv",
    "start-service": "sasv",
    "invoke-expression": "iex",
    "invoke-command": "icm",
    "invoke-webrequest": "iwr",
    "invoke-restmethod": "irm",
    "invoke-item": "ii",
    "remove-itemproperty": "rp",
    "set-itemproperty": "sp",
    "remove-variable": "rv",
    "write-output": "echo write",
    "select-string": "sls",
    "start-job": "sajb",
    "tee-object": "tee",
    "out-host": "oh",
    "remove-psdrive": "rdr",
    "new-psdrive": "ndr mount",
    "set-alias": "sal",
    "new-alias": "nal",
}
"""Cmdlets and what else they are called; a rule for one name holds for all."""
_OLDER_ALIASES = {"curl": "invoke-webrequest", "wget": "invoke-webrequest"}
"""Programs of their own in PowerShell 6 and later: a rule for the program does not hold for the cmdlet."""
_CMD_ALIASES = (
    ("del", "erase"),
    ("rd", "rmdir"),
    ("md", "mkdir"),
    ("ren", "rename"),
    ("cd", "chdir"),
    ("copy", "xcopy"),
)
NOT_READ = frozenset(
    (
        *("write-output", "write-host", "write-error", "write-warning", "write-verbose", "echo", "write", "new-item"),
        "ni",
        *("md", "mkdir", "set", "rem", "title", "remove-item", *_ALIASES["remove-item"].split(), "test-path", "exit"),
        *("split-path", "join-path", "start-sleep", "sleep", "stop-process", "kill", "get-command", "gcm", "setx"),
    )
)
"""Commands that read none of the files they name."""
_GROUPS: dict[str, list[tuple[str, ...]]] = {
    "powershell": [(name, *others.split()) for name, others in _ALIASES.items()],
    "cmd": [*_CMD_ALIASES],
}
_SAME = {dialect: {name: group for group in groups for name in group} for dialect, groups in _GROUPS.items()}


def other_names(name: str, dialect: str) -> list[str]:
    """What else the command is called in this language."""
    name = name.lower()
    dialect = "powershell" if dialect == "pwsh" else dialect
    older = _OLDER_ALIASES.get(name) if dialect == "powershell" else None
    found = [one for one in _SAME.get(dialect, {}).get(name, ()) if one != name]
    return [*found, older] if older else found


def powershell(_name: str, words: list[str]) -> Opened:
    """`powershell -c text`, `-EncodedCommand base64`, or text without an option."""
    result = Opened()
    at = 1
    while at < len(words):
        option = words[at].lower().lstrip("-/\u2013\u2014\u2015")
        if words[at][:1] not in ("-", "/", "\u2013", "\u2014", "\u2015"):
            result.texts.append((" ".join(words[at:]), "powershell", []))
            return result
        name, cut, glued = option.partition(":")
        if name in ("f", "fi", "fil", "file"):
            return result
        if name and ("encodedcommand".startswith(name) or name == "ec"):
            result.texts.append(
                (_decoded(words[at][-len(glued) :] if cut else "".join(words[at + 1 : at + 2])), "powershell", [])
            )
            return result
        if name and ("command".startswith(name) or name in ("commandwithargs", "cwa")):
            text = " ".join(words[at + 1 :])
            result.texts += [(text, "powershell", [])] if text != "-" else []
            return result
        at += 2 if name.startswith(_POWERSHELL_VALUES) and not cut else 1
    return result


def _decoded(text: str) -> str:
    """Base64 of UTF-16."""
    import binascii

    try:
        return binascii.a2b_base64(text[:_ENCODED_MAX] + "==").decode("utf-16-le", "replace")
    except ValueError:
        return ""


def cmd(_name: str, words: list[str]) -> Opened:
    """`cmd /c text`; the option may be glued to options before it and to the text."""
    result = Opened()
    for at, word in enumerate(words[1:], 1):
        lower = word.lower()
        place = next((lower.find(option) for option in ("/c", "/k", "/r") if option in lower), -1)
        if word[:1] == "/" and place >= 0:
            result.texts.append((" ".join([word[place + 2 :], *words[at + 1 :]]).strip(), "cmd", []))
            break
    return result


def _started(_name: str, words: list[str]) -> Opened:
    """`Start-Process [-FilePath] x [-ArgumentList] a, b`, and other cmdlets with a program and its arguments."""
    program, given = _program(words[1:])
    result = Opened()
    if program:
        result.commands.append([program, *given])
        pieces = [piece for one in given for piece in one.split()]
        if pieces != given:
            result.commands.append([program, *[piece.strip("'\"") for piece in pieces]])
            result.texts.append((" ".join([program, *given]), "cmd", []))
    return result


def _program(words: list[str]) -> tuple[str, list[str]]:
    """The program and its arguments, by names or by place. Options of the cmdlet itself take a word each."""
    program, given, into = "", [], ""
    for word in words:
        name, cut, glued = word.partition(":")
        lower = name.lower()
        if lower in _FLAGS:
            into = ""
        elif word[:1] == "-" and word[1:] and not (into == "arguments" and " " in word):
            into = _kind(lower, known=bool(program))
            given += [word] if into == "arguments" and not _means(lower, _ARGUMENTS) else []
            if cut and into == "program":
                program, into = glued, ""
            elif cut and into == "arguments" and _means(lower, _ARGUMENTS):
                given.append(glued)
        elif into == "program" or (not program and into == ""):
            program, into = word, ""
        elif into == "other":
            into = ""
        else:
            given += [piece.strip() for piece in word.split(",") if piece.strip()] if "," in word else [word]
    return program, given


def _kind(option: str, *, known: bool) -> str:
    """What follows an option: the program, its arguments, or a value of the cmdlet."""
    if _means(option, _PROGRAM):
        return "program"
    if _means(option, _ARGUMENTS) or (known and option not in _VALUES):
        return "arguments"
    return "other"


def _means(option: str, full: tuple[str, ...]) -> bool:
    return any(name.startswith(option) and len(option) > _SHORTEST - 1 for name in full)


def _text(_name: str, words: list[str]) -> Opened:
    """All operands are one text of PowerShell."""
    result = Opened()
    result.texts.append((" ".join([w for w in words[1:] if w.lower() != "-command"]), "powershell", []))
    return result


def _line(_name: str, words: list[str]) -> Opened:
    """The operands are one command line of Windows."""
    result = Opened()
    result.texts.append((" ".join([word for word in words[1:] if word[:1] != "-"]), "cmd", []))
    return result


def _any_line(_name: str, words: list[str]) -> Opened:
    """The last operand, and each with a blank in it, is a command line of Windows."""
    result = Opened()
    operands = [word for word in words[1:] if word[:1] not in ("-", "/")]
    result.texts += [(word, "cmd", []) for at, word in enumerate(operands, 1) if " " in word or at == len(operands)]
    return result


def _behind(*options: str) -> Callable[[str, list[str]], Opened]:
    """What follows one of the options is a command line of Windows."""

    def opener(_name: str, words: list[str]) -> Opened:
        result = Opened()
        for at, word in enumerate(words[1:-1], 1):
            if word.lower() in options:
                result.texts.append((words[at + 1], "cmd", []))
        return result

    return opener


def _renamed(_name: str, words: list[str]) -> Opened:
    """`Set-Alias q Remove-Item` counts as the command, as `alias` does."""
    result = Opened()
    operands = [word for word in words[1:] if word[:1] != "-"]
    if len(operands) > 1:
        result.commands.append(operands[1:])
    return result


def _start(name: str, words: list[str]) -> Opened:
    """Cmd's `start "title" /b x`, and the other name of `Start-Process`."""
    if any(_means(word.lower(), (*_PROGRAM[:1], *_ARGUMENTS[:1])) for word in words[1:] if word[:1] == "-"):
        return _started(name, words)
    at = 1
    while at < len(words) and (not words[at] or words[at][:1] == "/" or " " in words[at]):
        at += 2 if words[at].lower() in ("/d", "/node", "/affinity") else 1
    result = Opened()
    result.commands += [words[at:]] if words[at:] else []
    if words[at:] and "," in "".join(words[at + 1 :]):
        result.commands += _started(name, words[at - 1 :]).commands
    return result


def _value(_name: str, words: list[str]) -> Opened:
    """A property that holds a program, in a table or of an object."""
    result = Opened()
    result.commands += [words[1:]] if words[1:] else []
    result.texts += [(" ".join(words[1:]), "cmd", [])] if words[1:] else []
    return result


OPENERS: dict[str, Callable[[str, list[str]], Opened | None]] = {
    **dict.fromkeys(("start-process", "saps", "start-threadjob", "new-scheduledtaskaction"), _started),
    **dict.fromkeys((".start", ".shellexecute", ".run", ".exec", ".shell"), _line),
    **dict.fromkeys(("invoke-wmimethod", "iwmi", "invoke-cimmethod", "icim", "wmic"), _any_line),
    **dict.fromkeys(("psexec", "conhost"), _line),
    **dict.fromkeys(("invoke-expression", "iex", ".create", ".invokescript", ".addscript", ".newscriptblock"), _text),
    **dict.fromkeys(("@filepath", "@execute", ".filename", "@commandline", "@command"), _value),
    **dict.fromkeys(("set-alias", "sal", "new-alias", "nal"), _renamed),
    "start": _start,
    "forfiles": _behind("/c"),
    "schtasks": _behind("/tr"),
}
