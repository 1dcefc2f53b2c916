"""By which secret a deploy tells of itself: made of its run, so that it need not be kept."""

import hashlib
import hmac
from uuid import UUID

from slowpath.platform.accounts.rules.credentials import SECRET_BYTES, make_secret


def callback_secret(key: str, run_id: UUID) -> str:
    """Return the secret of a run, of 192 bits; `key` is the server's own."""
    told = hmac.new(key.encode(), b"slowpath.probe-callback:" + run_id.bytes, hashlib.sha256).digest()
    return make_secret(told[:SECRET_BYTES])
