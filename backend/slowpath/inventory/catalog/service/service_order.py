"""Operations on the service order: from spans, or manual."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import EnvironmentId, ServiceId, new_id
from slowpath.inventory.catalog.errors import InvalidTimeOrOrder
from slowpath.inventory.catalog.queries import deployments_annotations
from slowpath.inventory.catalog.rules import CallEdge, sort_services_by_calls
from slowpath.inventory.catalog.service.catalog_entries import environment
from slowpath.inventory.catalog.tables import ManualServiceOrder, Service, ServiceEdge

OrderSource = Literal["manual", "spans", "name"]


@dataclass(frozen=True)
class ServiceOrder:
    """All services of the team from top to bottom, the source of the order, and the service edges."""

    services: Sequence[Service]
    source: OrderSource
    edges: Sequence[CallEdge[ServiceId]]


def get_service_order(session: ReadSession, environment_id: EnvironmentId) -> ServiceOrder:
    """Return the service order: manual, else from spans, else by name; services without a position last.

    Raises `EnvironmentNotFound`.
    """
    environment(session, environment_id)
    services = {ServiceId(row.id): row for row in deployments_annotations.services_by_name(session)}
    edges = [
        CallEdge(ServiceId(row.caller_id), ServiceId(row.callee_id), row.calls, row.requests)
        for row in deployments_annotations.edges(session, environment_id)
    ]
    by_hand = deployments_annotations.order(session, environment_id)
    flow = sort_services_by_calls(list(services), edges)
    if by_hand is not None:
        laid = [ServiceId(UUID(each)) for each in by_hand.service_ids if ServiceId(UUID(each)) in services]
        order = [*laid, *(each for each in flow if each not in set(laid))]
        return ServiceOrder([services[each] for each in order], "manual", edges)
    return ServiceOrder([services[each] for each in flow], "spans" if edges else "name", edges)


def set_service_order(
    session: WriteSession, environment_id: EnvironmentId, service_ids: Sequence[ServiceId]
) -> ServiceOrder:
    """Set a manual order. Raises `EnvironmentNotFound`, `InvalidTimeOrOrder`."""
    environment(session, environment_id)
    if len(set(service_ids)) != len(service_ids):
        raise InvalidTimeOrOrder("The order contains a service twice.", remedy="List each service once.")
    known = {row.id for row in deployments_annotations.services_by_name(session)}
    if not known.issuperset(service_ids):
        raise InvalidTimeOrOrder(
            "The order contains a service that does not exist in the team.", remedy="Load the services again."
        )
    laid = [str(each) for each in service_ids]
    row = deployments_annotations.order(session, environment_id)
    if row is None:
        values = {"team_id": session.team_id, "id": new_id(), "environment_id": environment_id, "service_ids": laid}
        session.execute(
            insert(ManualServiceOrder)
            .values(**values)
            .on_conflict_do_update(constraint="uq_manual_service_order_environment", set_={"service_ids": laid})
        )
    else:
        row.service_ids = laid
    session.flush()
    return get_service_order(session, environment_id)


def reset_service_order(session: WriteSession, environment_id: EnvironmentId) -> ServiceOrder:
    """Remove the manual order. Raises `EnvironmentNotFound`."""
    row = deployments_annotations.order(session, environment_id)
    if row is not None:
        session.delete(row)
        session.flush()
    return get_service_order(session, environment_id)


def record_edges(
    session: WriteSession, environment_id: EnvironmentId, edges: Iterable[CallEdge[ServiceId]], seen_at: datetime
) -> None:
    """Record the service edges of new spans; they replace the values of an older span set."""
    rows = [
        {
            "team_id": session.team_id,
            "id": new_id(),
            "environment_id": environment_id,
            "caller_id": edge.caller,
            "callee_id": edge.callee,
            "calls": edge.calls,
            "requests": edge.requests,
            "seen_at": seen_at,
        }
        for edge in edges
        if edge.caller != edge.callee
    ]
    if not rows:
        return
    new = insert(ServiceEdge).values(rows)
    session.execute(
        new.on_conflict_do_update(
            constraint="uq_service_edge_ends",
            set_={name: new.excluded[name] for name in ("calls", "requests", "seen_at")},
            where=ServiceEdge.seen_at <= new.excluded.seen_at,
        )
    )
