"""Programs that have shell escapes or run programs by settings: git, editors, sed, awk, make, ssh."""

from __future__ import annotations

from context_mode_runtime.shell.opened import Opened, quoted
from context_mode_runtime.shell.scripts import awk_commands, of_crontab, recipes, sed_commands, sed_runs
from context_mode_runtime.shell.wrapper_table import TEXT_OPTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_GIT_VALUES = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"))
_GIT_KEYS = frozenset(
    (
        *("core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.askpass", "sequence.editor"),
        *("diff.external", "gpg.program", "gpg.ssh.program", "credential.helper", "core.gitproxy"),
        *("interactive.difffilter", "uploadpack.packobjectshook", "sendemail.smtpserver", "web.browser", "man.viewer"),
    )
)
_GIT_SECTIONS = ("pager.", "filter.", "alias.", "difftool.", "mergetool.", "diff.", "merge.", "browser.", "trailer.")
_GIT_ENDS = (
    ".cmd",
    ".command",
    ".clean",
    ".smudge",
    ".process",
    ".textconv",
    ".driver",
    ".helper",
    ".program",
    ".path",
)
_GIT_TEXTS: dict[str, tuple[str, ...]] = {
    "rebase": ("-x", "--exec"),
    "filter-branch": (
        *("--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--parent-filter", "--commit-filter"),
        *("--tag-name-filter", "--setup"),
    ),
    "difftool": ("-x", "--extcmd"),
    "grep": ("-O", "--open-files-in-pager"),
    **dict.fromkeys(("ls-remote", "fetch", "pull", "fetch-pack"), ("--upload-pack",)),
    "clone": ("-u", "--upload-pack"),
    **dict.fromkeys(("push", "send-pack"), ("--receive-pack", "--exec")),
    "archive": ("--exec",),
    "for-each-repo": (),
    "submodule": (),
    "bisect": (),
    "config": (),
}
ESCAPES: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    **dict.fromkeys(("vim", "vi", "nvim", "view", "gvim", "vimdiff"), (("-c", "--cmd", "-es"), "+", ("!", "system("))),
    "ex": (("-c", "-sc"), "+", ("!",)),
    "ed": ((), "", ("!",)),
    **dict.fromkeys(("emacs", "emacsclient"), (("--eval", "-eval", "-e"), "", ("shell-command", "call-process"))),
    "gdb": (("-ex", "-iex", "--ex", "--eval-command"), "", ("!", "shell ", "system(")),
    "lldb": (("-o", "-O"), "", ("shell ",)),
    "sqlite3": (("-cmd",), " ", (".shell ", ".system ")),
    "psql": (("-c", "--command"), "", ("\\!",)),
    **dict.fromkeys(("mysql", "mariadb"), (("-e", "--execute"), "", ("\\!", "system "))),
    **dict.fromkeys(("less", "more"), ((), "+", ("!",))),
    "dc": (("-e", "--expression"), "", ("!",)),
    **dict.fromkeys(("ftp", "sftp", "telnet"), ((), "", ("!",))),
}
"""Program to (options whose value is a script, what begins an operand that is one, what begins a shell command)."""
MAKES = frozenset(("make", "gmake", "bmake", "remake"))
SEDS = frozenset(("sed", "gsed"))
_AWKS = frozenset(("awk", "gawk", "mawk", "nawk"))
_MAKE_PROGRAMS = frozenset(
    ("SHELL", "CC", "CXX", "CPP", "LD", "AR", "AS", "FC", "RM", "CP", "MV", "INSTALL", "PYTHON", "GO")
)


def _value(word: str, option: str, following: str | None) -> str | None:
    """The value of `option` when `word` is it: the next word, behind `=`, or glued to a short one."""
    if word == option:
        return following
    if option.startswith("--"):
        return word[len(option) + 1 :] if word.startswith(option + "=") else None
    return word[len(option) :] if word.startswith(option) and len(option) == len("-x") else None


def option_values(words: list[str], options: tuple[str, ...]) -> list[str]:
    """The values of `options` in `words`."""
    found: list[str] = []
    for at, word in enumerate(words[1:], 1):
        if word[:1] != "-":
            continue
        following = words[at + 1] if at + 1 < len(words) else None
        made = [_value(word, option, following) for option in options]
        found += [value for value in made if value]
    return found


def _texts(texts: list[str]) -> Opened:
    result = Opened()
    result.texts += [(text, "bash", []) for text in texts if text.strip()]
    return result


