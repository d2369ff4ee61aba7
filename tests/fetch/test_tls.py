from __future__ import annotations

import contextlib
import datetime as dt
import ipaddress
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.fetch.web import Names, Resolver, Site, answer, redirect

from context_mode_runtime.fetch.client import fetch
from context_mode_runtime.fetch.rules import FetchError, FetchRules

PAGE = "<h1>Secret handshake</h1><p>Only over TLS, by its name.</p>"
START = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
ResolverOf = Callable[[Names], Resolver]
Serve = Callable[[ssl.SSLContext], Site]


class Authority:
    """A certificate authority made for one test run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
        self.file = folder / "ca.pem"
        self.file.write_bytes(self._certificate(self._name, self._key, [], ca=True))

    def _certificate(
        self,
        name: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        names: list[x509.GeneralName],
        *,
        ca: bool = False,
        years: tuple[int, int] = (0, 100),
    ) -> bytes:
        public = key.public_key()
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(START + dt.timedelta(days=365 * years[0]))
            .not_valid_after(START + dt.timedelta(days=365 * years[1]))
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def as_server(self, name: str) -> bytes:
        """Its own key, and a certificate for `name` that it signs for itself."""
        said: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_address(name))]
        plain = serialization.NoEncryption()
        key = self._key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        return key + self._certificate(self._name, self._key, said)

    def context(self, *names: str, listed: bool = True, years: tuple[int, int] = (0, 100)) -> ssl.SSLContext:
        """A server's side with a certificate for `names`; without `listed` only its subject says the first one."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        said: list[x509.GeneralName] = [
            x509.IPAddress(ipaddress.ip_address(name))
            if name[:1].isdigit()
            else x509.DNSName(name.removeprefix("dns:"))
            for name in names
        ]
        plain = serialization.NoEncryption()
        file = self.folder / "server.pem"
        file.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
            + self._certificate(subject, key, said if listed else [], years=years)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture
def serve(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Starts TLS sites with one page, on a machine that trusts the authority."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with contextlib.ExitStack() as started:

        def start(context: ssl.SSLContext) -> Site:
            server = Site(context)
            started.callback(server.close)
            server.pages["/"] = answer(PAGE)
            return server

        yield start


@pytest.fixture
def secure_site(authority: Authority, serve: Serve) -> Site:
    """A TLS site for docs.test and 127.0.0.1."""
    return serve(authority.context("docs.test", "127.0.0.1"))


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


CERTIFICATES = {
    "expired": ({"years": (0, 1)}, "docs.test", "certificate has expired"),
    "not yet valid": ({"years": (90, 100)}, "docs.test", "certificate is not yet valid"),
    "name in the subject only": ({"listed": False}, "docs.test", "Hostname mismatch|not valid for 'docs.test'"),
    "an address as a name": ({"names": ["dns:127.0.0.1"]}, "127.0.0.1", "IP address mismatch"),
    "a wildcard over two levels": ({"names": ["*.test"]}, "a.docs.test", "Hostname mismatch"),
    "a wildcard for the name above": ({"names": ["*.docs.test"]}, "docs.test", "Hostname mismatch"),
    "a part of the name": ({"names": ["ocs.test"]}, "docs.test", "Hostname mismatch"),
    "a longer name": ({"names": ["docs.test.other.test"]}, "docs.test", "Hostname mismatch"),
}


@pytest.mark.parametrize(("made", "host", "error"), CERTIFICATES.values(), ids=CERTIFICATES)
def test_a_certificate_that_is_not_right_is_refused(
    authority: Authority, serve: Serve, resolver_of: ResolverOf, made: dict[str, Any], host: str, error: str
) -> None:
    settings = dict(made)
    server = serve(authority.context(*settings.pop("names", ["docs.test"]), **settings))
    with pytest.raises(FetchError, match=rf"its certificate is not valid: .*({error})"):
        fetch(f"https://{host}:{server.port}/", _rules(server, host), resolver=resolver_of({host: ["127.0.0.1"]}))
    assert server.requests == []


def test_a_certificate_that_signs_itself_is_refused(serve: Serve, tmp_path: Path) -> None:
    own = Authority(tmp_path)
    own.file.write_bytes(own.as_server("127.0.0.1"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own.file)
    server = serve(context)
    with pytest.raises(FetchError, match="its certificate is not valid: self-signed certificate"):
        fetch(server.url, server.rules())


def test_a_wildcard_holds_for_one_level(authority: Authority, serve: Serve, resolver_of: ResolverOf) -> None:
    server = serve(authority.context("*.docs.test"))
    resolver = resolver_of({"a.docs.test": ["127.0.0.1"]})
    page = fetch(f"https://a.docs.test:{server.port}/", _rules(server, "a.docs.test"), resolver=resolver)
    assert page.status == 200


@pytest.mark.parametrize(
    ("host", "sent"), [("docs.test", "docs.test"), ("docs.test.", "docs.test"), ("127.0.0.1", None)]
)
def test_the_name_is_sent_and_an_address_is_not(
    authority: Authority, serve: Serve, resolver_of: ResolverOf, host: str, sent: str | None
) -> None:
    heard: list[str | None] = []
    context = authority.context("docs.test", "127.0.0.1")
    context.sni_callback = lambda _socket, name, _context: heard.append(name)
    server = serve(context)
    names = {"docs.test": ["127.0.0.1"], "docs.test.": ["127.0.0.1"]}
    fetch(f"https://{host}:{server.port}/", _rules(server, host.rstrip(".")), resolver=resolver_of(names))
    assert heard == [sent]


def test_a_redirect_out_of_tls_is_said_in_the_address(secure_site: Site, site: Site) -> None:
    secure_site.pages["/"] = redirect(site.url + "/plain")
    site.pages["/plain"] = answer(PAGE)
    assert fetch(secure_site.url, secure_site.rules(f"127.0.0.1:{site.port}")).url == site.url + "/plain"


def test_a_redirect_out_of_tls_to_an_inner_address_is_refused(secure_site: Site) -> None:
    secure_site.pages["/"] = redirect("http://169.254.169.254/")
    with pytest.raises(FetchError, match=r"refused: 169\.254\.169\.254"):
        fetch(secure_site.url, secure_site.rules())
