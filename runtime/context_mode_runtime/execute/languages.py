"""How each language is started: a table of programs, arguments and the files that go with a script.

In arguments `{script}` is the file that holds the code, `{aid}` a file of ours beside it (left out where there is
none), `{program}` a compiled program, `{folder}` the private folder of the run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

from context_mode_runtime.execute.errors import ExecuteError
from context_mode_runtime.execute.process import NO_WINDOW

SHELLS = ("shell", "sh", "bash", "zsh", "dash", "ksh", "fish")
"""Languages whose code is shell text, for the policy."""

_PROBE_SECONDS = 10


class Starter:
    """One way to run a language.

    `programs`: names looked for, in order. `args` stand behind the program, `file_args` when there is a `file`.
    `suffix` names the script, `module_suffix` a script that needs module syntax. `aid`: (name, text) of a file that
    gives the code FILE_CONTENT; `lead` stands before the first line, `trail` behind the last, both only with a `file`.
    `opening` is put before code that does not begin with it. `build`: arguments of a compile step, `{program}` runs
    then. `probe`: arguments that must end with exit 0 for this way to count.
    """

    __slots__ = (
        "aid",
        "always_aid",
        "args",
        "bom",
        "build",
        "file_args",
        "lead",
        "module_suffix",
        "opening",
        "probe",
        "programs",
        "suffix",
        "trail",
    )

    def __init__(  # noqa: PLR0913 - a row of the table below, by keyword
        self,
        programs: str,
        suffix: str,
        *args: str,
        file_args: tuple[str, ...] = (),
        module_suffix: str = "",
        aid: tuple[str, str] = ("", ""),
        always_aid: bool = False,
        lead: str = "",
        trail: str = "",
        opening: str = "",
        build: tuple[str, ...] = (),
        probe: tuple[str, ...] = (),
        bom: bool = False,
    ) -> None:
        self.programs = programs.split()
        self.suffix = suffix
        self.module_suffix = module_suffix or suffix
        self.args = args or ("{script}",)
        self.file_args = file_args or self.args
        self.aid = aid
        self.always_aid = always_aid
        self.lead = lead
        self.trail = trail
        self.opening = opening
        self.build = build
        self.probe = probe
        self.bom = bom


_PYTHON = """\
import sys
__file__ = sys.argv.pop(1)
sys.argv[0] = __file__
def _hook(kind, value, trace, shown=sys.excepthook):
    trace = trace and trace.tb_next
    shown(kind, value.with_traceback(trace), trace)
sys.excepthook = _hook
del _hook
import os
if os.environ.get("FILE_CONTENT_PATH"):
    FILE_PATH = os.environ["FILE_PATH"]
    with open(os.environ["FILE_CONTENT_PATH"], encoding="utf-8", newline="") as FILE_CONTENT:
        FILE_CONTENT = FILE_CONTENT.read()
del os, sys
with open(__file__, "rb") as _code:
    _code = _code.read()
exec(compile(_code, __file__, "exec"))
"""
"""Runs the script as `__main__` with the working folder on its module path, as `-c` does; tracebacks hide this text."""

_PYTHON_3 = "import sys; sys.exit(sys.version_info[0] < 3)"
_NODE = """\
globalThis.require ??= require("module").createRequire(process.cwd() + "/script.js");
if (process.env.FILE_CONTENT_PATH) {
  globalThis.FILE_PATH = process.env.FILE_PATH;
  globalThis.FILE_CONTENT = require("fs").readFileSync(process.env.FILE_CONTENT_PATH, "utf8");
}
"""
_DENO = (
    'globalThis.FILE_PATH = Deno.env.get("FILE_PATH"); '
    'globalThis.FILE_CONTENT = Deno.readTextFileSync(Deno.env.get("FILE_CONTENT_PATH")); '
)
_RUBY = 'FILE_PATH = ENV["FILE_PATH"]\nFILE_CONTENT = File.read(ENV["FILE_CONTENT_PATH"], encoding: "UTF-8")\n'
_PERL = """\
package CtxFile;
sub import {
    our $path = $ENV{FILE_PATH};
    open(my $file, "<:encoding(UTF-8)", $ENV{FILE_CONTENT_PATH}) or die "$ENV{FILE_CONTENT_PATH}: $!";
    local $/;
    our $content = <$file>;
    *{"main::FILE_PATH"} = \\$path;
    *{"main::FILE_CONTENT"} = \\$content;
}
1;
"""
_PHP = '<?php $FILE_PATH = getenv("FILE_PATH"); $FILE_CONTENT = file_get_contents(getenv("FILE_CONTENT_PATH"));'
_GO = """\
package main

