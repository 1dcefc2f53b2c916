"""Encrypt users' secrets at rest, bound to their row. They are decrypted only for requests to their target."""

import os
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from slowpath.core.settings import Settings

PURPOSE: Final = b"slowpath: credentials of sources, version 1"
NONCE_BYTES: Final = 12


class DecryptionError(ValueError):
    """The value cannot be decrypted: wrong key, wrong row, or changed bytes."""


class SecretEncryptor:
    """Encrypts short texts with a key derived from SLOWPATH_SECRET_KEY."""

    def __init__(self, secret_key: str) -> None:
        """Derive the key (HKDF with SHA-256)."""
        derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(secret_key.encode())
        self._cipher = AESGCM(derived)

    def seal(self, text: str, *of: UUID) -> bytes:
        """Encrypt a text (AES-256-GCM); decryption requires the same IDs."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, text.encode(), _associated_data(of))

    def unseal(self, sealed: bytes, *of: UUID) -> str:
        """Decrypt a text. Raises `DecryptionError`."""
        try:
            return self._cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], _associated_data(of)).decode()
        except (InvalidTag, ValueError) as error:
            raise DecryptionError from error


def _associated_data(ids: tuple[UUID, ...]) -> bytes:
    return b"".join(one.bytes for one in ids)


def create_sealer(settings: Settings) -> SecretEncryptor:
    """Return the encryptor with the configured key."""
    return SecretEncryptor(settings.secret_key.get_secret_value())
