"""The inbox of a user: mentions, what was read, and what is mailed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import DiscussionId, UserId
from slowpath.platform.accounts.service import get_team
from slowpath.sharing.discussions.errors import MentionNotFound
from slowpath.sharing.discussions.queries import discussions as queries
from slowpath.sharing.discussions.queries.discussions import After
from slowpath.sharing.discussions.rules import MAIL_AGAIN_S, MAIL_PAUSE_S, MAIL_WITHIN_S
from slowpath.sharing.discussions.tables import Comment, Discussion, Mention


def list_mentions(
    session: ReadSession, user_id: UserId | None, *, unread: bool, after: After, limit: int
) -> Sequence[tuple[Mention, Comment, Discussion]]:
    """Return the mentions of a user, newest first. A token has none."""
    if user_id is None:
        return []
    rows = queries.mentions(session, user_id, unread=unread, after=after, limit=limit)
    return [(row[0], row[1], row[2]) for row in rows]


def count_unread_mentions(session: ReadSession, user_id: UserId | None) -> int:
    """Return the number of unread mentions of a user."""
    return 0 if user_id is None else queries.count_unread(session, user_id)


def mark_mentions_read(
    session: WriteSession, user_id: UserId | None, mention_ids: Sequence[UUID] | None, now: datetime
) -> None:
    """Mark these mentions of a user, or all (None), as read. Raises `MentionNotFound`: then none is marked."""
    if user_id is None:
        rows: Sequence[Mention] = []
    elif mention_ids is None:
        rows = queries.all_unread(session, user_id)
    else:
        rows = queries.mentions_of(session, user_id, mention_ids)
    if mention_ids is not None and {row.id for row in rows} != set(mention_ids):
        raise MentionNotFound("You have no mention with this ID.")
    for row in rows:
        row.read_at = row.read_at or now
    session.flush()  # a later query in this transaction counts them


@dataclass(frozen=True)
class MentionDigest:
    """The mail to one user about one discussion."""

    mention_ids: tuple[UUID, ...]
    to: str
    title: str
    url: str
    team: str
    comments: tuple[tuple[str, str], ...]
    """Author and text of each comment, oldest first."""


@dataclass(frozen=True)
class MentionMailBatch:
    """Mails that can be sent now, and seconds until the next check (None: nothing is left)."""

    letters: tuple[MentionDigest, ...]
    again_s: float | None


def claim_mention_mails(
    session: WriteSession, discussion_id: DiscussionId, public_url: str, now: datetime
) -> MentionMailBatch:
    """Claim what may be mailed now: one mail per user, with a pause between two.

    A claim excludes other senders for a while; after a crash it expires and the same mail is claimed again.
    """
    discussion = queries.discussion_of(session, discussion_id)
    if discussion is None:
        return MentionMailBatch((), None)
    team = get_team(session)
    last = queries.last_mails(session, discussion_id)
    by_person: dict[UUID, list[tuple[Mention, Comment, str]]] = {}
    waits: list[float] = []
    for mention, comment, user in queries.to_be_mailed(session, discussion_id, now - timedelta(seconds=MAIL_WITHIN_S)):
        left = max(_left(last.get(user.id), MAIL_PAUSE_S, now), _left(mention.mail_begun_at, MAIL_AGAIN_S, now))
        if left > 0:
            waits.append(left)
        else:
            by_person.setdefault(user.id, []).append((mention, comment, user.email))
    letters = []
    for rows in by_person.values():
        for mention, _, _ in rows:
            mention.mail_begun_at = now
        letters.append(
            MentionDigest(
                mention_ids=tuple(mention.id for mention, _, _ in rows),
                to=rows[0][2],
                title=discussion.title,
                url=f"{public_url}/t/{team.slug}{discussion.path}",
                team=team.name,
                comments=tuple((comment.author_name, comment.text) for _, comment, _ in rows),
            )
        )
    return MentionMailBatch(tuple(letters), min(waits) + 1 if waits else None)


def release_mention_mails(session: WriteSession, user_mentions: Sequence[UUID]) -> None:
    """Release claimed mentions that could not be mailed to the next attempt."""
    for row in _rows(session, user_mentions):
        row.mail_begun_at = None


def record_mentions_mailed(session: WriteSession, user_mentions: Sequence[UUID], now: datetime) -> None:
    """Record that mentions were mailed, or that the mail server permanently rejected them."""
    for row in _rows(session, user_mentions):
        row.mailed_at = now


def _left(since: datetime | None, pause_s: float, now: datetime) -> float:
    """Return the remaining seconds of a pause."""
    return 0.0 if since is None else pause_s - (now - since).total_seconds()


def _rows(session: WriteSession, mention_ids: Sequence[UUID]) -> list[Mention]:
    found = [session.get(Mention, (session.team_id, mention_id)) for mention_id in mention_ids]
    return [row for row in found if row is not None]
