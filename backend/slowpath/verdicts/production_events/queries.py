"""SELECT statements for production events."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, or_, select, text, update
from sqlalchemy.orm import defer

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import EnvironmentId, ProductionEventId, ServiceId
from slowpath.evidence.metrics.tables import DeploymentEvaluationRow, MetricChangePoint
from slowpath.inventory.catalog.tables import Deployment
from slowpath.platform.accounts.tables import Membership
from slowpath.verdicts.production_events.rules.event_states import OPEN, EventKind, ProductionEventState
from slowpath.verdicts.production_events.tables import (
    ProductionEvent,
    ProductionEventBudget,
    ProductionEventChangePoint,
    ProductionEventHistory,
)

MOST_OF_BUDGET = 20
"""Newest events of a budget that are read."""
LEVEL_KINDS = (EventKind.LOAD, EventKind.GAUGE)
CLOSED = (ProductionEventState.CLOSED, ProductionEventState.NOT_A_REGRESSION, ProductionEventState.IGNORED)


def select_event(session: ReadSession, event_id: ProductionEventId) -> ProductionEvent | None:
    """Return one event, by primary key."""
    return session.get(ProductionEvent, (session.team_id, event_id))


def lock_events(session: WriteSession, event_ids: Sequence[UUID]) -> Sequence[ProductionEvent]:
    """Return events, locked until the transaction ends, in the order of their IDs."""
    found = select(ProductionEvent).where(ProductionEvent.id.in_(event_ids)).order_by(ProductionEvent.id)
    return session.scalars(found.with_for_update().execution_options(populate_existing=True)).all()


def select_listed_events(session: ReadSession, *, closed: bool, limit: int) -> Sequence[ProductionEvent]:
    """Return the newest numbered events that are open, or the last closed, without their sparklines."""
    states = CLOSED if closed else OPEN
    order = ProductionEvent.closed_at.desc() if closed else ProductionEvent.started_at.desc()
    found = select(ProductionEvent).where(ProductionEvent.number.is_not(None), ProductionEvent.state.in_(states))
    found = found.options(defer(ProductionEvent.sparkline))
    return session.scalars(found.order_by(order, ProductionEvent.id).limit(limit)).all()


def select_events_by_id(session: ReadSession, event_ids: Sequence[UUID]) -> Sequence[ProductionEvent]:
    """Return events with these IDs, by primary key."""
    return session.scalars(select(ProductionEvent).where(ProductionEvent.id.in_(event_ids))).all()


def count_closed(session: ReadSession) -> int:
    """Return the number of closed events."""
    found = select(func.count()).where(ProductionEvent.number.is_not(None), ProductionEvent.state.in_(CLOSED))
    return session.scalar(found.select_from(ProductionEvent)) or 0


def select_events_near(
    session: ReadSession, environment_id: EnvironmentId, since: datetime
) -> Sequence[ProductionEvent]:
    """Return the open events of an environment, and those that ended or were withdrawn since a time."""
    found = select(ProductionEvent).where(
        ProductionEvent.environment_id == environment_id,
        or_(ProductionEvent.state.in_(OPEN), ProductionEvent.started_at >= since, ProductionEvent.closed_at >= since),
    )
    return session.scalars(found.order_by(ProductionEvent.started_at.desc(), ProductionEvent.id)).all()


def select_events_between(
    session: ReadSession, environment_id: EnvironmentId, begin: datetime, end: datetime, limit: int
) -> Sequence[ProductionEvent]:
    """Return the newest numbered events of an environment that were open in a time range, newest first."""
    found = select(ProductionEvent).where(
        ProductionEvent.environment_id == environment_id,
        ProductionEvent.number.is_not(None),
        ProductionEvent.started_at <= end,
        or_(ProductionEvent.state.in_(OPEN), ProductionEvent.started_at >= begin, ProductionEvent.closed_at >= begin),
    )
    order = (ProductionEvent.started_at.desc(), ProductionEvent.id)
    return session.scalars(found.options(defer(ProductionEvent.sparkline)).order_by(*order).limit(limit)).all()


def has_open_event(session: ReadSession, environment_id: EnvironmentId) -> bool:
    """Return whether an environment has an open event, by ix_production_event_open."""
    found = select(ProductionEvent.id).where(
        ProductionEvent.environment_id == environment_id, ProductionEvent.state.in_(OPEN)
    )
    return session.scalar(found.limit(1)) is not None


def next_number(session: ReadSession) -> int:
    """Return the next number of an event; other transactions wait until this one ends."""
    key = f"production-event-number/{session.team_id}"
    session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 5))"), {"key": key})
    found = select(func.max(ProductionEvent.number)).where(ProductionEvent.team_id == session.team_id)
    return (session.scalar(found) or 0) + 1


def lock_environment(session: WriteSession, environment_id: EnvironmentId) -> None:
    """Serialize the jobs of an environment until the transaction ends."""
    key = f"production-events/{environment_id}"
    session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 5))"), {"key": key})


def select_free_change_points(
    session: ReadSession, environment_id: EnvironmentId, since_ms: int, limit: int
) -> Sequence[MetricChangePoint]:
    """Return change points since a time that belong to no event, oldest first; of latency only those for the worse."""
    taken = select(ProductionEventChangePoint.change_point_id).where(
        ProductionEventChangePoint.change_point_id == MetricChangePoint.id
    )
    found = select(MetricChangePoint).where(
        MetricChangePoint.environment_id == environment_id,
        MetricChangePoint.at_ms >= since_ms,
        or_(MetricChangePoint.signal.in_(("qps", "gauge")), MetricChangePoint.ratio > 1),
        ~taken.exists(),
    )
    return session.scalars(found.order_by(MetricChangePoint.at_ms, MetricChangePoint.id).limit(limit)).all()


def select_taken_change_points(session: ReadSession, change_point_ids: Sequence[UUID]) -> set[UUID]:
    """Return which of these change points belong to an event."""
    if not change_point_ids:
        return set()
    found = select(ProductionEventChangePoint.change_point_id).where(
        ProductionEventChangePoint.change_point_id.in_(change_point_ids)
    )
    return set(session.scalars(found))


def has_event_of_deployment(session: ReadSession, deployment_id: UUID | None) -> bool:
    """Return whether a deployment caused an event."""
    found = select(ProductionEvent.id).where(ProductionEvent.deployment_id == deployment_id)
    return session.scalar(found.limit(1)) is not None


def select_change_points(session: ReadSession, event_id: UUID) -> Sequence[MetricChangePoint]:
    """Return the change points of an event, oldest first."""
    found = (
        select(MetricChangePoint)
        .join(
            ProductionEventChangePoint,
            (ProductionEventChangePoint.team_id == MetricChangePoint.team_id)
            & (ProductionEventChangePoint.change_point_id == MetricChangePoint.id),
        )
        .where(ProductionEventChangePoint.event_id == event_id)
    )
    return session.scalars(found.order_by(MetricChangePoint.at_ms, MetricChangePoint.id)).all()


def select_slower_deployments(
    session: ReadSession, environment_id: EnvironmentId, since: datetime, limit: int
) -> Sequence[tuple[Deployment, DeploymentEvaluationRow]]:
    """Return deployments since a time with their first evaluation as slower, without those that have an event."""
    taken = select(ProductionEvent.id).where(ProductionEvent.deployment_id == Deployment.id)
    found = (
        select(Deployment, DeploymentEvaluationRow)
        .join(
            DeploymentEvaluationRow,
            (DeploymentEvaluationRow.team_id == Deployment.team_id)
            & (DeploymentEvaluationRow.deployment_id == Deployment.id),
        )
        .where(
            Deployment.environment_id == environment_id,
            Deployment.started_at >= since,
            DeploymentEvaluationRow.verdict == "slower",
            ~taken.exists(),
        )
        .order_by(Deployment.started_at, Deployment.id, DeploymentEvaluationRow.minutes)
    )
    first: dict[UUID, tuple[Deployment, DeploymentEvaluationRow]] = {}
    for deployment, row in session.execute(found.limit(limit)):
        first.setdefault(deployment.id, (deployment, row))
    return list(first.values())


def select_evaluations(session: ReadSession, deployment_ids: Sequence[UUID]) -> Sequence[DeploymentEvaluationRow]:
    """Return the evaluations of deployments, earliest first."""
    found = select(DeploymentEvaluationRow).where(DeploymentEvaluationRow.deployment_id.in_(deployment_ids))
    return session.scalars(found.order_by(DeploymentEvaluationRow.minutes, DeploymentEvaluationRow.id)).all()


def select_deployments_between(
    session: ReadSession,
    service_id: ServiceId,
    environment_id: EnvironmentId,
    between: tuple[datetime, datetime],
    limit: int,
) -> Sequence[Deployment]:
    """Return the newest deployments of a service in a time range, oldest first, by ix_deployment_service."""
    found = select(Deployment).where(
        Deployment.service_id == service_id,
        Deployment.environment_id == environment_id,
        Deployment.started_at >= between[0],
        Deployment.started_at <= between[1],
    )
    return session.scalars(found.order_by(Deployment.started_at.desc(), Deployment.id).limit(limit)).all()[::-1]


def find_former_deployment(
    session: ReadSession, service_id: ServiceId, environment_id: EnvironmentId, before: datetime
) -> Deployment | None:
    """Return the last deployment of a service before a time."""
    found = select(Deployment).where(
        Deployment.service_id == service_id,
        Deployment.environment_id == environment_id,
        Deployment.started_at < before,
    )
    return session.scalars(found.order_by(Deployment.started_at.desc(), Deployment.id).limit(1)).first()


def select_event_budgets(session: ReadSession, event_ids: Sequence[UUID]) -> Sequence[ProductionEventBudget]:
    """Return the budgets of events that were not removed, oldest first."""
    if not event_ids:
        return []
    found = select(ProductionEventBudget).where(
        ProductionEventBudget.event_id.in_(event_ids), ProductionEventBudget.budget_id.is_not(None)
    )
    return session.scalars(found.order_by(ProductionEventBudget.created_at, ProductionEventBudget.id)).all()


def lock_events_of_budget(
    session: WriteSession, budget_id: UUID, environment_id: EnvironmentId
) -> Sequence[tuple[ProductionEvent, ProductionEventBudget]]:
    """Return the events of a budget in an environment, newest first, locked until the transaction ends."""
    found = (
        select(ProductionEvent, ProductionEventBudget)
        .join(
            ProductionEventBudget,
            (ProductionEventBudget.team_id == ProductionEvent.team_id)
            & (ProductionEventBudget.event_id == ProductionEvent.id),
        )
        .where(ProductionEventBudget.budget_id == budget_id, ProductionEvent.environment_id == environment_id)
        .order_by(ProductionEvent.started_at.desc(), ProductionEvent.id)
        .limit(MOST_OF_BUDGET)
    )
    return [(event, budget) for event, budget in session.execute(found.with_for_update())]


def lock_events_of_removed_budgets(session: WriteSession, environment_id: EnvironmentId) -> Sequence[ProductionEvent]:
    """Return the open events whose budgets were all removed, without change points, locked until the transaction ends."""
    budgets = select(ProductionEventBudget.id).where(
        ProductionEventBudget.team_id == ProductionEvent.team_id, ProductionEventBudget.event_id == ProductionEvent.id
    )
    points = select(ProductionEventChangePoint.id).where(
        ProductionEventChangePoint.team_id == ProductionEvent.team_id,
        ProductionEventChangePoint.event_id == ProductionEvent.id,
    )
    found = select(ProductionEvent).where(
        ProductionEvent.environment_id == environment_id,
        ProductionEvent.state.in_(OPEN),
        budgets.exists(),
        ~budgets.where(ProductionEventBudget.budget_id.is_not(None)).exists(),
        ~points.exists(),
    )
    return session.scalars(found.order_by(ProductionEvent.id).with_for_update()).all()


def lock_open_events(
    session: WriteSession, environment_id: EnvironmentId, service_id: UUID
) -> Sequence[ProductionEvent]:
    """Return the open events of a service's latency, newest first, locked until the transaction ends."""
    found = select(ProductionEvent).where(
        ProductionEvent.environment_id == environment_id,
        ProductionEvent.service_id == service_id,
        ProductionEvent.state.in_(OPEN),
        ProductionEvent.kind.not_in(LEVEL_KINDS),
    )
    return session.scalars(
        found.order_by(ProductionEvent.started_at.desc(), ProductionEvent.id).with_for_update()
    ).all()


