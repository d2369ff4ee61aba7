"""Programs that have shell escapes or run programs by options and settings: git, editors, sed, awk, make."""

from __future__ import annotations

from context_mode_runtime.shell.opened import Opened, base, quoted
from context_mode_runtime.shell.scripts import (
    awk_commands,
    of_crontab,
    of_lua,
    of_ssh,
    recipes,
    sed_commands,
    sed_runs,
)
from context_mode_runtime.shell.text_table import COMPILERS, ESCAPES, MARKS, SETTINGS, SHORTENING, TEXT_OPTIONS
from context_mode_runtime.shell.values import unseen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_GIT_VALUES = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"))
_GIT_KEYS = frozenset(
    (
        *("core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.askpass", "sequence.editor"),
        *("diff.external", "gpg.program", "gpg.ssh.program", "credential.helper", "core.gitproxy"),
        *("interactive.difffilter", "uploadpack.packobjectshook", "sendemail.smtpserver", "web.browser", "man.viewer"),
        *("sendemail.sendmailcmd", "sendemail.tocmd", "sendemail.cccmd", "sendemail.headercmd", "instaweb.httpd"),
        *("core.alternaterefscommand", "instaweb.browser"),
    )
)
_GIT_ENDS = (
    *(".cmd", ".command", ".clean", ".smudge", ".process", ".textconv", ".driver", ".helper", ".program"),
    *(".uploadpack", ".receivepack", ".defaultkeycommand"),
)
_GIT_TOOLS = ("difftool.", "mergetool.", "browser.", "man.")
"""Sections whose `path` is a program."""
_GIT_TEXTS: dict[str, tuple[str, ...]] = {
    "rebase": ("-x", "--exec"),
    "filter-branch": (
        *("--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--parent-filter", "--commit-filter"),
        *("--tag-name-filter", "--setup"),
    ),
    "difftool": ("-x", "--extcmd"),
    "grep": ("-O", "--open-files-in-pager"),
    **dict.fromkeys(("ls-remote", "fetch", "pull", "fetch-pack"), ("--upload-pack", "--exec")),
    "clone": ("-u", "--upload-pack"),
    "send-email": ("--smtp-server", "--sendmail-cmd", "--to-cmd", "--cc-cmd", "--header-cmd"),
    "instaweb": ("-d", "--httpd", "-b", "--browser"),
    "daemon": ("--access-hook",),
    "shell": ("-c",),
    **dict.fromkeys(("push", "send-pack"), ("--receive-pack", "--exec")),
    "archive": ("--exec",),
}
_GIT_CONFIG_VALUES = ("-f", "--file", "--blob", "--type", "--default", "--comment")
_CLUSTER = range(2, 6)
_SHORTENED_MIN = len("--use")
_PAIRS = {"(": ")", "{": "}"}
_LIST_SIGNS = str.maketrans("[]{},\"';", "        ")
MAKES = frozenset(("make", "gmake", "bmake", "remake"))
SEDS = frozenset(("sed", "gsed"))
SSHES = ("ssh", "scp", "autossh", "sshfs", "ssh-copy-id")
_AWKS = frozenset(("awk", "gawk", "mawk", "nawk"))
_ANSIBLE_RUNS = frozenset(("command", "shell", "raw", "script", "expect"))
_HERE = frozenset(("localhost", "127.0.0.1", "::1", "localhost,", "127.0.0.1,"))
_FZF_SIGNS = str.maketrans("([{<)]}>~|:", "\n" * 11)
MAKE_PROGRAMS = frozenset((*COMPILERS, "SHELL", "RM", "CP", "MV", "INSTALL", "PYTHON", "GO"))
"""Variables of makefiles that hold a command line."""


def _value(word: str, option: str, following: str | None, *, shortens: bool) -> str | None:
    """The value of `option` when `word` is it: the next word, behind `=`, or glued to a short one."""
    if word == option:
        return following
    if len(option) == len("-x"):
        if word.startswith(option):
            return word[len(option) :]
        return following if cluster_end(word, (option,)) else None
    name, cut, value = word.partition("=")
    if name == option or (shortens and len(name) >= _SHORTENED_MIN and option.startswith(name)):
        return value if cut else following
    return None


def cluster_end(word: str, options: tuple[str, ...]) -> bool:
    """`-qc`: letters of which the last is one of the short options."""
    letters = word[1:]
    return word[:1] == "-" and letters.isalpha() and "-" + letters[-1] in options and len(letters) in _CLUSTER


def option_values(words: list[str], options: tuple[str, ...]) -> list[str]:
    """The values of `options` in `words`."""
    found: list[str] = []
    shortens = base(words[0]) in SHORTENING
    for at, word in enumerate(words[1:], 1):
        if word[:1] != "-":
            continue
        following = words[at + 1] if at + 1 < len(words) else None
        made = [_value(word, option, following, shortens=shortens) for option in options]
        found += [value for value in made if value]
    return found


