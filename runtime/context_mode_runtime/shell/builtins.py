"""Builtins and programs that change what a text knows: variables, arguments, aliases, files."""

from __future__ import annotations

from context_mode_runtime.shell import outputs, parameters, tellers, values
from context_mode_runtime.shell.opened import base, plain_path
from context_mode_runtime.shell.programs import option_values
from context_mode_runtime.shell.text_table import DOWNLOADS
from context_mode_runtime.shell.words import is_name, whole
from context_mode_runtime.shell.wrapper_table import DECLARING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.shell.model import Segment
    from context_mode_runtime.shell.values import Env
    from context_mode_runtime.shell.words import Word

_FIELDS_MAX = 64
_TEXTS_MAX = 8
_LINKS_MAX = 2
"""Programs that one name may stand for."""


def assign(env: Env, name: str, value: Word | list[Word]) -> None:
    """Keeps what `name` is set to: `x`, `x+` (added to), `x[i]`, `x*` (each field is a value of its own)."""
    if isinstance(value, list):
        _array(env, name, [field for word in value for field in values.alternatives([word], env)[0]])
        return
    each = name.endswith("*")
    if each:
        env.empty[name[:-1]] = ""
    for row in reversed(values.alternatives([value if each else whole(value)], env)):
        if each:
            for field in reversed(row[: values.VALUES_MAX]):
                env.remember(name[:-1], field)
        else:
            text = " ".join(row)
            hidden = any(isinstance(field, values.Unseen) for field in row)
            _keep(env, name, row[0] if len(row) == 1 else values.unseen(text) if hidden else text)


def _keep(env: Env, name: str, value: str) -> None:
    if name.endswith("+"):
        name = name[:-1]
        head, bracket, key = name.partition("[")
        found = parameters.element(head, key[:-1], env) if bracket else env.of(name)
        for old in found[:4] or [""]:
            text = old if isinstance(old, str) else (old[0] if old else "")
            _keep(env, name, values.joined(text, value))
        return
    head, bracket, key = name.partition("[")
    if bracket:
        _element(env, head, key.rstrip("]").strip("'\""), value)
        return
    if head in env.lowered and not isinstance(value, values.Unseen):
        value = value.lower()
    env.remember(head, value)


def _element(env: Env, name: str, key: str, value: str) -> None:
    env.remember(f"{name}[{key}]", value)
    keys = env.values.get(name + "[]") or [[]]
    known = keys[0] if isinstance(keys[0], list) else []
    if key not in known and len(known) < _FIELDS_MAX:
        env.values[name + "[]"] = [[*known, key]]


def _array(env: Env, name: str, fields: list[str]) -> None:
    fields = fields[:_FIELDS_MAX]
    plain: list[str] = []
    for field in fields:
        key, cut, value = field[1:].partition("]=") if field[:1] == "[" else ("", "", "")
        plain.append(value if cut else field)
        if cut:
            _element(env, name.removesuffix("+"), key, value)
    if name.endswith("+"):
        name = name[:-1]
        old = env.of(name)
        first = old[0] if old else []
        plain = [*([first] if isinstance(first, str) else first), *plain][:_FIELDS_MAX]
    env.remember(name, plain)


def learn(words: list[str], segment: Segment, env: Env) -> None:
    """What a command of `words` sets."""
    action = ACTIONS.get(words[0])
    if action is not None:
        action(words, segment, env)


_INHERITING = ("sh", "dash")
"""Where a local variable without a value keeps the one from outside; other declarations do so everywhere."""


def _declare(words: list[str], _segment: Segment, env: Env) -> None:
    options = "".join([word[1:] for word in words[1:] if word[:1] == "-"])
    for word in words[1:]:
        name, cut, value = word.partition("=")
        if word[:1] == "-" or not name:
            continue
        if "l" in options:
            env.lowered.add(name)
        if not cut:
            array = "a" in options or "A" in options
            if array or (words[0] == "local" and env.dialect not in _INHERITING):
                env.empty[name] = [] if array else ""
            continue
        if "n" in options or words[0] == "nameref":
            env.refs[name] = value
        elif is_name(name.partition("[")[0].removesuffix("+")):
            _keep(env, name, word.behind(len(name) + 1) if isinstance(word, values.Unseen) else value)


