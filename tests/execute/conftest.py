"""Runs one piece of code in a throw-away folder."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime.execute.run import Outcome, Run, run, stop_all

Execute = Callable[..., Outcome]


@pytest.fixture
def execute(tmp_path: Path) -> Iterator[Execute]:
    def start(language: str, code: str, **more: Any) -> Outcome:
        cancel = more.pop("cancel", None) or threading.Event()
        progress = more.pop("progress", None)
        return run(Run(language, code, cwd=more.pop("cwd", str(tmp_path)), **more), cancel=cancel, progress=progress)

    yield start
    stop_all()