def _texts(texts: list[str]) -> Opened:
    result = Opened()
    result.texts += [(text, "bash", []) for text in texts if text.strip()]
    return result


def option_texts(name: str, words: list[str]) -> Opened | None:
    """The values of the program's options that are shell text; words may be joined by commas (`gcc -wrapper`)."""
    values = [value.removeprefix("exec=") for value in option_values(words, TEXT_OPTIONS[name])]
    result = _texts([value if " " in value else value.replace(",", " ") for value in values])
    return result if result.texts else None


def held(name: str, words: list[str]) -> Opened | None:
    """Shell text in settings, behind marks, and in scripts of the program's own that it is given."""
    texts: list[str] = []
    if name in SETTINGS:
        options, keys = SETTINGS[name]
        for setting in option_values(words, options):
            key, _, value = setting.replace("=", " ", 1).partition(" ")
            if any(one in key.lower() for one in keys):
                texts.append(_bare(value))
    if name in MARKS:
        texts += [text for word in words[1:] for mark in MARKS[name] for text in _behind_mark(word, mark)]
    if name in ESCAPES:
        texts += [text for script in _scripts(name, words) for text in escapes(name, script)]
    return _texts(texts) if texts else None


def _bare(value: str) -> str:
    """A setting's value without quotes, `!` and the signs of a list."""
    value = value.strip(" =!;")
    if value[:1] in ("[", "{"):
        return " ".join(value.translate(_LIST_SIGNS).split())
    return value[1:].partition(value[0])[0] if value[:1] in ("'", '"') else value


def _behind_mark(word: str, mark: str) -> list[str]:
    at = word.lower().find(mark)
    if at < 0:
        return []
    rest = word[at + len(mark) :]
    closing = next((_PAIRS[sign] for sign in mark[::-1] if sign in _PAIRS), "")
    return [_bare(rest.rpartition(closing)[0] or rest if closing else rest)]


def _scripts(name: str, words: list[str]) -> list[str]:
    options, sign, _ = ESCAPES[name]
    found = option_values(words, options)
    if sign == " ":
        found += [word for word in words[1:] if word[:1] == "."]
    elif sign:
        found += [word[1:] for word in words[1:] if word.startswith(sign)]
    return found


def _git(_name: str, words: list[str]) -> Opened | None:
    result = Opened()
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _GIT_VALUES else 1
    given = words[:at]
    for setting in option_values(given, ("-c",)):
        _git_setting(result, *setting.split("=", 1), called=words[at:] or [""])
    for setting in option_values(given, ("--config-env",)):
        key, _, variable = setting.partition("=")
        _git_setting(result, key, f"!${{{variable}#!}}")
    command, rest = "".join(words[at : at + 1]), words[at + 1 :]
    if command == "config":
        given = option_values(["", *rest], _GIT_CONFIG_VALUES)
        _git_setting(result, *[word for word in rest if word[:1] != "-" and word != "set" and word not in given][:2])
    elif command == "clone":
        for setting in option_values(["", *rest], ("-c", "--config")):
            _git_setting(result, *setting.split("=", 1))
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


def _git_setting(
    result: Opened, key: str = "", value: str = "", *_more: str, called: Sequence[str] = ("", unseen("$1"))
) -> None:
    """A setting that holds a command line; an alias may be one of git's own. `called`: sub-command and words."""
    key = key.lower()
    if key.startswith("alias."):
        text = value[1:] if value.startswith("!") else "git " + value
        given = called[1:] if called[0].lower() in ("", key[len("alias.") :]) else ()
        result.texts += [(text + ' "$@"', "sh", ["git", *given])] if value else []
    elif (
        key in _GIT_KEYS
        or key.startswith("pager.")
        or key.endswith(_GIT_ENDS)
        or (key.startswith(_GIT_TOOLS) and key.endswith(".path"))
    ):
        result.texts.append((value.lstrip("!"), "sh", []))
    elif key.startswith("submodule.") and value.startswith("!"):
        result.texts.append((value[1:], "sh", []))
    elif value.startswith("ext::") or key.startswith("url.ext::"):
        address = value if value.startswith("ext::") else key[len("url.") :].removesuffix(".insteadof")
        result.texts.append((address[len("ext::") :].replace("% ", " "), "sh", []))


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
        if cut and key.rstrip("?:+") in MAKE_PROGRAMS:
            texts.append(value)
    for text in option_values(words, ("--eval", "-E")):
        texts += recipes(text)
    result = _texts(texts)
    return result if result.texts else None


def _bind(_name: str, words: list[str]) -> Opened | None:
    texts = [value.partition(":")[2].strip().strip("\"'") for value in option_values(words, ("-x",))]
    if not texts and len(words) > len("bk"):
        texts = words[2:3]
    return _texts(texts) if texts else None


