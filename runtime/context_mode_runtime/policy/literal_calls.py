"""Code of any language before the rules: calls that start a program by literals, found wherever they stand in the text.

The text is not taken apart by a grammar, so nothing in front of a call can hide it; a call that only stands in a
comment or a longer literal counts, too. Linear in the length of the text; no regular expression: hook path.
"""

from __future__ import annotations

from context_mode_runtime.policy.literals import HOLE, REACH, Reach, delimited, given_at, joined, literal_at, operand_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_STARTS = (
    *("system", "system2", "popen", "popen2", "popen3", "Popen", "startfile", "call", "run", "shell", "sx"),
    *("check_output", "check_call", "getoutput", "getstatusoutput", "create_subprocess_exec"),
    "create_subprocess_shell",
    *("exec", "execSync", "execFile", "execFileSync", "execa", "execaSync", "execaCommand", "execaCommandSync"),
    *("spawn", "spawnSync", "shell_exec", "passthru", "proc_open", "doShellScript", "shell script", "readpipe"),
    *("Command", "CommandContext", "Command::new", "ProcessBuilder", "Process.Start", "ProcessStartInfo", "FileName"),
    *("capture2", "capture2e", "capture3", "pipeline", "pipeline_r", "System.cmd", "os.cmd", "os:cmd"),
    *("os.execute", "System.shell", "Port.open"),
)
_STARTS_BY_PATH = (
    *("execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe", "pcntl_exec", "syscall.Exec"),
    *("spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp", "spawnvpe", "unix.Exec"),
    *("posix_spawn", "posix_spawnp", "StartProcess", "ForkExec", "open2", "open3"),
)
"""These take the program's name again as the first argument; a word that isn't known may stand in front."""
_NO_COMMANDS = frozenset(",;)]:+?|&=")
"""No command begins with these: what stands there is the code between two texts."""
_QUOTING = ("%x", "qx")
_BACKTICKS = frozenset(("ruby", "perl", "php"))
_LINES = {"python": ("!", "%sx ", "%system "), "tcl": ("exec ", "[exec ", "spawn ", "system "), "lua": (), "awk": ()}
"""What a line of a notebook or of a shell-like language begins with, when the rest of it is shell text."""
_PIPES = ("-|", "|-")
_BRACKETED = frozenset(("javascript", "typescript", "python", "go", "rust", "r", "lua"))
"""Languages whose calls have brackets, so that a name in a sentence is none; templates are called by `_TAGS`."""
_TAGS = ("execa", "sh", "zx")
_ONE_TEXT = frozenset(("csharp", "r"))
"""Here arguments are one text, which the system takes apart."""
_SPREAD = 2
"""Calls may look at this many times the text's length."""
_CALLS_MAX = 2_000
_NAMES_MAX = 1_000
_TURNS_MAX = 4


def read_calls(code: str, language: str) -> tuple[list[str], bool]:
    """The commands that literal calls in `code` would start, each once; and whether all of it could be looked at."""
    reader = _Reader(code, language)
    layers = reader.learn()
    for names in layers:
        reader.names = names
        reader.read()
    found = [command for command in reader.found if command.strip() and command.strip() != HOLE]
    return found, reader.reach.left > 0


