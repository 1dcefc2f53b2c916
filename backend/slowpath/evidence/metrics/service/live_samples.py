"""Read samples of services that are queried live, for evaluations that otherwise read stored samples.

An evaluation gathers its input in a session, through `EnvironmentSignals`, whose implementations are the database and
`LiveReads`. Queries to a source can take seconds, so no session is open during them: `LiveReads` answers what it has read,
and notes what is missing. `gather_with_sources` then queries the sources and gathers again, until nothing is missing.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import SlowpathError, UpstreamUnavailable
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service.service_signals import ServiceSignals

RECENT_MS: Final = 15 * 60_000
"""A service without samples in this time has no newest sample, and is not evaluated."""
MOST_ROUNDS: Final = 12
"""Maximum number of times that an input is gathered; what it reads depends on what it has read two or three times."""
EMPTY: Final = ServiceSamples()
Input = TypeVar("Input")


@dataclass(frozen=True)
class RemoteServiceBinding:
    """Binding of a federated service: its environment and service."""

    environment_id: EnvironmentId
    service_id: ServiceId
    scanned_until_ms: int | None
    """Time of the newest sample of its environment at the last scan that could read the service; None before the first."""


@dataclass(frozen=True)
class LiveRange:
    """A time range of one service to read, both ends included."""

    binding: RemoteServiceBinding = field(hash=False)  # it can hold a connection, which has no hash
    from_ms: int
    to_ms: int


@dataclass(frozen=True)
class LiveSamples:
    """Samples of a range as its source has them; `error` states why the source could not be read completely."""

    samples: ServiceSamples = EMPTY
    signals: ServiceSignals | None = None
    error: SlowpathError | None = None

    @property
    def newest_ms(self) -> int | None:
        """Time of the newest sample."""
        return max((int(one.times_ms[-1]) for one in self.samples.counters() if len(one.times_ms)), default=None)


OpenedService = tuple[RemoteServiceBinding, SlowpathError | None]
"""A service that an evaluation reads, and why it cannot."""


class LiveSampleSource(Protocol):
    """Port that reads samples of federated services for evaluations."""

    def bound(self, session: ReadSession) -> Sequence[RemoteServiceBinding]:
        """Return the bindings of the team's federated services."""

    def read(self, ranges: Sequence[LiveRange], now_ms: int) -> Sequence[LiveSamples]:
        """Read ranges completely or not at all. Takes seconds and no session."""

    def record(
        self, session: WriteSession, opened: Sequence[OpenedService], scanned_ms: int | None, now_ms: int
    ) -> None:
        """Record which services were scanned until `scanned_ms`, if there was a scan, and which sources fail."""


class LiveReads:
    """What one evaluation has read from sources, and what it still wants to read."""

    def __init__(self, source: LiveSampleSource, now_ms: int, *, is_strict: bool = False) -> None:
        """Read from a source. With `is_strict`, `fetch` raises the error of a source; else the service has no samples."""
        self._source = source
        self._now_ms = now_ms
        self._is_strict = is_strict
        self._bound: Sequence[RemoteServiceBinding] | None = None
        self._known: dict[LiveRange, LiveSamples] = {}
        self._wanted: dict[LiveRange, None] = {}

    def bindings(self, session: ReadSession, environment_id: EnvironmentId) -> list[RemoteServiceBinding]:
        """Return the bindings of the services of an environment."""
        if self._bound is None:
            self._bound = self._source.bound(session)
        return [each for each in self._bound if each.environment_id == environment_id]

    def is_used(self, environment_id: EnvironmentId) -> bool:
        """Return whether anything of the environment was read from sources."""
        return any(each.binding.environment_id == environment_id for each in self._known)

    def open(self, binding: RemoteServiceBinding) -> LiveSamples | None:
        """Return the newest samples and the signals of a service; None if they are not read yet."""
        return self._find(LiveRange(binding, self._now_ms - RECENT_MS, self._now_ms))

    def samples(self, binding: RemoteServiceBinding, from_ms: int, to_ms: int) -> ServiceSamples:
        """Return the samples of a time range; none if it is not read yet, or if the source fails."""
        found = self._find(LiveRange(binding, from_ms, to_ms))
        return EMPTY if found is None or self._failed(binding) else found.samples

    def error(self, binding: RemoteServiceBinding) -> SlowpathError | None:
        """Return why a service cannot be read, or None."""
        errors = (one.error for each, one in self._known.items() if each.binding == binding)
        return next((error for error in errors if error is not None), None)

    def fetch(self) -> bool:
        """Read what is missing; return whether anything was. Needs no session. Raises errors of sources if strict."""
        ranges = list(self._wanted)
        self._wanted.clear()
        if not ranges:
            return False
        self._known |= zip(ranges, self._source.read(ranges, self._now_ms), strict=True)
        for each in ranges:
            error = self._known[each].error
            if self._is_strict and error is not None:
                raise error
        return True

    def record(self, session: WriteSession, environment_id: EnvironmentId, scanned_ms: int | None) -> None:
        """Record the end of a scan of an environment; `scanned_ms` is None if there was nothing new."""
        opened = [(each, self.error(each)) for each in self.bindings(session, environment_id)]
        if opened:
            self._source.record(session, opened, scanned_ms, self._now_ms)

    def _find(self, wanted: LiveRange) -> LiveSamples | None:
        found = self._known.get(wanted)
        if found is None:
            self._wanted[wanted] = None
        return found

    def _failed(self, binding: RemoteServiceBinding) -> bool:
        return self.error(binding) is not None


def gather_with_sources(
    reading: Callable[[], AbstractContextManager[ReadSession]],
    live: LiveReads,
    gather: Callable[[ReadSession], Input],
) -> Input:
    """Return the input of an evaluation, gathered again after each query to sources. `gather` must only read.

    Raises `UpstreamUnavailable` if it never ends.
    """
    for _ in range(MOST_ROUNDS):
        with reading() as session:
            found = gather(session)
        if not live.fetch():
            return found
    raise UpstreamUnavailable("The samples that an evaluation needs changed each time they were read.")
