"""The private folder of one run: script, helper files, the text of a `file` argument. Gone afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile

from context_mode_runtime.execute.environment import child_environment
from context_mode_runtime.execute.languages import SHELLS, Starter, find, needs_module_syntax

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    File = tuple[str, str | Iterable[str]]

SHELL_CONTENT_MAX = 100_000
"""Longest text that a shell gets as an environment variable, in bytes (Linux takes 131,072 for one)."""


class Script:
    """One piece of code, written down and ready to start. `argv`, `build` (or empty), `env`, `notes` for the reply."""

    __slots__ = ("argv", "build", "env", "folder", "notes", "output")

    def __init__(self, folder: str, env: dict[str, str]) -> None:
        self.folder = folder
        self.env = env
        self.output = os.path.join(folder, "output")
        self.argv: list[str] = []
        self.build: list[str] = []
        self.notes: list[str] = []

    def remove(self) -> None:
        """Removes the folder with all in it; links in it are not followed."""
        shutil.rmtree(self.folder, ignore_errors=True)


def write_script(language: str, code: str, *, cwd: str, mark: str, file: File | None = None) -> Script:
    """Writes `code` into a folder of its own (0700). `file` is (path shown to the code, text or its pieces).

    An empty path stands for a text without a file: the code gets the path of our copy.
    Raises ExecuteError for a language that is not here, OSError where nothing can be written.
    """
    starter, program = find(language)
    script = Script(tempfile.mkdtemp(prefix="ctx-"), child_environment(cwd, mark))
    try:
        if file is not None:
            _give_file(script, file, shell=language in SHELLS)
        _fill(script, starter, program, code, with_file=file is not None)
        _link_modules(script.folder, cwd)
    except BaseException:
        script.remove()
        raise
    return script


def _give_file(script: Script, file: File, *, shell: bool) -> None:
    path, text = file
    copy = _write(os.path.join(script.folder, "content"), [text] if isinstance(text, str) else text)
    script.env.update(FILE_PATH=path or copy, FILE_CONTENT_PATH=copy)
    if not shell:
        return
    size = os.path.getsize(copy)
    if size <= SHELL_CONTENT_MAX:
        with open(copy, encoding="utf-8", newline="") as written:
            script.env["FILE_CONTENT"] = written.read().replace("\0", "")
    else:
        script.env.pop("FILE_CONTENT", None)
        script.notes.append(
            f"FILE_CONTENT is not set ({size:,} B, a shell gets {SHELL_CONTENT_MAX:,}): read $FILE_CONTENT_PATH"
        )


def _fill(script: Script, starter: Starter, program: str, code: str, *, with_file: bool) -> None:
    suffix = starter.module_suffix if needs_module_syntax(code) else starter.suffix
    places = {
        "{script}": os.path.join(script.folder, "script" + suffix),
        "{aid}": os.path.join(script.folder, starter.aid[0]),
        "{program}": os.path.join(script.folder, "program.exe" if os.name == "nt" else "program"),
        "{folder}": script.folder,
    }
    aided = bool(starter.aid[0]) and (with_file or starter.always_aid)
    if aided:
        _write(places["{aid}"], [starter.aid[1]])
    _write(places["{script}"], [_code(starter, code, with_file=with_file)], bom=starter.bom)
    args = starter.build or (starter.file_args if with_file else starter.args)
    command = [program, *(_placed(arg, places) for arg in args if aided or arg != "{aid}")]
    script.build, script.argv = (command, [places["{program}"]]) if starter.build else ([], command)


def _code(starter: Starter, code: str, *, with_file: bool) -> str:
    if starter.opening and not code.lstrip().startswith(starter.opening.strip()):
        code = starter.opening + code
    return starter.lead + code + starter.trail if with_file else code


def _placed(arg: str, places: dict[str, str]) -> str:
    for mark, path in places.items():
        arg = arg.replace(mark, path)
    return arg


def _write(path: str, pieces: Iterable[str], *, bom: bool = False) -> str:
    with open(path, "w", encoding="utf-8-sig" if bom else "utf-8", errors="replace", newline="") as file:
        file.writelines(pieces)
    os.chmod(path, 0o600)
    return path


def _link_modules(folder: str, cwd: str) -> None:
    """Links the nearest `node_modules` beside the script, where module loaders look for the project's packages."""
    place = cwd
    while not os.path.isdir(os.path.join(place, "node_modules")):
        if os.path.dirname(place) == place:
            return
        place = os.path.dirname(place)
    with contextlib.suppress(OSError):
        os.symlink(os.path.join(place, "node_modules"), os.path.join(folder, "node_modules"))
