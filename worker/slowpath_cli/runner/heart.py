"""Beating for a probe while it is built, warmed up and measured, and hearing what is to become of it."""

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Final

from slowpath_cli.runner.control import Beat, Control, Forbidden, Gone, NotTaken, Silent
from slowpath_cli.runner.files import Run

LEAST_SECONDS: Final = 0.5


class Heart:
    """Beats for one run from a thread of its own."""

    def __init__(self, control: Control, run: Run, lost_after_seconds: float, log: Callable[[], str]) -> None:
        self._control, self._run, self._log = control, run, log
        self._lost_after = lost_after_seconds
        self._phase = "deploying"
        self._heard_at = time.monotonic()
        self._stopped = Event()
        self.torn = Event()
        """Set when the probe is to be taken down: the server says so, does not know it, or was silent for too long."""
        self.why = ""
        self.last = Beat("measure", 1, 0, float(run.lease.get("lease_seconds", 30)))
        self._thread = Thread(target=self._beat_on, name=f"heart-{run.slot}", daemon=True)

    def start(self) -> None:
        """Beat from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no more."""
        self._stopped.set()
        self._thread.join()
        self._control.close()

    def tear(self, why: str) -> None:
        """Have the probe taken down."""
        self.why = self.why or why
        self.torn.set()

    def say(self, phase: str) -> Beat | None:
        """Beat now, in a phase; returns what was heard, nothing where nobody answers."""
        self._phase = phase
        return self._beat()

    def _beat_on(self) -> None:
        while not self._stopped.wait(max(self.last.lease_seconds / 3, LEAST_SECONDS)):
            self._beat()

    def _beat(self) -> Beat | None:
        try:
            heard = self._control.beat(self._run.run_id, self._phase, self._log())
        except Gone as error:
            self.tear(str(error))
            return Beat("tear-down")
        except (Silent, Forbidden, NotTaken) as error:
            silent = time.monotonic() - self._heard_at
            if silent > self._lost_after:
                self.tear(f"The server was not heard for {silent:.0f} s: {error}")
            return None
        self._heard_at = time.monotonic()
        self.last = heard
        if heard.command == "tear-down":
            self.tear("")
        return heard
