"""Bytes that reach the context for each kind of work, and whether the answer is among them. Exact, not timed.

What a hook answers is followed as an agent does: a call of ours that it names is made, what was indexed is asked, a
replaced output is searched when it lacks the answer. A hook that lets a call pass leaves the whole output in context.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
import statistics
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from tests.bench.targets import Client, Ran, Target, size

HERE = Path(__file__).parent
LARGE = 10_000
"""Raw bytes from which a row counts for the median."""
SESSION = "00000000-0000-4000-8000-000000000001"
_CALL = re.compile(r"([\w.-]*ctx_\w+)\((\{.*\})\)")
_TEXT_KEYS = {"updatedToolOutput", "updatedMCPToolOutput"}
Row = dict[str, Any]


class Got(NamedTuple):
    """What reached the context, and the words of what the hook did, if one was asked."""

    texts: list[str]
    did: str = ""


def table() -> list[Row]:
    """The rows of work.yaml."""
    rows: list[Row] = YAML(typ="safe").load((HERE / "work.yaml").read_text(encoding="utf-8"))
    return rows


def _list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _answered(row: Row, texts: list[str]) -> bool:
    """All the needed things in a talk or batch, else one of them."""
    found = [any(need in text for text in texts) for need in row["need"]]
    return all(found) if row["way"] in ("talk", "batch") else any(found)


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The folder over HTTP on this machine: its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def payload(target: Target, event: str, **fields: Any) -> dict[str, Any]:
    """A hook payload of the form that most hosts share."""
    return {
        "session_id": SESSION, "transcript_path": str(target.home / "t.jsonl"), "cwd": str(target.project),
        "permission_mode": "default", "hook_event_name": event, "tool_use_id": "call_1", **fields,
    }  # fmt: skip


def replaced(reply: Ran) -> str | None:
    """The text that a hook puts in an output's place; None when it leaves the output."""
    found = json.loads(reply.out)["hookSpecificOutput"] if reply.out.strip() else {}
    key = next((key for key in _TEXT_KEYS if key in found), None)
    return None if key is None else json.dumps(found[key], ensure_ascii=False)


def _after(target: Target, client: Client, row: Row) -> Got:
    """A hook after the host's own tool."""
    text = (target.project / "inputs" / row["file"]).read_text(encoding="utf-8")
    if row["way"] == "shell":
        fields: dict[str, Any] = {
            "tool_name": "Bash", "tool_input": {"command": "git log --stat"},
            "tool_response": {"stdout": text, "stderr": "", "interrupted": False, "isImage": False},
        }  # fmt: skip
    else:
        fields = {
            "tool_name": "mcp__git__git_log",
            "tool_input": {"repo": "."},
            "tool_response": [{"type": "text", "text": text}],
        }
    reply = target.run_hook("post_tool", payload(target, "PostToolUse", **fields))
    shown = replaced(reply)
    if shown is None:
        return Got([reply.out, text], "pass")
    if any(need in shown for need in row["need"]):
        return Got([shown], "replaced")
    return Got([shown, client.done(target.flavour.search([row["ask"]])).text], "replaced, searched")


def _read(target: Target, client: Client, row: Row) -> Got:
    """A hook before a whole Read; the call that it names is made, then the question is asked."""
    path = target.project / "inputs" / row["file"]
    fields = {"tool_name": "Read", "tool_input": {"file_path": str(path)}}
    reply = target.run_hook("pre_tool", payload(target, "PreToolUse", **fields))
    reason = (
        json.loads(reply.out)["hookSpecificOutput"].get("permissionDecisionReason", "") if reply.out.strip() else ""
    )
    named = _CALL.search(reason.split("\n")[0]) or _CALL.search(reason)
    if not named:
        return Got([reply.out, path.read_text(encoding="utf-8")], "pass")
    call = named.group(1).rpartition("__")[2], json.loads(named.group(2).split("})")[0].removesuffix("}") + "}")
    texts = [reason, client.done(call).text, client.done(target.flavour.search([row["ask"]])).text]
    return Got(texts, "routed")


def _talk(target: Target, client: Client, row: Row) -> Got:
    calls = [target.flavour.execute("shell", f"cat inputs/{name}", "what failed") for name in row["file"]]
    calls += [target.flavour.search([ask]) for ask in row["ask"]]
    return Got([client.done(call).text for call in calls])


def _batch(target: Target, client: Client, row: Row) -> Got:
    commands = {name: f"cat inputs/{name}" for name in row["file"]}
    return Got([client.done(target.flavour.batch(commands, row["ask"])).text])


