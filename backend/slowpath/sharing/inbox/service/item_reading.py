"""What a member has read of the inbox: an item is unread until they read it, and again when it changes."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import UserId
from slowpath.sharing.inbox import queries
from slowpath.sharing.inbox.rules import ItemKind
from slowpath.sharing.inbox.service import inbox_items


def record_read(session: WriteSession, user_id: UserId, keys: Sequence[tuple[ItemKind, UUID]], now: datetime) -> None:
    """Mark items as read by a user, as they are now. Closed items and those that do not exist are left out."""
    items = inbox_items.get_items(session, keys, user_id, now).values()
    queries.upsert_read_marks(session, user_id, [each for each in items if each.closed is None])


def record_unread(session: WriteSession, user_id: UserId, keys: Sequence[tuple[ItemKind, UUID]]) -> None:
    """Make items unread for a user."""
    for kind in ItemKind:
        if ids := [subject_id for of_kind, subject_id in keys if of_kind is kind]:
            queries.delete_read_marks(session, user_id, kind, ids)
