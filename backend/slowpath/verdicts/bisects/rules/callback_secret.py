"""The secret of a probe's callback, derived from its run ID, so that it need not be stored."""

import hashlib
import hmac
from uuid import UUID

from slowpath.platform.accounts.rules.credentials import SECRET_BYTES, make_secret


def callback_secret(key: str, run_id: UUID) -> str:
    """Return the 192-bit callback secret of a run; `key` is the server's secret."""
    digest = hmac.new(key.encode(), b"slowpath.probe-callback:" + run_id.bytes, hashlib.sha256).digest()
    return make_secret(digest[:SECRET_BYTES])
