"""What commands print and what they read, as far as their text tells."""

from __future__ import annotations

from context_mode_runtime.shell import values
from context_mode_runtime.shell.model import OUTPUT, Group, Segment
from context_mode_runtime.shell.opened import base, plain_path
from context_mode_runtime.shell.scan import scan
from context_mode_runtime.shell.tellers import TELLERS
from context_mode_runtime.shell.words import PROCESS, whole
from context_mode_runtime.shell.wrappers import opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_mode_runtime.shell.values import Env
    from context_mode_runtime.shell.words import Word

    Printed = tuple[list[str], bool]
    """The texts it may be, and whether that is all of it."""

_TEXTS_MAX = 32
_BRANCHES = 2
"""From so many conditional commands on one of them prints."""
_GROUPS_MAX = 16
_WRAPPERS_MAX = 4
_COST = 8
FILE_MAX = 32_768
"""What is kept of a file that the text writes."""
_SHOWN = frozenset(("/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2"))
_SILENT = frozenset(
    (
        *(":", "true", "false", "cd", "set", "export", "declare", "local", "readonly", "typeset", "test", "[", "[["),
        "shift",
        *("unset", "mkdir", "touch", "chmod", "rm", "sleep", "wait", "exit", "return", "break", "continue", "read"),
        "let",
        *("mapfile", "readarray", "shopt", "trap", "exec", "pushd", "popd", "umask", "ulimit", "source", ".", "cp"),
        "mv",
    )
)
_LINES = frozenset(
    ("head", "tail", "sort", "uniq", "grep", "egrep", "fgrep", "rg", "less", "more", "shuf", "fold", "pv")
)
"""They print lines of their input: all of them may come."""
_PASSING = frozenset(("cat", "tac", "tee", "psub"))
_SETTINGS = frozenset(
    (
        *("shellenv", "completion", "completions", "hook", "activate", "init", "env", "docker-env", "--completion"),
        *("shell.bash", "shell.zsh", "--alias", "--bash", "--zsh", "generate-shell-completion", "--nameprefixes"),
        *("--shell", "--parseopt", "--sq", "--compare-versions"),
    )
)
"""A program with one of these prints settings of its own for a shell."""
_SETTERS = frozenset(
    (
        *("ssh-agent", "dircolors", "keychain", "gpg-agent", "register-python-argcomplete", "lesspipe", "apt-config"),
        *("dbus-launch", "gnome-keyring-daemon", "resize", "tset", "fnm", "lesspipe.sh", "dpkg-buildflags"),
    )
)


def printed(
    segments: Sequence[Segment], env: Env, depth: int, *, raw: bool = False, within: Group | None = None
) -> Printed:
    """What `segments` print one after the other, or some of them where conditions stand between them.

    `within` is the group that they are all of; without it they are those of a substitution. `raw`: expansions without
    a literal may stand in it as written.
    """
    if within is None and segments and segments[0].parent is not None:
        within = segments[0].parent.inside
    texts, seen = [""], True
    start, before, chances = texts, "", 0
    for segment in segments:
        if segment.pipe_next is not None and segment.pipe_next in segments:
            continue
        made, known = _output(segment, env, depth, raw=raw)
        seen = seen and known
        start = start if before == "||" else texts
        if made:
            added = _paired(texts, made)
            if before == "||":
                added = [*_paired(start, made), *texts, *added]
            elif before == "&&" or segment.inside is not within:
                added = [*added, *texts]
                chances += 1
            texts = list(dict.fromkeys(added))[:_TEXTS_MAX]
        before = segment.follow
    return [text for text in texts if text or chances < _BRANCHES] or [""], seen


def _paired(texts: list[str], made: list[str]) -> list[str]:
    count = min(max(len(texts), len(made)), _TEXTS_MAX)
    return [texts[min(n, len(texts) - 1)] + made[min(n, len(made) - 1)] for n in range(count)]


def written(segment: Segment, env: Env) -> Printed:
    """What a command with a redirection may put into its file; files of the project that it only copies are as told."""
    group = segment.group
    if group:
        return printed(group.segments(), env, 0, raw=True, within=group)
    texts, seen = _said_by(segment, env, 0, raw=True)
    return texts, seen or (bool(segment.words) and base(segment.words[0].text) in _PASSING)


