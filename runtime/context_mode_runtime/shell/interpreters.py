"""Programs that run code of other languages, and the code that a command hands them by option or on their input."""

from __future__ import annotations

from context_mode_runtime.shell.opened import plain_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_mode_runtime.shell.commands import Command


class Interpreter:
    """`language` as `ctx_execute` calls it; options that are followed by code or a value, or hold one (`glued`)."""

    __slots__ = ("code", "glued", "language", "long", "value")

    def __init__(self, language: str, code: str, value: str = "", glued: str = "") -> None:
        """Options are separated by blanks; of short ones only the letter counts."""
        self.language = language
        self.code = frozenset(word.lstrip("-") for word in code.split() if not word.startswith("--"))
        self.long = frozenset(word for word in code.split() if word.startswith("--"))
        self.value = frozenset(value.split())
        self.glued = frozenset(glued)


_NODE = Interpreter(
    "javascript",
    "-e -p --eval --print",
    "-r --require --import --loader --experimental-loader -C --conditions --input-type",
)
_PYTHON = Interpreter("python", "-c", "-W -X -m --check-hash-based-pycs")
_AWK = Interpreter("awk", "-e --source", "-v -F -f -i --assign --field-separator --file --include")
INTERPRETERS = {
    **dict.fromkeys(("python", "pypy", "ipython", "py", "pythonw", "graalpy", "micropython"), _PYTHON),
    **dict.fromkeys(("node", "nodejs", "bun", "deno", "tsx", "ts-node", "qjs", "iojs", "bunx"), _NODE),
    "ruby": Interpreter("ruby", "-e", "-r -I -E -C -F", "iWKTx"),
    **dict.fromkeys(("jruby", "truffleruby", "irb"), Interpreter("ruby", "-e", "-r -I")),
    "perl": Interpreter("perl", "-e -E", "-I", "iMmFCDdVx"),
    "php": Interpreter("php", "-r -B -R -E --run --process-begin --process-code --process-end", "-d -c -z --define"),
    **dict.fromkeys(("lua", "luajit", "texlua"), Interpreter("lua", "-e", "-l")),
    **dict.fromkeys(("rscript", "r", "littler"), Interpreter("r", "-e", "-f")),
    **dict.fromkeys(
        ("elixir", "iex-elixir"), Interpreter("elixir", "-e --eval --rpc-eval", "-r -S -pa --name --sname")
    ),
    "erl": Interpreter("elixir", "-eval"),
    **dict.fromkeys(("tclsh", "wish", "expect", "jimsh"), Interpreter("tcl", "-c")),
    "osascript": Interpreter("applescript", "-e", "-l -s"),
    "julia": Interpreter("julia", "-e -E --eval --print", "-L -J -t -p --load --project"),
    **dict.fromkeys(("pry", "rake", "rails"), Interpreter("ruby", "-e -E", "-r -I -f")),
    **dict.fromkeys(("mongo", "mongosh", "zx"), Interpreter("javascript", "-e --eval")),
    **dict.fromkeys(("sage", "blender", "sqlmap"), Interpreter("python", "-c --python-expr --eval")),
    "pdb": Interpreter("python", "-c"),
    **dict.fromkeys(("manage.py", "django-admin"), Interpreter("python", "")),
    **dict.fromkeys(("wp", "drush"), Interpreter("php", "--exec")),
    "latexmk": Interpreter("perl", "-e"),
    **dict.fromkeys(("iex", "mix"), Interpreter("elixir", "-e --eval")),
    **dict.fromkeys(
        ("octave", "octave-cli", "matlab", "scilab", "gnuplot", "maxima", "gap", "gp", "slsh", "bpftrace", "stap"),
        Interpreter("", "-e -r -c -batch --eval --batch-string"),
    ),
    **dict.fromkeys(
        (
            *(
                "clojure",
                "clj",
                "bb",
                "sbcl",
                "clisp",
                "ecl",
                "guile",
                "racket",
                "csi",
                "gosh",
                "scheme",
                "abcl",
                "ccl",
            ),
            *(
                "gcl",
                "mit-scheme",
                "chibi-scheme",
                "chez",
                "newlisp",
                "janet",
                "hy",
                "fennel",
                "joker",
                "planck",
                "lumo",
            ),
            *("ros", "picolisp", "gauche", "bigloo", "gsi"),
        ),
        Interpreter("lisp", "-e -x -c -p --eval --expression"),
    ),
    **dict.fromkeys(
        ("emacs", "emacsclient", "emacs-nox", "emacs-gtk", "emacs-snapshot", "xemacs"),
        Interpreter("lisp", "-e -eval --eval --execute", "-f --funcall -L --directory"),
    ),
    "gforth": Interpreter("", "-e -x -c --eval"),
    **dict.fromkeys(("swipl", "gprolog", "dtrace"), Interpreter("", "-g -t -n --query-goal")),
    **dict.fromkeys(("jrunscript", "jjs", "crystal", "ghci", "runghc"), Interpreter("", "-e")),
    **dict.fromkeys(("groovy", "scala", "jshell", "kotlin", "swift", "ghc", "ocaml"), Interpreter("", "-e")),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "original-awk"), _AWK),
}
_FIRST_IS_CODE = frozenset(("awk",))
"""Languages whose first operand is the program, unless an option gave it."""
_CODE_WORDS = frozenset(("eval", "ev", "php-eval", "runner", "shell"))
"""Sub-commands that are followed by code."""
_INPUTS = frozenset(("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"))


