"""Pure decisions of webhooks: signatures, payloads, missed deliveries."""

from typing import Final, Literal

HookKind = Literal["github", "gitlab", "bitbucket"]
DeliveryState = Literal["waiting", "failed", "ignored", "done"]

MAX_MESSAGE_BYTES: Final = 25 << 20
"""GitHub sends no larger payloads."""
MOST_HOOKS: Final = 100
"""Per team."""
MOST_SERVICES: Final = 100
MOST_TRIES: Final = 60
"""Invalid signatures per IP address and minute."""
RETENTION_DAYS: Final = 30
"""How long deliveries are listed."""
PUSHES_SETTLE_S: Final = 10.0
"""A push enqueues a fetch after this delay, one for all pushes meanwhile; its payload is recorded immediately."""