def _fzf(name: str, words: list[str]) -> Opened | None:
    """`--preview`, and what stands behind an action of `--bind`, whatever signs are around it."""
    pieces: list[str] = []
    for value in option_values(words, ("--bind",)):
        pieces += value.translate(_FZF_SIGNS).split("\n")[1:]
    found = option_texts(name, words)
    result = _texts([*pieces, *[text[0] for text in found.texts]] if found else pieces)
    return result if result.texts else None


def _gh(_name: str, words: list[str]) -> Opened | None:
    if words[1:3] == ["alias", "set"]:
        shell = any(word in ("-s", "--shell") for word in words[3:])
        return _texts([word.lstrip("!") for word in words[4:] if shell or word.startswith("!")])
    if words[1:3] == ["config", "set"] and words[3:4] in (["editor"], ["pager"], ["browser"]):
        return _texts(words[4:5])
    return None


def _ansible(_name: str, words: list[str]) -> Opened | None:
    """What a module runs on this machine; other hosts are not looked at."""
    module = (option_values(words, ("-m", "--module-name")) or ["command"])[-1].rpartition(".")[2]
    here = any(word in _HERE for word in words[1:]) or "local" in option_values(words, ("-c", "--connection"))
    if module not in _ANSIBLE_RUNS or not here:
        return None
    texts: list[str] = []
    for value in option_values(words, ("-a", "--args")):
        texts += [value, *[_bare(part[2]) for key in ("cmd", "command", "argv") if (part := value.partition(key))[1]]]
    return _texts([text.lstrip("= :") for text in texts])


def _expect(_name: str, words: list[str]) -> Opened | None:
    texts = [text for script in option_values(words, ("-c",)) for text in _spawned(script)]
    return _texts(texts) if any(texts) else None


def _spawned(script: str) -> list[str]:
    lines = [line.partition("spawn ")[2] for line in script.split("\n")]
    return [line.removeprefix("-noecho ") for line in lines]


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
    **dict.fromkeys(
        (
            *("--bind", "--ro-bind", "--dev-bind", "--bind-try", "--ro-bind-try", "--dev-bind-try", "--symlink"),
            *("--setenv", "--file", "--bind-data", "--ro-bind-data", "--chmod", "--bind-fd", "--ro-bind-fd"),
        ),
        2,
    ),
    "--overlay": 3,
    **dict.fromkeys(
        (
            *("--proc", "--dev", "--tmpfs", "--dir", "--chdir", "--unsetenv", "--uid", "--gid", "--hostname", "--args"),
            *("--seccomp", "--add-seccomp-fd", "--perms", "--size", "--cap-add", "--cap-drop", "--lock-file"),
            *("--argv0", "--overlay-src", "--tmp-overlay", "--ro-overlay", "--remount-ro", "--sync-fd", "--block-fd"),
            *("--info-fd", "--json-status-fd", "--userns", "--userns2", "--pidns", "--exec-label", "--file-label"),
            *("--mqueue", "--userns-block-fd"),
        ),
        1,
    ),
}


SCRIPTS: dict[str, Callable[[str], list[str]]] = {
    **{name: _escapes_of(name) for name in ESCAPES},
    **dict.fromkeys(MAKES, recipes),
    **dict.fromkeys(SEDS, sed_commands),
    **dict.fromkeys(_AWKS, awk_commands),
    "crontab": lambda text: [of_crontab(line) for line in text.split("\n")],
    "expect": _spawned,
    **dict.fromkeys(SSHES, of_ssh),
    "sftp": lambda text: [*escapes("sftp", text), *of_ssh(text)],
    "nmap": of_lua,
}
"""What runs of a script that comes in on the program's input."""


def runs_lines(words: list[str]) -> bool:
    """Sed: the lines themselves are run, by `s///e` or a lone `e`."""
    return any("" in sed_runs(script) for script in _sed_scripts(words))


def reads_script(name: str, words: list[str]) -> bool:
    """The program's script is its input."""
    if name in SSHES or name == "nmap":
        return False
    if name in MAKES:
        return "-" in words or "--file=-" in words or "-f-" in words or any(w.startswith("<(") for w in words)
    if name in SEDS or name in _AWKS:
        return any(word == "-" and words[at] in ("-f", "--file") for at, word in enumerate(words[1:]))
    return True


OPENERS: dict[str, Callable[[str, list[str]], Opened | None]] = {
    "git": _git,
    **dict.fromkeys(SEDS, _sed),
    **dict.fromkeys(_AWKS, _awk),
    **dict.fromkeys(MAKES, _make),
    "bwrap": _bwrap,
    "bind": _bind,
    **dict.fromkeys(("fzf", "fzf-tmux", "sk"), _fzf),
    **dict.fromkeys(("gh", "glab"), _gh),
    "expect": _expect,
    "ansible": _ansible,
}
"""Program to what its words run."""
