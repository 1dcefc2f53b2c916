"""SELECT statements of discussions, comments and mentions."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Row, Select, func, select, tuple_

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import CommentId, DiscussionId, UserId
from slowpath.platform.accounts.tables import ApiToken, Membership, User
from slowpath.sharing.discussions.tables import Comment, Discussion, Mention

After = tuple[datetime, UUID] | None


def discussion(session: ReadSession, kind: str, subject_id: UUID, part: str) -> Discussion | None:
    """Return the discussion of a subject, by its unique constraint."""
    found = select(Discussion).where(
        Discussion.team_id == session.team_id,
        Discussion.subject_kind == kind,
        Discussion.subject_id == subject_id,
        Discussion.part == part,
    )
    return session.scalars(found).one_or_none()


def discussion_of(session: ReadSession, discussion_id: DiscussionId) -> Discussion | None:
    """Return one discussion, by primary key."""
    return session.get(Discussion, (session.team_id, discussion_id))


def comments(session: ReadSession, discussion_id: UUID) -> Sequence[Comment]:
    """Return the comments of a discussion, oldest first, by ix_comment_discussion."""
    found = select(Comment).where(Comment.team_id == session.team_id, Comment.discussion_id == discussion_id)
    return session.scalars(found.order_by(Comment.created_at, Comment.id)).all()


def comment(session: ReadSession, comment_id: CommentId) -> Comment | None:
    """Return one comment, by primary key."""
    return session.get(Comment, (session.team_id, comment_id))


def count_comments(session: ReadSession, discussion_id: UUID) -> int:
    """Return how many comments a discussion has, by ix_comment_discussion."""
    found = select(func.count()).select_from(Comment)
    return session.scalars(
        found.where(Comment.team_id == session.team_id, Comment.discussion_id == discussion_id)
    ).one()


def has_answers(session: ReadSession, comment_id: UUID) -> bool:
    """Return whether a comment has replies, by ix_comment_parent."""
    found = select(Comment.id).where(Comment.team_id == session.team_id, Comment.parent_id == comment_id)
    return session.scalar(found.limit(1)) is not None


def counts(session: ReadSession, kind: str, subject_ids: Sequence[UUID]) -> Sequence[Row[UUID, str, int]]:
    """Return subject, key and number of comments, by uq_discussion_subject and ix_comment_discussion."""
    found = (
        select(Discussion.subject_id, Discussion.part, func.count(Comment.id))
        .join(Comment, (Comment.team_id == Discussion.team_id) & (Comment.discussion_id == Discussion.id))
        .where(
            Discussion.team_id == session.team_id,
            Discussion.subject_kind == kind,
            Discussion.subject_id.in_(subject_ids),
            Comment.deleted_at.is_(None),
        )
        .group_by(Discussion.subject_id, Discussion.part)
        .order_by(Discussion.subject_id, Discussion.part)
    )
    return session.execute(found).all()


def members(session: ReadSession) -> Mapping[UUID, str]:
    """Return the names of the team's members."""
    found = select(User.id, User.name).join(Membership, Membership.user_id == User.id)
    return {row.id: row.name for row in session.execute(found.where(Membership.team_id == session.team_id))}


def token_name(session: ReadSession, token_id: UUID) -> str:
    """Return the name of a token, by primary key."""
    row = session.get(ApiToken, (session.team_id, token_id))
    return row.name if row else ""


def named_in(session: ReadSession, discussion_id: UUID) -> Sequence[Row[UUID, UUID]]:
    """Return comment and user of each mention in a discussion, by ix_mention_discussion."""
    found = select(Mention.comment_id, Mention.user_id)
    return session.execute(
        found.where(Mention.team_id == session.team_id, Mention.discussion_id == discussion_id)
    ).all()


def _mentions(session: ReadSession, user_id: UserId) -> Select[Mention, Comment, Discussion]:
    return (
        select(Mention, Comment, Discussion)
        .join(Comment, (Comment.team_id == Mention.team_id) & (Comment.id == Mention.comment_id))
        .join(Discussion, (Discussion.team_id == Mention.team_id) & (Discussion.id == Mention.discussion_id))
        .where(Mention.team_id == session.team_id, Mention.user_id == user_id, Comment.deleted_at.is_(None))
    )


def mentions(
    session: ReadSession, user_id: UserId, *, unread: bool, after: After, limit: int
) -> Sequence[Row[Mention, Comment, Discussion]]:
    """Return the mentions of a user, newest first, by ix_mention_newest."""
    found = _mentions(session, user_id)
    if unread:
        found = found.where(Mention.read_at.is_(None))
    if after is not None:
        found = found.where(tuple_(Mention.created_at, Mention.id) < after)
    return session.execute(found.order_by(Mention.created_at.desc(), Mention.id.desc()).limit(limit)).all()


def count_unread(session: ReadSession, user_id: UserId) -> int:
    """Return the number of unread mentions of a user, by ix_mention_newest."""
    found = _mentions(session, user_id).where(Mention.read_at.is_(None))
    return session.scalars(found.with_only_columns(func.count())).one()


def mentions_of(session: ReadSession, user_id: UserId, mention_ids: Sequence[UUID]) -> Sequence[Mention]:
    """Return those of these mentions that belong to a user, by primary key."""
    found = select(Mention).where(Mention.team_id == session.team_id, Mention.id.in_(mention_ids))
    return session.scalars(found.where(Mention.user_id == user_id)).all()


def all_unread(session: ReadSession, user_id: UserId) -> Sequence[Mention]:
    """Return the unread mentions of a user, by ix_mention_newest."""
    found = select(Mention).where(Mention.team_id == session.team_id, Mention.user_id == user_id)
    return session.scalars(found.where(Mention.read_at.is_(None))).all()


def to_be_mailed(
    session: ReadSession, discussion_id: DiscussionId, since: datetime
) -> Sequence[Row[Mention, Comment, User]]:
    """Return mentions of current members that are neither read nor mailed, oldest first; locks the rows."""
    found = (
        select(Mention, Comment, User)
        .join(Comment, (Comment.team_id == Mention.team_id) & (Comment.id == Mention.comment_id))
        .join(Membership, (Membership.team_id == Mention.team_id) & (Membership.user_id == Mention.user_id))
        .join(User, User.id == Mention.user_id)
        .where(
            Mention.team_id == session.team_id,
            Mention.discussion_id == discussion_id,
            Mention.created_at >= since,
            Mention.mailed_at.is_(None),
            Mention.read_at.is_(None),
            Comment.deleted_at.is_(None),
            User.email_on_mention,
        )
        .order_by(Mention.created_at, Mention.id)
        .with_for_update(of=Mention)
        .execution_options(populate_existing=True)
    )
    return session.execute(found).all()


def last_mails(session: ReadSession, discussion_id: DiscussionId) -> Mapping[UUID, datetime]:
    """Return when each user was last mailed about a discussion, by ix_mention_discussion."""
    found = (
        select(Mention.user_id, func.max(Mention.mailed_at))
        .where(Mention.team_id == session.team_id, Mention.discussion_id == discussion_id)
        .group_by(Mention.user_id)
    )
    return {user_id: at for user_id, at in session.execute(found) if at is not None}