class _Reader:
    """One text: the names that stand for texts and for calls, and the commands found."""

    def __init__(self, code: str, language: str) -> None:
        self.code = code
        self.language = language
        self.names: dict[str, str] = {}
        self.others: dict[str, None] = {}
        self.found: dict[str, None] = {}
        self.reach = Reach(_SPREAD * len(code) + 10_000)

    def read(self) -> None:
        """Every form of call."""
        for name in (*_STARTS, *self.others):
            for _, end in self._places(name):
                self._take(name, end, by_path=False)
        for name in _STARTS_BY_PATH:
            for _, end in self._places(name):
                self._take(name, end, by_path=True)
        self._quoting()
        for sign in _LINES.get(self.language, ()):
            self._lines(sign)
        if self.language in ("perl", "ruby"):
            self._opens()
        if self.language == "awk":
            self._awk()

    def _places(self, name: str) -> Iterator[tuple[int, int]]:
        """Where `name` stands as a whole word."""
        code, at = self.code, self.code.find(name)
        for _ in range(_CALLS_MAX):
            if at < 0:
                return
            end = at + len(name)
            if not _in_name(code[at - 1 : at]) and not _in_name(code[end : end + 1]):
                yield at, end
            at = code.find(name, end)
        self.reach.left = 0

    def _take(self, name: str, end: int, *, by_path: bool) -> None:
        code = self.code
        end += next((len(one) for one in ("?.", "::new") if code.startswith(one, end)), 0)
        while code[end : end + 1] and code[end] in "'\"!?]\\":
            if (
                code[end] in "'\""
                and literal_at(code, end)
                and code[end + 1 : end + 2] not in (")", "]", ",", "'", '"')
            ):
                break
            end += 1
        if self.language in _BRACKETED:
            end = _behind_blanks(code, end)
            if code[end : end + 1] != "(" and not (code.startswith("`", end) and name.startswith(_TAGS)):
                return
        if self.language == "csharp" and code.startswith(" = ", end):
            end += len(" = ")
        given = given_at(code, end, self.names, self.reach)
        if by_path:
            while given.words[:1] == [HOLE]:
                del given.words[0]
        found = given.commands()
        if by_path and len(given.words) > 1:
            found.append(joined([given.words[0], *given.words[2:]]))
        if found and self.language in _ONE_TEXT:
            found.append(" ".join(given.words))
        self.found.update(dict.fromkeys(found))

    def learn(self) -> list[dict[str, str]]:
        """The texts that names hold, in layers when one holds several in turn; and other names of calls."""
        values: dict[str, list[str]] = {}
        for name in (*_STARTS, *_STARTS_BY_PATH):
            for at, end in self._places(name):
                self.others.update(dict.fromkeys(self._renamed(at, end)))
        self.others = {name: None for name in self.others if name not in _STARTS}
        newest: dict[str, str] = {}
        for sign in ("=", "<-"):
            at = self.code.find(sign)
            while at >= 0 and len(values) < _NAMES_MAX:
                name = _name_before(self.code, at)
                text = operand_at(self.code, at + len(sign), newest, self.reach) if name else None
                if name and text is not None and len(values.setdefault(name, [])) < _TURNS_MAX:
                    values[name].append(text)
                    newest[name] = text
                at = self.code.find(sign, at + len(sign))
        turns = max([1, *map(len, values.values())])
        return [{name: held[min(turn, len(held) - 1)] for name, held in values.items()} for turn in range(turns)]

    def _renamed(self, at: int, end: int) -> Iterator[str]:
        """`exec as q`, `{exec: q}`, `q = os.system`, `$q = 'system'`."""
        code = self.code
        for sign in (" as ", ": ", ":", " => "):
            if code.startswith(sign, end):
                start = end + len(sign)
                stop = start
                while _in_name(code[stop : stop + 1]):
                    stop += 1
                if stop > start and code[stop : stop + 1] in (",", " ", "}", ";", "\n", ")", ""):
                    yield code[start:stop]
                break
        follow = code[end : end + 1]
        if follow in (";", "\n", "", "'", '"', " ", ",", ")"):
            line = code[max(code.rfind("\n", 0, at), code.rfind(";", 0, at), at - 200, 0) : at]
            before, cut, behind = line.rpartition("=")
            name = _name_before(before, len(before)) if cut and not any(c in behind.strip() for c in " ,") else ""
            if name:
                yield name

    def _quoting(self) -> None:
        for sign in _QUOTING:
            for _, end in self._places(sign):
                start = end + 1 if self.code[end : end + 1] == " " else end
                self.found[delimited(self.code, start)] = None
        signs = ("`",) if self.language in _BACKTICKS else ("$`", "$ `", "sh`", "cmd`")
        for sign in signs:
            pieces = self.code.split(sign)
            if len(pieces) > _CALLS_MAX:
                self.reach.left = 0
            for at in range(1, min(len(pieces), _CALLS_MAX)):
                before, text = pieces[at - 1], pieces[at].partition("`")[0]
                named = sign[0].isalpha() and _in_name(before[-1:])
                if not named and not before.endswith("\\") and text.lstrip()[:1] not in _NO_COMMANDS:
                    self.found[text] = None

    def _lines(self, sign: str) -> None:
        for line in self.code.split("\n"):
            at = line.find(sign)
            if at >= 0 and not line[:at].strip("\t ;{"):
                self.found[line[at + len(sign) :].rstrip("]};")] = None

    def _opens(self) -> None:
        """`open(F, "-|", "rm", "x")`, `open(F, "rm x |")`, `open("| rm x")`."""
        for _, end in self._places("open"):
            words = given_at(self.code, end, self.names, self.reach, bare=True).words
            for at, word in enumerate(words):
                if word.strip() in _PIPES:
                    self.found.update(dict.fromkeys([joined(words[at + 1 :]), *words[at + 1 : at + 2]]))
                elif word.strip()[:1] == "|" or word.strip()[-1:] == "|":
                    self.found[word.strip().strip("|")] = None

    def _awk(self) -> None:
        """`"rm x" | getline`, `print | "rm x"`: a literal beside a pipe."""
        code, at = self.code, self.code.find('"')
        while at >= 0 and self.reach.take(1):
            literal = literal_at(code, at)
            if literal is None:
                break
            if code[:at].rstrip()[-2:].endswith(("|", "|&")) or code[literal[1] :].lstrip()[:1] == "|":
                self.found[literal[0]] = None
            at = code.find('"', literal[1])


def _behind_blanks(code: str, at: int) -> int:
    """Behind white space and comments."""
    while True:
        while code[at : at + 1].isspace():
            at += 1
        close = code.find("*/", at, at + REACH) if code.startswith("/*", at) else -1
        if close < 0:
            return at
        at = close + 2


def _in_name(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _name_before(code: str, at: int) -> str:
    """The name that is given a value by the sign at `at`; `x: string =` and `x :=` too."""
    at -= code[at - 1 : at] in (":", "+") and at > 0
    while at > 0 and code[at - 1] == " ":
        at -= 1
    name = _name_up_to(code, at)
    start = at - len(name)
    typed = _name_up_to(code, start - 2) if code[max(start - 2, 0) : start] == ": " else ""
    return typed or name


def _name_up_to(code: str, end: int) -> str:
    at = end
    while at > 0 and _in_name(code[at - 1]):
        at -= 1
    return code[at:end]
