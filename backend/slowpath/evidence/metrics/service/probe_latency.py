"""Latency of one deployment in an environment, and the traffic of a service before a deployment."""

from dataclasses import dataclass
from typing import Final

from slowpath.analysis.kinds.metrics.changes.probe_latency import ProbeLatencyWindow, SeriesOwner, run_window
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.service import dashboard_samples

MARGIN_MS: Final = 15 * 60_000
"""Time before a measurement window that contains a sample of every counter, even with long push intervals."""
LATELY_MS: Final = 15 * 60_000
"""Time range in which the requests of a service are counted."""
ALL: Final = SeriesOwner("environment", "", "", None)
AFTER_MS: Final = 15 * 60_000
HISTOGRAMS: Final = ("native", "classic")


@dataclass(frozen=True)
class ProbeLatency:
    """Samples of a deployment, or the reason why none are recognized."""

    window: ProbeLatencyWindow
    why: str | None


@dataclass(frozen=True)
class InstanceTraffic:
    """Request rate of one instance of a service, and its push interval."""

    per_second: float
    interval_ms: int


@dataclass(frozen=True)
class RecentServiceMetrics:
    """Recent samples of a service in an environment, up to `at_ms`."""

    samples: ServiceSamples
    at_ms: int
    has_histogram: bool

    def traffic(self, route: str) -> InstanceTraffic | None:
        """Return the request rate of one instance, for one route ("" for all); None if unknown."""
        seen = run_window(self.samples, self.at_ms - LATELY_MS, self.at_ms, ALL, route)
        if not seen.requests or not seen.known_ms:
            return None
        return InstanceTraffic(seen.requests * 1000 / seen.known_ms / max(seen.instances, 1), seen.interval_ms)


def between(from_ms: int, to_ms: int) -> tuple[int, int]:
    """Return the time range of the samples needed for a measurement window."""
    return from_ms - MARGIN_MS, to_ms + AFTER_MS


def latency_of_run(  # noqa: PLR0917 - of what, where, when, whose
    session: ReadSession,
    service_id: ServiceId,
    environment_id: EnvironmentId,
    between_ms: tuple[int, int],
    whose: SeriesOwner,
    route: str,
) -> ProbeLatency:
    """Return the latency of a deployment in a measurement window, as far as it was pushed."""
    recognised = dashboard_samples.load_environment_signals(session, environment_id)
    samples = recognised.samples(session, [service_id], *between(*between_ms))[service_id]
    return of_samples(samples, recognised.why(service_id).latency, between_ms, whose, route)


def of_samples(
    samples: ServiceSamples, why: str | None, between_ms: tuple[int, int], whose: SeriesOwner, route: str
) -> ProbeLatency:
    """Return the latency of a deployment in a measurement window from the given samples."""
    if why is None and not samples.natives and not samples.buckets and (samples.sums or samples.counts):
        why = "only a sum and a count arrive: no quantiles can be known"
    return ProbeLatency(run_window(samples, *between_ms, whose, route), why)


def lately(session: ReadSession, service_id: ServiceId, environment_id: EnvironmentId) -> RecentServiceMetrics:
    """Read the recent samples of a service in an environment."""
    at_ms = queries.now_ms(session)
    recognised = dashboard_samples.load_environment_signals(session, environment_id)
    known = recognised.services.get(service_id)
    if known is None or not any(one.shape in HISTOGRAMS for one in known.latency):
        return RecentServiceMetrics(ServiceSamples(), at_ms, has_histogram=False)
    samples = recognised.samples(session, [service_id], at_ms - LATELY_MS, at_ms)[service_id]
    return RecentServiceMetrics(samples, at_ms, has_histogram=True)


def now_ms(session: ReadSession) -> int:
    """Return the time of the database's clock."""
    return queries.now_ms(session)
