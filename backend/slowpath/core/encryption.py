"""Encrypt users' secrets at rest, bound to their row. They are decrypted only for requests to their target."""

import os
from collections.abc import Mapping
from typing import Final, NamedTuple
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from slowpath.core.settings import Settings

PURPOSE: Final = b"slowpath: credentials of sources, version 1"
NONCE_BYTES: Final = 12
MARK: Final = b"\x00slk"
"""Precedes the ID of the key, one byte; values without it are encrypted with SLOWPATH_SECRET_KEY."""
MAX_KEY_ID: Final = 255
MIN_KEY_LENGTH: Final = 16


class RenewedValues(NamedTuple):
    """How many stored values were encrypted with the present key, and how many no key decrypts."""

    renewed: int
    unreadable: int

    def plus(self, other: "RenewedValues") -> "RenewedValues":
        """Return both together."""
        return RenewedValues(self.renewed + other.renewed, self.unreadable + other.unreadable)


class DecryptionError(ValueError):
    """The value cannot be decrypted: wrong key, wrong row, or changed bytes."""


class SecretEncryptor:
    """Encrypts short texts with the first of several keys, and decrypts those of all of them."""

    def __init__(self, secret_key: str, numbered_keys: Mapping[int, str] | None = None) -> None:
        """Derive the keys (HKDF with SHA-256); without numbered ones, the secret key encrypts."""
        self._ciphers = {b"": _make_cipher(secret_key)}
        self._ciphers |= {MARK + bytes([number]): _make_cipher(key) for number, key in (numbered_keys or {}).items()}
        self._prefix = MARK + bytes([next(iter(numbered_keys))]) if numbered_keys else b""

    def seal(self, text: str, *of: UUID) -> bytes:
        """Encrypt a text (AES-256-GCM); decryption requires the same IDs."""
        nonce = os.urandom(NONCE_BYTES)
        return self._prefix + nonce + self._ciphers[self._prefix].encrypt(nonce, text.encode(), _associated_data(of))

    def is_current(self, sealed: bytes) -> bool:
        """Return whether a value is encrypted with the key that encrypts now."""
        return _prefix_of(sealed) == self._prefix

    def renew(self, sealed: bytes, *of: UUID) -> bytes | None:
        """Return a value encrypted with the key that encrypts now; None if it already is. Raises `DecryptionError`."""
        return None if self.is_current(sealed) else self.seal(self.unseal(sealed, *of), *of)

    def unseal(self, sealed: bytes, *of: UUID) -> str:
        """Decrypt a text. Raises `DecryptionError`."""
        prefix = _prefix_of(sealed)
        content = sealed[len(prefix) :]
        try:
            cipher = self._ciphers[prefix]
            return cipher.decrypt(content[:NONCE_BYTES], content[NONCE_BYTES:], _associated_data(of)).decode()
        except (InvalidTag, ValueError, KeyError) as error:
            raise DecryptionError from error


def _prefix_of(sealed: bytes) -> bytes:
    return sealed[: len(MARK) + 1] if sealed.startswith(MARK) else b""


def _make_cipher(key: str) -> AESGCM:
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=None, info=PURPOSE).derive(key.encode()))


def parse_keys(text: str) -> dict[int, str]:
    """Parse `2=new key,1=former key`. Raises `ValueError` without the keys in its message."""
    keys: dict[int, str] = {}
    for position, entry in enumerate(filter(None, (part.strip() for part in text.split(","))), start=1):
        number, _, key = entry.partition("=")
        is_valid = number.strip().isdecimal() and 1 <= int(number) <= MAX_KEY_ID and int(number) not in keys
        if not is_valid or len(key.strip()) < MIN_KEY_LENGTH:
            raise ValueError(
                f"SLOWPATH_ENCRYPTION_KEYS: entry {position} is not ID=KEY with a new ID from 1 to {MAX_KEY_ID} and a key "
                f"of at least {MIN_KEY_LENGTH} characters without a comma"
            )
        keys[int(number)] = key.strip()
    return keys


def _associated_data(ids: tuple[UUID, ...]) -> bytes:
    return b"".join(one.bytes for one in ids)


def create_sealer(settings: Settings) -> SecretEncryptor:
    """Return the encryptor with the configured keys. Raises `ValueError`."""
    numbered = parse_keys(settings.encryption_keys.get_secret_value())
    return SecretEncryptor(settings.secret_key.get_secret_value(), numbered)