def _output(segment: Segment, env: Env, depth: int, *, raw: bool) -> Printed:
    if depth > values.DEPTH_MAX or not env.budget.take(_COST):
        return [], False
    if not segment.words:
        texts, fed = own_input(segment, env, depth, raw=raw)
        return texts, fed is not False
    to_file = [r.target.text for r in segment.redirects if r.operator in OUTPUT and r.fd in ("", "1")]
    if to_file and to_file[-1] not in _SHOWN:
        return [], True
    return _said_by(segment, env, depth, raw=raw)


def _said_by(segment: Segment, env: Env, depth: int, *, raw: bool) -> Printed:
    texts: list[str] = []
    seen = True
    for fields in values.alternatives(segment.words, env, depth)[:_TEXTS_MAX]:
        made, known = _said(fields, segment, env, depth, raw=raw)
        texts += made
        seen = seen and known
    return texts, seen


def _said(fields: list[str], segment: Segment, env: Env, depth: int, *, raw: bool, hops: int = 0) -> Printed:
    if not fields or isinstance(fields[0], values.Unseen) or hops > _WRAPPERS_MAX:
        return [], not fields
    name = base(fields[0])
    lower = name.lower()
    told = raw or not any(isinstance(field, values.Unseen) for field in fields)
    if name in env.bodies:
        return _of_function(env.bodies[name], fields[1:], env, depth, raw=raw)
    found = TELLERS[lower](fields[1:], env) if lower in TELLERS else []
    if found:
        return found, told
    if name in _SILENT or name in _SETTERS or any(field in _SETTINGS for field in fields[1:4]):
        return [], True
    if name in _PASSING or name in _LINES:
        return _passed(name, fields[1:], segment, env, depth, raw=raw)
    return _of_wrapper(fields, segment, env, depth, raw=raw, hops=hops)


def _of_wrapper(fields: list[str], segment: Segment, env: Env, depth: int, *, raw: bool, hops: int) -> Printed:
    found = opened(fields)
    if found is not None and found.commands:
        return _said(found.commands[0], segment, env, depth, raw=raw, hops=hops + 1)
    if found is not None and found.texts:
        inner = [one for one in scan(found.texts[0][0], env.dialect).segments if one.parent is None]
        return printed(inner, env, depth + 1, raw=raw)
    return [], False


def _of_function(body: Group, rest: list[str], env: Env, depth: int, *, raw: bool) -> Printed:
    outer, env.scope = env.scope, body.name
    if rest:
        env.arguments(body.name, rest)
    try:
        segments = body.segments()
        return printed(segments, env, depth + 1, raw=raw, within=body) if segments else ([], False)
    finally:
        env.scope = outer


def _passed(name: str, rest: list[str], segment: Segment, env: Env, depth: int, *, raw: bool) -> Printed:
    """`cat` and its kin: files that the text writes, substitutions, or the input."""
    texts: list[str] = []
    seen = True
    for word in segment.words if name != "tee" else ():
        made, known = of_process(word, env, depth, raw=raw)
        texts += made
        seen = seen and known
    files = [field for field in rest if not field.startswith("-") and field[:2] != "<("] if name != "tee" else []
    for file in files:
        texts += env.files.get(plain_path(file), [])
        seen = seen and (env.tells(plain_path(file)) or name in _LINES)
    if (not files or name in _LINES) and not texts:
        made, fed = inputs(segment, env, depth + 1, raw=raw)
        return texts + made, seen and fed is True
    return texts, seen


def of_process(word: Word, env: Env, depth: int, *, raw: bool) -> Printed:
    """What the process substitutions in `word` print."""
    texts: list[str] = []
    seen = True
    for part in word.parts:
        if not part[4] or isinstance(part[4], str):
            seen = seen and part[0] != PROCESS
        elif part[0] == PROCESS or (part[4][-1].words and part[4][-1].words[0].text == "psub"):
            made, known = printed(part[4], env, depth + 1, raw=raw)
            texts += made
            seen = seen and known
    return texts, seen


