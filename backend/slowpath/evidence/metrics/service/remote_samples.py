"""Port for federated services: the dashboard queries their samples before it reads the stored ones.

A query to a source can take seconds, so it runs between two transactions: bindings are read first, queries run without a
session, and the dashboard is built from both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from slowpath.analysis.kinds.metrics.dashboard.dashboard_header import DashboardSource
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.analysis.kinds.metrics.samples.series_classification import ClassificationRule, classify_series
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service import dashboard_samples, service_signals
from slowpath.evidence.metrics.service.live_samples import RemoteServiceBinding
from slowpath.evidence.metrics.service.series_reader import SeriesSource


@dataclass(frozen=True)
class RemoteServiceSamples:
    """Result of a federated query for one service."""

    samples: ServiceSamples
    why: dashboard_samples.NotDrawnReason
    source: DashboardSource

    @property
    def newest_ms(self) -> int | None:
        """Time of the newest sample."""
        return max((int(one.times_ms[-1]) for one in self.samples.counters() if len(one.times_ms)), default=None)


@dataclass(frozen=True)
class RemoteSamples:
    """Results of the federated queries of one dashboard."""

    environments: frozenset[EnvironmentId] = frozenset()
    """Environments with federated services."""
    services: Mapping[ServiceId, RemoteServiceSamples] = field(default_factory=dict)
    """Results of the shown environment, by service."""


NOTHING: Final = RemoteSamples()


class RemoteSampleSource(Protocol):
    """Port that queries samples of federated services."""

    def bound(self, session: ReadSession) -> Sequence[RemoteServiceBinding]:
        """Return the bindings of the team's federated services."""

    def asked(
        self, bound: Sequence[RemoteServiceBinding], between_ms: tuple[int, int], column_ms: int
    ) -> Mapping[ServiceId, RemoteServiceSamples]:
        """Query the samples of services in a time range, for columns of at least this width.

        Problems are part of the result.
        """


@dataclass(frozen=True)
class LabeledSeries:
    """A series without its samples."""

    name: str
    labels: Mapping[str, str]
    kind: SeriesKind
    unit: str


def signals_of(
    bound: RemoteServiceBinding, series: Sequence[LabeledSeries], rules: Sequence[ClassificationRule]
) -> service_signals.ServiceSignals:
    """Classify a service's series like stored ones."""
    rows = []
    for one in series:
        labels = {**one.labels, "service": one.labels.get("service") or str(bound.service_id)}
        role = classify_series(one.name, labels, one.kind, rules).role
        if role is not None:
            who = {label: one.labels[label] for label in service_signals.WHO_LABELS if one.labels.get(label)}
            rows.append(service_signals.ClassifiedSeries(role, one.name, one.kind, one.unit, who, one.labels))
    return service_signals.of_rows(bound.service_id, rows, rules)


def samples_of(
    bound: RemoteServiceBinding,
    series: Sequence[LabeledSeries],
    rules: Sequence[ClassificationRule],
    source: SeriesSource,
    between_ms: tuple[int, int],
) -> tuple[ServiceSamples, dashboard_samples.NotDrawnReason]:
    """Classify a service's series like stored ones, and read the shown ones from a source."""
    known = signals_of(bound, series, rules)
    why = dashboard_samples.NotDrawnReason(known.why_no_requests, known.why_no_latency)
    return dashboard_samples.load_service_samples(known, source, between_ms), why
