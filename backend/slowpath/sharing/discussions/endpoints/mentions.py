"""HTTP endpoints of the inbox: mentions of the caller."""

from typing import Annotated

from fastapi import APIRouter, Query

from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.sharing.discussions.schemas import MarkMentionsReadIn, MentionCount, MentionOut
from slowpath.sharing.discussions.service import mentions

router = APIRouter(tags=["mentions"])


@router.get("/mentions", operation_id="mentions:list", responses=document_problems(InvalidRequest))
def list_mentions(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    unread: Annotated[bool, Query(description="only unread mentions")] = False,
) -> Page[MentionOut]:
    """List your mentions, newest first. Tokens are never mentioned."""
    rows = mentions.list_mentions(session, caller.user_id, unread=unread, after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, lambda row: MentionOut.of(*row), lambda row: (row[0].created_at, row[0].id))


@router.get("/mention-count", operation_id="mentions:count")
def count_mentions(caller: MayRead, session: Reading) -> MentionCount:
    """Count your unread mentions."""
    return MentionCount(unread=mentions.count_unread_mentions(session, caller.user_id))


@router.post(
    "/mentions/read",
    operation_id="mentions:mark-read",
    openapi_extra=body_up_to(64 * KIB),
    responses=document_problems(NotFound, InvalidRequest),
)
def read_mentions(body: MarkMentionsReadIn, caller: MayRead, session: Writing, clock: Now) -> MentionCount:
    """Mark these mentions, or all of them, as read."""
    mentions.mark_mentions_read(session, caller.user_id, body.mention_ids, clock.now())
    return MentionCount(unread=mentions.count_unread_mentions(session, caller.user_id))