def _index(target: Target, client: Client, row: Row) -> Got:
    path = str(target.project / "inputs" / row["file"])
    calls = [target.flavour.index(path, row["file"]), target.flavour.search([row["ask"]])]
    return Got([client.done(call).text for call in calls])


def _script(target: Target, client: Client, row: Row) -> Got:
    code = f"t = open('inputs/{row['file']}', encoding='utf-8').read()\n{row['code']}"
    return Got([client.done(target.flavour.execute("python", code)).text])


def _curl(target: Target, client: Client, row: Row) -> Got:
    with _served(target.project / "inputs") as address:
        command = f"curl -s {address}/{row['file']}"
        return Got([client.done(target.flavour.execute("shell", command, row["ask"])).text])


def _command(target: Target, client: Client, row: Row) -> Got:
    return Got([client.done(target.flavour.execute("shell", f"cat inputs/{row['file']}", row["ask"])).text])


_WAYS: dict[str, Callable[[Target, Client, Row], Got]] = {
    "shell": _after, "tool": _after, "read": _read, "talk": _talk, "batch": _batch, "index": _index,
    "script": _script, "curl": _curl, "run": _command,
}  # fmt: skip


def _measured(target: Target, row: Row, runs: int) -> Row | None:
    """One row, each run in a new store; None where the inputs lack a file of it or its answer."""
    paths = [target.inputs / name for name in _list(row["file"])]
    if not all(path.is_file() for path in paths):
        return None
    whole = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
    if row["way"] != "script" and not _answered(row, whole):
        return None
    spent, answered, got = [], [], Got([])
    for _ in range(runs):
        target.fresh()
        with target.client() as client:
            got = _WAYS[row["way"]](target, client, row)
        spent.append(sum(map(size, got.texts)))
        answered.append(_answered(row, got.texts))
    raw, median = sum(map(size, whole)), statistics.median(spent)
    return {
        "name": row["name"], "way": row["way"], "raw": raw, "context": median, "runs": spent,
        "saved": round(100 * (1 - median / raw), 2), "answer": all(answered), "did": got.did,
    }  # fmt: skip


def conversation(target: Target, outputs: int = 40) -> Row:
    """Outputs of a conversation through the hook, a compaction, then a question about the third of them."""
    target.fresh()
    raw = spent = 0
    with target.client() as client:
        for number in range(outputs):
            lines = [f"step {number} row {line} value {number * 7919 + line}" for line in range(400)]
            lines[200] = f"builder {number} halted: cause K{number * 7919 + 5}Z"
            text = "\n".join(lines)
            reply = target.run_hook("post_tool", payload(
                target, "PostToolUse", tool_name="Bash", tool_input={"command": f"make step-{number}"},
                tool_response={"stdout": text, "stderr": "", "interrupted": False, "isImage": False},
            ))  # fmt: skip
            shown = replaced(reply)
            raw, spent = raw + size(text), spent + size(text if shown is None else shown)
        target.run_hook("pre_compact", payload(target, "PreCompact", trigger="auto", custom_instructions=None))
        back = target.run_hook("session_start", payload(target, "SessionStart", source="compact", model="m")).out
        found = client.done(target.flavour.search(["builder 3 halted cause"])).text
    return {
        "outputs": outputs, "raw": raw, "context": spent, "after_compaction": size(back), "search": size(found),
        "answer": f"K{3 * 7919 + 5}Z" in back + found,
    }  # fmt: skip


def measure(targets: list[Target], runs: int, outputs: int = 40, only: set[str] | None = None) -> dict[str, Any]:
    """Per target the rows, the median saved over the large ones, the answers; `only` names rows.

    `left_out`: rows whose file or answer the inputs don't hold.
    """
    found: dict[str, Any] = {target.name: {"rows": [], "left_out": []} for target in targets}
    for row in table():
        for target in targets:
            if only is None or row["name"] in only:
                measured = _measured(target, row, runs)
                found[target.name]["rows" if measured else "left_out"].append(measured or row["name"])
    for target in targets:
        side = found[target.name]
        rows = side["rows"]
        large = [row["saved"] for row in rows if row["raw"] >= LARGE]
        side["median_saved"] = round(statistics.median(large), 2) if large else None
        side["answers"] = {"present": sum(row["answer"] for row in rows), "of": len(rows)}
        side["long"] = conversation(target, outputs)
    return found
