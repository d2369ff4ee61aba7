"""The result of the bench as Markdown: what is to be reached first, then a table for each part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from tests.bench import net, savings

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs" / "benchmarks.md"
MARKS = ("<!-- figures -->\n", "<!-- end of figures -->\n")


def found(result: dict[str, Any], at: str, name: str) -> float | None:
    """The figure at a place such as `server/$/peak_kib`, `+` for a slash inside of a key; None: not measured."""
    value: Any = result
    for key in at.split("/"):
        value = value.get(key.replace("$", name).replace("+", "/")) if isinstance(value, dict) else None
    figure: float | None = value
    return figure


def _table(head: str, rows: list[list[Any]]) -> str:
    names = [name.strip() for name in head.split("|")]
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join("" if cell is None else str(cell) for cell in line) + " |" for line in lines)


def goals(result: dict[str, Any]) -> str:
    """Measure, peer, ours, ratio, what is to be reached and whether it is."""
    rows = []
    for goal in YAML(typ="safe").load((HERE / "goals.yaml").read_text(encoding="utf-8")):
        peer, ours = found(result, goal["at"], "peer"), found(result, goal["at"], "ours")
        least, times = goal.get("least", False), goal.get("peer")
        limit = goal.get("fixed") if times is None else times * peer if peer else None
        reached = (
            None if ours is None or limit is None else "yes" if (ours >= limit if least else ours <= limit) else "NO"
        )
        word = f"{'>=' if least else '<='} {goal['fixed']}" if times is None else f"<= {times} x peer"
        rows.append([goal["name"], peer, ours, round(ours / peer, 2) if peer and ours else None, word, reached])
    return _table("measure | peer | ours | ratio | to reach | reached", rows)


def _hook(part: dict[str, Any]) -> str:
    rows = [
        [key, one["ms"]["median"], one["cpu_ms"]["median"], one["over_python"], one.get("answered"), one.get("bytes")]
        for key, one in part.items()
    ]
    return _table("target/agent/case | ms | CPU ms | x bare Python | answered | reply B", rows)


def _seat(part: dict[str, Any]) -> str:
    rows = [
        [key, one["ms"]["median"], one["cpu_ms"]["median"], one["over_true"], one["bytes"]] for key, one in part.items()
    ]
    return _table("who/what | ms | CPU ms | ms over a bare `true` | printed B", rows)


def _flat(part: dict[str, Any], path: str = "") -> list[list[Any]]:
    """Each figure with its place; the runs and rows behind it stay in the JSON."""
    rows: list[list[Any]] = []
    for key, value in part.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{path}{key}/")
        elif key not in ("runs", "rows"):
            rows.append([path + key, value])
    return rows


def _bytes(part: dict[str, Any]) -> str:
    rows, ends = [], []
    for name, side in part.items():
        for row in side["rows"]:
            cells = [row["name"], name, f"{row['raw']:,}", f"{row['context']:,.0f}", f"{row['saved']} %"]
            rows.append([*cells, "yes" if row["answer"] else "NO", row["did"]])
        answers, long = side["answers"], side["long"]
        ends.append(
            f"{name}: median saved over rows of 10 KB and more {side['median_saved']} %; answer there in "
            f"{answers['present']} of {answers['of']}"
            f"{'; not in these inputs: ' + ', '.join(side['left_out']) if side['left_out'] else ''}. "
            f"Long conversation: {long['outputs']} outputs, {long['raw']:,} B raw, "
            f"{long['context']:,} B in the context; after the compaction {long['after_compaction']:,} B came back, a "
            f"search of {long['search']:,} B; the early fact {'was' if long['answer'] else 'was NOT'} there."
        )
    rows.sort(key=lambda cells: cells[0])
    return "\n\n".join([_table("work | target | raw B | context B | saved | answer | hook", rows), *ends])


_WAYS = {
    "run": "`ctx_execute` of `cat FILE`", "curl": "`ctx_execute` of `curl`", "script": "`ctx_execute` of a script",
    "index": "`ctx_index`, then `ctx_search`", "batch": "`ctx_batch`", "talk": "`ctx_execute` of each, then searches",
    "shell": "the hook after the agent's shell, then a search", "read": "the hook before a read, and what it names",
    "tool": "the hook after another server's tool, then a search",
}  # fmt: skip


def again(inputs: dict[str, Any]) -> str:
    """Each row of work: the calls, what is asked, its inputs by digest, and the command that runs it again."""
    rows = []
    for row in savings.table():
        files = row["file"] if isinstance(row["file"], list) else [row["file"]]
        asks = row["ask"] if isinstance(row["ask"], list) else [row["ask"]]
        held = ", ".join(f"{name} `{inputs[name]['sha256'][:12]}`" for name in files if name in inputs)
        command = f'`python -m tests.bench --only bytes --rows "{row["name"]}"`'
        rows.append([row["name"], _WAYS[row["way"]], "; ".join(filter(None, asks)), held, command])
    return _table("work | calls | asked | input, SHA-256 begins | again", rows)


def _section(name: str, part: Any) -> str:
    if name == "hook":
        return _hook(part)
    if name == "seat":
        return _seat(part)
    if name == "bytes":
        return _bytes(part)
    return net.table(part) if name == "net" else _table("figure | value", _flat(part))


def markdown(result: dict[str, Any]) -> str:
    """The whole report."""
    about = result["about"]
    load = " ".join(str(value) for value in about["load"])
    head = (
        f"{about['date']}, commit {about['commit']}, {about['machine']}, {about['cores']} cores, load {load}, Python "
        f"{about['python']}. Targets: {', '.join(result['targets'])}. Run by: `{about['command']}`."
    )
    parts = [head, goals(result["parts"])]
    for name, part in result["parts"].items():
        line = f"`python -m tests.bench --only {name}`"
        parts.append(f"### {name}\n\n{line}; load after it {result['load_after'][name]}\n\n{_section(name, part)}")
        if name == "bytes":
            parts.append(again(result["inputs"]))
    return "\n\n".join(parts) + "\n"


def write_docs(text: str) -> None:
    """Puts the report between the marks of docs/benchmarks.md."""
    page = DOCS.read_text(encoding="utf-8")
    before, rest = page.split(MARKS[0])
    DOCS.write_text(before + MARKS[0] + "\n" + text + "\n" + MARKS[1] + rest.split(MARKS[1])[1], encoding="utf-8")
