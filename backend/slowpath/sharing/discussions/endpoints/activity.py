"""HTTP endpoint of the activity feed: actions of the team and findings of Slowpath."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.core.errors import InvalidRequest
from slowpath.core.ids import ServiceId, UserId
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading
from slowpath.sharing.discussions.rules import ActivityKind
from slowpath.sharing.discussions.schemas import ActivityOut, ActorOut
from slowpath.sharing.discussions.service import activity_feed
from slowpath.sharing.discussions.service.activity_feed import ActivityEvent, ActivityFilter

router = APIRouter(tags=["activity"])


@router.get("/activity", operation_id="activity:list", responses=document_problems(InvalidRequest))
def list_activity(
    _caller: MayRead,
    session: Reading,
    paging: Paging,
    kind: Annotated[
        list[ActivityKind] | None, Query(description="repeatable; events with any of these actions")
    ] = None,
    service_id: UUID | None = None,
    actor: Annotated[UUID | Literal["slowpath"] | None, Query(description="a member, or the system")] = None,
) -> Page[ActivityOut]:
    """List the activity of the team, newest first."""
    filters = ActivityFilter(
        kinds=frozenset(kind or ()),
        service_id=ServiceId(service_id) if service_id else None,
        by=UserId(actor) if isinstance(actor, UUID) else None,
        by_machine=actor == "slowpath",
    )
    rows = activity_feed.list_activity(session, filters, after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, _make_activity_out, lambda row: (row.at, row.id))


def _make_activity_out(event: ActivityEvent) -> ActivityOut:
    actor = ActorOut.model_validate({"kind": event.actor_kind, "id": event.actor_id, "name": event.actor_name})
    return ActivityOut(
        id=event.id,
        occurred_at=event.at,
        kind=event.kind,
        action=event.action,
        actor=actor,
        subject_kind=event.subject_kind,
        subject_id=event.subject_id,
        title=event.title,
        path=event.path,
        service_id=event.service_id,
        details=event.facts,
    )
