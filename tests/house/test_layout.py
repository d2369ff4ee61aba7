"""The shape of the tree: what may lie at the top, how long a module and a function may be, what has a docstring."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT, not_to_be_had

from .top import TOP

MODULE_LINES = 400
FUNCTION_LINES = 80
FUNCTION_LINES_P90 = 35
Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources() -> list[Path]:
    return sorted(path for package in ("runtime", "installer") for path in (ROOT / package).rglob("*.py"))


def functions(path: Path) -> Iterator[tuple[Function, bool]]:
    """Each function of a module, and whether it is public: no underscore in its name or in a class around it."""

    def inside(node: ast.AST, public: bool) -> Iterator[tuple[Function, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                yield child, public and not child.name.startswith("_")
                yield from inside(child, public=False)
            elif isinstance(child, ast.ClassDef):
                yield from inside(child, public and not child.name.startswith("_"))
            else:
                yield from inside(child, public)

    yield from inside(ast.parse(path.read_text(encoding="utf-8")), public=True)


def place(path: Path, node: Function) -> str:
    return f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"


def length(node: Function) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def tracked() -> list[str]:
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        not_to_be_had("not a git checkout")
    return done.stdout.splitlines()


def test_the_top_level_holds_only_what_the_layout_names() -> None:
    top = {name.split("/")[0] for name in tracked()}
    assert {name for name in top if not name.startswith(".")} <= set(TOP)


def test_modules_are_short() -> None:
    counts = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in sources()}
    assert {name: count for name, count in counts.items() if count > MODULE_LINES} == {}


def test_functions_are_short() -> None:
    long = [place(path, node) for path in sources() for node, _ in functions(path) if length(node) > FUNCTION_LINES]
    assert long == []


def test_nine_in_ten_functions_fit_on_a_screen() -> None:
    lengths = sorted(length(node) for path in sources() for node, _ in functions(path))
    assert lengths[len(lengths) * 9 // 10] <= FUNCTION_LINES_P90


def test_every_public_function_says_what_it_does() -> None:
    bare = [
        place(path, node)
        for path in sources()
        for node, public in functions(path)
        if public and not ast.get_docstring(node)
    ]
    assert bare == []


def test_every_module_says_what_it_holds() -> None:
    bare = [
        str(path.relative_to(ROOT))
        for path in sources()
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert bare == []
