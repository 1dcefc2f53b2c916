"""Pure decisions about hooks: what is believed, what messages say, what did not arrive."""

from typing import Final, Literal

HookKind = Literal["github", "gitlab"]
DeliveryState = Literal["waiting", "failed", "ignored", "done"]

MAX_MESSAGE_BYTES: Final = 25 << 20
"""GitHub sends no larger ones."""
MOST_HOOKS: Final = 100
"""Of a team."""
MOST_SERVICES: Final = 100
MOST_TRIES: Final = 60
"""Wrong signatures of one address in a minute."""
KEPT_DAYS: Final = 30
"""How long it is told what arrived."""
PUSHES_SETTLE_S: Final = 10.0
"""So long after a push its repository is fetched, once for all pushes meanwhile: what a push says itself is known at once."""