def option_texts(name: str, words: list[str]) -> Opened:
    """The values of the program's options that are shell text."""
    return _texts([value.removeprefix("exec=") for value in option_values(words, TEXT_OPTIONS[name])])


def _git(_name: str, words: list[str]) -> Opened | None:
    result = Opened()
    at = 1
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-c" and at + 1 < len(words):
            key, _, value = words[at + 1].partition("=")
            _git_setting(result, key, value)
        at += 2 if words[at] in _GIT_VALUES else 1
    command, rest = "".join(words[at : at + 1]), words[at + 1 :]
    if command == "config":
        operands = [word for word in rest if not word.startswith("-") and word != "set"]
        if len(operands) > 1:
            _git_setting(result, operands[0], operands[1])
    elif command == "bisect" and rest[:1] == ["run"]:
        result.commands.append(rest[1:])
    elif command == "submodule" and "foreach" in rest:
        inner = [word for word in rest[rest.index("foreach") + 1 :] if word not in ("--recursive", "--quiet", "-q")]
        result.texts.append((inner[0] if len(inner) == 1 else " ".join(map(quoted, inner)), "sh", []))
    elif command == "for-each-repo":
        inner = [word for word in rest if not word.startswith("--config")]
        result.commands += [["git", *inner]] if inner else []
    result.texts += [(text, "sh", []) for text in option_values(["", *rest], _GIT_TEXTS.get(command, ()))]
    result.texts += [(word[5:].replace("% ", " "), "sh", []) for word in rest if word.startswith("ext::")]
    return result if result.commands or result.texts else None


def _git_setting(result: Opened, key: str, value: str) -> None:
    """A setting that holds a command line; an alias may be one of git's own."""
    key = key.lower()
    if key.startswith("alias."):
        if value.startswith("!"):
            result.texts.append((value[1:], "sh", []))
        elif value:
            result.texts.append(("git " + value, "sh", []))
    elif (
        key in _GIT_KEYS
        or key.startswith("pager.")
        or (key.startswith(_GIT_SECTIONS) and key.endswith(_GIT_ENDS))
        or (key.startswith("credential.") and key.endswith(".helper"))
    ):
        result.texts.append((value.lstrip("!"), "sh", []))


def escapes(name: str, script: str) -> list[str]:
    """The shell commands in a script of an editor, debugger or database client."""
    found: list[str] = []
    for line in script.split("\n"):
        for mark in ESCAPES[name][2]:
            _, cut, rest = line.partition(mark)
            text = rest.strip().strip("\"')(").strip()
            if cut and text and text[0] != "=":
                found.append(text)
    return found


def _escapes_of(name: str) -> Callable[[str], list[str]]:
    return lambda script: escapes(name, script)


def _escaping(name: str, words: list[str]) -> Opened | None:
    options, sign, _ = ESCAPES[name]
    scripts = option_values(words, options)
    if sign == " ":
        scripts += [word for word in words[1:] if word[:1] == "."]
    elif sign:
        scripts += [word[1:] for word in words[1:] if word.startswith(sign)]
    result = _texts([text for script in scripts for text in escapes(name, script)])
    if name == "gdb" and "--args" in words:
        result.commands.append(words[words.index("--args") + 1 :])
    return result if result.texts or result.commands else None


def _sed(_name: str, words: list[str]) -> Opened | None:
    result = _texts([text for script in _sed_scripts(words) for text in sed_commands(script)])
    return result if result.texts else None


def _sed_scripts(words: list[str]) -> list[str]:
    return option_values(words, ("-e", "--expression")) or [w for w in words[1:] if not w.startswith("-")][:1]


def _awk(_name: str, words: list[str]) -> Opened | None:
    """What a literal is piped to, or printed into; calls of `system` are found like those of other languages."""
    programs = [word for word in words[1:] if "{" in word]
    result = _texts([text for program in programs for text in awk_commands(program)])
    runs = any("system(" in program or "|" in program for program in programs)
    given = [value.partition("=")[2] for value in option_values(words, ("-v", "--assign"))] if runs else []
    result.texts += [(value, "sh", []) for value in given if value]
    return result if result.texts else None


def _make(_name: str, words: list[str]) -> Opened | None:
    texts: list[str] = []
    for word in words[1:]:
        key, cut, value = word.partition("=")
        if cut and key.rstrip("?:+") in _MAKE_PROGRAMS:
            texts.append(value)
        elif key == "--eval":
            texts += recipes(value)
    result = _texts(texts)
    return result if result.texts else None