def lock_level_events(
    session: WriteSession, environment_id: EnvironmentId, service_id: UUID
) -> Sequence[ProductionEvent]:
    """Return the open events of a service's load and gauges, locked until the transaction ends."""
    found = select(ProductionEvent).where(
        ProductionEvent.environment_id == environment_id,
        ProductionEvent.service_id == service_id,
        ProductionEvent.state.in_(OPEN),
        ProductionEvent.kind.in_(LEVEL_KINDS),
    )
    return session.scalars(found.order_by(ProductionEvent.id).with_for_update()).all()


def move_change_points(session: WriteSession, event_id: UUID, to_event_id: UUID) -> None:
    """Let the change points of an event belong to another one."""
    mine = ProductionEventChangePoint.event_id == event_id
    session.execute(update(ProductionEventChangePoint).where(mine).values(event_id=to_event_id))


def free_level_change_points(session: WriteSession, event_id: UUID) -> None:
    """Let the change points of load and gauges of an event belong to none again."""
    level = select(MetricChangePoint.id).where(
        MetricChangePoint.id == ProductionEventChangePoint.change_point_id,
        MetricChangePoint.signal.in_(("qps", "gauge")),
    )
    session.execute(
        delete(ProductionEventChangePoint).where(ProductionEventChangePoint.event_id == event_id, level.exists())
    )


