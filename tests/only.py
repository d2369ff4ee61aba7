"""Marks of tests that only some systems can run. Nothing is left out for what could be installed: `not_to_be_had`."""

from __future__ import annotations

import os
import sys

import pytest

LINUX = pytest.mark.skipif(
    not sys.platform.startswith("linux"),
    reason="reads /proc, counts in Linux' units, or is about what only Linux has: Landlock, pidfd, util-linux",
)
POSIX = pytest.mark.skipif(os.name != "posix", reason="named pipes, signals and sh, which Windows has not")
BOUND_BY_MODES = pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads what no mode lets it")