def interpreter(name: str) -> Interpreter | None:
    """The interpreter that a program's name stands for, versions left out: `python3.11`, `node20`, `Rscript`."""
    name = name.lower()
    return (
        INTERPRETERS.get(name)
        or INTERPRETERS.get(name.rstrip("0123456789.-tdm"))
        or INTERPRETERS.get(name.rstrip("0123456789.-"))
    )


def language_of(command: Command) -> str:
    """The language of what `code_of` gives; empty for one that we have no name for."""
    found = interpreter(command.name)
    return found.language if found else ""


def code_of(command: Command) -> str:
    """The code that `command` hands to an interpreter; empty when there is none.

    By options, an operand, its input, or a file that the same text wrote.
    """
    found = interpreter(command.name) if command.words else None
    if found is None:
        return ""
    code, operands = _parsed(found, command.words[1:])
    if not code and found.language in _FIRST_IS_CODE:
        return "\n".join(operands[:1])
    if not code and found.language == "lisp" and operands and operands[0][:1] == "(":
        return operands[0]
    if not code and (not operands or operands[0] in _INPUTS or operands[0].startswith("<(")):
        code = command.fed
    elif not code:
        code = command.written.get(plain_path(operands[0]), [])
    return "\n".join(code)


def _parsed(found: Interpreter, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The code that options give, and the first operands."""
    code: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in _CODE_WORDS:
            code += [one for one in words[at:] if not one.startswith("-")][:1]
            break
        if word == "--" or word[:1] != "-" or word in _INPUTS:
            rest = list(words[at - (word != "--") :])
            return code, rest
        name, cut, value = word.partition("=")
        if word.startswith("--"):
            if name in found.long:
                code += [value] if cut else words[at : at + 1]
            at += not cut and (name in found.long or name in found.value)
        elif word[1:] in found.code or word in found.value:
            code += words[at : at + 1] if word[1:] in found.code else []
            at += 1
        else:
            at += _cluster(found, word, words[at : at + 1], code)
    return code, []


def _cluster(found: Interpreter, word: str, following: Sequence[str], code: list[str]) -> int:
    """Letters behind one dash, the last of which may hold a value or take the next word; how many it took."""
    for place, letter in enumerate(word[1:], 2):
        rest = word[place:]
        if letter in found.code:
            alone = not rest or all(one in found.code for one in rest)
            code += following if alone else [rest]
            return alone
        if "-" + letter in found.value:
            return not rest
        if letter in found.glued:
            return 0
    return 0
