"""The inbox: where whoever asks was named."""

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
    unread: Annotated[bool, Query(description="only what was not read")] = False,
) -> Page[MentionOut]:
    """List where you were named, newest first. Tokens are never named."""
    rows = mentions.list_mentions(session, caller.user_id, unread=unread, after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, lambda row: MentionOut.of(*row), lambda row: (row[0].created_at, row[0].id))


@router.get("/mention-count", operation_id="mentions:count")
def count_mentions(caller: MayRead, session: Reading) -> MentionCount:
    """Count the mentions of you that you have not read."""
    return MentionCount(unread=mentions.count_unread_mentions(session, caller.user_id))


@router.post(
    "/mentions/read",
    operation_id="mentions:mark-read",
    openapi_extra=body_up_to(64 * KIB),
    responses=document_problems(NotFound, InvalidRequest),
)
def read_mentions(wanted: MarkMentionsReadIn, caller: MayRead, session: Writing, clock: Now) -> MentionCount:
    """Note that you have read these mentions, or all of them."""
    mentions.mark_mentions_read(session, caller.user_id, wanted.mention_ids, clock.now())
    return MentionCount(unread=mentions.count_unread_mentions(session, caller.user_id))
