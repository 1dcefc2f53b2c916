"""The inbox: where whoever asks was named."""

from typing import Annotated

from fastapi import APIRouter, Query

from slowpath.accounts.access import MayRead
from slowpath.core.errors import NotFound, Refused
from slowpath.discussions.schemas import MentionCount, MentionOut, MentionsRead
from slowpath.discussions.service import mentioning
from slowpath.web.body_limits import KIB, body_up_to
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Now, Reading, Writing

router = APIRouter(tags=["mentions"])


@router.get("/mentions", operation_id="mentions:list", responses=problems(Refused))
def list_mentions(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    unread: Annotated[bool, Query(description="only what was not read")] = False,
) -> Page[MentionOut]:
    """List where you were named, newest first. Tokens are never named."""
    rows = mentioning.inbox(session, caller.user_id, unread=unread, after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, lambda row: MentionOut.of(*row), lambda row: (row[0].created_at, row[0].id))


@router.get("/mention-count", operation_id="mentions:count")
def count_mentions(caller: MayRead, session: Reading) -> MentionCount:
    """Count the mentions of you that you have not read."""
    return MentionCount(unread=mentioning.unread(session, caller.user_id))


@router.post(
    "/mention-readings",
    operation_id="mentions:read",
    openapi_extra=body_up_to(64 * KIB),
    responses=problems(NotFound, Refused),
)
def read_mentions(wanted: MentionsRead, caller: MayRead, session: Writing, clock: Now) -> MentionCount:
    """Note that you have read these mentions, or all of them."""
    mentioning.read(session, caller.user_id, wanted.mention_ids, clock.now())
    return MentionCount(unread=mentioning.unread(session, caller.user_id))
