"""HTTP endpoints of comments on findings, regressions, builds, comparisons, traces, spans and reports."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Query, Request

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound, PermissionDenied
from slowpath.core.ids import CommentId
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, Now, Reading, Writing
from slowpath.platform.jobs import service as work
from slowpath.sharing.discussions.rules import MOST_PART_LETTERS, SubjectKind
from slowpath.sharing.discussions.schemas import (
    CommentCount,
    CommentCounts,
    CommentIn,
    CommentOut,
    CommentUpdate,
    DiscussionOut,
)
from slowpath.sharing.discussions.service import comments, discussion_subjects
from slowpath.sharing.discussions.service.comments import CommentDraft, CommentThreadView
from slowpath.sharing.discussions.service.discussion_subjects import Finders

router = APIRouter(tags=["comments"])

IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]
Part = Annotated[
    str,
    Query(
        max_length=MOST_PART_LETTERS,
        pattern=r"^[^\x00]*$",
        description="key of a finding, as in the request that creates a comment",
    ),
]


def _discussable(request: Request) -> Finders:
    """Return the functions that find subjects in packages above this one; the app sets them."""
    found: Finders = request.app.state.discussable
    return found


Discussable = Annotated[Finders, Depends(_discussable)]


def _comments_out(thread: CommentThreadView) -> list[CommentOut]:
    return [CommentOut.of(row, thread.named.get(row.id, {})) for row in thread.comments]


@router.get("/comments", operation_id="comments:list", responses=document_problems(NotFound, InvalidRequest))
def list_comments(
    _caller: MayRead,
    session: Reading,
    others: Discussable,
    subject_kind: SubjectKind,
    subject_id: UUID,
    part: Part = "",
) -> DiscussionOut:
    """Return the discussion of one object, oldest comment first."""
    discussion_subjects.get_subject(session, subject_kind, subject_id, part, others)
    return DiscussionOut(items=_comments_out(comments.get_discussion(session, subject_kind, subject_id, part)))


@router.get("/comment-counts", operation_id="comments:count", responses=document_problems(InvalidRequest))
def count_comments(
    _caller: MayRead,
    session: Reading,
    subject_kind: SubjectKind,
    subject_ids: Annotated[list[UUID], Query(min_length=1, max_length=200)],
) -> CommentCounts:
    """Count the comments of many objects; those without comments are omitted. For findings, send their comparisons."""
    found = comments.counts(session, subject_kind, subject_ids)
    return CommentCounts(
        items=[CommentCount(subject_id=subject_id, part=part, count=count) for subject_id, part, count in found]
    )


@router.post(
    "/comments",
    operation_id="comments:create",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=document_problems(NotFound, Conflict, InvalidRequest, LimitExceeded),
)
def write_comment(
    body: CommentIn,
    caller: MayWrite,
    session: Writing,
    others: Discussable,
    settings: Configured,
    idempotency_key: IdempotencyKey = None,
) -> CommentOut:
    """Create a comment. Mentioned users (`@Name`) find it in their inbox and receive an email."""

    def make() -> UUID:
        subject = discussion_subjects.get_subject(session, body.subject_kind, body.subject_id, body.part, others)
        words = CommentDraft(body.text, body.parent_id, body.mentioned_user_ids)
        row = comments.create_comment(
            session,
            caller,
            words,
            body.subject_kind,
            body.subject_id,
            body.part,
            subject,
            mail_is_sent=settings.sends_mail,
        )
        record_audit_event(
            session, caller, "comment.created", "comment", row.id, {"on": body.subject_kind, "title": subject.title}
        )
        return row.id

    made = work.run_idempotent(session, "comments:create", idempotency_key, body.model_dump(mode="json"), make)
    (comment,) = _comments_out(comments.get_comment_view(session, comments.get_comment(session, CommentId(made))))
    return comment


@router.patch(
    "/comments/{comment_id}",
    operation_id="comments:update",
    openapi_extra=body_up_to(64 * KIB),
    responses=document_problems(NotFound, PermissionDenied, InvalidRequest),
)
def change_comment(
    comment_id: UUID, change: CommentUpdate, caller: MayWrite, session: Writing, clock: Now, settings: Configured
) -> CommentOut:
    """Edit a comment. Only the author can."""
    words = CommentDraft(change.text, None, change.mentioned_user_ids)
    row = comments.update_comment(
        session, caller, CommentId(comment_id), words, clock.now(), mail_is_sent=settings.sends_mail
    )
    record_audit_event(session, caller, "comment.updated", "comment", row.id, {})
    (comment,) = _comments_out(comments.get_comment_view(session, row))
    return comment


@router.delete(
    "/comments/{comment_id}",
    operation_id="comments:delete",
    status_code=204,
    responses=document_problems(NotFound, PermissionDenied),
)
def delete_comment(comment_id: UUID, caller: MayWrite, session: Writing, clock: Now) -> None:
    """Delete a comment as its author or an admin. A comment with replies remains as an empty entry."""
    row = comments.delete_comment(session, caller, CommentId(comment_id), clock.now())
    record_audit_event(session, caller, "comment.deleted", "comment", comment_id, {"by": row.author_name})
