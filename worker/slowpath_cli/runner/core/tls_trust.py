"""Whom to believe over TLS, and who we are: certificates, as text.

Text and not files, so that what changed can be told from what did not: certificates of clusters live for hours.
"""

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from slowpath_cli.runner.core.driver_interface import InvalidDriverConfig

MOST_BYTES: Final = 1024 * 1024


@dataclass(frozen=True)
class TlsTrust:
    """Whose certificates are believed (none: the system's authorities), and ours."""

    authorities: str | None = None
    certificate: str | None = None
    key: str | None = field(default=None, repr=False)
    server_name: str | None = None
    """Whose certificate it must be, where that is not the name in the address."""
    checked: bool = True
    """Whether anybody is checked at all: never False unless the configuration says so in as many words."""
    named: str = field(default="", compare=False)
    """Where it is from, for a person."""

    @classmethod
    def of(cls, ca_file: Path | None = None, certificate: Path | None = None, key: Path | None = None) -> "TlsTrust":
        """Read it from files; without `key` it is in the certificate's. Raises `InvalidDriverConfig` naming the file."""
        if key is not None and certificate is None:
            raise InvalidDriverConfig(f"{key} is the key of no certificate: give certificate too.")
        authorities, shown, kept = (None if path is None else text_of(path) for path in (ca_file, certificate, key))
        return cls(authorities, shown, kept, named=str(ca_file if certificate is None else certificate))

    def context(self) -> ssl.SSLContext:
        """Return it as TLS wants it. Raises `InvalidDriverConfig`."""
        try:
            context = ssl.create_default_context(cadata=self.authorities)
            if not self.checked:
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            if self.certificate is not None:
                _loaded(context, self.certificate, self.key)
        except (OSError, ValueError) as error:
            raise InvalidDriverConfig(f"{self.named} holds no certificate that can be used: {error}.") from error
        return context


def _loaded(context: ssl.SSLContext, certificate: str, key: str | None) -> None:
    """Have it show our certificate. The library reads files alone: they lie where only we read, for this long."""
    with TemporaryDirectory(prefix="slowpath-") as folder:
        shown, kept = Path(folder, "certificate"), Path(folder, "key")
        shown.write_text(certificate, encoding="utf-8")
        kept.write_text(key or certificate, encoding="utf-8")
        context.load_cert_chain(shown, kept, password=lambda: "")  # a key with a password: refused, not asked for


def text_of(path: Path) -> str:
    """Return a file of certificates. Raises `InvalidDriverConfig`."""
    try:
        with path.open("rb") as file:
            read = file.read(MOST_BYTES + 1)
        text = read.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidDriverConfig(f"{path} holds no certificate that can be used: {error}.") from error
    if len(read) > MOST_BYTES:
        raise InvalidDriverConfig(f"{path} has more than {MOST_BYTES:,} bytes: that is no certificate.")
    return text
