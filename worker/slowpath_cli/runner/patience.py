"""Asking how a deploy stands where the one who is asked may be away for a while: then it stands as it stood."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from slowpath_cli.runner.driver import Status
from slowpath_cli.runner.limits import NotKnown

PATIENCE_SECONDS: Final = 300.0


@dataclass
class Patience:
    """What was last known, by run. For several threads: a run is asked about by one."""

    seconds: float = PATIENCE_SECONDS
    clock: Callable[[], float] = time.monotonic
    _known: dict[str, Status] = field(default_factory=dict)
    _since: dict[str, float] = field(default_factory=dict)

    def asked(self, run_id: str, look: Callable[[], Status]) -> Status:
        """Look, or return what was known. Raises `NotKnown` where nobody could say for too long, and what `look` raises."""
        try:
            found = look()
        except NotKnown as error:
            now = self.clock()
            since = self._since.get(run_id, now)
            if now - since > self.seconds:
                raise
            self._since[run_id] = (
                max(since, now + error.seconds) if error.seconds else since
            )  # being told to wait is no outage
            known = self._known.get(run_id)
            return known or Status("rolling", f"not known just now: {error}")
        self._since.pop(run_id, None)
        self._known[run_id] = found
        return found

    def forget(self, run_id: str) -> None:
        """A run is over."""
        self._since.pop(run_id, None)
        self._known.pop(run_id, None)
