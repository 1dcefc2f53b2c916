"""Servers over TLS for tests, and certificates made for one test."""

import ipaddress
import ssl
from datetime import UTC, timedelta
from datetime import datetime as at
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.collect.pprof_servers import Answering


def made_by_itself(folder: Path, name: str, *, host: str = "127.0.0.1") -> tuple[Path, Path]:
    """A certificate for a host that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    begin = at(2026, 1, 1, tzinfo=UTC)
    where = x509.IPAddress(ipaddress.ip_address(host)) if host[0].isdigit() else x509.DNSName(host)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=36500))
        .add_extension(x509.SubjectAlternativeName([where]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    written = folder / f"{name}.crt", folder / f"{name}.key"
    written[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    written[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return written


class Secured(Answering):
    """A server over TLS; with `client_ca` it requires a client certificate of that authority."""

    def secured(self, certificate: Path, key: Path, client_ca: Path | None = None) -> "Secured":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        if client_ca is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(client_ca)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        return self