def _ssh(name: str, words: list[str]) -> Opened | None:
    """Only what runs here: `ProxyCommand` and its kin, what copies in the place of `ssh`."""
    texts = option_values(words, TEXT_OPTIONS.get(name, ()))
    for value in option_values(words, ("-o",)):
        key, _, rest = value.replace("=", " ", 1).partition(" ")
        if key.lower() in ("proxycommand", "localcommand", "knownhostscommand"):
            texts.append(rest)
    result = _texts(texts)
    return result if result.texts else None


def _socat(_name: str, words: list[str]) -> Opened | None:
    texts = [word.partition(":")[2] for word in words[1:] if word.upper().startswith(("EXEC:", "SYSTEM:", "SHELL:"))]
    return _texts(texts) if texts else None


def _bind(_name: str, words: list[str]) -> Opened | None:
    texts = [value.partition(":")[2].strip().strip("\"'") for value in option_values(words, ("-x",))]
    if not texts and len(words) > len("bk"):
        texts = words[2:3]
    return _texts(texts) if texts else None


def _fzf(name: str, words: list[str]) -> Opened | None:
    result = option_texts(name, words)
    for value in option_values(words, ("--bind",)):
        for mark in ("execute(", "execute-silent(", "reload(", "become("):
            _, cut, rest = value.partition(mark)
            result.texts += [(rest.rpartition(")")[0] or rest, "sh", [])] if cut else []
    return result if result.texts else None


def _gh(_name: str, words: list[str]) -> Opened | None:
    if words[1:3] != ["alias", "set"]:
        return None
    return _texts([word[1:] for word in words[3:] if word.startswith("!")])


def _expect(_name: str, words: list[str]) -> Opened | None:
    texts = [script.partition("spawn ")[2].partition("\n")[0] for script in option_values(words, ("-c",))]
    return _texts(texts) if any(texts) else None


def _bwrap(_name: str, words: list[str]) -> Opened:
    """Options take one to three words; what follows `--`, or the first word that is no option's, is the command."""
    result = Opened()
    at = 1
    while at < len(words) and words[at].startswith("--"):
        option = words[at]
        if option == "--":
            at += 1
            break
        at += 1 + _BWRAP.get(option, 0)
    if words[at:]:
        result.commands.append(words[at:])
    return result


_BWRAP = {
    **dict.fromkeys(("--bind", "--ro-bind", "--dev-bind", "--bind-try", "--ro-bind-try", "--symlink", "--setenv"), 2),
    **dict.fromkeys(
        ("--proc", "--dev", "--tmpfs", "--dir", "--chdir", "--unsetenv", "--uid", "--gid", "--hostname"), 1
    ),
}


SCRIPTS: dict[str, Callable[[str], list[str]]] = {
    **{name: _escapes_of(name) for name in ESCAPES},
    **dict.fromkeys(MAKES, recipes),
    **dict.fromkeys(SEDS, sed_commands),
    **dict.fromkeys(_AWKS, awk_commands),
    "crontab": lambda text: [of_crontab(line) for line in text.split("\n")],
    "expect": lambda text: [line.partition("spawn ")[2] for line in text.split("\n")],
}
"""What runs of a script that comes in on the program's input."""


def runs_lines(words: list[str]) -> bool:
    """Sed: the lines themselves are run, by `s///e` or a lone `e`."""
    return any("" in sed_runs(script) for script in _sed_scripts(words))


def reads_script(name: str, words: list[str]) -> bool:
    """The program's script is its input."""
    if name in MAKES:
        return "-" in words or "--file=-" in words or "-f-" in words or any(w.startswith("<(") for w in words)
    if name in SEDS or name in _AWKS:
        return any(word == "-" and words[at] in ("-f", "--file") for at, word in enumerate(words[1:]))
    return True


OPENERS: dict[str, Callable[[str, list[str]], Opened | None]] = {
    "git": _git,
    **dict.fromkeys(ESCAPES, _escaping),
    **dict.fromkeys(SEDS, _sed),
    **dict.fromkeys(_AWKS, _awk),
    **dict.fromkeys(MAKES, _make),
    **dict.fromkeys(("ssh", "scp", "sftp", "ssh-copy-id"), _ssh),
    "socat": _socat,
    "bwrap": _bwrap,
    "bind": _bind,
    "fzf": _fzf,
    "gh": _gh,
    "expect": _expect,
}
"""Program to what its words run."""
