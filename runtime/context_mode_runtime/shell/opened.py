"""What a program runs inside itself."""

from __future__ import annotations

from context_mode_runtime.shell.wrapper_table import SHELLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    Text = tuple[str, str | None, list[str]]
    """Text for a shell, its dialect (None: as around it), its arguments."""


_BUILDS = ("-static", ".distrib", ".real", "-debug")
"""What a shell's name may end with."""


class Opened:
    """What a command runs inside: words of commands, and texts for shells."""

    __slots__ = ("commands", "texts")

    def __init__(self) -> None:
        self.commands: list[list[str]] = []
        self.texts: list[Text] = []


def base(word: str) -> str:
    """The last part of a program's path, without `.exe` and the like; of a shell without its version, too."""
    name = _last(word)
    if not name[-1:].isdigit() and not name.endswith(_BUILDS):
        return name
    shell = name
    for build in _BUILDS:
        shell = shell.removesuffix(build)
    shell = shell.rstrip("0123456789.-")
    return shell if shell in SHELLS and name not in SHELLS else name


def _last(word: str) -> str:
    if "/" not in word and "." not in word and "\\" not in word:
        return word
    name = word.rpartition("/")[2]
    if "\\" in name:
        name = name.rpartition("\\")[2]
    lower = name[-4:].lower()
    return name[:-4] if lower in (".exe", ".cmd", ".bat", ".com") and len(name) > len(lower) else name


def plain_path(path: str) -> str:
    """A path as the files that a text writes are kept by."""
    for here in ("./", "$PWD/", "${PWD}/"):
        path = path.removeprefix(here)
    return path


def quoted(word: str) -> str:
    """`word` as a shell takes it for one word."""
    if word and all(c.isalnum() or c in "-_./=:@%+," for c in word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"
