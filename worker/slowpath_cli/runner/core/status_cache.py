"""Status of a deployment, with the last known one while its source is unavailable."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from slowpath_cli.runner.core.driver_interface import DeploymentStatus
from slowpath_cli.runner.core.rate_limits import StatusUnknown

MAX_AGE_SECONDS: Final = 300.0


@dataclass
class LastKnownStatus:
    """Last known statuses by run. Thread-safe as long as one thread asks for a run."""

    seconds: float = MAX_AGE_SECONDS
    clock: Callable[[], float] = time.monotonic
    _known: dict[str, DeploymentStatus] = field(default_factory=dict)
    _since: dict[str, float] = field(default_factory=dict)

    def get_status(self, run_id: str, look: Callable[[], DeploymentStatus]) -> DeploymentStatus:
        """Return the current status, or the last known one. Raises `StatusUnknown` if it is too old, and what `look` raises."""
        try:
            found = look()
        except StatusUnknown as error:
            now = self.clock()
            since = self._since.get(run_id, now)
            if now - since > self.seconds:
                raise
            self._since[run_id] = (
                max(since, now + error.seconds) if error.seconds else since
            )  # a rate limit is not an outage
            known = self._known.get(run_id)
            return known or DeploymentStatus("rolling", f"status unknown: {error}")
        self._since.pop(run_id, None)
        self._known[run_id] = found
        return found

    def forget(self, run_id: str) -> None:
        """Drop a finished run."""
        self._since.pop(run_id, None)
        self._known.pop(run_id, None)
