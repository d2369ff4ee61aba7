from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.fetch.web import Names, Resolver, Site


@pytest.fixture
def site() -> Iterator[Site]:
    server = Site()
    yield server
    server.close()


@pytest.fixture
def other_site() -> Iterator[Site]:
    server = Site()
    yield server
    server.close()


@pytest.fixture(autouse=True)
def _no_proxy_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def resolver_of() -> Callable[[Names], Resolver]:
    """A name server of the test's own: it knows the given names and no others."""

    def make(names: Names) -> Resolver:
        def resolve(host: str, _port: int) -> list[str]:
            if host not in names:
                raise OSError(-2, "Name or service not known")
            return names[host]

        return resolve

    return make
