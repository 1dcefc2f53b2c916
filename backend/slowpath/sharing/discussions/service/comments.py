"""Create, edit, delete and list comments."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import CommentId, DiscussionId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.platform.accounts.rules.roles import Caller, Role
from slowpath.sharing.discussions import rules
from slowpath.sharing.discussions.errors import (
    CommentNotFound,
    MentionedUserNotInTeam,
    NotCommentAuthor,
    ParentCommentMismatch,
    TooManyComments,
)
from slowpath.sharing.discussions.jobs import MailMentions
from slowpath.sharing.discussions.queries import discussions as queries
from slowpath.sharing.discussions.rules import DiscussionSubject, SubjectKind
from slowpath.sharing.discussions.tables import Comment, Discussion, Mention


@dataclass(frozen=True)
class CommentThreadView:
    """The comments on one subject, oldest first, with the users mentioned in each."""

    comments: Sequence[Comment]
    named: Mapping[UUID, Mapping[UUID, str]]
    """By comment: IDs and names of the mentioned users. Former members are omitted."""


def get_discussion(session: ReadSession, kind: SubjectKind, subject_id: UUID, part: str) -> CommentThreadView:
    """Return the comments on a subject; empty without a discussion."""
    found = queries.discussion(session, kind, subject_id, part)
    return CommentThreadView([], {}) if found is None else _whole(session, found.id)


def get_comment_view(session: ReadSession, row: Comment) -> CommentThreadView:
    """Return one comment with its mentioned users."""
    return CommentThreadView([row], _whole(session, row.discussion_id).named)


def _whole(session: ReadSession, discussion_id: UUID) -> CommentThreadView:
    called = queries.members(session)
    named: dict[UUID, dict[UUID, str]] = {}
    for comment_id, user_id in queries.named_in(session, discussion_id):
        if user_id in called:
            named.setdefault(comment_id, {})[user_id] = called[user_id]
    return CommentThreadView(queries.comments(session, discussion_id), named)


def get_comment(session: ReadSession, comment_id: CommentId) -> Comment:
    """Return one comment. Raises `CommentNotFound`."""
    row = queries.comment(session, comment_id)
    if row is None or row.deleted_at is not None:
        raise CommentNotFound("The team has no such comment.")
    return row


def counts(session: ReadSession, kind: SubjectKind, subject_ids: Sequence[UUID]) -> Sequence[tuple[UUID, str, int]]:
    """Return subject, key and number of comments of the subjects that have comments."""
    return [(row[0], row[1], row[2]) for row in queries.counts(session, kind, subject_ids)]


@dataclass(frozen=True)
class CommentDraft:
    """A new comment: Markdown, parent comment, and users selected from the list of members."""

    text: str
    parent_id: UUID | None = None
    picked: Collection[UUID] = ()


def create_comment(  # noqa: PLR0917 - author, text, subject
    session: WriteSession,
    caller: Caller,
    words: CommentDraft,
    kind: SubjectKind,
    subject_id: UUID,
    part: str,
    subject: DiscussionSubject,
    *,
    mail_is_sent: bool,
) -> Comment:
    """Create a comment on a subject. Raises `ParentCommentMismatch`, `MentionedUserNotInTeam`, `TooManyComments`."""
    discussion = _discussion(session, kind, subject_id, part, subject)
    if (count := queries.count_comments(session, discussion.id)) >= rules.MOST_COMMENTS:
        raise TooManyComments(
            "The discussion has reached its limit of comments.",
            limit=rules.MOST_COMMENTS,
            actual=count,
            unit="comments",
            remedy="Continue in a report.",
        )
    members = queries.members(session)
    row = Comment(
        team_id=session.team_id,
        id=new_id(),
        discussion_id=discussion.id,
        parent_id=_thread(session, discussion, words.parent_id),
        author_kind="user" if caller.user_id else "token",
        author_id=caller.user_id,
        author_name=members.get(caller.user_id, "") if caller.user_id else _token(session, caller),
        text=words.text,
    )
    session.add(row)
    session.flush()  # mentions refer to it, and the response contains its creation time
    _name(session, row, words, members, mail_is_sent=mail_is_sent)
    return row


def update_comment(
    session: WriteSession,
    caller: Caller,
    comment_id: CommentId,
    words: CommentDraft,
    now: datetime,
    *,
    mail_is_sent: bool,
) -> Comment:
    """Edit a comment and notify newly mentioned users.

    Raises `CommentNotFound`, `NotCommentAuthor`, `MentionedUserNotInTeam`.
    """
    row = get_comment(session, comment_id)
    if caller.user_id is None or row.author_id != caller.user_id:
        raise NotCommentAuthor("Only the author can edit a comment.")
    if row.text != words.text:
        row.text, row.edited_at = words.text, now
    _name(session, row, words, queries.members(session), mail_is_sent=mail_is_sent)
    return row


def delete_comment(session: WriteSession, caller: Caller, comment_id: CommentId, now: datetime) -> Comment:
    """Delete a comment; with replies, it remains as an empty entry.

    Raises `CommentNotFound`, `NotCommentAuthor`.
    """
    row = get_comment(session, comment_id)
    own = caller.user_id is not None and row.author_id == caller.user_id
    if not own and not (caller.user_id and caller.role.reaches(Role.ADMIN)):
        raise NotCommentAuthor("Only the author or an admin can delete a comment.")
    if queries.has_answers(session, row.id):
        row.text, row.deleted_at = "", now
    else:
        session.delete(row)
    return row


def _discussion(
    session: WriteSession, kind: SubjectKind, subject_id: UUID, part: str, subject: DiscussionSubject
) -> Discussion:
    row = queries.discussion(session, kind, subject_id, part)
    if row is None:
        row = Discussion(
            team_id=session.team_id,
            id=new_id(),
            subject_kind=kind.value,
            subject_id=subject_id,
            part=part,
            title=subject.title,
            path=subject.path,
            **subject.goes_with,
        )
        session.add(row)
    row.title, row.path, row.service_id = subject.title, subject.path, subject.service_id
    session.flush()  # comments refer to it
    return row


def _thread(session: ReadSession, discussion: Discussion, parent_id: UUID | None) -> UUID | None:
    """Return the first comment of the thread: a reply to a reply joins the same thread."""
    if parent_id is None:
        return None
    parent = queries.comment(session, CommentId(parent_id))
    if parent is None or parent.discussion_id != discussion.id:
        raise ParentCommentMismatch(
            "The parent comment belongs to another discussion.", remedy="Reply in the discussion of the comment."
        )
    return parent.parent_id or parent.id


def _name(
    session: WriteSession, row: Comment, words: CommentDraft, members: Mapping[UUID, str], *, mail_is_sent: bool
) -> None:
    """Record newly mentioned users, except the author."""
    strangers = [user_id for user_id in words.picked if user_id not in members]
    if strangers:
        raise MentionedUserNotInTeam(
            f"The mentioned user {strangers[0]} is not a member of this team.", remedy="Invite the user first."
        )
    named = rules.mentioned(words.text, members, words.picked) - {row.author_id}
    before = {user_id for comment_id, user_id in queries.named_in(session, row.discussion_id) if comment_id == row.id}
    if len(named | before) > rules.MOST_MENTIONS:
        raise MentionedUserNotInTeam(
            "The comment mentions too many users.", limit=rules.MOST_MENTIONS, actual=len(named), unit="users"
        )
    for user_id in sorted(named - before):
        session.add(
            Mention(
                team_id=session.team_id,
                id=new_id(),
                discussion_id=row.discussion_id,
                comment_id=row.id,
                user_id=user_id,
            )
        )
    session.flush()
    if named - before and mail_is_sent:
        enqueue_unless_pending(session, MailMentions(DiscussionId(row.discussion_id)), after_s=rules.MAIL_AFTER_S)


def _token(session: ReadSession, caller: Caller) -> str:
    return queries.token_name(session, caller.token_id) if caller.token_id else ""
