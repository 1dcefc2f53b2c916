"""Services whose samples are not kept here: the board asks somebody else for them, through a port, before it reads its own.

What is asked outside may take seconds, so it is asked between two transactions: who is bound to what is read, then asked
without a session, and the board is drawn of both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from slowpath.analysis.metrics.detection import Rule, recognise
from slowpath.analysis.metrics.panels import ServiceSamples
from slowpath.analysis.metrics.series import SeriesKind
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.core.sessions import ReadSession
from slowpath.metrics.service import board_samples, signals
from slowpath.metrics.service.reading import Source


@dataclass(frozen=True)
class Bound:
    """A service of an environment whose samples stay elsewhere."""

    environment_id: EnvironmentId
    service_id: ServiceId


@dataclass(frozen=True)
class Through:
    """What somebody else said of one service."""

    samples: ServiceSamples
    why: board_samples.Why
    said: Mapping[str, Any]
    """Of whom it is, how far apart its values are, and what went wrong, as the board's row tells it."""

    @property
    def newest_ms(self) -> int | None:
        """The time of the newest sample."""
        return max((int(one.times_ms[-1]) for one in self.samples.counters() if len(one.times_ms)), default=None)


@dataclass(frozen=True)
class Elsewhere:
    """What was asked for one board."""

    environments: frozenset[EnvironmentId] = frozenset()
    """Where any service is bound."""
    services: Mapping[ServiceId, Through] = field(default_factory=dict)
    """Those of the environment that is drawn."""


NOTHING: Final = Elsewhere()


class Beyond(Protocol):
    """Who can be asked for samples that are not kept here."""

    def bound(self, session: ReadSession) -> Sequence[Bound]:
        """Return which services of the team are bound, and all that is needed to ask for them."""

    def asked(self, bound: Sequence[Bound], between_ms: tuple[int, int], column_ms: int) -> Mapping[ServiceId, Through]:
        """Ask for the samples of services in an interval, to be drawn in columns so far apart or further.

        Whatever goes wrong is told in the answer.
        """


@dataclass(frozen=True)
class Labelled:
    """A series that was told of, without its samples."""

    name: str
    labels: Mapping[str, str]
    kind: SeriesKind
    unit: str


def samples_of(
    bound: Bound, told: Sequence[Labelled], rules: Sequence[Rule], source: Source, between_ms: tuple[int, int]
) -> tuple[ServiceSamples, board_samples.Why]:
    """Recognise a service's series as those that are kept here, and read those that are drawn from a source."""
    rows = []
    for one in told:
        labels = {**one.labels, "service": one.labels.get("service") or str(bound.service_id)}
        role = recognise(one.name, labels, one.kind, rules).role
        if role is not None:
            who = {label: one.labels[label] for label in signals.WHO_LABELS if one.labels.get(label)}
            rows.append(signals.Row(role, one.name, one.kind, one.unit, who, one.labels))
    known = signals.of_rows(bound.service_id, rows, rules)
    why = board_samples.Why(known.why_no_requests, known.why_no_latency)
    return board_samples.samples_from(known, source, between_ms), why
