"""Each place in our code from which something could reach the network stands in docs/privacy.md, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import ROOT

PAGE = ROOT / "docs/privacy.md"
NETWORK = frozenset((
    "asyncio", "ftplib", "http", "imaplib", "poplib", "smtplib", "socket", "socketserver", "ssl", "urllib.request",
    "webbrowser", "xmlrpc", "_socket", "_ssl", "aiohttp", "httpx", "httpx2", "requests", "urllib3",
))  # fmt: skip
PROCESS = re.compile(
    r"subprocess\.(run|Popen|call|check_call|check_output|getoutput|getstatusoutput)"
    r"|os\.(system|popen|exec\w+|spawn\w+|posix_spawnp?|startfile)|_posixsubprocess\.fork_exec|pty\.spawn|multiprocessing\..*"
)
ROW = re.compile(r"^\| `((?:runtime|installer)/[^`]+)` \|", re.MULTILINE)


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def reaches(name: str) -> bool:
    return name in NETWORK or name.partition(".")[0] in NETWORK


def only_for_types(tree: ast.Module) -> set[ast.AST]:
    """What stands under `if TYPE_CHECKING:` and never runs."""
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {inner for block in blocks for part in block.body for inner in ast.walk(part)}


def sites(path: Path) -> Iterator[tuple[str, str]]:
    """("network" or "process", what) of each site."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    idle = only_for_types(tree)
    for node in ast.walk(tree):
        if node in idle:
            continue
        for name in imported(node):
            if reaches(name):
                yield "network", name
            elif PROCESS.fullmatch(name):
                yield "process", name
        if isinstance(node, ast.Attribute) and PROCESS.fullmatch(ast.unparse(node)):
            yield "process", ast.unparse(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            given = node.args[0] if node.args else None
            known = isinstance(given, ast.Constant) and not reaches(str(given.value))
            if not known:
                yield "process", ast.unparse(node)


def found(kind: str) -> set[str]:
    return {
        str(path.relative_to(ROOT))
        for package in ("runtime", "installer")
        for path in (ROOT / package).rglob("*.py")
        if any(one == kind for one, _ in sites(path))
    }


def listed(title: str) -> list[str]:
    """The files and folders (a `/` at the end) of the table under a heading."""
    text = PAGE.read_text(encoding="utf-8")
    _, _, rest = text.partition(f"\n## {title}\n")
    return ROW.findall(rest.partition("\n## ")[0])


@pytest.mark.parametrize(
    ("kind", "title"), [("network", "What opens a connection"), ("process", "What starts a program")]
)
def test_every_site_is_listed_and_every_row_is_one(kind: str, title: str) -> None:
    rows, files = listed(title), found(kind)
    assert len(rows) == len(set(rows)) > 0
    assert [file for file in sorted(files) if not any(file == row or file.startswith(row) for row in rows)] == []
    assert [row for row in rows if not any(file == row or file.startswith(row) for file in files)] == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("import socket", "network"), ("from http import client", "network"), ("import urllib.request as u", "network"),
        ("from urllib import request", "network"), ("def f():\n    import ssl", "network"),
        ("import subprocess\nsubprocess.run(['git'])", "process"), ("from subprocess import Popen", "process"),
        ("import os\nos.execvp('curl', [])", "process"), ("__import__(name)", "process"),
        ("import importlib\nimportlib.import_module('soc' + 'ket')", "process"),
        ("import urllib.parse", ""), ("TYPE_CHECKING = False\nif TYPE_CHECKING:\n    import socket", ""),
    ],
)  # fmt: skip
def test_a_site_is_seen(text: str, kind: str, tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text(text)
    assert {one for one, _ in sites(file)} == ({kind} if kind else set())


def test_what_leaves_the_machine_does_so_from_a_listed_file() -> None:
    text = PAGE.read_text(encoding="utf-8")
    _, _, rest = text.partition("\n## When something leaves the machine\n")
    cells = [line.split(" | ")[1] for line in rest.partition("\n## ")[0].splitlines() if line.startswith("| ")][1:]
    named = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    assert len(named) >= len(cells) > 0
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in ROW.findall(text))] == []
