"""The nine tools as a real server lists them, and its replies to one call of each."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from tests.docs.pages import read, table
from tests.server.conftest import LAUNCH, Host

from context_mode_runtime.version import VERSION

HERE = Path(__file__).parent
EXAMPLES: dict[str, Any] = YAML(typ="safe").load(read(HERE / "tools.yaml"))


@contextmanager
def server(files: dict[str, str]) -> Iterator[Host]:
    """A server of ours in a project and a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(os.path.realpath(folder), "project")
        (project / ".git").mkdir(parents=True)
        for name, text in files.items():
            (project / name).parent.mkdir(exist_ok=True)
            (project / name).write_text(text, encoding="utf-8")
        environment = {"HOME": folder, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        argv = [sys.executable, "-I", "-S", str(LAUNCH), "serve"]
        with subprocess.Popen(
            argv, cwd=project, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            host = Host(process, [])
            host.handshake()
            yield host
            host.close()


@cache
def listed() -> dict[str, dict[str, Any]]:
    with server({}) as started:
        return {tool["name"]: tool for tool in started.ask("tools/list")["result"]["tools"]}


@cache
def replies() -> dict[str, tuple[dict[str, Any], str]]:
    """By tool: the example as it stands in the table, and the whole reply."""
    with server(EXAMPLES["files"]) as started:
        asked = [(one, *started.call(one["tool"], one["arguments"])) for one in EXAMPLES["calls"]]
    assert [(one, text) for one, text, failed in asked if failed] == []
    return {one["tool"]: (one, text) for one, text, _ in asked}


def tool(name: str) -> str:
    """What a page says of one tool: its words for the model, its hints, its arguments, a call and the reply."""
    entry = listed()[name]
    example, reply = replies()[name]
    call = f"{name}({json.dumps(example['arguments'], ensure_ascii=False)})"
    parts = [f"> {entry['description']}", *_arguments(entry["inputSchema"]), _hints(entry["annotations"])]
    return "\n\n".join([*parts, f"```text\n{call}\n\n{_shown(example, reply)}\n```"])


def _arguments(schema: dict[str, Any]) -> list[str]:
    needed = schema.get("required", [])
    rows = [
        (f"`{name}`", _type(said), "yes" if name in needed else "", said.get("description", ""))
        for name, said in schema["properties"].items()
    ]
    return [table("argument", "type", "needed", "what it is", rows)] if rows else ["No arguments."]


def _type(said: dict[str, Any]) -> str:
    """A type of the schema in a few words."""
    if "anyOf" in said:
        return " or ".join(map(_type, said["anyOf"]))
    if "enum" in said:
        return "one of " + ", ".join(f"`{one}`" for one in said["enum"])
    if said["type"] == "array":
        return f"list of {_type(said['items'])}"
    return f"`{{{', '.join(said['properties'])}}}`" if "properties" in said else str(said["type"])


def _hints(annotations: dict[str, Any]) -> str:
    """The hints by which a host decides whether to ask."""
    said = [f"{key.removesuffix('Hint')}: {'yes' if value else 'no'}" for key, value in annotations.items()]
    return f"Hints to the agent: {', '.join(said)}."


def _shown(example: dict[str, Any], reply: str) -> str:
    """The reply; with `keep` the lines that fit it, and what differs from machine to machine masked."""
    lines: list[str] = []
    for line in reply.rstrip().splitlines():
        if re.search(example.get("keep", ""), line):
            lines.append(line)
        elif lines[-1:] != ["..."]:
            lines.append("...")
    text = "\n".join(lines).replace(VERSION, "VERSION")
    for pattern, instead in example.get("mask", []):
        text = re.sub(pattern, instead, text)
    return text
