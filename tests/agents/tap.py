"""A tap on the pipe between a real agent and our server: every line of both ways is written down, none is changed.

The agent's own entry for us is pointed at a small script that starts what the entry named before. The script is called
`sh`, so that it counts as one of the shells between server and host. Beside a call it writes down what our hook noted
of just such a call, which is how the server knows its caller where the host sends nothing along.
"""

from __future__ import annotations

import functools
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.agents.host import Host
from tests.agents.models.base import Json

import context_mode_runtime

_SCRIPT = """#!{python} -IS
import json, os, subprocess, sys, threading, time
sys.path.insert(0, {runtime!r})
from context_mode_runtime import notes
child = subprocess.Popen([{command!r}, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
log = open(os.path.join({folder!r}, "%d.jsonl" % os.getpid()), "ab", buffering=0)
def noted(line):
    asked = json.loads(line)
    if asked.get("method") == "tools/call":
        called = asked["params"]
        note = notes.match_note({agent!r}, notes.host_process(), called["name"], called.get("arguments") or {{}})
        who = note and "%s/%s" % (note.conversation, note.subagent)
        log.write(b"=" + json.dumps({{"id": asked["id"], "noted": who}}).encode() + b"\\n")
def pump(source, sink, way):
    for line in iter(source.readline, b""):
        log.write(way + line)
        if way == b">":
            noted(line)
        sink.write(line)
        sink.flush()
    sink.close()
threading.Thread(target=pump, args=(child.stdout, sys.stdout.buffer, b"<"), daemon=True).start()
pump(sys.stdin.buffer, child.stdin, b">")
sys.exit(child.wait())
"""


@dataclass(frozen=True)
class Heard:
    """One tools/call as it came through the pipe: its parameters, the text of its answer, whether that is an error.

    `noted` is the conversation (and sub-agent, behind a slash) of the one hook call that was exactly this.
    """

    params: Json
    text: str
    is_error: bool
    noted: str | None = None

    @property
    def meta(self) -> Json:
        """What the host sent along with the call."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}


class Tap:
    """Wraps the server that the config in `home` names; `folder` takes the script and what it hears."""

    def __init__(self, host: Host, home: Path, folder: Path) -> None:
        self.folder = folder
        config = home / host.entry.file
        text = config.read_text(encoding="utf-8")
        entry = functools.reduce(lambda value, key: value[key], host.entry.keys, host.entry.parse(text))
        command = host.command_of(entry)
        script = folder / "sh"
        runtime = str(Path(context_mode_runtime.__file__).parents[1])
        filled = _SCRIPT.format(
            python=sys.executable, runtime=runtime, agent=host.agent, command=command, folder=str(folder)
        )
        script.write_text(filled, encoding="utf-8")
        script.chmod(0o755)
        config.write_text(text.replace(json.dumps(command), json.dumps(str(script))), encoding="utf-8")

    def methods(self) -> list[str]:
        """Every method that the agent asked for, in order."""
        logs = [log.read_text(encoding="utf-8").splitlines() for log in sorted(self.folder.glob("*.jsonl"))]
        return [json.loads(line[1:]).get("method", "") for log in logs for line in log if line[0] == ">"]

    def calls(self, tool: str) -> list[Heard]:
        """Every call of one tool, of all server processes."""
        heard = []
        for log in sorted(self.folder.glob("*.jsonl")):
            asked: dict[object, Json] = {}
            noted: dict[object, str | None] = {}
            for line in log.read_text(encoding="utf-8").splitlines():
                message = json.loads(line[1:])
                if line[0] == "=":
                    noted[message["id"]] = message["noted"]
                elif line[0] == ">" and message.get("method") == "tools/call":
                    asked[message["id"]] = message["params"]
                elif line[0] == "<" and message.get("id") in asked and "method" not in message:
                    heard.append(_heard(asked[message["id"]], message, noted.get(message["id"])))
        return [call for call in heard if call.params.get("name") == tool]


def _heard(params: Json, answer: Json, noted: str | None) -> Heard:
    result = answer.get("result") or {}
    text = "\n".join(part.get("text", "") for part in result.get("content") or [])
    is_error = bool(result.get("isError")) or "error" in answer
    return Heard(params, text or json.dumps(answer.get("error")), is_error, noted)