import "os"

var FILE_PATH = os.Getenv("FILE_PATH")
var FILE_CONTENT = func() string {
	text, err := os.ReadFile(os.Getenv("FILE_CONTENT_PATH"))
	if err != nil {
		panic(err)
	}
	return string(text)
}()
"""
_RUST = """
#[allow(dead_code)] const FILE_PATH: &str = env!("FILE_PATH");
#[allow(dead_code)] const FILE_CONTENT: &str = include_str!(env!("FILE_CONTENT_PATH"));
"""
_R = (
    'FILE_PATH <- Sys.getenv("FILE_PATH"); FILE_CONTENT <- local({ p <- Sys.getenv("FILE_CONTENT_PATH"); '
    "readChar(p, file.size(p), useBytes = TRUE) }); "
)
_ELIXIR = 'file_path = System.get_env("FILE_PATH"); file_content = File.read!(System.get_env("FILE_CONTENT_PATH")); '
_CSHARP = """
partial class Program {
    static string FILE_PATH => System.Environment.GetEnvironmentVariable("FILE_PATH");
    static string FILE_CONTENT => System.IO.File.ReadAllText(
        System.Environment.GetEnvironmentVariable("FILE_CONTENT_PATH"));
}
"""
_POWERSHELL = (
    "$FILE_PATH = $env:FILE_PATH; $FILE_CONTENT = [IO.File]::ReadAllText($env:FILE_CONTENT_PATH); "
    "& '{script}'; exit $LASTEXITCODE"
)

_RUSTC = ("--edition", "2021", "-A", "warnings")
_NODE_AID = ("file.cjs", _NODE)
_POWERSHELL_ARGS = ("-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass")

_TABLE: dict[str, tuple[Starter, ...]] = {
    "shell": (Starter("bash", ".sh"), Starter("sh", ".sh")),
    "sh": (Starter("sh dash bash", ".sh"),),
    "bash": (Starter("bash", ".sh"),),
    "zsh": (Starter("zsh", ".zsh", "-f", "{script}"),),
    "dash": (Starter("dash", ".sh"),),
    "ksh": (Starter("ksh ksh93 mksh", ".ksh"),),
    "fish": (Starter("fish", ".fish", "--no-config", "{script}"),),
    "python": (
        Starter("python3 python", ".py", "-u", "-c", _PYTHON, "{script}", probe=("-c", _PYTHON_3)),
        Starter("py", ".py", "-3", "-u", "-c", _PYTHON, "{script}"),
    ),
    "javascript": (
        Starter("node", ".cjs", "--require", "{aid}", "{script}", module_suffix=".mjs", aid=_NODE_AID, always_aid=True),
        Starter("bun", ".js", "--preload", "{aid}", "{script}", aid=_NODE_AID, always_aid=True),
        Starter("deno", ".mjs", "run", "--quiet", "--allow-all", "{script}", lead=_DENO),
    ),
    "typescript": (
        Starter("bun", ".ts", "--preload", "{aid}", "{script}", aid=_NODE_AID, always_aid=True),
        Starter("deno", ".ts", "run", "--quiet", "--allow-all", "{script}", lead=_DENO),
        Starter("tsx", ".mts", "--require", "{aid}", "{script}", aid=_NODE_AID, always_aid=True),
        Starter(
            "node", ".mts", "--experimental-strip-types", "--disable-warning=ExperimentalWarning",
            "--require", "{aid}", "{script}", aid=_NODE_AID, always_aid=True,
            probe=("--experimental-strip-types", "--disable-warning=ExperimentalWarning", "-e", "0"),
        ),
    ),
    "ruby": (Starter("ruby", ".rb", file_args=("-r", "{aid}", "{script}"), aid=("file.rb", _RUBY)),),
    "go": (Starter("go", ".go", build=("build", "-o", "{program}", "{script}", "{aid}"), aid=("file.go", _GO)),),
    "rust": (
        Starter("rustc", ".rs", build=(*_RUSTC, "-o", "{program}", "{script}"), trail=_RUST),
    ),
    "php": (
        Starter(
            "php", ".php", "-d", "display_errors=stderr", "{script}", opening="<?php ", aid=("file.php", _PHP),
            file_args=("-d", "display_errors=stderr", "-d", "auto_prepend_file={aid}", "{script}"),
        ),
    ),
    "perl": (
        Starter("perl", ".pl", file_args=("-I", "{folder}", "-MCtxFile", "{script}"), aid=("CtxFile.pm", _PERL)),
    ),
    "r": (Starter("Rscript", ".R", lead=_R),),
    "elixir": (Starter("elixir", ".exs", lead=_ELIXIR),),
    "csharp": (
        Starter("dotnet-script", ".csx"),
        Starter("dotnet", ".cs", "run", "--file", "{script}", trail=_CSHARP),
    ),
    "powershell": (
        Starter(
            "pwsh powershell", ".ps1", *_POWERSHELL_ARGS, "-File", "{script}", bom=True,
            file_args=(*_POWERSHELL_ARGS, "-Command", _POWERSHELL),
        ),
    ),
}  # fmt: skip

LANGUAGES = tuple(_TABLE)
"""Names that `ctx_execute` takes, in the contract's order."""

