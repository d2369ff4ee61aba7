"""What programs print that make their output of their words alone."""

from __future__ import annotations

from context_mode_runtime.shell.opened import quoted
from context_mode_runtime.shell.words import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.shell.values import Env

_TEXTS_MAX = 32
_NEW_FILE = "/tmp/tmp.XXXXXXXXXX"  # noqa: S108 - nothing is written there


def _echo(rest: list[str], env: Env) -> list[str]:
    end, takes = "\n", env.dialect in ("sh", "dash", "zsh", "ksh")
    while rest and len(rest[0]) > 1 and rest[0][0] == "-" and all(c in "neElr" for c in rest[0][1:]):
        end = "" if "n" in rest[0] else end
        takes = "r" not in rest[0] and "E" not in rest[0] and (takes or "e" in rest[0])
        rest = rest[1:]
    rest = rest[1:] if rest[:1] == ["--"] else rest
    text = " ".join(rest)
    if "\\" not in text:
        return [text + end]
    return [escaped(text) + end, text + end] if takes else [text + end, escaped(text) + end]


def formatted(rest: list[str], _env: Env) -> list[str]:
    """What `printf` makes of its words."""
    if rest[:1] == ["-v"]:
        rest = rest[2:]
    rest = rest[1:] if rest[:1] == ["--"] else rest
    if not rest:
        return []
    if "%" not in rest[0]:
        return [escaped(rest[0])]
    out: list[str] = []
    args = rest[1:]
    for _ in range(_TEXTS_MAX):
        before = len(args)
        out.append(_filled(rest[0], args))
        if not args or len(args) == before:
            break
    return ["".join(out)]


def _filled(text: str, args: list[str]) -> str:
    """`text` with its directives filled; what it used goes from `args`."""
    head, *pieces = text.replace("%%", "\0").split("%")
    out = [escaped(head)]
    for piece in pieces:
        end = 0
        while end < len(piece) and piece[end] in "-+ #0123456789.*'":
            end += 1
        kind, width = piece[end : end + 1], piece[:end]
        value = args.pop(0) if args else ""
        value = escaped(value) if kind == "b" else value[:1] if kind == "c" else value
        size = width.partition(".")[2]
        out += [value[: int(size)] if size.isdecimal() else value, escaped(piece[end + 1 :])]
    return "".join(out).replace("\0", "%")


def _string(rest: list[str], _env: Env) -> list[str]:
    """Fish: `string join SEPARATOR WORDS`."""
    return [rest[1].join(rest[2:]) + "\n"] if rest[:1] == ["join"] and len(rest) > 1 else []


def _operands(rest: list[str], taking: tuple[str, ...] = ()) -> list[str]:
    """The words that are no options; one of `taking` takes the next word."""
    return [word for at, word in enumerate(rest) if word[:1] != "-" and (not at or rest[at - 1] not in taking)]


def _each(rest: list[str], _env: Env) -> list[str]:
    """`which a b` and its kin print the names that they find: each may be the only one."""
    return [word + "\n" for word in _operands(rest)]


def _command(rest: list[str], env: Env) -> list[str]:
    return _each(rest, env) if any(word[:1] == "-" and ("v" in word or "V" in word) for word in rest[:1]) else []


def _xcrun(rest: list[str], env: Env) -> list[str]:
    return _each(rest, env) if any(word in ("-f", "-find", "--find") for word in rest) else []


def _basename(rest: list[str], _env: Env) -> list[str]:
    words = _operands(rest, ("-s", "--suffix"))
    suffix = words[1] if len(words) == len("pq") else ""
    names = [word.rstrip("/").rpartition("/")[2] for word in words[:1]]
    return [(name.removesuffix(suffix) or name) + "\n" for name in names]


def _dirname(rest: list[str], _env: Env) -> list[str]:
    return [(word.rstrip("/").rpartition("/")[0] or ("/" if word[:1] == "/" else ".")) + "\n" for word in rest[-1:]]


def _path(rest: list[str], _env: Env) -> list[str]:
    """The last operand of `realpath` and `readlink -f`: links are not followed."""
    return [word + "\n" for word in _operands(rest)[-1:]]


def _mktemp(rest: list[str], _env: Env) -> list[str]:
    """The template stands for the name that is made of it."""
    return [(_operands(rest, ("-p", "--tmpdir", "-t")) or [_NEW_FILE])[-1] + "\n"]


def _getopt(rest: list[str], _env: Env) -> list[str]:
    """The words that it is given behind its own options, and before them what ends options."""
    given = rest[rest.index("--") + 1 :] if "--" in rest else _operands(rest, ("-o", "-l", "-n", "-s"))[1:]
    return [" ".join([" --", *map(quoted, given)]) + "\n"]


def _git(rest: list[str], _env: Env) -> list[str]:
    """`git rev-parse --git-path PATH`, and its questions (`--is-bare-repository`)."""
    if rest[:1] == ["rev-parse"] and any(word.startswith("--is-") for word in rest):
        return ["true\n"]
    return [f".git/{rest[-1]}\n"] if rest[:2] == ["rev-parse", "--git-path"] and len(rest) > len("pq") else []


def _compiler(rest: list[str], _env: Env) -> list[str]:
    """`gcc -print-prog-name=ld`."""
    return [
        word.partition("=")[2] + "\n" for word in rest if word.startswith(("-print-prog-name=", "--print-prog-name="))
    ]


def _stat(rest: list[str], _env: Env) -> list[str]:
    """With `-s` (BSD) it prints settings for a shell."""
    return ["\n"] if rest[:1] == ["-s"] else []


TELLERS: dict[str, Callable[[list[str], Env], list[str]]] = {
    "echo": _echo,
    "print": _echo,
    "printf": formatted,
    **dict.fromkeys(("write-output", "write"), _echo),
    "string": _string,
    **dict.fromkeys(("which", "type", "whence"), _each),
    "command": _command,
    "xcrun": _xcrun,
    "basename": _basename,
    "dirname": _dirname,
    **dict.fromkeys(("realpath", "readlink"), _path),
    **dict.fromkeys(("mktemp", "tempfile"), _mktemp),
    "getopt": _getopt,
    "git": _git,
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++"), _compiler),
    "stat": _stat,
}
"""Program to what it prints by its words; nothing where they don't tell."""
