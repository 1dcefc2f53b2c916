"""Services whose samples are not kept here: the board asks somebody else for them, through a port, before it reads its own.

What is asked outside may take seconds, so it is asked between two transactions: who is bound to what is read, then asked
without a session, and the board is drawn of both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from slowpath.analysis.kinds.metrics.series_classification import ClassificationRule, classify_series
from slowpath.analysis.kinds.metrics.series_data import SeriesKind
from slowpath.analysis.kinds.metrics.service_panels import ServiceSamples
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service import dashboard_samples, service_signals
from slowpath.evidence.metrics.service.series_reader import SeriesSource


@dataclass(frozen=True)
class RemoteServiceBinding:
    """A service of an environment whose samples stay elsewhere."""

    environment_id: EnvironmentId
    service_id: ServiceId


@dataclass(frozen=True)
class RemoteServiceSamples:
    """What somebody else said of one service."""

    samples: ServiceSamples
    why: dashboard_samples.NotDrawnReason
    said: Mapping[str, Any]
    """Of whom it is, how far apart its values are, and what went wrong, as the board's row tells it."""

    @property
    def newest_ms(self) -> int | None:
        """The time of the newest sample."""
        return max((int(one.times_ms[-1]) for one in self.samples.counters() if len(one.times_ms)), default=None)


@dataclass(frozen=True)
class RemoteSamples:
    """What was asked for one board."""

    environments: frozenset[EnvironmentId] = frozenset()
    """Where any service is bound."""
    services: Mapping[ServiceId, RemoteServiceSamples] = field(default_factory=dict)
    """Those of the environment that is drawn."""


NOTHING: Final = RemoteSamples()


class RemoteSampleSource(Protocol):
    """Who can be asked for samples that are not kept here."""

    def bound(self, session: ReadSession) -> Sequence[RemoteServiceBinding]:
        """Return which services of the team are bound, and all that is needed to ask for them."""

    def asked(
        self, bound: Sequence[RemoteServiceBinding], between_ms: tuple[int, int], column_ms: int
    ) -> Mapping[ServiceId, RemoteServiceSamples]:
        """Ask for the samples of services in an interval, to be drawn in columns so far apart or further.

        Whatever goes wrong is told in the answer.
        """


@dataclass(frozen=True)
class LabeledSeries:
    """A series that was told of, without its samples."""

    name: str
    labels: Mapping[str, str]
    kind: SeriesKind
    unit: str


def samples_of(
    bound: RemoteServiceBinding,
    told: Sequence[LabeledSeries],
    rules: Sequence[ClassificationRule],
    source: SeriesSource,
    between_ms: tuple[int, int],
) -> tuple[ServiceSamples, dashboard_samples.NotDrawnReason]:
    """Recognise a service's series as those that are kept here, and read those that are drawn from a source."""
    rows = []
    for one in told:
        labels = {**one.labels, "service": one.labels.get("service") or str(bound.service_id)}
        role = classify_series(one.name, labels, one.kind, rules).role
        if role is not None:
            who = {label: one.labels[label] for label in service_signals.WHO_LABELS if one.labels.get(label)}
            rows.append(service_signals.ClassifiedSeries(role, one.name, one.kind, one.unit, who, one.labels))
    known = service_signals.of_rows(bound.service_id, rows, rules)
    why = dashboard_samples.NotDrawnReason(known.why_no_requests, known.why_no_latency)
    return dashboard_samples.load_service_samples(known, source, between_ms), why
