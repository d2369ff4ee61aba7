"""`python -m tests.docs.generate`: writes what pages say about the code between their marks, from the code.

A page marks a part by `<!-- generated: NAME ARGUMENT -->` and `<!-- end of generated -->`; what stands between is
written by the function of that name. `--check` writes nothing and ends with 1 when a page is behind, as the tests do.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.docs import part_agents, part_commands, part_conversations, part_policy, part_prompts, part_texts, part_tools
from tests.docs.pages import PAGES, name_of, read

PARTS: dict[str, Callable[..., str]] = {
    "hosts": part_agents.overview,
    "install": part_agents.install,
    "tool": part_tools.tool,
    "state": part_conversations.state,
    "conversations": part_conversations.hosts,
    "release": part_agents.release,
    "prompt": part_prompts.work,
    "prompt-job": part_prompts.job,
    "policy-keys": part_policy.keys,
    "policy-tried": part_policy.tried,
    "commands": part_commands.commands,
    "texts-cost": part_texts.costs,
}
MARKED = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end of generated -->)", re.DOTALL)


def part(words: str) -> str:
    """The text of one part. Raises KeyError for a name that nothing writes."""
    name, *arguments = words.split()
    return PARTS[name](*arguments).strip()


def renewed(text: str) -> str:
    """A page with its marked parts as the code says them today."""
    return MARKED.sub(lambda mark: f"{mark[1]}\n{part(mark[2])}\n\n{mark[3]}", text)


def main(arguments: list[str]) -> int:
    behind = []
    for page in PAGES:
        old = read(page)
        new = renewed(old)
        if new != old:
            behind.append(name_of(page))
            if "--check" not in arguments:
                Path(page).write_text(new, encoding="utf-8")
    print(f"{len(behind)} of {len(PAGES)} pages {'are behind' if '--check' in arguments else 'written'}", *behind)
    return 1 if behind and "--check" in arguments else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = home
        raise SystemExit(main(sys.argv[1:]))
