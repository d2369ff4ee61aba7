"""What tools print about a made-up shop: tests, linter, log of commits, installs, plan, page snapshot."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from ruamel.yaml import YAML

MADE_OF = YAML(typ="safe").load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
_RULES = ("E501 Line too long (132 > 120)", "F401 `os` imported but unused", "D103 Missing docstring in function")
_VERBS = ("mend", "drop", "speed up", "name", "split", "test")


def texts() -> dict[str, str]:
    """Each output by its label."""
    return {
        "out/pytest.txt": _tests(), "out/ruff.txt": _lint(), "out/git-log.txt": _commits(),
        "out/install.txt": _install(), "out/plan.txt": _plan(), "out/snapshot.txt": _snapshot(),
    }  # fmt: skip


def _mixed(name: str, count: int, usual: Callable[[random.Random, int], str], rare: list[str]) -> str:
    """The rare ones at even distances among `count` usual ones, which `usual(draw, number)` gives."""
    draw = random.Random(name)
    step = count // (len(rare) + 1)
    lines: list[str] = []
    for number in range(count):
        if number and number % step == 0 and number // step <= len(rare):
            lines.append(rare[number // step - 1])
        lines.append(usual(draw, number))
    return "\n".join(lines) + "\n"


def _word(draw: random.Random) -> str:
    return str(draw.choice(MADE_OF["words"]))


def _tests() -> str:
    def usual(draw: random.Random, number: int) -> str:
        what = draw.choice(("holds", "ends", "sorts"))
        name = f"tests/{_word(draw)}/test_{_word(draw)}.py::test_{_word(draw)}_{what}"
        return f"{name}[{number}] PASSED".ljust(92) + f"[{number // 19:3}%]"

    failed = MADE_OF["failures"]
    bodies = [f"{'_' * 20} {item['test'].rpartition('::')[2]} {'_' * 20}\n\n{item['body']}" for item in failed]
    ends = [f"FAILED {item['test']} - {item['body'].split('E  ')[1].strip().splitlines()[0]}" for item in failed]
    head = "============================= test session starts =============================\ncollected 1904 items\n\n"
    run = _mixed("pytest", 1_900, usual, [f"{item['test']} FAILED" for item in failed])
    foot = "=========================== short test summary info ===========================\n"
    return head + run + "\n== FAILURES ==\n" + "\n".join(bodies) + foot + "\n".join([*MADE_OF["skipped"], *ends]) + "\n"


def _lint() -> str:
    def usual(draw: random.Random, number: int) -> str:
        place = f"{_word(draw)}/{_word(draw)}.py:{draw.randrange(1, 400)}:{draw.randrange(1, 80)}"
        return f"src/shop/{place}: {draw.choice(_RULES)}"

    return _mixed("ruff", 900, usual, MADE_OF["lint"]) + "Found 904 errors.\n"


def _commit(hash_: str, author: str, number: int, subject: str, files: list[str]) -> str:
    date = f"2031-04-{number % 28 + 1:02}"
    head = f"commit {hash_}\nAuthor: {author} <dev@acme.example>\nDate:   {date}\n\n    {subject}\n"
    return "\n".join([head, *(f" {file}" for file in files), f" {len(files)} files changed", ""])


def _commits() -> str:
    def usual(draw: random.Random, number: int) -> str:
        subject = f"{_word(draw)}: {draw.choice(_VERBS)} the {_word(draw)}"
        count = draw.randrange(1, 5)
        files = [f"src/shop/{_word(draw)}/{_word(draw)}.py | {draw.randrange(90)} +-" for _ in range(count)]
        author = draw.choice(("Anneli Vik", "Tomas Reyes", "Ines Duarte", "Lukas Brandt", "Mercy Osei"))
        return _commit(f"{draw.getrandbits(28):07x}", author, number, subject, files)

    rare = [_commit(item["hash"], item["author"], 9, item["subject"], item["files"]) for item in MADE_OF["commits"]]
    return _mixed("commits", 400, usual, rare)


def _install() -> str:
    def usual(draw: random.Random, number: int) -> str:
        name = f"{_word(draw)}-{_word(draw)}"
        fetched = f"npm http fetch GET 200 https://registry.example.com/{name} {draw.randrange(900)}ms (cache hit)"
        return draw.choice((fetched, f"Collecting {name}=={draw.randrange(9)}.{number}", f"  Using cached {name}.whl"))

    return _mixed("install", 1_000, usual, MADE_OF["install"])


def _plan() -> str:
    def usual(draw: random.Random, number: int) -> str:
        name = f"{_word(draw)}_{number}"
        return (
            f'  # module.app.aws_sqs_queue.{name} will be created\n  + resource "aws_sqs_queue" "{name}" {{\n'
            f'      + name = "{name}"\n      + delay_seconds = {draw.randrange(90)}\n    }}'
        )

    return _mixed("plan", 160, usual, MADE_OF["plan"]) + "\nPlan: 161 to add, 1 to change, 2 to destroy.\n"


def _snapshot() -> str:
    def section(title: str, lines: list[str]) -> str:
        head = [f'    - region "{title}":', f'      - heading "{title}" [level=2]']
        return "\n".join([*head, *(f"      - {line}" for line in lines)])

    def usual(draw: random.Random, number: int) -> str:
        title = f"{_word(draw).title()} {_word(draw)} {number}"
        links = [f'link "{_word(draw)} {_word(draw)}" [ref=e{number}_{at}]' for at in range(draw.randrange(3, 9))]
        return section(title, [*links, f'text: "from {draw.randrange(400)}.50 EUR"', f'button "Add" [ref=a{number}]'])

    rare = [section(item["section"], item["lines"]) for item in MADE_OF["snapshot"]]
    return '- document "Shop":\n  - main:\n' + _mixed("snapshot", 150, usual, rare)
