"""The feed of what the team did and what Slowpath found."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.accounts.access import MayRead
from slowpath.core.errors import Refused
from slowpath.core.ids import ServiceId, UserId
from slowpath.discussions.rules import News
from slowpath.discussions.schemas import ActivityOut, ActorOut
from slowpath.discussions.service import feed
from slowpath.discussions.service.feed import Event, Wanted
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Reading

router = APIRouter(tags=["activity"])


@router.get("/activity", operation_id="activity:list", responses=problems(Refused))
def list_activity(
    _caller: MayRead,
    session: Reading,
    paging: Paging,
    kind: Annotated[list[News] | None, Query(description="several: any of them")] = None,
    service_id: UUID | None = None,
    by: Annotated[UUID | Literal["slowpath"] | None, Query(description="a member, or Slowpath itself")] = None,
) -> Page[ActivityOut]:
    """List what happened in the team, newest first."""
    wanted = Wanted(
        kinds=frozenset(kind or ()),
        service_id=ServiceId(service_id) if service_id else None,
        by=UserId(by) if isinstance(by, UUID) else None,
        by_machine=by == "slowpath",
    )
    rows = feed.news(session, wanted, after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, _told, lambda row: (row.at, row.id))


def _told(event: Event) -> ActivityOut:
    actor = ActorOut.model_validate({"kind": event.actor_kind, "id": event.actor_id, "name": event.actor_name})
    return ActivityOut(
        id=event.id,
        at=event.at,
        kind=event.kind,
        action=event.action,
        actor=actor,
        subject_kind=event.subject_kind,
        subject_id=event.subject_id,
        title=event.title,
        path=event.path,
        service_id=event.service_id,
        facts=event.facts,
    )
