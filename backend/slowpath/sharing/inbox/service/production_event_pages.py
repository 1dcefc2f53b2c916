"""Read all evidence of one production event."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from slowpath.analysis.findings.findings import Finding
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import Conflict, InvalidRequest, NotFound
from slowpath.core.ids import EnvironmentId, ProductionEventId, ServiceId
from slowpath.core.ports import BlobStore
from slowpath.evidence.metrics.service import dashboard_markers
from slowpath.inventory.repositories.read_models import SuspectCommit
from slowpath.inventory.repositories.service import suspect_commits
from slowpath.sharing.inbox import queries
from slowpath.verdicts.bisects.service.regressed_code import RegressedSubject, read_regressed_code
from slowpath.verdicts.comparisons.service import comparison_results
from slowpath.verdicts.comparisons.tables import Comparison
from slowpath.verdicts.production_events.rules.event_ends import EventBudget, ProofItem
from slowpath.verdicts.production_events.rules.event_states import EventKind
from slowpath.verdicts.production_events.service import budget_events, event_comparisons, event_deployments, event_views
from slowpath.verdicts.production_events.service.event_deployments import DeploymentNearEvent
from slowpath.verdicts.production_events.tables import ProductionEvent, ProductionEventHistory

MOST_SUSPECTS: Final = 20
MOST_FINDINGS: Final = 5
MARGIN: Final = timedelta(minutes=30)
SHOWN_AFTER: Final = timedelta(hours=2)
"""How much of an open event is shown at first."""


@dataclass(frozen=True)
class SignalOfEvent:
    """One change point of an event."""

    id: UUID
    service_id: UUID
    signal: str
    gauge: str
    before: float
    after: float
    ratio: float
    ratio_low: float
    ratio_high: float
    at: datetime
    sentence: str


@dataclass(frozen=True)
class EventPage:
    """A production event with all its evidence."""

    event: ProductionEvent
    proof: Sequence[ProofItem]
    budgets: Sequence[EventBudget]
    signals: Sequence[SignalOfEvent]
    begin: datetime
    end: datetime
    service_ids: Sequence[UUID]
    service_slugs: Mapping[UUID, str]
    deployments: Sequence[DeploymentNearEvent]
    comparison: Comparison | None
    findings: Sequence[Finding]
    suspects: Sequence[SuspectCommit]
    suspects_reason: str | None
    requests_affected: int | None
    history: Sequence[ProductionEventHistory]
    user_names: Mapping[UUID, str]


def load_event_page(session: ReadSession, blobs: BlobStore, event_id: ProductionEventId, now: datetime) -> EventPage:
    """Return an event with its evidence. Raises `ProductionEventNotFound`."""
    event = event_views.get_event(session, event_id)
    end = min(event.closed_at or now, max(event.started_at + SHOWN_AFTER, event.detected_at) + MARGIN)
    begin = event.started_at - 2 * MARGIN
    signals = _load_signals(session, event)
    comparison = event_comparisons.find_comparison(session, event)
    findings = [] if comparison is None else comparison_results.list_findings(comparison)
    suspects, reason = _rank_suspects(session, blobs, event)
    history = event_views.list_history(session, event_id)
    users = {UUID(str(row.details["to"])) for row in history if row.kind == "assignee" and row.details.get("to")}
    users |= {row.user_id for row in history if row.user_id is not None}
    return EventPage(
        event=event,
        proof=[ProofItem(each["id"], each["sentence"], each["state"]) for each in event.proof or ()],
        budgets=budget_events.list_event_budgets(session, event.id),
        signals=signals,
        begin=begin,
        end=max(end, event.started_at + timedelta(minutes=1)),
        service_ids=list(dict.fromkeys([event.service_id, *(each.service_id for each in signals)])),
        service_slugs=queries.select_services(session),
        deployments=event_deployments.list_deployments(session, event, begin, event.closed_at or now),
        comparison=comparison,
        findings=findings[:MOST_FINDINGS],
        suspects=suspects,
        suspects_reason=reason,
        requests_affected=_count_requests(event, now),
        history=history,
        user_names=queries.select_user_names(session, users),
    )


def _load_signals(session: ReadSession, event: ProductionEvent) -> list[SignalOfEvent]:
    rows = event_views.list_change_points(session, ProductionEventId(event.id))
    if not rows:
        return []
    environment_id = EnvironmentId(event.environment_id)
    described = dashboard_markers.list_environment_change_points(
        session, environment_id, min(row.at_ms for row in rows), max(row.at_ms for row in rows)
    )
    sentences = {each.id: each.sentence for each in described}
    return [
        SignalOfEvent(
            row.id,
            row.service_id,
            row.signal,
            row.gauge,
            row.before,
            row.after,
            row.ratio,
            row.ratio_low,
            row.ratio_high,
            datetime.fromtimestamp(row.at_ms / 1000, UTC),
            sentences.get(str(row.id), ""),
        )
        for row in rows
    ]


def _rank_suspects(
    session: ReadSession, blobs: BlobStore, event: ProductionEvent
) -> tuple[Sequence[SuspectCommit], str | None]:
    """Return the commits between the former and the deployed commit, or why there are none."""
    if not event.commit or not event.former_commit:
        return [], "The event is not caused by a deployment with a commit and a former one."
    if event.commit == event.former_commit:
        return [], "The deployment runs the same commit as before."
    with suppress(NotFound, InvalidRequest, Conflict):
        service_id = ServiceId(event.service_id)
        subject = RegressedSubject(comparison_id=event.comparison_id)
        regressed = read_regressed_code(session, blobs, service_id, subject)
        ranked = suspect_commits.rank_suspects(
            session, service_id, event.former_commit, event.commit, regressed, limit=MOST_SUSPECTS
        )
        return sorted(ranked.suspects, key=lambda one: -one.share), None
    return [], "The service has no repository that contains both commits."


def _count_requests(event: ProductionEvent, now: datetime) -> int | None:
    """Return the requests since the event started, at its rate of requests; None if that is not known.

    A change of load or of a gauge alone affects none.
    """
    if event.requests_per_second is None or event.kind in (EventKind.LOAD, EventKind.GAUGE):
        return None
    lasted = ((event.closed_at or now) - event.started_at).total_seconds()
    return round(event.requests_per_second * max(lasted, 0.0))
