"""Open, confirm, reopen and close production events: decide without a database, then record."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from numpy.random import Generator

from slowpath.analysis.kinds.metrics.changes.latency_change_points import FLOOR
from slowpath.analysis.kinds.metrics.changes.level_measurement import LevelMeasurement, measure_level
from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import Conflict, InvalidRequest, NotFound
from slowpath.core.ids import EnvironmentId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.verdicts.production_events import queries, wording
from slowpath.verdicts.production_events.jobs import UpdateProductionEvents
from slowpath.verdicts.production_events.rules.change_groups import TOGETHER, NewGroup, ObservedChange, is_way_back
from slowpath.verdicts.production_events.rules.event_severity import (
    decide_level_severity,
    decide_severity,
    estimate_added_latency,
)
from slowpath.verdicts.production_events.rules.event_states import (
    ANNOUNCE_WITHIN,
    COMPARE_WITHIN,
    CONFIRM_WITHIN,
    OPEN,
    EventKind,
    ProductionEventState,
)
from slowpath.verdicts.production_events.service import budget_events, event_comparisons
from slowpath.verdicts.production_events.service.event_ends import decide_end, join_event
from slowpath.verdicts.production_events.service.event_history import close_event, record_history
from slowpath.verdicts.production_events.service.update_inputs import (
    CheckedEvent,
    DeploymentName,
    MeasuredChange,
    UpdateInput,
)
from slowpath.verdicts.production_events.tables import ProductionEvent, ProductionEventChangePoint


@dataclass(frozen=True)
class UpdateMeasurements:
    """What the samples show of new groups by their position, and of checked events by ID."""

    opening: Mapping[int, LevelMeasurement]
    checked: Mapping[UUID, LevelMeasurement]


def enqueue_update(session: WriteSession, environment_id: EnvironmentId, *, is_changed: bool) -> None:
    """Enqueue the update of an environment's events if changes were recorded or an event is open.

    Call it in the transaction that records the changes.
    """
    if is_changed or queries.has_open_event(session, environment_id):
        enqueue_unless_pending(session, UpdateProductionEvents(environment_id))


def measure_update(gathered: UpdateInput, rng: Generator) -> UpdateMeasurements:
    """Measure new groups and checked events. Reads nothing."""

    def measure(one: MeasuredChange) -> LevelMeasurement:
        return measure_level(one.cells, one.change, one.recent_from_ms, rng)

    return UpdateMeasurements(
        {number: measure(one) for number, one in gathered.opening.items()},
        {one.event_id: measure(one.measured) for one in gathered.checked},
    )


def record_update(session: WriteSession, gathered: UpdateInput, measured: UpdateMeasurements, now: datetime) -> None:
    """Record the events of one environment; a second job waits for this one and finds nothing new."""
    queries.lock_environment(session, gathered.environment_id)
    taken = queries.select_taken_change_points(session, _list_change_points(gathered))
    for number, group in enumerate(gathered.grouping.new):
        if not any(each.id in taken for each in group.members) and not _has_event(session, group):
            opened = _open(session, gathered, group, measured.opening.get(number))
            if opened.number is not None and opened.kind != EventKind.LOAD:
                _compare(session, opened, now)
    locked = [event_id for event_id, _ in gathered.grouping.joined] + [each.event_id for each in gathered.checked]
    rows = {row.id: row for row in queries.lock_events(session, locked)} if locked else {}
    for event_id, change in gathered.grouping.joined:
        if event_id in rows and change.id not in taken:
            _join(session, rows[event_id], change)
    for each in gathered.checked:
        row = rows.get(each.event_id)
        if row is not None and row.state in OPEN:
            _check(session, gathered, row, each, measured.checked[each.event_id], now)


def _list_change_points(gathered: UpdateInput) -> list[UUID]:
    grouping = gathered.grouping
    members = [each for group in grouping.new for each in group.members] + [change for _, change in grouping.joined]
    return [each.id for each in members if each.id is not None]


def _has_event(session: WriteSession, group: NewGroup) -> bool:
    """Return whether the verdict on a deployment has an event since the input was read."""
    is_verdict = group.culprit.id is None and group.culprit.deployment_id is not None
    return is_verdict and queries.has_event_of_deployment(session, group.culprit.deployment_id)


def _open(
    session: WriteSession, gathered: UpdateInput, group: NewGroup, level: LevelMeasurement | None
) -> ProductionEvent:
    """Write a new event; confirm it if its samples after the detection already show it."""
    culprit = group.culprit
    row = ProductionEvent(
        kind=EventKind.SLOW_DEPLOYMENT if culprit.id is None else EventKind(culprit.kind),
        team_id=session.team_id,
        id=new_id(),
        number=None,
        environment_id=gathered.environment_id,
        service_id=culprit.service_id,
        state=ProductionEventState.NEW,
        cause="deployment" if culprit.deployment_id else "load" if culprit.kind == "load" else "unexplained",
        deployment_id=culprit.deployment_id,
        occurred_at=culprit.detected_at,
        **_describe(gathered, culprit, level, followers=len({each.service_id for each in group.members}) - 1),
    )
    session.add(row)
    session.flush()  # its change points refer to it
    _attach(session, row, group.members)
    if culprit.id is None or (level is not None and level.persists):
        _list(session, row, gathered.newest)
    return row


def _describe(
    gathered: UpdateInput, culprit: ObservedChange, level: LevelMeasurement | None, *, followers: int
) -> dict[str, Any]:
    """Return the columns that follow from the change and its measurement."""
    level = level or LevelMeasurement()
    deployment: DeploymentName | None = None
    if culprit.deployment_id is not None:
        deployment = gathered.deployments.get(culprit.deployment_id)
    name = deployment.name if deployment else None
    rate, added = level.requests_per_second, None
    severity = decide_level_severity(culprit.certain_factor)
    if culprit.kind == "latency":
        added = estimate_added_latency(culprit.signal, culprit.before, culprit.after, rate, level.added_mean_s)
        severity = decide_severity(added, culprit.ratio_low)
    levels, interval = (culprit.before, culprit.after), (culprit.ratio_low, culprit.ratio_high)
    size = wording.SignalChange(culprit.signal, culprit.gauge, levels, culprit.ratio, interval)
    return {
        "signal": culprit.signal,
        "gauge": culprit.gauge,
        "title": wording.format_title(size, name),
        "sentence": wording.describe_event(size, name, followers),
        "commit": deployment.commit if deployment else None,
        "former_commit": deployment.former_commit if deployment else None,
        "before": culprit.before,
        "after": culprit.after,
        "ratio": culprit.ratio,
        "ratio_low": culprit.ratio_low,
        "ratio_high": culprit.ratio_high,
        "requests_per_second": rate,
        "added_seconds_per_second": added,
        "severity": severity,
        "sparkline": None if level.sparkline is None else _to_json(asdict(level.sparkline)),
        "started_at": culprit.started_at,
        "earliest_at": culprit.earliest_at,
        "detected_at": culprit.detected_at,
    }


def _to_json(sparkline: dict[str, Any]) -> dict[str, Any]:
    return {**sparkline, "values": list(sparkline["values"]), "levels": list(sparkline["levels"])}


def _list(session: WriteSession, row: ProductionEvent, newest: datetime) -> None:
    """Number an event, which lists it; announce it to the channels that chose its kind, unless it is old."""
    is_announced = newest - row.detected_at <= ANNOUNCE_WITHIN
    first = row.number is None
    if first:
        row.number = queries.next_number(session)
    if is_announced:
        row.announced_at = newest
    if first or is_announced:
        details = {"is_announced": is_announced, "event_kind": row.kind}
        record_history(session, row, "opened", details, by_user=False)
    if row.kind == EventKind.LATENCY:
        _join_level_events(session, row, newest)


def _join_level_events(session: WriteSession, row: ProductionEvent, at: datetime) -> None:
    """Make the events of load and gauges that began together with an event of latency part of it."""
    session.flush()
    for other in queries.lock_level_events(session, EnvironmentId(row.environment_id), row.service_id):
        if other.earliest_at - TOGETHER > row.started_at or row.earliest_at - TOGETHER > other.started_at:
            continue
        queries.move_change_points(session, other.id, row.id)
        if other.number is None:
            other.state = ProductionEventState.WITHDRAWN
            continue
        end = join_event(row.number or 0)
        other.proof = [asdict(each) for each in end.proof]
        close_event(session, other, end, at)


def _is_unconfirmed(row: ProductionEvent) -> bool:
    """Return whether its change point was not confirmed yet; a verdict on a deployment waits for one."""
    return row.announced_at is None or row.kind == EventKind.SLOW_DEPLOYMENT


def _attach(session: WriteSession, row: ProductionEvent, changes: Sequence[ObservedChange]) -> None:
    for each in changes:
        if each.id is not None:
            session.add(
                ProductionEventChangePoint(
                    team_id=session.team_id, id=new_id(), event_id=row.id, change_point_id=each.id
                )
            )
    session.flush()


def _join(session: WriteSession, row: ProductionEvent, change: ObservedChange) -> None:
    """Add a change to its event. One after the end of the event reopens it; one of a user's choice stays closed."""
    _attach(session, row, [change])
    if is_way_back(change, row.signal, row.gauge, row.ratio):
        if row.state in OPEN and row.number is not None:
            record_history(session, row, "returned", {}, by_user=False)
        return
    if not change.opens_event:
        return
    if row.state == ProductionEventState.CLOSED and row.closed_at is not None and change.detected_at > row.closed_at:
        row.state, row.closed_at, row.closed_reason = ProductionEventState.NEW, None, None
        row.occurred_at = row.detected_at = change.detected_at
        row.proof = None
        record_history(session, row, "reopened", {}, by_user=False)
        return
    if _is_unconfirmed(row) and change.service_id == row.service_id and change.kind == "latency" and change.id:
        row.detected_at = change.detected_at  # the verdict on a deployment waited for this change point
    if row.state in OPEN and change.id is not None and row.number is not None:
        record_history(session, row, "joined", {}, by_user=False)


