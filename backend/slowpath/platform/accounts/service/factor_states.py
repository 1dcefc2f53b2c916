"""What a browser sends back to finish a step with a second factor: sealed, so that nothing is stored before it is done."""

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.core.encryption import DecryptionError, SecretEncryptor
from slowpath.core.ids import UserId
from slowpath.core.ports import RateLimiter
from slowpath.platform.accounts.errors import SignInExpired
from slowpath.platform.accounts.rules.second_factor import STATE_SECONDS

STATE_PURPOSE = UUID("6b0e8c1e-0f0b-4d2f-9a39-2d0a5b7f8c11")
"""The encryption purpose, so that no other encrypted value is accepted as a state."""


@dataclass(frozen=True)
class FactorState:
    """The user, and what was created for this registration, sign-in or confirmation."""

    user_id: UserId
    challenge: str
    until: datetime


def seal_state(sealer: SecretEncryptor, user_id: UserId, challenge: str, purpose: str | None, now: datetime) -> str:
    """Return the sealed state of a step; it can be opened for its purpose only (None: a sign-in)."""
    until = now + timedelta(seconds=STATE_SECONDS)
    content = {"user": str(user_id), "challenge": challenge, "for": purpose, "until": until.isoformat()}
    return base64.urlsafe_b64encode(sealer.seal(json.dumps(content), STATE_PURPOSE)).decode()


def open_state(sealer: SecretEncryptor, sealed: str, purpose: str | None, now: datetime) -> FactorState:
    """Return a state that is not too old. Raises `SignInExpired`."""
    again = SignInExpired("This step was not started in this browser, or took too long.", remedy="Start again.")
    try:
        content = json.loads(sealer.unseal(base64.urlsafe_b64decode(sealed), STATE_PURPOSE))
    except (DecryptionError, binascii.Error, ValueError) as error:
        raise again from error
    state = FactorState(UserId(UUID(content["user"])), content["challenge"], datetime.fromisoformat(content["until"]))
    if content["for"] != purpose or state.until <= now:
        raise again
    return state


def use_state_once(throttle: RateLimiter, state: FactorState) -> None:
    """Record that a step was completed. Raises `SignInExpired` the second time."""
    if not throttle.hit(f"second-factor-state:{state.challenge}", times=1, seconds=STATE_SECONDS):
        raise SignInExpired("This step was already completed.", remedy="Start again.")
