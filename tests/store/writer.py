"""A process that indexes: `writer.py KEY NAME COUNT`, one line on stdout a source."""

from __future__ import annotations

import sys

from context_mode_runtime.store.db import Store
from context_mode_runtime.store.sources import add_source

key, name, count = sys.argv[1:]
with Store.open(key, name="project") as store:
    for number in range(int(count)):
        text = f"{name} source {number}\n" + "".join(
            f"line {line} of {name} word{number}x{line}\n" for line in range(200)
        )
        print(add_source(store, text, label=f"{name}-{number}", kind="log").sid, flush=True)