def select_events_of_change_points(
    session: ReadSession, environment_id: EnvironmentId, between_ms: tuple[int, int], limit: int
) -> Sequence[tuple[ProductionEvent, UUID]]:
    """Return the numbered events and change points of a time range, oldest first, by ix_metric_change_point_when."""
    found = (
        select(ProductionEvent, MetricChangePoint.id)
        .join(
            ProductionEventChangePoint,
            (ProductionEventChangePoint.team_id == ProductionEvent.team_id)
            & (ProductionEventChangePoint.event_id == ProductionEvent.id),
        )
        .join(
            MetricChangePoint,
            (MetricChangePoint.team_id == ProductionEventChangePoint.team_id)
            & (MetricChangePoint.id == ProductionEventChangePoint.change_point_id),
        )
        .where(
            ProductionEvent.number.is_not(None),
            MetricChangePoint.environment_id == environment_id,
            MetricChangePoint.at_ms >= between_ms[0],
            MetricChangePoint.at_ms <= between_ms[1],
        )
        .order_by(MetricChangePoint.at_ms, MetricChangePoint.id)
    )
    return [(event, change_point_id) for event, change_point_id in session.execute(found.limit(limit))]


def select_history(session: ReadSession, event_id: UUID, limit: int) -> Sequence[ProductionEventHistory]:
    """Return the history of an event, newest first."""
    found = select(ProductionEventHistory).where(ProductionEventHistory.event_id == event_id)
    order = (ProductionEventHistory.created_at.desc(), ProductionEventHistory.id.desc())
    return session.scalars(found.order_by(*order).limit(limit)).all()


def select_members(session: ReadSession, user_ids: Sequence[UUID]) -> set[UUID]:
    """Return which of these users are members of the team."""
    return set(session.scalars(select(Membership.user_id).where(Membership.user_id.in_(user_ids))))
