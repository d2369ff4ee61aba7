"""Replies: every verb has its holes and, filled in, fits its own closed form in the host's reply schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match

from context_mode_runtime.resources import shipped

from .eventcheck import hosts
from .where import HOLE, holes, parse_template

if TYPE_CHECKING:
    from .findings import Sheet
    from .load import Way

Schema = dict[str, Any]
NEEDED = {
    "deny": "reason",
    "ask": "reason",
    "replace": "output",
    "context": "text",
    "set_input": "input",
    "add_meta": "conversation",
}
ALLOWED = {"event", "subagent", "call"}
AT = {"deny": "pre_tool", "ask": "pre_tool", "set_input": "pre_tool", "add_meta": "pre_tool", "replace": "post_tool"}
"""The event of ours that a verb answers; context may answer any."""


def reply_schema(spec_file: Path, agent: str) -> Path | None:
    """The reply schema of an agent: `<id>.replies.json` beside a user's spec, else a shipped one; None without any."""
    places = [spec_file.parent / f"{agent}.replies.json", Path(shipped("schemas")) / "replies" / f"{agent}.schema.json"]
    return next((place for place in places if place.is_file()), None)


def check_replies(sheet: Sheet, path: Path) -> None:
    """Findings about verbs, channels and the reply schema."""
    schema = _schema(sheet, path)
    ours = {host["name"]: event for _way, event, host in hosts(sheet.spec)}
    for n, verb in enumerate(sheet.spec["replies"]["verbs"]):
        way: Way = ("replies", "verbs", n)
        if sheet.known((*way, "event"), verb["event"], ours, "registered host event"):
            _place(sheet, way, verb, ours[verb["event"]])
        _channel(sheet, way, verb)
        if _template(sheet, way, verb) and schema:
            _form(sheet, way, verb, schema)
    _whole(sheet)
    if schema:
        _defined(sheet, schema)


def _schema(sheet: Sheet, path: Path) -> Schema | None:
    agent = sheet.spec["id"]
    file = reply_schema(path, agent)
    if file is None:
        sheet.add(("replies",), "there is no schema of its replies", f"put {agent}.replies.json beside the spec")
        return None
    try:
        schema: Schema = json.loads(file.read_text("utf-8"))
        Draft202012Validator.check_schema(schema)
    except (ValueError, SchemaError) as error:
        sheet.add(("replies",), f"{file.name} is no JSON schema: {str(error).splitlines()[0]}", "mend that file")
        return None
    return schema


def _defined(sheet: Sheet, schema: Schema) -> None:
    """Each host event has its definition; in-process hosts are defined by our events."""
    for way, event, host in hosts(sheet.spec):
        name = event if sheet.spec["bridge"] else host["name"]
        if name not in schema["$defs"]:
            sheet.add((*way, "name"), f"the reply schema does not define {name}", f"add $defs.{name}")


def _place(sheet: Sheet, way: Way, verb: dict[str, Any], event: str) -> None:
    wanted = AT.get(verb["verb"], event)
    if event != wanted:
        sheet.add(
            (*way, "event"), f"{verb['verb']} answers {wanted}, this is {event}", f"name an event behind {wanted}"
        )
    if verb["verb"] == "set_input" and (not verb["classes"] or "shell" in verb["classes"]):
        right = "name the classes in classes, shell not among them"
        sheet.add((*way, "classes"), "the text of a shell tool is never rewritten", right)


def _channel(sheet: Sheet, way: Way, verb: dict[str, Any]) -> None:
    replies = sheet.spec["replies"]
    if (verb["channel"] == "bridge") != bool(sheet.spec["bridge"]):
        sheet.add((*way, "channel"), "the channel bridge goes with a bridge", "write another channel, or the bridge")
    if verb["channel"] == "stderr_exit" and replies["deny_code"] is None:
        sheet.add((*way, "channel"), "stderr_exit needs a deny_code", "say the code in replies.deny_code")
    if verb["channel"] == "stderr_exit" and verb["verb"] != "deny":
        sheet.add((*way, "channel"), "stderr and an exit code can only deny", "write another channel")


def _template(sheet: Sheet, way: Way, verb: dict[str, Any]) -> bool:
    template, needed = parse_template(verb["template"]), NEEDED[verb["verb"]]
    found = holes(template)
    if needed not in found:
        sheet.add((*way, "template"), f"{verb['verb']} has no hole {{{needed}}}", "put it where the host reads it")
    for name in sorted(found - ALLOWED - {needed}):
        sheet.known((*way, "template"), name, ALLOWED | {needed}, f"hole of {verb['verb']}")
    text = isinstance(template, str)
    if text != verb["channel"].startswith(("stdout_text", "stderr")):
        sheet.add(
            (*way, "template"), "a JSON string is for text channels, an object for the others", "follow the channel"
        )
        return False
    return found <= ALLOWED | {needed}


def _form(sheet: Sheet, way: Way, verb: dict[str, Any], schema: Schema) -> None:
    names = {host["name"]: event for _way, event, host in hosts(sheet.spec)}
    event = names.get(verb["event"], "") if sheet.spec["bridge"] else verb["event"]
    form = f"{event}.{verb['verb']}"
    if form not in schema["$defs"]:
        sheet.add(
            (*way, "verb"), f"the reply schema does not define {form}", f"add $defs.{form}, closed, or drop the verb"
        )
        return
    filled = fill_sample(parse_template(verb["template"]), event=verb["event"], output=_output(sheet.spec["tools"]))
    for definition in (form, event):
        validator = Draft202012Validator({**schema, "$ref": f"#/$defs/{definition}"})
        error = best_match(validator.iter_errors(filled))
        if error is not None:
            right = "write the keys that the host reads"
            sheet.add((*way, "template"), f"filled in it is not the form {definition}: {error.message}", right)
            return


def _output(tools: list[dict[str, Any]]) -> object:
    """A replaced output in the shape that this host's tools take."""
    shapes = {tool["replace"]["shape"] for tool in tools if tool["replace"]}
    return [{"type": "text", "text": "some output"}] if shapes == {"parts"} else "some output"


def fill_sample(template: Any, event: str, output: object = "some output") -> Any:  # noqa: ANN401 - any JSON
    """The template with a plain value in each hole."""
    if isinstance(template, str):
        whole = HOLE.fullmatch(template)
        if whole and whole[1] in ("input", "output"):
            return {"some": "input"} if whole[1] == "input" else output
        return HOLE.sub(lambda hole: event if hole[1] == "event" else f"some {hole[1]}", template)
    if isinstance(template, dict):
        return {key: fill_sample(value, event, output) for key, value in template.items()}
    return [fill_sample(item, event, output) for item in template] if isinstance(template, list) else template


def _whole(sheet: Sheet) -> None:
    spec = sheet.spec
    verbs = {verb["verb"] for verb in spec["replies"]["verbs"]}
    channels = {verb["channel"] for verb in spec["replies"]["verbs"]}
    if "deny" not in verbs:
        sheet.add(("replies", "verbs"), "nothing can be denied", "add the verb deny for an event behind pre_tool")
    if spec["replies"]["deny_code"] is not None and "stderr_exit" not in channels:
        sheet.add(("replies", "deny_code"), "no verb uses the deny code", "write null, or the channel stderr_exit")
    replaced = [n for n, tool in enumerate(spec["tools"]) if tool["replace"]]
    if replaced and "replace" not in verbs:
        sheet.add(("tools", replaced[0], "replace"), "there is no verb replace", "add it, or write null here")
    if "replace" in verbs and not replaced:
        sheet.add(("replies", "verbs"), "the verb replace has no tool", "say replace for a tool, or drop the verb")