def _check(  # noqa: PLR0917 - an event, what is known of it, and the time
    session: WriteSession,
    gathered: UpdateInput,
    row: ProductionEvent,
    checked: CheckedEvent,
    level: LevelMeasurement,
    now: datetime,
) -> None:
    """Confirm or withdraw an unconfirmed event; close a confirmed one that is proven to be over."""
    row.checked_at = gathered.newest
    points = queries.select_change_points(session, row.id)
    if _is_unconfirmed(row) and points and gathered.newest - row.detected_at <= CONFIRM_WITHIN:
        _update_from_change(gathered, row, checked, level, len({each.service_id for each in points} - {row.service_id}))
        if level.persists:
            row.kind = EventKind(checked.culprit.kind)
            _list(session, row, gathered.newest)
    if row.number is None:
        if level.persists and gathered.newest - row.detected_at > CONFIRM_WITHIN:
            _list(session, row, gathered.newest)
        elif gathered.newest - row.detected_at > CONFIRM_WITHIN:
            row.state = ProductionEventState.WITHDRAWN
            if row.kind == EventKind.LATENCY:
                queries.free_level_change_points(session, row.id)
        return
    budgets = budget_events.list_event_budgets(session, row.id)
    end = decide_end(row, level, checked.later, budgets=budgets, has_change_points=bool(points), floor=FLOOR)
    row.proof = [asdict(each) for each in end.proof]
    if end.reason is not None:
        close_event(session, row, end, gathered.newest)
    if row.comparison_id is None and row.kind != EventKind.LOAD and gathered.newest - row.started_at <= COMPARE_WITHIN:
        _compare(session, row, now)


def _update_from_change(
    gathered: UpdateInput, row: ProductionEvent, checked: CheckedEvent, level: LevelMeasurement, followers: int
) -> None:
    """Take over the newest measurement and cause of the change point: both settle in its first minutes."""
    culprit = checked.culprit
    if culprit.deployment_id is not None:
        row.deployment_id, row.cause = culprit.deployment_id, "deployment"
    for name, value in _describe(gathered, culprit, level, followers=followers).items():
        setattr(row, name, value)


def _compare(session: WriteSession, row: ProductionEvent, now: datetime) -> None:
    """Compare before and after if artifacts of both exist."""
    try:
        with session.begin_nested():
            if event_comparisons.have_evidence(session, row, now):
                event_comparisons.create_comparison(session, row, now, by_user=False)
    except (NotFound, InvalidRequest, Conflict):
        return  # what it would compare was deleted meanwhile