def _unset(words: list[str], _segment: Segment, env: Env) -> None:
    env.empty.update(dict.fromkeys([word for word in words[1:] if word[:1] != "-"], ""))


def _set(words: list[str], _segment: Segment, env: Env) -> None:
    rest = words[1:]
    if env.dialect == "fish":
        rest = [word for word in rest if not word.startswith("-")]
        if rest:
            env.remember(rest[0], rest[1:] if len(rest) != len("xy") else rest[1])
        return
    while rest and rest[0][:1] in ("-", "+") and rest[0] != "--":
        rest = rest[2:] if rest[0][1:] in ("o", "O") else rest[1:]
    if rest:
        env.arguments(env.scope, rest[1:] if rest[0] == "--" else rest)


def _shift(words: list[str], _segment: Segment, env: Env) -> None:
    count = int(words[1]) if len(words) > 1 and words[1].isdecimal() else 1
    for fields in reversed(env.of("@")[:8]):
        env.arguments(env.scope, list(fields[count:]))


def _printf(words: list[str], _segment: Segment, env: Env) -> None:
    if words[1:2] == ["-v"] and len(words) > len("pvx"):
        hidden = any(isinstance(word, values.Unseen) for word in words[3:])
        for text in tellers.formatted(words[1:], env):
            _keep(env, words[2], values.unseen(text) if hidden else text)


def _fed(segment: Segment, env: Env) -> list[str] | None:
    """What comes in; None when not all of it is known."""
    texts, seen = outputs.inputs(segment, env, 0, raw=False)
    return texts if seen else None


def _read(words: list[str], segment: Segment, env: Env) -> None:
    names, options = _names(words, "adeinNptuA")
    texts = _fed(segment, env)
    if "-a" in options or "-A" in options:
        names = [options.get("-a") or options.get("-A") or ""]
    names = names or ["REPLY"]
    if texts is None:
        for name in names:
            env.remember(name, values.unseen("$" + name))
        return
    end = options.get("-d", "\n") or "\0"
    size = options.get("-n", options.get("-N", ""))
    for text in reversed(texts):
        for line in reversed(text.split(end)[:_FIELDS_MAX]):
            cut = line[: int(size)] if size.isdecimal() else line
            if cut:
                _spread(env, names, cut, whole="-a" in options or "-A" in options)


def _spread(env: Env, names: list[str], line: str, *, whole: bool) -> None:
    fields = [field for field in env.split(line) if field]
    if whole:
        env.remember(names[0], fields)
    elif len(names) == 1:
        env.remember(names[0], line.strip())
    else:
        for number, name in enumerate(names[:-1]):
            env.remember(name, fields[number] if number < len(fields) else "")
        env.remember(names[-1], " ".join(fields[len(names) - 1 :]))


def _names(words: list[str], taking: str) -> tuple[list[str], dict[str, str]]:
    """The operands and the options with their values; an option of `taking` takes the next word."""
    names: list[str] = []
    options: dict[str, str] = {}
    at = 1
    while at < len(words):
        word = words[at]
        if word[:1] == "-" and len(word) > 1:
            letter = next((c for c in word[1:] if c in taking), "")
            glued = word[word.index(letter) + 1 :] if letter else ""
            at += 1
            if letter and not glued and letter != "e":
                glued = words[at] if at < len(words) else ""
                at += 1
            options["-" + letter] = glued
        else:
            names.append(word)
            at += 1
    return names, options


def _mapfile(words: list[str], segment: Segment, env: Env) -> None:
    names, _ = _names(words, "dnOsuCc")
    name = names[0] if names else "MAPFILE"
    texts = _fed(segment, env)
    if texts is None:
        env.remember(name, [values.unseen("${" + name + "[@]}")])
        return
    end = "" if any(word[:1] == "-" and "t" in word for word in words[1:]) else "\n"
    for text in texts:
        env.remember(name, [line + end for line in text.rstrip("\n").split("\n")[:_FIELDS_MAX]])


def _alias(words: list[str], _segment: Segment, env: Env) -> None:
    rest = [word for word in words[1:] if not word.startswith("-")]
    pairs = [word.partition("=") for word in rest if "=" in word]
    if not pairs and len(rest) > 1:
        pairs = [(rest[0], "=", " ".join(rest[1:]))]
    for name, _, value in pairs:
        known = env.aliases.setdefault(name, [])
        if value not in known and len(known) < values.VALUES_MAX:
            known.append(value)


