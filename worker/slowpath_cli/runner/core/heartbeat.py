"""Send heartbeats of a probe, and receive the server's commands."""

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Final

from slowpath_cli.runner.core.run_store import RunRecord
from slowpath_cli.runner.core.server_client import (
    HeartbeatReply,
    ReportRejected,
    ServerClient,
    ServerUnavailable,
    TokenForbidden,
    UnknownToServer,
)

MIN_SECONDS: Final = 0.5


class HeartbeatThread:
    """Sends the heartbeats of one run in a thread."""

    def __init__(
        self, control: ServerClient, run: RunRecord, lease_timeout_seconds: float, log: Callable[[], str]
    ) -> None:
        self._control, self._run, self._log = control, run, log
        self._lost_after = lease_timeout_seconds
        self._phase = "deploying"
        self._answered_at = time.monotonic()
        self._stopped = Event()
        self.aborted = Event()
        """Set when the probe must stop: by the server's command, if it is unknown there, or after a long outage."""
        self.why = ""
        self.last = HeartbeatReply("measure", 1, 0, float(run.lease.get("lease_seconds", 30)))
        self._thread = Thread(target=self._send_until_stopped, name=f"heartbeat-{run.slot}", daemon=True)

    def start(self) -> None:
        """Start sending heartbeats."""
        self._thread.start()

    def stop(self) -> None:
        """Stop sending heartbeats."""
        self._stopped.set()
        self._thread.join()
        self._control.close()

    def abort(self, why: str) -> None:
        """Request that the probe stops."""
        self.why = self.why or why
        self.aborted.set()

    def report_phase(self, phase: str) -> HeartbeatReply | None:
        """Send a heartbeat with this phase now; return the reply, or None if the server does not respond."""
        self._phase = phase
        return self._send()

    def _send_until_stopped(self) -> None:
        while not self._stopped.wait(max(self.last.lease_seconds / 3, MIN_SECONDS)):
            self._send()

    def _send(self) -> HeartbeatReply | None:
        try:
            reply = self._control.beat(self._run.run_id, self._phase, self._log())
        except UnknownToServer as error:
            self.abort(str(error))
            return HeartbeatReply("stop")
        except (ServerUnavailable, TokenForbidden, ReportRejected) as error:
            outage_s = time.monotonic() - self._answered_at
            if outage_s > self._lost_after:
                self.abort(f"The server has not responded for {outage_s:.0f} s: {error}")
            return None
        self._answered_at = time.monotonic()
        self.last = reply
        if reply.command == "stop":
            self.abort("")
        return reply
