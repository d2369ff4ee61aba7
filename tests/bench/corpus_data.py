"""JSON of a made-up shop: an API's reply, a lock file, an OpenAPI document, a plan, settings; most records alike."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

MADE_OF = YAML(typ="safe").load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
_SERVICES = 60


def texts() -> dict[str, str]:
    """Each document by its label; the lock file is indented, the API's reply is one line."""
    return {
        "data/issues.json": json.dumps(_issues()),
        "data/package-lock.json": json.dumps(_lock(), indent=2),
        "data/openapi.json": json.dumps(_openapi(), indent=2),
        "data/plan.json": json.dumps(_plan()),
        "data/settings.json": json.dumps(_settings(), indent=4, ensure_ascii=False),
    }


def _placed(usual: list[Any], rare: list[Any]) -> list[Any]:
    """The rare ones at even distances among the usual ones."""
    step = len(usual) // (len(rare) + 1)
    out: list[Any] = []
    for number, item in enumerate(rare):
        out += [*usual[number * step : (number + 1) * step], item]
    return out + usual[len(rare) * step :]


def _issues() -> list[dict[str, Any]]:
    draw = random.Random("issues")
    words = MADE_OF["words"]

    def framed(number: int, fields: dict[str, Any]) -> dict[str, Any]:
        url = f"https://api.code.example/repos/acme/shop/issues/{fields.get('number', number)}"
        state = {"state": draw.choice(("open", "closed")), "comments": draw.randrange(30), "locked": False}
        reactions = {"reactions": {"total_count": draw.randrange(9), "+1": draw.randrange(9), "-1": 0, "heart": 0}}
        return {"url": url, "id": 88_000_000 + number} | fields | state | reactions

    def usual(number: int) -> dict[str, Any]:
        title = f"{draw.choice(words).title()} {draw.choice(words)} {draw.choice(('is slow', 'fails', 'is empty'))}"
        fields = {
            "number": number, "title": title, "body": " ".join(draw.sample(MADE_OF["bodies"], 3)),
            "labels": [{"name": draw.choice(("bug", "question", "wish"))}], "user": {"login": f"user{number % 41}"},
        }  # fmt: skip
        return framed(number, fields)

    rare = [framed(9_000 + number, fields) for number, fields in enumerate(MADE_OF["issues"])]
    return _placed([usual(number) for number in range(3_400, 3_540)], rare)


def _lock() -> dict[str, Any]:
    draw = random.Random("lock")
    packages: dict[str, Any] = {}
    for number in range(420):
        name = f"{draw.choice(MADE_OF['words'])}-{draw.choice(MADE_OF['verbs'])}-{number}"
        version = f"{draw.randrange(9)}.{draw.randrange(20)}.{draw.randrange(20)}"
        packages[f"node_modules/{name}"] = {
            "version": version, "resolved": f"https://registry.example.com/{name}/-/{name}-{version}.tgz",
            "integrity": f"sha512-{draw.getrandbits(160):040x}", "license": draw.choice(("MIT", "MIT", "ISC")),
        }  # fmt: skip
    placed = _placed(list(packages.items()), list(MADE_OF["packages"].items()))
    return {"name": "shop", "version": "12.4.0", "lockfileVersion": 3, "packages": dict(placed)}


def _openapi() -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for word in MADE_OF["words"]:
        for verb in MADE_OF["verbs"]:
            paths[f"/{word}s/{{{word}Id}}/{verb}"] = {
                "post": {
                    "operationId": f"{verb}{word.title()}", "summary": f"{verb.title()} one {word}",
                    "parameters": [{"name": f"{word}Id", "in": "path", "required": True, "schema": {"type": "string"}}],
                    "responses": {"200": {"description": "done"}, "404": {"description": f"no such {word}"}},
                }
            }  # fmt: skip
    placed = _placed(list(paths.items()), list(MADE_OF["paths"].items()))
    schemas = {word.title(): {"type": "object", "properties": {"id": {"type": "string"}}} for word in MADE_OF["words"]}
    head = {"openapi": "3.1.0", "info": {"title": "Shop", "version": "12.4"}}
    return head | {"paths": dict(placed), "components": {"schemas": schemas}}


def _plan() -> dict[str, Any]:
    draw = random.Random("plan")
    usual = []
    for number in range(240):
        kind = draw.choice(("aws_s3_bucket", "aws_sqs_queue", "aws_route53_record", "aws_lambda_function"))
        name = f"{draw.choice(MADE_OF['words'])}_{number}"
        after = {"name": name.replace("_", "-"), "tags": {"team": draw.choice(MADE_OF["words"]), "stage": "prod"}}
        change = {"actions": [draw.choice(("no-op", "no-op", "update"))], "before": after, "after": after}
        usual.append({"address": f"module.app.{kind}.{name}", "type": kind, "change": change})
    return {"format_version": "1.2", "resource_changes": _placed(usual, MADE_OF["resources"])}


def _settings() -> dict[str, Any]:
    draw = random.Random("settings")
    services = {
        f"{draw.choice(MADE_OF['words'])}-{number}": {
            "replicas": draw.randrange(1, 9), "timeoutMs": draw.randrange(100, 900),
            "retry": {"attempts": 3, "backoffMs": draw.randrange(10, 90)}, "owner": draw.choice(MADE_OF["words"]),
        }
        for number in range(_SERVICES)
    }  # fmt: skip
    return {"services": services, **MADE_OF["settings"]}
