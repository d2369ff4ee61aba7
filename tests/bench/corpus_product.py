"""The manual of a product that does not exist: many sections alike, of which only one answers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

MADE_OF = YAML(typ="safe").load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
_MINUTES, _SIZES = range(2, 59), (64, 128, 256, 512, 768)
_VERBS = {
    "list": "GET", "read": "GET", "change": "PATCH", "remove": "DELETE", "pause": "POST", "resume": "POST",
    "drain": "POST", "explain": "GET",
}  # fmt: skip


def texts() -> dict[str, str]:
    """Each page by its label."""
    pages = {
        "manual/config.md": _config(), "manual/troubleshooting.md": _troubles(), "manual/changelog.md": _changes(),
        "manual/api.md": _api(),
    }  # fmt: skip
    for number, (title, text) in MADE_OF["decisions"].items():
        pages[f"manual/adr/{number}.md"] = f"# {number} {title}\n\nStatus: accepted\n\n## Decision\n\n{text}\n"
    return pages | {f"manual/{name}": text for name, text in MADE_OF["pages"].items()}


def _filled(template: str, module: str) -> str:
    return template.replace("{module}", module)


def _default(draw: random.Random, kind: str, module: str) -> str:
    if kind == "duration":
        return f"{draw.choice(_MINUTES)}m{draw.randrange(1, 59)}s"
    if kind == "bytes":
        return f"{draw.choice(_SIZES)}MiB"
    if kind == "integer":
        return str(draw.randrange(2, 30))
    return f"/var/lib/vessel/{module}" if kind == "path" else draw.choice(("info", "warn", "park", "drop"))


def _config() -> str:
    draw = random.Random("config")
    out = ["# Vessel configuration reference\n\nAll settings live in `vessel.toml`, one table for each module.\n"]
    for module, what in MADE_OF["modules"].items():
        rows = [
            (key, kind, _default(draw, kind, module), _filled(text, module))
            for key, (kind, text) in MADE_OF["keys"].items()
        ]
        if module in MADE_OF["special_keys"]:
            rows.append(tuple(MADE_OF["special_keys"][module]))
        table = [f"| `{key}` | {kind} | `{value}` | {text} |" for key, kind, value, text in rows]
        example = [f"{key} = {value if kind == 'integer' else repr(value)}" for key, kind, value, _ in rows[:4]]
        out += [
            f"## {module.title()}\n\nThe {module} {what}.\n", "### Settings\n", "| key | type | default | meaning |",
            "|---|---|---|---|", *table, "\n### Example\n", "```toml", f"[{module}]", *example, "```",
            f"\n### Environment\n\nEach key can be given as `VESSEL_{module.upper()}_KEY`, which wins over the file.\n",
        ]  # fmt: skip
    return "\n".join(out)


def _troubles() -> str:
    out = ["# Troubleshooting\n"]
    usual = [
        {"code": f"KX-{1000 + 7 * number}", "title": title, "cause": cause, "fix": fix}
        for number, (title, cause, fix) in enumerate(
            tuple(_filled(text, module) for text in trouble)
            for module in MADE_OF["modules"]
            for trouble in MADE_OF["usual_troubles"]
        )
    ]
    step = len(usual) // len(MADE_OF["troubles"])
    for number, trouble in enumerate(usual):
        both = [trouble, *MADE_OF["troubles"][number // step : number // step + 1]] if number % step == 3 else [trouble]
        for one in both:
            head = f"## {one['title'].capitalize() if one is trouble else one['title']} ({one['code']})"
            out.append(f"{head}\n\n**Cause.** {one['cause']}\n\n**Fix.** {one['fix']}\n")
    return "\n".join(out)


def _changes() -> str:
    draw = random.Random("changes")
    special: dict[str, Any] = {change["version"]: change["text"] for change in MADE_OF["changes"]}
    out = ["# Changelog\n"]
    for number in range(440, 100, -1):
        version = f"{number // 100}.{number // 10 % 10}.{number % 10}"
        modules = draw.sample(list(MADE_OF["modules"]), 4)
        items = [_filled(draw.choice(MADE_OF["usual_changes"]), module.title()) for module in modules]
        items[2:2] = [special[version]] if version in special else []
        out.append(f"## {version}\n\n### Changed\n\n" + "\n".join(f"- {item}" for item in items) + "\n")
    return "\n".join(out)


def _api() -> str:
    out = ["# HTTP API\n\nEvery call needs a token with the scope of its module.\n"]
    peculiar = [f"### `{item['path']}`\n\n{item['text']}\n" for item in MADE_OF["peculiar"]]
    for number, module in enumerate(MADE_OF["modules"]):
        out.append(f"## {module.title()}\n")
        for verb, method in _VERBS.items():
            out.append(
                f"### `{method} /{module}/{verb}`\n\n{verb.title()}s what the {module} is doing. "
                f"Scope `{module}:{verb}`. Answers 200 with the {module}'s state, "
                f"404 when there is no such job, 503 while it starts.\n\n"
                f"```sh\ncurl -H 'Authorization: Bearer $TOKEN' https://vessel.example/{module}/{verb}\n```\n"
            )
        out += peculiar[number // 3 : number // 3 + 1] if number % 3 == 1 else []
    return "\n".join(out)
