"""Return the last known status of a deployment while its source is unavailable."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from slowpath_cli.runner.core.driver_interface import DeploymentStatus
from slowpath_cli.runner.core.rate_limits import StatusUnknown

MAX_AGE_SECONDS: Final = 300.0


@dataclass
class LastKnownStatus:
    """Last known statuses by run. Thread-safe if each run is used by one thread."""

    seconds: float = MAX_AGE_SECONDS
    clock: Callable[[], float] = time.monotonic
    _known: dict[str, DeploymentStatus] = field(default_factory=dict)
    _since: dict[str, float] = field(default_factory=dict)

    def get_status(self, run_id: str, look: Callable[[], DeploymentStatus]) -> DeploymentStatus:
        """Return the current status, or the last known one. Raises `StatusUnknown` if it is too old; errors of `look`."""
        try:
            status = look()
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
        self._known[run_id] = status
        return status

    def forget(self, run_id: str) -> None:
        """Drop a finished run."""
        self._since.pop(run_id, None)
        self._known.pop(run_id, None)
