"""Rules of the second factor: kinds, recovery codes, time steps of TOTP, the site that passkeys belong to."""

import base64
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address
from urllib.parse import urlsplit

from slowpath.platform.accounts.rules.account_limits import RateLimit

STATE_SECONDS = 600
"""How long a user may take to confirm a second factor, or to enter it."""
STEP_SECONDS = 30
MAX_FACTORS = 10
RECOVERY_CODES = 10
RECOVERY_BYTES = 10
BY_ADDRESS_AND_ACCOUNT = RateLimit(10, 300)
TOTP_BY_ACCOUNT = RateLimit(30, 900)
"""Only who knows the password gets this far, and passkeys and recovery codes still work: 6 digits need a limit."""


class FactorKind(StrEnum):
    """What a user adds to the password."""

    TOTP = "totp"
    PASSKEY = "passkey"


RECOVERY_CODE = "recovery-code"


@dataclass(frozen=True)
class RelyingParty:
    """The site that passkeys belong to (WebAuthn): its host name and origin."""

    id: str
    origin: str


def find_relying_party(origin: str) -> RelyingParty | None:
    """Return the site of an origin that was checked; None if its host is an IP address, which WebAuthn excludes."""
    host = urlsplit(origin).hostname or ""
    try:
        ip_address(host)
    except ValueError:
        return RelyingParty(host, origin) if host else None
    return None


def find_time_step(code: str, make_code: Callable[[int], str], *, at_s: int, after: int) -> int | None:
    """Return the time step of a code: the current one, or one beside it for clocks that differ, but only after `after`."""
    current = at_s // STEP_SECONDS
    steps = (step for step in (current, current - 1, current + 1) if step > after)
    return next((step for step in steps if hmac.compare_digest(make_code(step).encode(), code.encode())), None)


def make_recovery_code(random_bytes: bytes) -> str:
    """Return a recovery code of 80 bits in four groups that users can copy by hand."""
    letters = base64.b32encode(random_bytes).decode().lower()  # without 0, 1 and 8
    return "-".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def normalize_code(text: str) -> str:
    """Return a code without spaces and hyphens, in lower case."""
    return "".join(letter for letter in text.lower() if letter not in " -")
