"""Secrets of others at rest: encrypted and bound to the row they stand in. Nothing but a request to their owner reads them."""

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
    """What was sealed can not be read: another key, another row, or changed bytes."""


class SecretEncryptor:
    """Seals short texts with a key of its own, derived from the stack's secret."""

    def __init__(self, secret_key: str) -> None:
        """Derive the key (HKDF with SHA-256)."""
        derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(secret_key.encode())
        self._cipher = AESGCM(derived)

    def seal(self, text: str, *of: UUID) -> bytes:
        """Return the text encrypted (AES-256-GCM); only who names the same ids reads it."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, text.encode(), _bound(of))

    def unseal(self, sealed: bytes, *of: UUID) -> str:
        """Return the text. Raises `DecryptionError`."""
        try:
            return self._cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], _bound(of)).decode()
        except (InvalidTag, ValueError) as error:
            raise DecryptionError from error


def _bound(ids: tuple[UUID, ...]) -> bytes:
    return b"".join(one.bytes for one in ids)


def create_sealer(settings: Settings) -> SecretEncryptor:
    """Return the sealer of this stack."""
    return SecretEncryptor(settings.secret_key.get_secret_value())
