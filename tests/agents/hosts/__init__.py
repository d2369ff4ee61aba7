"""The real agents that the tests run, one module each with one `HOST`."""

from __future__ import annotations

import importlib
import pkgutil

from tests.agents.host import Host

HOSTS: dict[str, Host] = {
    host.agent: host
    for module in pkgutil.iter_modules(__path__)
    for host in [importlib.import_module(f"{__name__}.{module.name}").HOST]
}
"""By agent id."""
