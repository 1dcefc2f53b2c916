"""Propose latency signatures: measured in production for both builds, or measurable in an environment."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from slowpath.analysis.builds.latency_measurements import LatencySubject
from slowpath.analysis.findings.build_measurements import KindMeasurement
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId, EnvironmentId, ServiceId
from slowpath.evidence.metric_sources.service import federated_services
from slowpath.evidence.metrics.service import probe_latency, service_signals
from slowpath.evidence.metrics.service.probe_latency import RecentServiceMetrics
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Environment
from slowpath.verdicts.bisects.rules.bisect_proposals import DashboardLatencySource, Signature, SignatureProposal
from slowpath.verdicts.bisects.rules.latency_measurements import LATENCY, parse_quantile, required_window_seconds
from slowpath.verdicts.regressions import wording
from slowpath.verdicts.regressions.service import build_latency

Z95: Final = 1.96
CLEAR: Final = 1.1
"""Least ratio that few measurements can detect."""
UNIT: Final = "ns"
USUAL: Final = "p99"
MOST_ENVIRONMENTS: Final = 200
MOST_PLACES: Final = 3
"""Most environments proposed without measurements of the two builds."""


def make_latency_signature(subject: str) -> Signature:
    """Return the signature of a quantile in an environment."""
    return Signature(LATENCY, subject, f"Latency, {wording.name_series(LATENCY, subject)}", UNIT)


class LatencyEnvironments:
    """Environments with latency of a service on the dashboard."""

    def __init__(self, session: ReadSession, service_id: ServiceId) -> None:
        """List the environments; traffic is read on demand."""
        self._session, self._service_id = session, service_id
        rows = catalog.environments(session, None, MOST_ENVIRONMENTS)
        measured = service_signals.environments_measured(session)
        self._federated = set(federated_services.environments_of(session, service_id))
        self.by_slug = {row.slug: row for row in rows}
        self.rows = [row for row in rows if row.id in measured or row.id in self._federated]
        self._recent: dict[UUID, RecentServiceMetrics] = {}

    def named(self) -> tuple[tuple[UUID, str], ...]:
        """Return ID and name of each environment."""
        return tuple((row.id, row.name) for row in self.rows)

    def board(self, subject: LatencySubject) -> DashboardLatencySource | None:
        """Return the environment of a quantile and its measurement window; None if it cannot be measured."""
        quantile, row = parse_quantile(subject.quantile), self.by_slug.get(subject.environment)
        if quantile is None or row is None:
            return None
        known = self._of(row).traffic(subject.route)
        seconds = None if known is None else required_window_seconds(quantile, known.per_second, known.interval_ms)
        return DashboardLatencySource(row.id, row.name, seconds)

    def has_latency(self, row: Environment) -> bool:
        """Return whether the service has latency samples there."""
        return row.id in self._federated or self._of(row).has_histogram

    def _of(self, row: Environment) -> RecentServiceMetrics:
        if row.id not in self._recent:
            self._recent[row.id] = probe_latency.lately(self._session, self._service_id, EnvironmentId(row.id))
        return self._recent[row.id]


def propose_from_builds(
    session: ReadSession, places: LatencyEnvironments, good: UUID | None, bad: UUID | None, *, but: Sequence[str] = ()
) -> list[SignatureProposal]:
    """Return the quantiles that increased between both builds in production, except `but`."""
    if good is None or bad is None:
        return []
    known = build_latency.load_latency(session, [BuildId(good), BuildId(bad)])
    if len(known) < 2:
        return []
    before, after = known[BuildId(good)], known[BuildId(bad)]
    found = []
    for subject in before.subjects:
        board = places.board(LatencySubject.read(subject))
        if subject in after.subjects and subject not in but and board is not None:
            one = _offered(subject, _value(before, subject), _value(after, subject), board)
            found += [one] if one is not None else []
    return found


def propose_from_series(
    subject: str, before: float | None, after: float | None, low: float | None, places: LatencyEnvironments
) -> SignatureProposal | None:
    """Return the signature of a latency series that changed with a regression.

    None if probes cannot measure it.
    """
    board = places.board(LatencySubject.read(subject))
    if board is None:
        return None
    ratio = after / before if before and after else None
    why = f"Changed with the regression{'' if ratio is None else f', {wording.format_change(ratio)}'}."
    return SignatureProposal(make_latency_signature(subject), before, after, _is_clear(ratio, low), why, board)


def propose_default(places: LatencyEnvironments) -> list[SignatureProposal]:
    """Return the default quantile in environments with latency of the service."""
    rows = [row for row in places.rows if places.has_latency(row)][:MOST_PLACES]
    why = "Shown on the dashboard of this environment"
    subjects = [LatencySubject(row.slug, "", USUAL) for row in rows]
    return [
        SignatureProposal(
            make_latency_signature(str(one)), None, None, separates=False, why=why, board=places.board(one)
        )
        for one in subjects
    ]


def _offered(
    subject: str, before: tuple[float, float], after: tuple[float, float], board: DashboardLatencySource
) -> SignatureProposal | None:
    """Return the signature of two values with standard errors; None if it did not increase."""
    ratio = after[0] / before[0]
    if ratio <= 1:
        return None
    error = math.hypot(before[1] / before[0], after[1] / after[0])
    low, high = (math.exp(math.log(ratio) + way * Z95 * error) for way in (-1, 1))
    interval = f"{wording.format_change(low)} to {wording.format_change(high)}"
    why = f"Measured in production: {wording.format_change(ratio)} (95% CI {interval})."
    offered = SignatureProposal(make_latency_signature(subject), before[0], after[0], _is_clear(ratio, low), why, board)
    return replace(offered, separation=math.log(ratio) / error if error > 0 else None)


def _is_clear(ratio: float | None, low: float | None) -> bool:
    """Return whether an increase is significant and large enough for few measurements."""
    return ratio is not None and ratio >= CLEAR and low is not None and low > 1


def _value(measure: KindMeasurement, subject: str) -> tuple[float, float]:
    place = measure.subjects.index(subject)
    values = next(iter(measure.bases.values()))
    return float(values.value[place]), float(values.error[place])
