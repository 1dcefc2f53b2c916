"""Verbs on the order in which requests flow: seen in spans, or laid by hand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from slowpath.catalog.errors import NotInOrder
from slowpath.catalog.queries import running
from slowpath.catalog.rules import Edge, flow_order
from slowpath.catalog.service.naming import environment
from slowpath.catalog.tables import BoardOrder, Service, ServiceEdge
from slowpath.core.ids import EnvironmentId, ServiceId, new_id
from slowpath.core.sessions import ReadSession, WriteSession

OrderSource = Literal["hand", "spans", "name"]


@dataclass(frozen=True)
class RequestOrder:
    """All services of the team from top to bottom, why so, and who calls whom."""

    services: Sequence[Service]
    source: OrderSource
    edges: Sequence[Edge[ServiceId]]


def request_order(session: ReadSession, environment_id: EnvironmentId) -> RequestOrder:
    """Return the order of the services: by hand, else as spans show it, else by name; services without a place last.

    Raises `EnvironmentNotFound`.
    """
    environment(session, environment_id)
    services = {ServiceId(row.id): row for row in running.services_by_name(session)}
    edges = [
        Edge(ServiceId(row.caller_id), ServiceId(row.callee_id), row.calls, row.requests)
        for row in running.edges(session, environment_id)
    ]
    by_hand = running.order(session, environment_id)
    flow = flow_order(list(services), edges)
    if by_hand is not None:
        laid = [ServiceId(UUID(each)) for each in by_hand.service_ids if ServiceId(UUID(each)) in services]
        order = [*laid, *(each for each in flow if each not in set(laid))]
        return RequestOrder([services[each] for each in order], "hand", edges)
    return RequestOrder([services[each] for each in flow], "spans" if edges else "name", edges)


def lay_order(session: WriteSession, environment_id: EnvironmentId, service_ids: Sequence[ServiceId]) -> RequestOrder:
    """Put services in an order by hand. Raises `EnvironmentNotFound`, `NotInOrder`."""
    environment(session, environment_id)
    if len(set(service_ids)) != len(service_ids):
        raise NotInOrder("A service stands in the order twice.", remedy="Name each service once.")
    known = {row.id for row in running.services_by_name(session)}
    if not known.issuperset(service_ids):
        raise NotInOrder("The order names a service that the team does not have.", remedy="Read the services again.")
    laid = [str(each) for each in service_ids]
    row = running.order(session, environment_id)
    if row is None:
        values = {"team_id": session.team_id, "id": new_id(), "environment_id": environment_id, "service_ids": laid}
        session.execute(
            insert(BoardOrder)
            .values(**values)
            .on_conflict_do_update(constraint="uq_board_order_environment", set_={"service_ids": laid})
        )
    else:
        row.service_ids = laid
    session.flush()
    return request_order(session, environment_id)


def forget_order(session: WriteSession, environment_id: EnvironmentId) -> RequestOrder:
    """Go back to the order that spans show. Raises `EnvironmentNotFound`."""
    row = running.order(session, environment_id)
    if row is not None:
        session.delete(row)
        session.flush()
    return request_order(session, environment_id)


def record_edges(
    session: WriteSession, environment_id: EnvironmentId, edges: Iterable[Edge[ServiceId]], seen_at: datetime
) -> None:
    """Write down who calls whom as newly seen spans show it; what an older set showed of the same edge is replaced."""
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