def inputs(segment: Segment, env: Env, depth: int, *, raw: bool = True) -> tuple[list[str], bool | None]:
    """What `segment` may read, and whether that is all of it; None when nothing is fed to it."""
    if depth > values.DEPTH_MAX or not env.budget.take(_COST):
        return [], False
    texts, seen = own_input(segment, env, depth, raw=raw)
    if seen is not None:
        return texts, seen
    if segment.piped_from is not None:
        return _piped(segment.piped_from, env, depth, raw=raw)
    for group in _around(segment):
        texts, seen = _of_group(group, env, depth, raw=raw)
        if seen is not None:
            return texts, seen
    return _inherited(segment, env, depth, raw=raw)


def _of_group(group: Group, env: Env, depth: int, *, raw: bool) -> tuple[list[str], bool | None]:
    """What a group is fed by its redirections, a pipe, or the call of the function whose body it is."""
    texts, seen = own_input(group.tail, env, depth, raw=raw) if group.tail else ([], None)
    if seen is not None:
        return texts, seen
    if group.fed_by is not None:
        return _piped(group.fed_by, env, depth, raw=raw)
    return inputs(env.calls[group.name], env, depth + 1, raw=raw) if group.name in env.calls else ([], None)


def _around(segment: Segment) -> list[Group]:
    """The groups around `segment`, inner ones first, as far as the substitution it stands in."""
    found: list[Group] = []
    group = segment.inside
    end = segment.parent.inside if segment.parent is not None else None
    while group is not None and group is not end and len(found) < _GROUPS_MAX:
        found.append(group)
        group = group.outer
    return found


def _inherited(segment: Segment, env: Env, depth: int, *, raw: bool) -> tuple[list[str], bool | None]:
    """The input of the command around a substitution or an inner text, or of the whole text."""
    if segment.parent is not None and segment.capture == "into":
        return _said_by(segment.parent, env, depth + 1, raw=raw)
    if segment.parent is not None and segment.capture != "proc":
        return inputs(segment.parent, env, depth + 1, raw=raw)
    return _kept("&0", env, otherwise=None)


def _piped(before: Segment | Group, env: Env, depth: int, *, raw: bool) -> Printed:
    group = before if isinstance(before, Group) else None
    segments = [before] if isinstance(before, Segment) else before.segments()
    within = group or segments[0].inside if segments else None
    return printed(segments, env, depth + 1, raw=raw, within=within) if segments else ([], False)


def own_input(segment: Segment, env: Env, depth: int, *, raw: bool) -> tuple[list[str], bool | None]:
    """What its own here-documents and redirections feed to `segment`."""
    documents = segment.heredocs
    told = [one for one in documents if raw or one.quoted or not ("$" in one.body or "`" in one.body)]
    texts = [document.body if document.quoted else unescaped(document.body) for document in told]
    seen: bool | None = len(told) == len(documents) if documents else None
    for redirect in segment.redirects:
        made, known = _redirected(redirect.operator, redirect.target, env, depth, raw=raw)
        texts += made
        if known is not None:
            seen = known and seen is not False
    return texts, seen


def _redirected(operator: str, target: Word, env: Env, depth: int, *, raw: bool) -> tuple[list[str], bool | None]:
    if operator == "<<<":
        rows = values.alternatives([whole(target)], env, depth)
        told = raw or not any(isinstance(field, values.Unseen) for row in rows for field in row)
        return [" ".join(row) + "\n" for row in rows], told
    if operator in ("<", "<>"):
        made, known = of_process(target, env, depth, raw=raw)
        if made or not known:
            return made, known
        return _kept(plain_path(target.text), env, otherwise=False)
    if operator == "<&":
        return _kept("&" + target.text, env, otherwise=None)
    return [], None


def _kept(path: str, env: Env, *, otherwise: bool | None) -> tuple[list[str], bool | None]:
    """What the text wrote to `path`; `otherwise` says what it means that it wrote nothing."""
    return (env.files[path], env.tells(path)) if path in env.files else ([], otherwise)


def unescaped(body: str) -> str:
    """A here-document's text behind its backslashes."""
    if "\\" not in body:
        return body
    for pair, plain in (("\\\n", ""), ("\\$", "$"), ("\\`", "`"), ("\\\\", "\\")):
        body = body.replace(pair, plain)
    return body
