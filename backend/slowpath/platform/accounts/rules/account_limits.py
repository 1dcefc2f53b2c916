"""How many, how long, how often."""

from dataclasses import dataclass
from datetime import datetime, timedelta

SESSION_DAYS = 30
TOUCH_SECONDS = 60
"""That a session or token was used is written at most this often, so that reading does not write every time."""
INVITATION_DAYS = 7
MAX_INVITATION_DAYS = 30
MIN_PASSWORD_LENGTH = 10
MAX_PASSWORD_LENGTH = 200
"""Hashing costs the same for any length; the limit only keeps requests small."""
MAX_TOKENS = 200
MAX_TEAMS = 50
MAX_OPEN_INVITATIONS = 200
GRACE_HOURS = 12
"""So long a deleted team can be reopened by its owners; then it is erased, well within a day."""


@dataclass(frozen=True)
class RateLimit:
    """How often something may be tried."""

    times: int
    seconds: int


SIGN_IN_BY_ADDRESS = RateLimit(60, 60)
SIGN_IN_BY_ADDRESS_AND_ACCOUNT = RateLimit(10, 300)
SIGN_IN_BY_ACCOUNT = RateLimit(100, 900)
"""Ten times what one address may try: who wants to lock somebody out needs many addresses, who guesses still fails."""
SIGN_UP_BY_ADDRESS = RateLimit(100, 3600)
MAX_SERVICE_ACCOUNTS = 100
RATE_SECONDS = 60
MAX_RATE = 1_000_000


def session_expiry(now: datetime) -> datetime:
    """Return when a session ends that was used now."""
    return now + timedelta(days=SESSION_DAYS)
