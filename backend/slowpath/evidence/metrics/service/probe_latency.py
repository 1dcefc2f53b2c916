"""The latency of one deploy among others in an environment; and how much traffic a service has, before anything is deployed."""

from dataclasses import dataclass
from typing import Final

from slowpath.analysis.kinds.metrics.probe_latency import ProbeLatencyWindow, SeriesOwner, run_window
from slowpath.analysis.kinds.metrics.service_panels import ServiceSamples
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.service import dashboard_samples

MARGIN_MS: Final = 15 * 60_000
"""Before a window: what counters had reached at its beginning is told by a sample before it, however seldom they are pushed."""
LATELY_MS: Final = 15 * 60_000
"""So far back is looked to see how many requests a service has."""
ALL: Final = SeriesOwner("environment", "", "", None)
AFTER_MS: Final = 15 * 60_000
HISTOGRAMS: Final = ("native", "classic")


@dataclass(frozen=True)
class ProbeLatency:
    """What was pushed of a deploy, and why nothing could be recognised at all, if that is so."""

    window: ProbeLatencyWindow
    why: str | None


@dataclass(frozen=True)
class InstanceTraffic:
    """What one instance of a service is asked, and how far apart its pushes are."""

    per_second: float
    interval_ms: int


@dataclass(frozen=True)
class RecentServiceMetrics:
    """What a service pushed of late in an environment, up to `at_ms`."""

    samples: ServiceSamples
    at_ms: int
    has_histogram: bool

    def traffic(self, route: str) -> InstanceTraffic | None:
        """Return how much one instance is asked, of one route ("": of all); None where nothing tells it."""
        seen = run_window(self.samples, self.at_ms - LATELY_MS, self.at_ms, ALL, route)
        if not seen.requests or not seen.known_ms:
            return None
        return InstanceTraffic(seen.requests * 1000 / seen.known_ms / max(seen.instances, 1), seen.interval_ms)


def between(from_ms: int, to_ms: int) -> tuple[int, int]:
    """Return of when samples are needed for a window."""
    return from_ms - MARGIN_MS, to_ms + AFTER_MS


def latency_of_run(  # noqa: PLR0917 - of what, where, when, whose
    session: ReadSession,
    service_id: ServiceId,
    environment_id: EnvironmentId,
    between_ms: tuple[int, int],
    whose: SeriesOwner,
    route: str,
) -> ProbeLatency:
    """Return the latency of a deploy in a window, as far as it has been pushed."""
    recognised = dashboard_samples.load_environment_signals(session, environment_id)
    samples = recognised.samples(session, [service_id], *between(*between_ms))[service_id]
    return of_samples(samples, recognised.why(service_id).latency, between_ms, whose, route)


def of_samples(
    samples: ServiceSamples, why: str | None, between_ms: tuple[int, int], whose: SeriesOwner, route: str
) -> ProbeLatency:
    """Return the latency of a deploy in a window from samples that were read elsewhere."""
    if why is None and not samples.natives and not samples.buckets and (samples.sums or samples.counts):
        why = "only a sum and a count arrive: no quantiles can be known"
    return ProbeLatency(run_window(samples, *between_ms, whose, route), why)


def lately(session: ReadSession, service_id: ServiceId, environment_id: EnvironmentId) -> RecentServiceMetrics:
    """Read what a service pushed of late in an environment."""
    at_ms = queries.now_ms(session)
    recognised = dashboard_samples.load_environment_signals(session, environment_id)
    known = recognised.services.get(service_id)
    if known is None or not any(one.shape in HISTOGRAMS for one in known.latency):
        return RecentServiceMetrics(ServiceSamples(), at_ms, has_histogram=False)
    samples = recognised.samples(session, [service_id], at_ms - LATELY_MS, at_ms)[service_id]
    return RecentServiceMetrics(samples, at_ms, has_histogram=True)


def now_ms(session: ReadSession) -> int:
    """Return the time by the database's clock."""
    return queries.now_ms(session)
