"""How a server under test calls its tools, arguments and hook events, and how its search replies are read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

Call = tuple[str, dict[str, Any]]
Hit = tuple[str, str]
"""Where a hit comes from and its heading, as one line; the snippet below it."""


def _optional(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


@dataclass(frozen=True)
class Flavour:
    """`events`: our event names to those of its hook command. `lifted`: variables that take its search limits off."""

    events: dict[str, str]
    label: str
    batch_tool: str
    lifted: dict[str, str] = field(default_factory=dict)
    margin: bool = True

    def index(self, path: str, label: str) -> Call:
        """A file becomes a source named `label`."""
        return "ctx_index", {"path": path, self.label: label}

    def search(self, queries: list[str], limit: int = 3) -> Call:
        """Several queries in one call, `limit` hits each."""
        return "ctx_search", {"queries": queries, "limit": limit}

    def execute(self, language: str, code: str, intent: str = "") -> Call:
        """Runs code; the intent says what is wanted of a long output."""
        return "ctx_execute", {"language": language, "code": code, **_optional(intent=intent)}

    def batch(self, commands: dict[str, str], queries: list[str]) -> Call:
        """Commands by label, and what to ask of their outputs."""
        listed = [{"label": label, "command": command} for label, command in commands.items()]
        return self.batch_tool, {"commands": listed, "queries": queries}

    def hits(self, text: str, labels: list[str]) -> list[Hit]:
        """The hits of a search reply, best first; `labels` are those of the sources."""
        return _margin_hits(text, labels) if self.margin else _ruled_hits(text)


def _ruled_hits(text: str) -> list[Hit]:
    """`--- [origin | time | source] ---`, then `### title`, a blank line, the snippet."""
    parts = re.split(r"(?m)^--- \[([^\n]*)\] ---\n", text)
    hits = []
    for head, body in zip(parts[1::2], parts[2::2], strict=True):
        own = re.split(r"(?m)^\n?---\n\n## |^> Throttle: ", body)[0]
        title = re.match(r"### ([^\n]*)\n*", own)
        source = head.split(" | ")[-1]
        hits.append((f"{source} {title.group(1)}", own[title.end() :]) if title else (source, own))
    return hits


def _margin_hits(text: str, labels: list[str]) -> list[Hit]:
    """A hit's line stands at the margin and holds a label; its snippet is indented by two spaces."""
    known = re.compile("|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True)))
    hits: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        if line.startswith('Query "'):
            continue
        if line[:1] not in (" ", "\t", "|", "") and known.search(line):
            hits.append((line, []))
        elif hits:
            hits[-1][1].append(line.removeprefix("  "))
    return [(head, "\n".join(lines).strip("\n")) for head, lines in hits]


OURS = Flavour(
    events={name: name for name in ("pre_tool", "post_tool", "pre_compact", "session_start")},
    label="label",
    batch_tool="ctx_batch",
)
PEER = Flavour(
    events={
        "pre_tool": "pretooluse", "post_tool": "posttooluse", "pre_compact": "precompact",
        "session_start": "sessionstart",
    },
    label="source",
    batch_tool="ctx_batch_execute",
    lifted={"CONTEXT_MODE_SEARCH_MAX_RESULTS_AFTER": "1000000", "CONTEXT_MODE_SEARCH_BLOCK_AFTER": "1000000"},
    margin=False,
)  # fmt: skip
FLAVOURS = {"ours": OURS, "peer": PEER}
