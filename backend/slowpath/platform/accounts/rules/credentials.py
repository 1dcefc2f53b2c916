"""The format of secrets and tokens, and what is stored of them. Random bytes are arguments."""

import hashlib
import zlib

SECRET_BYTES = 24
"""192 bits cannot be guessed, so one round of SHA-256 is enough at rest."""
TOKEN_PREFIX = "slp_"  # noqa: S105 - the part of a token that is no secret
TOKEN_SHOWN_LETTERS = 8
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SECRET_LETTERS = 33
"""62^33 > 2^192."""
CHECK_LETTERS = 6
"""62^6 > 2^32."""


def encode_base62(number: int, length: int) -> str:
    """Return a number in base 62, with at most `length` digits."""
    letters = []
    for _ in range(length):
        number, rest = divmod(number, len(LETTERS))
        letters.append(LETTERS[rest])
    return "".join(reversed(letters))


def make_secret(random_bytes: bytes) -> str:
    """Return 24 random bytes as 33 letters and digits, which a double click selects completely."""
    if len(random_bytes) != SECRET_BYTES:
        raise ValueError(f"a secret is made of {SECRET_BYTES} bytes, not {len(random_bytes)}")
    return encode_base62(int.from_bytes(random_bytes), SECRET_LETTERS)


def make_token(random_bytes: bytes) -> str:
    """Return a token: prefix, secret, checksum. Prefix and checksum let secret scanners find leaked tokens."""
    secret = make_secret(random_bytes)
    return TOKEN_PREFIX + secret + _check_letters(secret)


def _check_letters(secret: str) -> str:
    return encode_base62(zlib.crc32(secret.encode()), CHECK_LETTERS)


def looks_like_secret(text: str) -> bool:
    """Return whether the text has the format of a session's or invitation's secret, without a query."""
    return len(text) == SECRET_LETTERS and all(letter in LETTERS for letter in text)


def looks_like_token(text: str) -> bool:
    """Return whether the text has the format of a token: prefix, length and checksum are valid."""
    secret, check = text[len(TOKEN_PREFIX) : -CHECK_LETTERS], text[-CHECK_LETTERS:]
    return text.startswith(TOKEN_PREFIX) and looks_like_secret(secret) and check == _check_letters(secret)


def hash_secret(secret: str) -> bytes:
    """Return what is stored of a secret: its SHA-256, 32 bytes."""
    return hashlib.sha256(secret.encode()).digest()
