"""The inputs of the bench, made at run time by real tools and from installed packages; nothing of it is kept.

Generated values are drawn by a seed or a digest of their number, so that a rerun with the same tools and packages makes
the same bytes (but for the durations that pytest prints). Each input holds a fact or two that the work table asks for.
"""

from __future__ import annotations

import email
import hashlib
import importlib.metadata
import json
import os
import pydoc
import random
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from pathlib import Path

SEED = 20_261
WORDS = [
    "account",
    "archive",
    "batch",
    "broker",
    "buffer",
    "cache",
    "catalog",
    "channel",
    "cluster",
    "cursor",
    "digest",
    "export",
    "filter",
    "gateway",
    "header",
    "import",
    "index",
    "journal",
    "kernel",
    "ledger",
    "lookup",
    "manifest",
    "mirror",
    "notice",
    "offset",
    "packet",
    "parser",
    "quota",
    "record",
    "replica",
    "router",
    "schema",
    "session",
    "shard",
    "signal",
    "snapshot",
    "stream",
    "table",
    "token",
    "upload",
    "vector",
    "window",
    "worker",
]


def _random(name: str) -> random.Random:
    return random.Random(f"{SEED}:{name}")


def _printed(command: list[str], folder: Path) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout


def test_run(work: Path) -> str:
    """`pytest -v` of 1,900 generated tests, one of which fails."""
    (work / "tests").mkdir()
    for number in range(38):
        module = f"test_{WORDS[number % len(WORDS)]}_{number:02}.py"
        wrong = "    assert not (number == 17), 'replica 17 answers with lag 4093'\n" if number == 21 else ""
        (work / "tests" / module).write_text(
            "import pytest\n\n@pytest.mark.parametrize('number', range(50))\n"
            f"def test_{WORDS[(number * 7) % len(WORDS)]}_holds(number):\n{wrong}    assert number >= 0\n",
            encoding="utf-8",
        )
    return _printed(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:randomly", "tests"], work
    )