def _hash(words: list[str], _segment: Segment, env: Env) -> None:
    if words[1:2] == ["-p"] and len(words) > len("-px"):
        env.aliases.setdefault(words[3], []).append(words[2])


def _tee(words: list[str], segment: Segment, env: Env) -> None:
    texts, seen = outputs.inputs(segment, env, 0)
    for word in words[1:]:
        if not word.startswith("-"):
            write(env, word, texts, add=True, told=seen is not False)


def _dd(words: list[str], segment: Segment, env: Env) -> None:
    names = {key: value for key, _, value in (word.partition("=") for word in words[1:])}
    texts = env.files.get(plain_path(names.get("if", "")), []) or outputs.inputs(segment, env, 0)[0]
    link(env, names.get("if", ""), names.get("of", ""))
    if "of" in names and texts:
        write(env, names["of"], texts, add=False)


def _copy(words: list[str], _segment: Segment, env: Env) -> None:
    rest = [word for word in words[1:] if not word.startswith("-")]
    for path in rest[:-1]:
        link(env, path, rest[-1])
    texts = [text for path in rest[:-1] for text in env.files.get(plain_path(path), [])]
    told = not any(plain_path(path) in env.untold for path in rest[:-1])
    if texts or not told:
        write(env, rest[-1], texts, add=False, told=told)


def link(env: Env, program: str, path: str) -> None:
    """The program at `program` is at `path`, too, or in that folder under its own name."""
    name = base(path.rstrip("/"))
    known = env.links.get(name, [])
    if name and base(program) not in ("", name) and program not in known and len(known) < _LINKS_MAX:
        env.links[name] = [*known, program]
        env.changed = True


def _getopts(_words: list[str], _segment: Segment, env: Env) -> None:
    """The value of an option is one of the arguments, or what is glued to one."""
    for word in reversed([field for fields in env.of("@")[:8] for field in fields] or [""]):
        env.remember("OPTARG", word)
        if word[:1] == "-" and len(word) > len("-x"):
            env.remember("OPTARG", word[2:])


def _download(words: list[str], _segment: Segment, env: Env) -> None:
    """What comes from elsewhere stands in a file: that of an option, or one that is called as the address ends."""
    files = option_values(words, DOWNLOADS[words[0]])
    files += [word.partition("?")[0].rpartition("/")[2] for word in words[1:] if "://" in word]
    env.untold.update(plain_path(file) for file in files if file not in ("", "-", "/dev/null"))


def _exec(_words: list[str], segment: Segment, env: Env) -> None:
    texts, seen = outputs.own_input(segment, env, 0, raw=True)
    for redirect in segment.redirects:
        path = "&" + (redirect.fd or "0")
        if redirect.operator[0] == "<" and (seen or not redirect.target.literal):
            env.files[path] = texts
            if not seen:
                env.untold.add(path)


def write(env: Env, path: str, texts: list[str], *, add: bool, told: bool = True) -> None:
    """The file at `path` may hold one of `texts`; with `add`, behind what it held. `told`: they are all of it."""
    if not told:
        env.untold.add(plain_path(path))
    known = env.files.setdefault(plain_path(path), [])
    for text in texts[:_TEXTS_MAX]:
        made = [old + "\n" + text for old in known if text not in old] if add and known else [text]
        known += [one for one in made if one not in known and len(one) <= outputs.FILE_MAX]
    del known[:-_TEXTS_MAX]


ACTIONS: dict[str, Callable[[list[str], Segment, Env], None]] = {
    **dict.fromkeys((*DECLARING, "nameref", "integer", "env", "sudo", "doas"), _declare),
    "set": _set,
    "unset": _unset,
    "shift": _shift,
    "printf": _printf,
    "read": _read,
    **dict.fromkeys(("mapfile", "readarray"), _mapfile),
    **dict.fromkeys(("alias", "abbr"), _alias),
    "hash": _hash,
    **dict.fromkeys(("tee", "sponge"), _tee),
    "dd": _dd,
    **dict.fromkeys(("cp", "mv", "ln", "install", "rsync"), _copy),
    "getopts": _getopts,
    **dict.fromkeys(DOWNLOADS, _download),
    "exec": _exec,
}
"""Name to what it changes."""