_GIT_BASH = ("PROGRAMFILES", "PROGRAMW6432", "PROGRAMFILES(X86)")
_MODULE_SYNTAX = re.compile(r"^(?:import[ \t{*'\"]|export\s|(?:(?:const|let|var)\s[^=\n]+=\s*)?await\b)", re.MULTILINE)

_found: dict[str, tuple[Starter, str]] = {}


def find(language: str) -> tuple[Starter, str]:
    """The way to run `language` here and its program's path; looked up once a process, missing ones every time.

    Raises ExecuteError that names what was looked for.
    """
    if language not in _TABLE:
        raise ExecuteError(f"unknown language {language}: one of {', '.join(LANGUAGES)}")
    if language not in _found:
        _found[language] = _look(language)
    return _found[language]


def available() -> dict[str, str]:
    """Language -> path of its program, for those that run here; for doctor."""
    out = {}
    for language in LANGUAGES:
        try:
            out[language] = find(language)[1]
        except ExecuteError:
            continue
    return out


def needs_module_syntax(code: str) -> bool:
    """True for JavaScript that only a module may hold: a static import, an export, an await at the margin."""
    return bool(_MODULE_SYNTAX.search(code))


def _look(language: str) -> tuple[Starter, str]:
    for starter in _TABLE[language]:
        for name in starter.programs:
            path = _program(name)
            if path and _fits(path, starter.probe):
                return starter, path
    if language == "python" and sys.executable:
        return _TABLE[language][0], sys.executable
    names = [name for starter in _TABLE[language] for name in starter.programs]
    note = " (node from 22.6 on)" if language == "typescript" else ""
    raise ExecuteError(
        f"{language} is not installed: looked for {', '.join(names)} on PATH{note}; use another language"
    )


def _program(name: str) -> str | None:
    if os.name == "nt" and name in ("bash", "sh"):
        return _git_bash(name)
    return shutil.which(name)


def _git_bash(name: str) -> str | None:
    """Git for Windows' own shell; `bash` of System32 would start another system."""
    places = [os.path.join(os.environ[key], "Git") for key in _GIT_BASH if key in os.environ]
    local = os.environ.get("LOCALAPPDATA")
    places += [os.path.join(local, "Programs", "Git")] if local else []
    git = shutil.which("git")
    places += [os.path.dirname(os.path.dirname(git))] if git else []
    found = (os.path.join(place, "bin", name + ".exe") for place in places)
    return next((path for path in found if os.path.isfile(path)), None)


def _fits(path: str, probe: tuple[str, ...]) -> bool:
    if not probe:
        return True
    try:
        done = subprocess.run(
            [path, *probe], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_PROBE_SECONDS,
            creationflags=NO_WINDOW,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
