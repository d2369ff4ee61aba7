"""Net, not gross: one job over a real host, without us and with us set up, measured in what the host sends its model.

`python -m tests.bench.net [--hosts claude-code,codex] [--json]` from the checkout. A bench that only looks at replies
counts what was kept out; it doesn't see the turns that were added to get at the rest, nor what our tools, instructions
and start text cost in every request. Here the real host (pinned, tests/agents/install.py) does the debugging job of
`net.yaml` in a project that `net_project.py` makes, against a stand-in model that does what an agent does:

- it makes the plain call of each step, with us, too (an agent that goes to our tools at once saves those turns);
- a reply that holds the step's fact is enough; a reply that names a call of ours is followed by that very call, with
  the step's question where the call is a search that asks nothing; what was indexed is then asked by that question;
- on hosts that hold our tools back until they are searched for, it searches for them first, once;
- a reply that lacks the fact and names nothing is followed by the plain command of the step (`otherwise`), as often
  happens without us: hosts cut large outputs themselves.

From the requests, as compact JSON in UTF-8: `turns` (how many), `resident` (bytes of the tool results in the last
one), `sent` (bytes of all requests: each result counts as many times as it stays), `facts` (those that are in the
results of the last one, of how many). `fixed` is what the first request is larger by with us. `gross` is beside them
what such tools are usually measured by: the large outputs (>= 10 KB as the command prints them), and the bytes with us
of all replies that they led to. No compaction is played, and the model's own words cost nothing: both favour the run
without us.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, TypedDict

from ruamel.yaml import YAML
from tests.agents import install
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.agents.hosts import HOSTS
from tests.agents.models.base import Json, Step
from tests.bench import net_project

JOB: Json = YAML(typ="safe").load(Path(__file__).with_name("net.yaml").read_text(encoding="utf-8"))
HOST_IDS = ("claude-code", "codex")
LARGE = 10_000
"""Bytes from which an output counts for `gross`."""
_CALL = re.compile(r"([\w.-]*ctx_\w+)\((\{.*\})\)")
_FOLLOWED = 2
"""Calls that are followed one after the other for one step."""


class Side(TypedDict):
    """One run; `spent` holds the bytes of all replies of each step."""

    turns: int
    resident: int
    sent: int
    first: int
    facts: int
    spent: dict[str, int]


Row = TypedDict("Row", {
    "host": str, "version": str, "facts": int, "fixed": int, "with": Side, "without": Side, "ratio": dict[str, float],
    "gross": dict[str, float],
})  # fmt: skip
"""`ratio`: with us / without, of turns, resident and sent. `gross`: `raw` and `shown` bytes, and `kept_out` of 1."""


class Agent:
    """What the stand-in model does: each call of it gets the tool results so far and gives the next step."""

    def __init__(self, host: Host, project: Path, api: str) -> None:
        self.host, self.project = host, project
        self.words = {"python": sys.executable, "api": api}
        self.spent = {step["name"]: 0 for step in JOB["steps"]}
        self._acts = self._job()
        self._began = False

    def __call__(self, results: list[str]) -> Step:
        """The next step; at the end of the job the words that end the run."""
        try:
            if self._began:
                return self._acts.send(results[-1])
            self._began = True
            return next(self._acts)
        except StopIteration:
            return {"text": "The rule of EUR was gone; it is back."}

    def plain(self, step: Json) -> Step:
        """The call that a step makes first."""
        if "read" in step:
            return self.host.read(self.project / step["read"])
        return self.host.shell(step["run"].format(**self.words))

    def _job(self) -> Generator[Step, str, None]:
        held_back = self.host.search_tools()
        for step in JOB["steps"]:
            acts = self._step(step)
            act = next(acts, None)
            while act:
                if held_back and self.host.tool_prefix in act["tool"]:
                    for search in held_back:
                        self.spent[step["name"]] += _size((yield search))
                    held_back = []
                reply = yield act
                self.spent[step["name"]] += _size(reply)
                act = _sent(acts, reply)

    def _step(self, step: Json) -> Generator[Step, str, None]:
        reply = yield self.plain(step)
        for _ in range(_FOLLOWED):
            named = _CALL.search(reply)
            if step["fact"] in reply or not named:
                break
            arguments = json.loads(named.group(2))
            if arguments.get("queries") == []:
                arguments["queries"] = [step["asks"]]
            reply = yield {"tool": named.group(1), "args": arguments}
            if named.group(1).endswith("ctx_index"):
                reply = yield self.host.call("ctx_search", queries=[step["asks"]])
        if step["fact"] not in reply and "otherwise" in step:
            yield self.host.shell(step["otherwise"].format(**self.words))


def _sent(acts: Generator[Step, str, None], reply: str) -> Step | None:
    try:
        return acts.send(reply)
    except StopIteration:
        return None


def _size(value: str | Json) -> int:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "replace"))


def _setup(run: HostRun) -> None:
    command = [f"{sysconfig.get_path('scripts')}/context-mode", "setup", "--agents", run.host.agent]
    env = run.environment("http://127.0.0.1:9")
    done = subprocess.run(
        command, env=env, cwd=run.project, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"setup of {run.host.agent}: exit {done.returncode}\n{done.stdout}{done.stderr}")


def _side(host: Host, place: Path, prepare: Callable[[HostRun], None] | None) -> Side:
    """Does the job once in new folders under `place`; `prepare` comes between the host's first start and the job."""
    home, project, out = place / "home", place / "code" / "project", place / "out"
    for folder in (home, project, out):
        folder.mkdir(parents=True)
    net_project.make(project)
    host.prepare(home, project)
    run = HostRun(host, home, project, out)
    if prepare:
        prepare(run)
    with net_project.api(place / "api") as api:
        agent = Agent(host, project, api)
        steps: list[Step] = [{"then": agent}] * (8 * len(JOB["steps"]))
        try:
            played = run.play(steps, JOB["prompt"], *JOB["flags"].get(host.agent, ()))
        finally:
            host.close()
    if played.exit_code != 0:
        raise RuntimeError(f"{host.agent}: exit {played.exit_code}\n{played.log[-4_000:]}")
    sizes = [_size(body) for body in played.requests]
    return {
        "turns": len(sizes), "resident": sum(map(_size, played.last)), "sent": sum(sizes), "first": sizes[0],
        "facts": sum(any(step["fact"] in text for text in played.last) for step in JOB["steps"]), "spent": agent.spent,
    }  # fmt: skip