def linter(work: Path) -> str:
    """ruff's JSON over installed packages: the first 520 findings, then one of a file that is made here."""
    source = work / "ledger_odd.py"
    source.write_text("def balance(rows=[]):\n    return rows\n", encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--output-format", "json", "--select"]
    packages = [Path(sysconfig.get_path("purelib")) / name for name in ("pluggy", "_pytest")]
    there = [str(path) for path in packages if path.is_dir()] or [str(Path(json.__file__).parent)]
    found = json.loads(_printed([*command, "ANN,D,E,PL,SIM", *there], work))[:520]
    return json.dumps(found + json.loads(_printed([*command, "B006", str(source)], work)), indent=2)


def pip_install(work: Path) -> str:
    """A verbose pip log, of pip's form, over the packages that are installed here."""
    lines = []
    for found in sorted(importlib.metadata.distributions(), key=lambda found: str(found.metadata["Name"]).lower()):
        name, version = found.metadata["Name"], found.version
        wheel = f"{name}-{version}-py3-none-any.whl"
        lines += [
            f"Collecting {name}=={version}", f"  Obtaining dependency information for {name}=={version}",
            f"  Downloading {wheel}.metadata (4.1 kB)", f"  Link requires a different Python (3.11): {wheel}",
        ]  # fmt: skip
        lines += [f"Requirement already satisfied: {need}" for need in found.requires or ()]
    lines.insert(len(lines) // 2, "  WARNING: kettle-codec 2.4.1 was yanked: wheels hold the wrong ABI tag cp39")
    return "\n".join([*lines, "Successfully installed all packages"]) + "\n"


def npm_install(work: Path) -> str:
    """An npm log at level http, of npm's form: 1,100 requests."""
    draw = _random("npm")
    lines = []
    for number in range(1_100):
        name = f"{draw.choice(WORDS)}-{draw.choice(WORDS)}"
        lines.append(f"npm http fetch GET 200 https://npm.example.com/{name} {draw.randrange(20, 900)}ms (cache miss)")
        if number == 640:
            lines.append("npm warn ERESOLVE could not resolve peer parser-shard@7.3.2 of router-quota@1.9.0")
    return "\n".join([*lines, "", "added 613 packages in 14s"]) + "\n"


def container_log(work: Path, rows: int = 420) -> str:
    """Lines of `compose logs`: level, trace, message; every fortieth is an error."""
    draw = _random("container")
    lines = []
    for number in range(rows):
        message = f"{draw.choice(WORDS)} {draw.choice(WORDS)} completed in {draw.randrange(5_000)} ms"
        level = draw.choice(("info", "info", "debug", "warn"))
        if number % 40 == 17:
            level, message = "error", "upstream payment-gateway timed out after 3000 ms"
        stamp = (
            f"2026-03-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.{draw.randrange(1000):03}Z"
        )
        trace = hashlib.sha256(str(number).encode()).hexdigest()[:16]
        text = json.dumps({"level": level, "trace": trace, "msg": message})
        lines.append(f"{draw.choice(('api-1', 'api-2', 'worker-1', 'db-1')):<9}| {stamp} {text}")
    return "\n".join(lines) + "\n"


def long_log(work: Path) -> str:
    """The same in 0.7 MB, with one line that stands once."""
    text = container_log(work, 5_200)
    middle = text.index("\n", len(text) // 2) + 1
    odd = "db-1     | 2026-03-01T01:00:00.000Z vacuum of table orders stopped: page 88121 has checksum 0x5f3a\n"
    return text[:middle] + odd + text[middle:]


def access_log(work: Path) -> str:
    """500 lines in the combined format, six with status 500."""
    draw = _random("access")
    rows = []
    for number in range(500):
        status = 500 if number % 83 == 11 else draw.choice((200, 200, 200, 304, 404))
        rows.append(
            f"192.0.2.{draw.randrange(1, 61)} - - [01/Mar/2026:{number // 60:02}:{number % 60:02}:00 +0000] "
            f'"GET /{draw.choice(WORDS)}/{draw.choice(WORDS)} HTTP/1.1" {status} {draw.randrange(90_000)} "-"'
            ' "curl/8.5.0"'
        )
    return "\n".join(rows) + "\n"


def plan(work: Path) -> str:
    """A plan of 72 resources, as infrastructure tools print it."""
    draw = _random("plan")
    blocks = []
    for number in range(72):
        name = f"{draw.choice(WORDS)}_{number:02}"
        region = "sa-east-1" if number == 44 else draw.choice(("eu-west-1", "us-east-1", "ap-south-1"))
        blocks.append(
            f'  # terraform_data.{name} will be created\n  + resource "terraform_data" "{name}" {{\n'
            f"      + id     = (known after apply)\n      + input  = {{\n"
            f'          + name   = "svc-{number:02}"\n          + region = "{region}"\n'
            f"          + size   = {draw.randrange(1, 10)}\n        }}\n      + output = (known after apply)\n    }}\n"
        )
    return "\n".join(
        ["Terraform will perform the following actions:\n", *blocks, "Plan: 72 to add, 0 to change, 0 to destroy."]
    )


def git_log(work: Path) -> str:
    """`git log --stat` of a repository of 300 commits that is made here."""
    draw = _random("git")
    stream = []
    for number in range(300):
        subject = f"{draw.choice(WORDS)}: {draw.choice(('mend', 'drop', 'speed up', 'name'))} the {draw.choice(WORDS)}"
        if number == 131:
            subject = "broker: resume dropped downloads after a proxy reset"
        text = f"{subject}\n".encode()
        date = 1_760_000_000 + 3_600 * number
        stream.append(
            b"commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata %d\n%s" % (date, len(text), text)
        )
        for _ in range(6):
            body = f"{draw.random()}\n".encode() * draw.randrange(1, 30)
            path = f"src/{draw.choice(WORDS)}/{draw.choice(WORDS)}.py"
            stream.append(b"M 644 inline %s\ndata %d\n%s" % (path.encode(), len(body), body))
    subprocess.run(["git", "init", "-q", "-b", "main", str(work)], check=True)
    data = b"\n".join(stream) + b"\n"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=work, input=data, capture_output=True, check=True)
    return _printed(["git", "log", "--stat", "--format=commit %h%nDate:   %as%n%n    %s%n", "main"], work)


def snapshot(work: Path) -> str:
    """The accessibility tree of a page of 60 products, as browser tools print it."""
    draw = _random("snapshot")
    lines = ['- document [ref=e0]: "Depot"', "  - main [ref=e1]:"]
    for number in range(140):
        name = f"{draw.choice(WORDS)} {draw.choice(WORDS)}"
        price = "419.00 EUR" if number == 33 else f"{draw.randrange(1, 400)}.50 EUR"
        title = "Copper kettle" if number == 33 else name.title()
        lines.append(f'    - region "{title}" [ref=e{10 * number + 10}]:')
        lines.append(f'      - heading "{title}" [level=2] [ref=e{10 * number + 11}]')
        lines.append(f'      - text: "price of {title}: {price}"')
        for step in range(8):
            lines.append(
                f'      - link "{draw.choice(WORDS)} {draw.choice(WORDS)}" [ref=e{10 * number + step}_{step}]:'
            )
            lines.append(
                f"        - /url: https://shop.example.com/{number}/{draw.choice(WORDS)}/{draw.randrange(10**9)}"
            )
    return "\n".join(lines) + "\n"


def _records(kind: str, count: int, planted: Mapping[str, object]) -> str:
    draw = _random(kind)
    made = []
    for number in range(count):
        who, url = f"dev{draw.randrange(23):02}", f"https://api.example.com/repos/o/r/{kind}/{1500 - number}"
        record: dict[str, object] = {
            "id": 1_000_000 + number, "number": 1500 - number, "url": url, "html_url": url,
            "comments_url": f"{url}/comments",
            "title": f"{draw.choice(WORDS)} {draw.choice(WORDS)} {draw.choice(('fails', 'is slow', 'leaks', 'hangs'))}",
            "state": draw.choice(("open", "closed")), "comments": draw.randrange(14), "locked": False,
            "user": {"login": who, "avatar_url": f"https://example.com/u/{who}", "url": f"https://api.example.com/users/{who}"},
            "labels": [{"name": draw.choice(("bug", "docs", "feature")), "color": "d73a4a", "default": False}],
            "reactions": {"total_count": draw.randrange(5), "+1": 0, "-1": 0, "laugh": 0, "heart": 0, "rocket": 0},
            "body": " ".join(draw.choice(WORDS) for _ in range(90)),
        }  # fmt: skip
        made.append({**record, **planted} if number == count // 2 else record)
    return json.dumps(made, indent=1)


def issues(work: Path) -> str:
    """120 issues of a code host's API."""
    title = {
        "title": "lock file survives a crash on NFS",
        "body": "After a crash the lock stays; stale after 9417 seconds.",
    }
    return _records("issues", 120, title)


def pulls(work: Path) -> str:
    """60 pull requests of the same."""
    planted = {"title": "journal: survive a torn write", "body": "Replaces fsync by a barrier; merged as 7be2c90d."}
    return _records("pulls", 60, planted | {"head": {"ref": "torn-write-barrier"}})


def library_docs(work: Path) -> str:
    """The READMEs of installed packages, one after the other."""
    parts = []
    for name in ("jsonschema", "ruamel.yaml", "tomlkit", "rich", "typer", "attrs", "hypothesis", "pluggy", "httpx"):
        try:
            message = email.message_from_string(importlib.metadata.distribution(name).read_text("METADATA") or "")
        except importlib.metadata.PackageNotFoundError:
            continue
        parts.append(f"# {name}\n\n{message.get_payload()}")
    made = "## Depot retries\n\nSet `maxAttempts`; the default is 11 attempts, then `DepotGone` is raised.\n"
    return "\n\n".join([*parts, made]) + "\n"


def docs_page(work: Path) -> str:
    """What pydoc says about four modules."""
    return "\n\n".join(pydoc.plain(pydoc.render_doc(name)) for name in ("argparse", "logging", "pathlib", "json"))


def source_file(work: Path) -> str:
    """The interpreter's own argparse.py, 100 KB."""
    return (Path(sysconfig.get_path("stdlib")) / "argparse.py").read_text(encoding="utf-8")


MAKERS: dict[str, Callable[[Path], str]] = {
    "a11y-snapshot.txt": snapshot, "issues.json": issues, "pulls.json": pulls, "library-docs.md": library_docs,
    "pytest-v.txt": test_run, "ruff.json": linter, "pip-install.txt": pip_install, "npm-install.txt": npm_install,
    "docker-logs.txt": container_log, "terraform-plan.txt": plan, "git-log-stat.txt": git_log,
    "cli_source.py": source_file, "docs-page.txt": docs_page, "access.log": access_log, "long.log": long_log,
}  # fmt: skip


def make(folder: Path, scratch: Path) -> dict[str, dict[str, object]]:
    """Writes all inputs into `folder`; bytes and SHA-256 of each by name."""
    folder.mkdir(parents=True)
    for name, maker in MAKERS.items():
        work = scratch / name
        work.mkdir(parents=True)
        (folder / name).write_text(maker(work), encoding="utf-8")
    return digests(folder)


def digests(folder: Path) -> dict[str, dict[str, object]]:
    """Bytes and SHA-256 of each file below `folder`."""
    found: dict[str, dict[str, object]] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        found[path.relative_to(folder).as_posix()] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return found


def big_corpus(folder: Path, mib: int) -> list[Path]:
    """At most `mib` files of about 1 MiB: the interpreter's own source text, whole files in sorted order."""
    folder.mkdir(parents=True)
    parts: list[Path] = []
    held: list[bytes] = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        data = path.read_bytes()
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            continue
        held.append(data)
        if sum(map(len, held)) >= 1 << 20:
            parts.append(folder / f"part{len(parts):03}.txt")
            parts[-1].write_bytes(b"".join(held))
            held = []
        if len(parts) == mib:
            break
    return parts
