"""Branches and tags of the repositories that services are built from, as of the last fetch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId
from slowpath.inventory.repositories import queries


@dataclass(frozen=True)
class ServiceRefs:
    """Branches and tags of a service's repository: name to commit."""

    service_id: ServiceId
    default_branch: str | None
    branch_heads: Mapping[str, str]
    tags: Mapping[str, str]


def find_service_refs(session: ReadSession, service_id: ServiceId) -> ServiceRefs | None:
    """Return the branches and tags of a service's repository, or None if no repository is linked."""
    return next(iter(list_service_refs(session, [service_id])), None)


def list_service_refs(session: ReadSession, service_ids: Sequence[ServiceId] | None = None) -> list[ServiceRefs]:
    """Return the branches and tags of the repositories of services, by default of all with one."""
    return [
        ServiceRefs(ServiceId(row.service_id), row.default_branch, row.branch_heads, row.tags)
        for row in queries.select_service_refs(session, service_ids)
    ]
