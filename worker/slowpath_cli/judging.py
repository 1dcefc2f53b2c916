"""Waiting until what was uploaded is read and its build is judged; what a gate says of that."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from slowpath_cli.collecting.errors import Declined
from slowpath_cli.collecting.server import Server

REGRESSED, INCONCLUSIVE, PASSED = 1, 3, 0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 5.0
UNREAD = frozenset({"received", "decoding"})
UNJUDGED = frozenset({"waiting", "judging"})
UNTOLD_S = 60.0
"""So long a build may be without a judgement: it is asked for a few seconds after its last file was read."""


@dataclass(frozen=True)
class Ended:
    """How it ended: files that could not be read, and the judgement; `state` is None where there is none."""

    unread: tuple[str, ...]
    build_id: str | None
    state: str | None
    sentence: str

    @property
    def gate(self) -> int:
        """The exit code of a gate: 1 for a regression, 3 when nobody can say, 0 otherwise."""
        if self.state == "changed":
            return REGRESSED
        if self.unread or self.state in {None, "inconclusive"} or self.state in UNJUDGED:
            return INCONCLUSIVE
        return PASSED


class Waiting:
    """Asks again and again, less and less often, until an answer is final or the time is over."""

    def __init__(
        self,
        server: Server,
        seconds: float,
        pause: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Wait at most so long in all."""
        self._server = server
        self._until = now() + seconds
        self._pause = pause
        self._now = now

    def ended(self, artifact_ids: Sequence[str], build_id: str | None) -> Ended:
        """Return how it ended, or how far it is when the time is over. Raises like the server."""
        unread = tuple(told for told in map(self._read, artifact_ids) if told)
        if build_id is None:
            return Ended(unread, build_id, None, "The files belong to no build.")
        if artifact_ids and len(unread) == len(artifact_ids):
            return Ended(unread, build_id, None, "None of the files could be read.")
        return Ended(unread, build_id, *self._judged(build_id))

    def _read(self, artifact_id: str) -> str | None:
        pause = FIRST_PAUSE_S
        while True:
            artifact = self._server.artifact(artifact_id)
            if artifact["state"] == "decoded":
                return None
            if artifact["state"] not in UNREAD:
                return f"{artifact['name']}: {(artifact.get('error') or {}).get('detail', artifact['state'])}"
            if self._now() >= self._until:
                return f"{artifact['name']}: not read yet"
            pause = self._again(pause)

    def _judged(self, build_id: str) -> tuple[str | None, str]:
        pause, untold_until = FIRST_PAUSE_S, self._now() + UNTOLD_S
        while True:
            told = self._judgement(build_id)
            if told is not None and told[0] not in UNJUDGED:
                return told
            if self._now() >= self._until or (told is None and self._now() >= untold_until):
                return told or (None, "The build is not judged.")
            pause = self._again(pause)

    def _judgement(self, build_id: str) -> tuple[str, str] | None:
        try:
            told = self._server.judgement(build_id)
        except Declined as error:
            if error.status != 404:
                raise
            return None
        return str(told["state"]), str(told["sentence"])

    def _again(self, pause: float) -> float:
        self._pause(min(pause, max(self._until - self._now(), 0.0)))
        return min(pause * 1.5, LONGEST_PAUSE_S)
