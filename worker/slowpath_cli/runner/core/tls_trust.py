"""TLS settings: trusted authorities and the client certificate, as text.

Text instead of files allows comparing them to detect changes: certificates of clusters expire after hours.
"""

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from slowpath_cli.runner.core.driver_interface import InvalidDriverConfig

MAX_BYTES: Final = 1024 * 1024


@dataclass(frozen=True)
class TlsTrust:
    """Trusted authorities (None: those of the system), and the client certificate with its key."""

    authorities: str | None = None
    certificate: str | None = None
    key: str | None = field(default=None, repr=False)
    server_name: str | None = None
    """Name in the server's certificate, if it differs from the host of the address."""
    checked: bool = True
    """Whether the server's certificate is verified; False only if the configuration disables it explicitly."""
    named: str = field(default="", compare=False)
    """Source of the certificates, for messages."""

    @classmethod
    def of(cls, ca_file: Path | None = None, certificate: Path | None = None, key: Path | None = None) -> "TlsTrust":
        """Read certificates from files; the certificate's file may contain the key. Raises `InvalidDriverConfig`."""
        if key is not None and certificate is None:
            raise InvalidDriverConfig(f"{key} is a key without a certificate. Set certificate, too.")
        authorities, certificate_text, key_text = (
            None if path is None else text_of(path) for path in (ca_file, certificate, key)
        )
        return cls(authorities, certificate_text, key_text, named=str(ca_file if certificate is None else certificate))

    def context(self) -> ssl.SSLContext:
        """Return an SSL context with these settings. Raises `InvalidDriverConfig`."""
        try:
            context = ssl.create_default_context(cadata=self.authorities)
            if not self.checked:
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            if self.certificate is not None:
                _load_certificate(context, self.certificate, self.key)
        except (OSError, ValueError) as error:
            raise InvalidDriverConfig(f"{self.named} has no valid certificate: {error}.") from error
        return context


def _load_certificate(context: ssl.SSLContext, certificate: str, key: str | None) -> None:
    """Load the client certificate; `ssl` reads only files, so use temporary files that only this user can read."""
    with TemporaryDirectory(prefix="slowpath-") as folder:
        certificate_file, key_file = Path(folder, "certificate"), Path(folder, "key")
        certificate_file.write_text(certificate, encoding="utf-8")
        key_file.write_text(key or certificate, encoding="utf-8")
        context.load_cert_chain(
            certificate_file, key_file, password=lambda: ""
        )  # rejects keys with a password, without a prompt


def text_of(path: Path) -> str:
    """Read a file of certificates. Raises `InvalidDriverConfig`."""
    try:
        with path.open("rb") as file:
            read = file.read(MAX_BYTES + 1)
        text = read.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidDriverConfig(f"{path} has no valid certificate: {error}.") from error
    if len(read) > MAX_BYTES:
        raise InvalidDriverConfig(f"{path} is larger than the limit of {MAX_BYTES:,} bytes for certificates.")
    return text
