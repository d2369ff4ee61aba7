"""Figures of the prompts to try: rows that the bench wrote into its page, so that no figure stands in two ways."""

from __future__ import annotations

import re

from tests.docs.pages import DOCS, read, table


def rows(first: str) -> list[list[str]]:
    """The rows of the bench's page whose first cell fits, as cells."""
    found = [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in read(DOCS / "benchmarks.md").splitlines()
    ]
    return [cells for cells in found if re.fullmatch(first, cells[0])]


def work(*words: str) -> str:
    """One kind of work: printed, in the context, kept out, whether the answer was there, how to run it again."""
    name = " ".join(words)
    [_, _, raw, context, saved, answer, *_] = next(cells for cells in rows(re.escape(name)) if cells[1] == "ours")
    [*_, held, command] = next(cells for cells in rows(re.escape(name)) if cells[-1].startswith("`python"))
    figures = table(
        "whole, B", "reached the context, B", "kept out", "the answer was there", [(raw, context, saved, answer)]
    )
    return f"{figures}\n\nAgain: {command}, over {held}."


def job() -> str:
    """The debugging job on each real agent."""
    cells = [row for row in rows(r"[a-z-]+ \d+\.\d+\.\d+") if "->" in row[1]]
    head = "agent", "turns", "tool results at the end, B", "all requests, B"
    hosts = ",".join(row[0].split()[0] for row in cells)
    return f"{table(*head, [row[:4] for row in cells])}\n\nAgain: `python -m tests.bench.net --hosts {hosts}`."
