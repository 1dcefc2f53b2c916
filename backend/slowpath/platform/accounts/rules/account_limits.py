"""Limits of accounts: counts, durations and rates."""

from dataclasses import dataclass
from datetime import datetime, timedelta

SESSION_DAYS = 30
MAX_SESSION_DAYS = 90
"""The longest session, however often it is used; `cross_team.find_session` applies it."""
TOUCH_SECONDS = 60
"""The use of a session or token is recorded at most this often, so that not every read writes."""
INVITATION_DAYS = 7
MAX_INVITATION_DAYS = 30
MIN_PASSWORD_LENGTH = 10
MAX_PASSWORD_LENGTH = 200
"""Hashing costs the same for any length; the limit only keeps requests small."""
MAX_TOKENS = 200
MAX_TEAMS = 50
MAX_OPEN_INVITATIONS = 200
GRACE_HOURS = 12
"""Owners can restore a deleted team for this long; then it is erased within a day."""


@dataclass(frozen=True)
class RateLimit:
    """A rate limit: how many attempts in how many seconds."""

    times: int
    seconds: int


SIGN_IN_BY_ADDRESS = RateLimit(60, 60)
SIGN_IN_BY_ADDRESS_AND_ACCOUNT = RateLimit(10, 300)
MANY_SIGN_INS = RateLimit(100, 900)
"""Attempts on one account from all addresses that are logged. They are not refused: that would lock out its user."""
SIGN_UP_BY_ADDRESS = RateLimit(100, 3600)
MAX_SERVICE_ACCOUNTS = 100
RATE_SECONDS = 60
MAX_RATE = 1_000_000


def session_expiry(now: datetime) -> datetime:
    """Return when a session expires that was used now."""
    return now + timedelta(days=SESSION_DAYS)
