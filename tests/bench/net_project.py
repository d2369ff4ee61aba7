"""The material of the net run: a small project with a fault, its log, its history, and an API on this machine.

All of it is made here, the same bytes each time: 1,304 tests of which one fails (a verbose run prints 115 KB), a log
of 200 KB, a source file of 86 KB (Claude Code reads at most 25,000 tokens in one go), 90 commits (`git log --stat`:
25 KB), 29 KB of lines that hold one name, an API reply of 20 KB.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CURRENCIES = ("CHF", "DKK", "EUR", "GBP", "NOK", "PLN", "SEK", "USD")
START_S = 1_790_000_000

_ROUND_MINOR = '''
def round_minor(currency: str, tenths: int) -> int:
    """Tenths of a minor unit as whole minor units, by the rule of the currency."""
    rule = RULES.get(currency, "bank")
    if rule == "up":
        return (tenths + 5) // 10
    return round(tenths / 10)
'''
_TABLE = '''
def table_{n:03}(minor: int, share: int = {n}) -> list[int]:
    """The parts of an amount over {n} shares of desk table {n:03}; the first part takes what is left over."""
    part, left = divmod(minor, max(share, 1))
    parts = [part] * max(share, 1)
    parts[0] += left
    return parts
'''
_DESK = '''"""Desk {n:02}."""

from ledger.rounding import RULES  # the table of desk {n:02} is the one of the ledger

NAMES = sorted(RULES)  # RULES as desk {n:02} shows them to its clients
'''
_SETTLE = '''"""Settles batches."""

from ledger import desk_03, desk_17
from ledger.rounding import round_minor

DESKS = (desk_03, desk_17)


def settle(currency: str, tenths: int) -> int:
    """One batch in minor units."""
    return round_minor(currency, tenths)
'''
_TESTS = """import pytest
from ledger.settle import settle

CASES = [(currency, n) for currency in {currencies} for n in range(0, 1304, 8)]
CASES[CASES.index(("EUR", 416))] = ("EUR", 417)


@pytest.mark.parametrize(("currency", "n"), CASES, ids=[f"{{currency}}-{{n:05}}" for currency, n in CASES])
def test_every_batch_is_settled_to_the_cent(currency, n):
    assert settle(currency, n * 10 - (5 if n % 8 else 0)) == n
"""


def _sources() -> dict[str, str]:
    rules = f"RULES = {dict.fromkeys(CURRENCIES, 'up')}\n"
    tables = [_TABLE.format(n=n) for n in range(300)]
    tables.insert(170, _ROUND_MINOR)
    files = {"src/ledger/rounding.py": '"""Rounding."""\n\n' + rules + "\n".join(tables)}
    for n in range(40):
        checks = [f'assert RULES is not None, "desk {n:02} check {m}: RULES are there"\n' for m in range(6)]
        files[f"src/ledger/desk_{n:02}.py"] = _DESK.format(n=n) + "".join(checks)
    files["src/ledger/settle.py"] = _SETTLE
    files["src/ledger/__init__.py"] = '"""A ledger."""\n'
    files["tests/test_settle.py"] = _TESTS.format(currencies=CURRENCIES)
    files["pytest.ini"] = "[pytest]\npythonpath = src\naddopts = -p no:cacheprovider -p no:randomly\n"
    files[".gitignore"] = "__pycache__/\nlogs/\n"
    return files


def _log() -> str:
    lines = [
        f"2026-11-29T02:{n // 60:02}:{n % 60:02}Z INFO  settle {CURRENCIES[n % 8]}-{n:05} in {n % 90} ms: parts sum up"
        for n in range(2_950)
    ]
    lines[2_037] = "2026-11-29T02:33:57Z WARN  settle batch EUR-00417 one minor unit short: rule=bank"
    return "\n".join(lines) + "\n"


def _runs() -> str:
    runs = [
        {"id": f"run-{n:04}", "started": f"2026-11-{n // 10 + 1:02}T02:00:00Z", "state": "fine", "batches": 1_304 + n}
        for n in range(200)
    ]
    runs[119]["state"] = "short"
    return json.dumps(runs, indent=1) + "\n"


def _commit(n: int, subject: str, files: dict[str, str]) -> str:
    who = f"Ann <ann@example.invalid> {START_S + 3_600 * n} +0000"
    head = f"commit refs/heads/main\ncommitter {who}\ndata {len(subject.encode())}\n{subject}\n"
    changed = [f"M 100644 inline {name}\ndata {len(text.encode())}\n{text}\n" for name, text in files.items()]
    return head + "".join(changed)


def _history(files: dict[str, str]) -> tuple[str, dict[str, str]]:
    """A stream for `git fast-import`, and the files as the last commit leaves them."""
    commits = [_commit(0, "the ledger", files)]
    now = dict(files)
    for n in range(1, 90):
        changed = {
            f"docs/desk_{n * 7 % 40:02}.md": f"# Desk\n\nAs of change {n}.\n",
            f"docs/changes/{n:03}.md": "new\n",
        }
        subject = f"desks: desk {n * 7 % 40:02} has its page, change {n}"
        if n == 57:
            name = "src/ledger/desk_17.py"
            changed[name] = now[name] + 'RULES.pop("EUR", None)\n'
            subject = "desks: EUR leaves the table until the audit"
        now.update(changed)
        commits.append(_commit(n, subject, changed))
    return "".join(commits), now


def make(project: Path) -> None:
    """Makes the project in a new folder, as a git checkout with nothing to commit."""
    stream, files = _history(_sources())
    for name, text in {**files, "logs/settle.log": _log()}.items():
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    env = {"PATH": os.environ["PATH"], "HOME": str(project.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    for command in (["init", "-q", "-b", "main"], ["fast-import", "--quiet"], ["read-tree", "HEAD"]):
        sent = stream.encode() if command[0] == "fast-import" else b""
        subprocess.run(["git", *command], cwd=project, env=env, input=sent, check=True, timeout=60)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Nothing on stderr."""


@contextlib.contextmanager
def api(folder: Path) -> Iterator[str]:
    """The address of the API while it runs; `folder` takes its replies."""
    folder.mkdir()
    (folder / "runs.json").write_text(_runs(), encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
