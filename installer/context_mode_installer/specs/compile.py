"""Makes the tables that the hooks and the server read: one small JSON file an agent, nothing to parse at run time.

Beside them the shipped specs as plain values, for the commands (`plain.py`).

`python -m context_mode_installer.specs.compile [ID...]` writes the shipped tables anew, or those of these agents only;
`--check` says which are out of date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from context_mode_runtime.limits import HOOK_TIMEOUT_MS
from context_mode_runtime.resources import generated

from . import plain
from .catalog import shipped_specs
from .load import load_file
from .where import compile_condition, compile_where, parse_template

if TYPE_CHECKING:
    from collections.abc import Sequence

MARGIN_MS = 500
"""What a hook leaves of its host's limit: the interpreter's start and end on a slow machine."""
MS = {"ms": 1, "s": 1000}

Data = dict[str, Any]


def compile_spec(spec: Data) -> Data:
    """The runtime's table of a checked spec (plain values as `load_file(...).value` gives them).

    Raises ValueError (WhereError among them) or KeyError for a spec that does not pass `check`.
    """
    return {
        "id": spec["id"],
        "name": spec["name"],
        "events": _events(spec),
        "callers": [{**caller, "when": compile_condition(caller["when"])} for caller in spec["callers"]],
        "payload": {name: compile_where(where) for name, where in spec["payload"].items()},
        "replies": _replies(spec["replies"]),
        "tools": [_tool(tool) for tool in spec["tools"]],
        "identity": _identity(spec["identity"]),
        "project": {**spec["project"], "request": _optional(spec["project"]["request"])},
        "compaction": _compaction(spec["compaction"]),
        "server": {**spec["server"], "tool_meta": _json_map(spec["server"]["tool_meta"])},
        "rules": {**spec["rules"], "names": {item["class"]: item["names"] for item in spec["rules"]["names"]}},
        "texts": {key: spec["texts"][key] for key in ("skill_call", "memory", "whole", "shown")},
        "roots": spec["roots"],
        "shell_seat": _seat(spec["shell_seat"]["seat"]),
        "packaged": spec["native"] and {key: spec["native"][key] for key in ("tool_name", "skill_call")},
    }


def _optional(where: list[str] | None) -> object:
    return None if where is None else compile_where(where)


def _json_map(items: list[Data]) -> Data:
    return {item["name"]: parse_template(item["value"]) for item in items}


def hook_timeout_ms(spec: Data, host: Data) -> int:
    """Our own limit for one host event: `HOOK_TIMEOUT_MS`, or what the host gives less a margin."""
    surfaces = [surface for surface in spec["hooks"] if host["surface"] in (None, surface["surface"])]
    limits: list[int] = [host["timeout"] * MS[surface["timeout"]["unit"]] for surface in surfaces if surface["timeout"]]
    if host["limit_ms"] is not None:
        limits.append(host["limit_ms"])
    return min([HOOK_TIMEOUT_MS, *(limit - MARGIN_MS for limit in limits)])


def _events(spec: Data) -> Data:
    return {
        host["name"]: {
            "event": event["event"],
            "timeout_ms": hook_timeout_ms(spec, host),
            "ignore": compile_condition(host["ignore"]),
            "failure": host["failure"],
            "use": host["use"],
        }
        for event in spec["events"]
        for host in event["hosts"]
    }


def _replies(replies: Data) -> Data:
    verbs: Data = {}
    for verb in replies["verbs"]:
        entry = {**verb, "template": parse_template(verb["template"])}
        del entry["verb"], entry["event"]
        verbs.setdefault(verb["verb"], {})[verb["event"]] = entry
    return {**{key: replies[key] for key in ("pass", "deny_code", "escaped")}, "verbs": verbs}


def _tool(tool: Data) -> Data:
    return {
        "class": tool["class"],
        "names": tool["names"],
        "dialect": tool["dialect"],
        "fields": {field["name"]: compile_where(field["where"]) for field in tool["fields"]},
        "range": tool["range"] and {**tool["range"], "where": [compile_where(item) for item in tool["range"]["where"]]},
        "output": _optional(tool["output"]),
        "cut": compile_condition(tool["cut"]),
        "replace": tool["replace"] and _replace(tool["replace"]),
        "moved": tool["moved"] and {**tool["moved"], "where": compile_where(tool["moved"]["where"])},
    }


def _replace(replace: Data) -> Data:
    return {
        **{word: value for word, value in replace.items() if word != "sample"},
        "set": [{"at": item["at"], "value": parse_template(item["value"])} for item in replace["set"]],
        "skip": compile_condition(replace["skip"]),
    }


def _identity(identity: Data) -> Data:
    return {
        "hook": {name: compile_where(where) for name, where in identity["hook"].items()},
        "request": [
            {name: value if name in ("way", "variable") else _optional(value) for name, value in way.items()}
            for way in identity["request"]
        ],
        "stale_variables": identity["stale_variables"],
        "follows": compile_condition(identity["follows"]),
    }


def _compaction(compaction: Data) -> Data:
    return {
        "before": compaction["before"],
        "state_block": _moment(compaction["state_block"]),
        "resumed": _moment(compaction["resumed"]),
    }


def _moment(moment: Data | None) -> object:
    return moment and {"event": moment["event"], "when": compile_condition(moment["when"])}


def _seat(seat: Data | None) -> object:
    return seat and {key: seat[key] for key in ("command", "conversation")}


def table_text(table: Data) -> str:
    """The table as it stands on disk: JSON, one top-level key a line, so that a diff can be read."""
    lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def tables(ids: Sequence[str] = ()) -> dict[Path, str]:
    """Where the table and the plain form of each shipped spec (of `ids`, if any) lie and what has to stand in them."""
    texts: dict[Path, str] = {}
    for file in (file for file in shipped_specs() if not ids or file.stem in ids):
        spec = load_file(file).value
        texts[Path(generated()) / f"{file.stem}.json"] = table_text(compile_spec(spec))
        texts[plain.FOLDER / f"{file.stem}.json"] = plain.plain_text(file, spec)
    return texts


def outdated(ids: Sequence[str] = ()) -> list[Path]:
    """Tables and plain forms that differ from their spec, are missing, or have no spec any more."""
    wanted = tables(ids)
    folders = (Path(generated()), plain.FOLDER)
    present = {file for folder in folders for file in folder.glob("*.json") if not ids or file.stem in ids}
    stale = [file for file, text in wanted.items() if file not in present or file.read_text("utf-8") != text]
    return sorted({*stale, *(present - set(wanted))})


def main(arguments: list[str]) -> int:
    """`--check`: names the tables that are out of date, 1 when there are any. Otherwise writes them."""
    ids = [argument for argument in arguments if argument != "--check"]
    stale = outdated(ids)
    for file in stale:
        sys.stderr.write(f"{file.name} is out of date\n" if "--check" in arguments else f"{file.name} written\n")
    if "--check" in arguments:
        return 1 if stale else 0
    wanted = tables(ids)
    for file in stale:
        if file in wanted:
            file.write_text(wanted[file], "utf-8")
        else:
            file.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
