"""Names of commands of which the text tells a part or nothing: what they may still be."""

from __future__ import annotations

from context_mode_runtime.shell.busy import BUSY
from context_mode_runtime.shell.globs import wild
from context_mode_runtime.shell.interpreters import INTERPRETERS, interpreter
from context_mode_runtime.shell.values import GAP, Unseen
from context_mode_runtime.shell.words import is_name
from context_mode_runtime.shell.wrappers import KNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_mode_runtime.shell.values import Env


def may_become(shape: str, names: Iterable[str]) -> bool:
    """The name of a program of this shape may be one of `names`, or any at all where one of them is empty.

    Only its beginning is sure, in any case, unless it is a pattern: where a gap has a blank in it, the name ends there.
    """
    start = shape.partition(GAP)[0].rpartition("/")[2].lower()
    return wild(start) or any(not name or name.lower().startswith(start) for name in names)


def shape_of(name: str) -> str:
    """What is known of a command's name; nothing where it may become that of a program which runs another."""
    shape = name.shape if isinstance(name, Unseen) else name
    if shape == GAP or may_become(shape, (*KNOWN, *BUSY)):
        return GAP
    return GAP if may_become(shape, INTERPRETERS) and not interpreter(shape.partition(GAP)[0]) else shape


def without_gaps(words: list[str], env: Env, via: tuple[str, ...]) -> list[list[str]]:
    """What runs when the unseen part of the first words is nothing, or makes the name of a function of the text."""
    found: list[list[str]] = []
    for at, word in enumerate(words):
        bare = word.bare.split() if isinstance(word, Unseen) else [word]
        if bare:
            found.append([*bare, *words[at + 1 :]])
            break
    first = words[0]
    if isinstance(first, Unseen) and first.shape != GAP:
        found += [[name, *words[1:]] for name in env.bodies if name and may_become(first.shape, (name,))]
    return [*found, words[1:]] if sets_variable(words, via) else found


def sets_variable(words: list[str], via: tuple[str, ...]) -> bool:
    """Text for `eval` that sets a variable of whose name only a part is known, or nothing."""
    name, cut, _ = words[0].shape.partition("=") if isinstance(words[0], Unseen) else ("", "", "")
    return via[-1:] == ("eval",) and bool(cut) and is_name("_" + name.replace(GAP, "").rstrip("+"))
