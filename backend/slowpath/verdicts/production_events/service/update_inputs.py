"""Gather what the update of an environment's events needs: new changes, known events, samples, later deployments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, cast
from uuid import UUID

from slowpath.analysis.kinds.metrics.changes.latency_change_points import LatencyChangePoint, SignalName
from slowpath.analysis.kinds.metrics.panels.service_cells import ServiceCells
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import DeployId, EnvironmentId, ServiceId
from slowpath.evidence.metrics.service import dashboard_samples, latency_levels
from slowpath.evidence.metrics.service.dashboard_samples import EnvironmentSignals
from slowpath.evidence.metrics.service.live_samples import LiveReads
from slowpath.evidence.metrics.service.timestamps import at_time, to_ms
from slowpath.evidence.metrics.tables import DeploymentEvaluationRow, MetricChangePoint
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Deployment
from slowpath.verdicts.production_events import queries
from slowpath.verdicts.production_events.rules.change_groups import Grouping, KnownEvent, ObservedChange, group_changes
from slowpath.verdicts.production_events.rules.event_ends import RECENT, LaterDeployment, find_fix, find_rollback
from slowpath.verdicts.production_events.rules.event_states import (
    CHECK_EVERY,
    MOST_CHECKED,
    MOST_OPENED,
    OPEN,
    OPEN_WITHIN,
    ProductionEventState,
)
from slowpath.verdicts.production_events.service.event_deployments import list_later_deployments
from slowpath.verdicts.production_events.service.triage import stated_fix
from slowpath.verdicts.production_events.tables import ProductionEvent

MOST_CHANGES: Final = 500
SIGNALS: Final = ("p99", "p90", "p50")


@dataclass(frozen=True)
class MeasuredChange:
    """A change with the cells of its service, and where the recent time begins."""

    change: LatencyChangePoint
    cells: Sequence[ServiceCells]
    recent_from_ms: int


@dataclass(frozen=True)
class CheckedEvent:
    """An open event whose samples are measured again."""

    event_id: UUID
    culprit: ObservedChange
    measured: MeasuredChange
    later: Sequence[LaterDeployment]


@dataclass(frozen=True)
class DeploymentName:
    """How a deployment is named, with its commit and that of the one before."""

    name: str
    commit: str | None
    former_commit: str | None


@dataclass(frozen=True)
class UpdateInput:
    """Input of one update. `newest` is the time of the newest sample."""

    environment_id: EnvironmentId
    newest: datetime
    grouping: Grouping
    opening: Mapping[int, MeasuredChange]
    """By the position in `grouping.new`: what the samples of the culprit show."""
    checked: Sequence[CheckedEvent]
    deployments: Mapping[UUID, DeploymentName]


def gather_update(
    session: ReadSession, environment_id: EnvironmentId, live: LiveReads | None = None
) -> UpdateInput | None:
    """Read the input of an update; None if the environment has no samples."""
    recognised = dashboard_samples.load_environment_signals(session, environment_id, live)
    if recognised.newest_ms is None:
        return None
    newest = at_time(recognised.newest_ms)
    since = newest - OPEN_WITHIN
    rows = queries.select_free_change_points(session, environment_id, to_ms(since), MOST_CHANGES)
    slower = queries.select_slower_deployments(session, environment_id, since, MOST_CHANGES)
    verdicts = [one for one in (observe_verdict(*each) for each in slower) if one is not None]
    changes = [*(observe_change(row) for row in rows), *verdicts]
    events = queries.select_events_near(session, environment_id, since)
    known = [
        know_event(row)
        for row in events
        if row.state != ProductionEventState.WITHDRAWN and row.closed_reason != "joined"
    ]
    found = group_changes(changes, known)
    grouping = Grouping(found.new[:MOST_OPENED], found.joined)
    opening = {
        number: _measured(session, recognised, group.culprit, newest)
        for number, group in enumerate(grouping.new)
        if group.culprit.id is not None
    }
    checked = [_checked(session, recognised, row, newest) for row in _choose_due(events, newest)]
    culprits = [*(each.culprit for each in grouping.new), *(each.culprit for each in checked)]
    ids = {each.deployment_id for each in culprits}
    names = {each: _name_deployment(session, each) for each in ids if each is not None}
    return UpdateInput(environment_id, newest, grouping, opening, checked, names)


def observe_change(row: MetricChangePoint) -> ObservedChange:
    """Return a change point as the grouping sees it."""
    return ObservedChange(
        id=row.id,
        service_id=row.service_id,
        signal=row.signal,
        started_at=at_time(row.at_ms),
        earliest_at=at_time(row.earliest_ms),
        latest_at=at_time(row.latest_ms),
        detected_at=at_time(row.detected_ms),
        before=row.before,
        after=row.after,
        ratio=row.ratio,
        ratio_low=row.ratio_low,
        ratio_high=row.ratio_high,
        deployment_id=row.deployment_id,
        follows_service_id=row.upstream_cause_service_id if row.cause == "dependency" else None,
        gauge=row.gauge,
        opens_event=row.signal == "qps" or (row.cause != "load" and row.ratio > 1),
    )


def observe_verdict(deployment: Deployment, row: DeploymentEvaluationRow) -> ObservedChange | None:
    """Return a deployment that is called slower as the grouping sees it; None if no quantile has values."""
    changes = {each["signal"]: each for each in row.statement["changes"]}
    worst = max((changes[each] for each in SIGNALS if each in changes), key=lambda one: one["ratio"], default=None)
    if worst is None or worst["ratio"] <= 1:
        return None
    began = deployment.started_at
    return ObservedChange(
        id=None,
        service_id=deployment.service_id,
        signal=worst["signal"],
        started_at=began,
        earliest_at=began,
        latest_at=began,
        detected_at=began + timedelta(minutes=row.minutes),
        before=worst["base_s"],
        after=worst["candidate_s"],
        ratio=worst["ratio"],
        ratio_low=worst["low"],
        ratio_high=worst["high"],
        deployment_id=deployment.id,
    )


def know_event(row: ProductionEvent) -> KnownEvent:
    """Return an event as the grouping sees it. One that a user closed is never reopened.

    What exceeds a budget changed at any time of the range that was evaluated.
    """
    return KnownEvent(
        id=row.id,
        service_id=row.service_id,
        deployment_id=row.deployment_id,
        earliest_at=row.earliest_at,
        latest_at=row.detected_at if row.cause == "budget" else row.started_at,
        detected_at=row.detected_at,
        is_open=ProductionEventState(row.state) in OPEN,
        closed_at=row.closed_at
        if row.state == ProductionEventState.CLOSED and row.closed_reason != "settled"
        else None,
        signal=row.signal,
        gauge=row.gauge,
        ratio=row.ratio,
    )


def culprit_of(row: ProductionEvent) -> ObservedChange:
    """Return the change that an event stores."""
    return ObservedChange(
        id=row.id,
        service_id=row.service_id,
        signal=row.signal,
        started_at=row.started_at,
        earliest_at=row.earliest_at,
        latest_at=row.started_at,
        detected_at=row.detected_at,
        before=row.before,
        after=row.after,
        ratio=row.ratio,
        ratio_low=row.ratio_low,
        ratio_high=row.ratio_high,
        deployment_id=row.deployment_id,
        gauge=row.gauge,
    )


def _choose_due(events: Sequence[ProductionEvent], newest: datetime) -> list[ProductionEvent]:
    """Return the open events to measure: unconfirmed ones, then those not checked for longest."""
    due = [
        row
        for row in events
        if row.state in OPEN
        and (row.number is None or row.checked_at is None or newest - row.checked_at >= CHECK_EVERY)
    ]
    return sorted(due, key=lambda row: (row.number is not None, row.checked_at or row.started_at))[:MOST_CHECKED]


def _checked(
    session: ReadSession, recognised: EnvironmentSignals, row: ProductionEvent, newest: datetime
) -> CheckedEvent:
    points = queries.select_change_points(session, row.id)
    measured = row.service_id, row.signal, row.gauge
    own = [each for each in points if (each.service_id, each.signal, each.gauge) == measured]
    culprit = observe_change(own[0]) if own else culprit_of(row)  # its change point may have been measured again
    later = list_later_deployments(session, row, newest)
    proving = [find_rollback(row.former_commit, later), find_fix(stated_fix(row), later)]
    since = max((each.started_at for each in proving if each is not None), default=row.detected_at)
    return CheckedEvent(row.id, culprit, _measured(session, recognised, culprit, newest, since), later)


def _measured(
    session: ReadSession,
    recognised: EnvironmentSignals,
    observed: ObservedChange,
    newest: datetime,
    since: datetime | None = None,
) -> MeasuredChange:
    change = as_change_point(observed)
    cells = latency_levels.read_cells(session, recognised, ServiceId(observed.service_id), change)
    begin = max(newest - RECENT, observed.detected_at, since or observed.detected_at)
    return MeasuredChange(change, cells, to_ms(begin))


def as_change_point(observed: ObservedChange) -> LatencyChangePoint:
    """Return an observed change as the statistics of change points take it."""
    return LatencyChangePoint(
        cast("SignalName", observed.signal),
        to_ms(observed.started_at),
        to_ms(observed.earliest_at),
        to_ms(observed.latest_at),
        to_ms(observed.detected_at),
        observed.before,
        observed.after,
        observed.ratio,
        observed.ratio_low,
        observed.ratio_high,
        observed.gauge,
    )


def _name_deployment(session: ReadSession, deployment_id: UUID) -> DeploymentName:
    row = catalog.deploy(session, DeployId(deployment_id))
    former = queries.find_former_deployment(
        session, ServiceId(row.service_id), EnvironmentId(row.environment_id), row.started_at
    )
    name = short_commit(row.commit) or row.label or "without a commit"
    return DeploymentName(name, row.commit or None, former.commit or None if former is not None else None)
