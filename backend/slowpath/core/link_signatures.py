"""Sign links that act without sign-in, as those in mails. The key is derived from SLOWPATH_SECRET_KEY."""

import base64
import binascii
import hashlib
import hmac
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from slowpath.core.settings import Settings

PURPOSE: Final = b"slowpath: links in mails, version 1"
SIGNATURE_BYTES: Final = 32


class InvalidLinkSignature(ValueError):
    """The token is not one that `LinkSigner.sign` returned for this purpose."""


class LinkSigner:
    """Signs short values with HMAC-SHA256. A purpose separates the values of different kinds of links."""

    def __init__(self, secret_key: str) -> None:
        """Derive the key (HKDF with SHA-256)."""
        self._key = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(secret_key.encode())

    def sign(self, purpose: str, value: bytes) -> str:
        """Return a token for a URL: the value and its signature."""
        return base64.urlsafe_b64encode(value + self._signature(purpose, value)).decode().rstrip("=")

    def verify(self, purpose: str, token: str) -> bytes:
        """Return the value of a token. Raises `InvalidLinkSignature`."""
        try:
            decoded = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError) as error:
            raise InvalidLinkSignature from error
        value, signature = decoded[:-SIGNATURE_BYTES], decoded[-SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._signature(purpose, value)):
            raise InvalidLinkSignature
        return value

    def _signature(self, purpose: str, value: bytes) -> bytes:
        return hmac.new(self._key, purpose.encode() + b"\0" + value, hashlib.sha256).digest()


def create_link_signer(settings: Settings) -> LinkSigner:
    """Return the signer with the configured key."""
    return LinkSigner(settings.secret_key.get_secret_value())