def _raw(place: Path) -> dict[str, int]:
    """The bytes that each step's plain call would print or read, uncut."""
    project = place / "project"
    project.mkdir(parents=True)
    net_project.make(project)
    sizes = {}
    env = {"PATH": os.environ["PATH"], "HOME": str(place)}
    with net_project.api(place / "api") as api:
        for step in JOB["steps"]:
            if "read" in step:
                sizes[step["name"]] = (project / step["read"]).stat().st_size
                continue
            command = step["run"].format(python=sys.executable, api=api)
            done = subprocess.run(
                ["sh", "-c", command], cwd=project, env=env, capture_output=True, timeout=120, check=False
            )
            sizes[step["name"]] = len(done.stdout + done.stderr)
    return sizes


def _row(host: Host, place: Path, raw: dict[str, int]) -> Row:
    # names of one length: the folders stand in the requests
    without, ours = _side(host, place / "bare", None), _side(host, place / "with", _setup)
    large = [name for name, size in raw.items() if size >= LARGE]
    printed, shown = sum(raw[name] for name in large), sum(ours["spent"][name] for name in large)
    [pin] = [pin for pin in install.PINS if pin.agent == host.agent]
    return {
        "host": host.agent, "version": pin.version, "facts": len(JOB["steps"]),
        "fixed": ours["first"] - without["first"], "with": ours, "without": without,
        "ratio": {
            "turns": round(ours["turns"] / without["turns"], 3),
            "resident": round(ours["resident"] / without["resident"], 3),
            "sent": round(ours["sent"] / without["sent"], 3),
        },
        "gross": {"raw": printed, "shown": shown, "kept_out": round(1 - shown / printed, 4)},
    }  # fmt: skip


def measure(hosts: Sequence[str] = HOST_IDS) -> list[Row]:
    """One row a host, by agent id. Raises install.MissingAgentError where one can't be had, RuntimeError where a run
    or its setup failed, with what it said."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="net-") as name:
        place = Path(name).resolve()
        raw = _raw(place / "raw")
        for agent in hosts:
            host = copy.copy(HOSTS[agent])
            host.bin_dir = install.bin_dir(agent, dict(os.environ))
            rows.append(_row(host, place / agent, raw))
    return rows


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| host | | turns | tool results at the end | all requests | facts | first request | gross: large outputs |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        for word, side in (("without", row["without"]), ("with us", row["with"])):
            gross = row["gross"]["raw"] if word == "without" else row["gross"]["shown"]
            lines.append(
                f"| {row['host']} {row['version']} | {word} | {side['turns']} | {side['resident']:,} B | "
                f"{side['sent']:,} B | {side['facts']} of {row['facts']} | {side['first']:,} B | {gross:,} B |"
            )
        ratio = row["ratio"]
        lines.append(
            f"| | ratio | {ratio['turns']:.2f} | {ratio['resident']:.2f} | {ratio['sent']:.2f} | | "
            f"+{row['fixed']:,} B | {row['gross']['kept_out']:.1%} kept out |"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the table, or the rows as JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.net", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--hosts", default=",".join(HOST_IDS), help="agent ids of tests/agents/hosts, with commas")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    args = parser.parse_args(argv)
    hosts = args.hosts.split(",")
    if unknown := sorted(set(hosts) - set(HOSTS)):
        parser.error(f"--hosts: {', '.join(unknown)}: not among {', '.join(HOSTS)}")
    rows: list[Any] = list(measure(hosts))
    print(json.dumps(rows, indent=1) if args.json else table(rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
