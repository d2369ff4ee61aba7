from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.fetch.conftest import Names, Resolver
from tests.fetch.web import Site, answer, redirect

from context_mode_runtime.fetch.client import fetch
from context_mode_runtime.fetch.rules import FetchError, FetchRules

PAGE = "<h1>Secret handshake</h1><p>Only over TLS, by its name.</p>"
START = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
ResolverOf = Callable[[Names], Resolver]


class Authority:
    """A certificate authority made for one test run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
        self.file = folder / "ca.pem"
        self.file.write_bytes(self._certificate(self._name, self._key, [], ca=True))

    def _certificate(
        self, name: x509.Name, key: ec.EllipticCurvePrivateKey, names: list[x509.GeneralName], *, ca: bool = False
    ) -> bytes:
        public = key.public_key()
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(START)
            .not_valid_after(START + dt.timedelta(days=36_500))
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def context(self, *names: str) -> ssl.SSLContext:
        """A server's side with a certificate for `names`."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        listed: list[x509.GeneralName] = [
            x509.DNSName(name) if name.endswith(".test") else x509.IPAddress(ipaddress.ip_address(name))
            for name in names
        ]
        plain = serialization.NoEncryption()
        file = self.folder / f"{names[0]}.pem"
        file.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
            + self._certificate(subject, key, listed)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture
def secure_site(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A TLS site for docs.test and 127.0.0.1, whose authority this machine trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    server = Site(authority.context("docs.test", "127.0.0.1"))
    server.pages["/"] = answer(PAGE)
    yield server
    server.close()


def _rules(site: Site, name: str = "docs.test") -> FetchRules:
    return FetchRules(private_hosts=(f"{name}:{site.port}",))


def test_the_certificate_is_checked_by_name_while_the_address_is_ours(
    secure_site: Site, resolver_of: ResolverOf
) -> None:
    url = f"https://docs.test:{secure_site.port}/"
    page = fetch(url, _rules(secure_site), resolver=resolver_of({"docs.test": ["127.0.0.1"]}))
    assert "Only over TLS" in page.text
    assert f"Host: docs.test:{secure_site.port}" in secure_site.requests[0]


def test_an_address_has_its_certificate_too(secure_site: Site) -> None:
    assert fetch(secure_site.url, secure_site.rules()).status == 200


def test_another_name_is_refused(secure_site: Site, resolver_of: ResolverOf) -> None:
    resolver = resolver_of({"other.test": ["127.0.0.1"]})
    with pytest.raises(FetchError, match=r"other\.test:\d+: its certificate is not valid: .*other\.test"):
        fetch(f"https://other.test:{secure_site.port}/", _rules(secure_site, "other.test"), resolver=resolver)
    assert secure_site.requests == []


def test_an_unknown_authority_is_refused(secure_site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(Authority(tmp_path).file))
    with pytest.raises(FetchError, match="its certificate is not valid"):
        fetch(secure_site.url, secure_site.rules())


def test_a_server_without_tls_is_named(site: Site) -> None:
    with pytest.raises(FetchError, match=rf"no TLS connection to 127\.0\.0\.1:{site.port}"):
        fetch(f"https://127.0.0.1:{site.port}/", site.rules(timeout_ms=2_000))


def test_credentials_do_not_leave_tls(secure_site: Site, site: Site) -> None:
    secure_site.pages["/"] = redirect(site.url + "/")
    site.pages["/"] = answer(PAGE)
    fetch(f"https://me:pw@127.0.0.1:{secure_site.port}/", secure_site.rules(f"127.0.0.1:{site.port}"))
    assert "Authorization" in secure_site.requests[0]
    assert "authorization" not in site.requests[0].lower()


def test_a_tls_server_that_stalls_ends_at_the_time_limit(secure_site: Site) -> None:
    secure_site.pages["/"] = secure_site.hold
    with pytest.raises(FetchError, match="no whole answer within 500 ms"):
        fetch(secure_site.url, secure_site.rules(timeout_ms=500))
