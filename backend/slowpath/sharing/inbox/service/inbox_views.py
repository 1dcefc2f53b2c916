"""Saved views of the inbox."""

from collections.abc import Sequence
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import UserId, new_id
from slowpath.sharing.inbox import queries
from slowpath.sharing.inbox.errors import InboxViewNameTaken, InboxViewNotFound, NotAUser, TooManyInboxViews
from slowpath.sharing.inbox.rules import MOST_VIEWS
from slowpath.sharing.inbox.tables import InboxView


def require_user(user_id: UserId | None) -> UserId:
    """Return the user. Raises `NotAUser` for a token."""
    if user_id is None:
        raise NotAUser("This is of a user, and a token is none.", remedy="Sign in as a user.")
    return user_id


def list_views(session: ReadSession, user_id: UserId | None) -> Sequence[InboxView]:
    """Return the views of a user, and those that are shared, by name."""
    return queries.select_views(session, user_id)


def create_view(
    session: WriteSession, user_id: UserId | None, name: str, filters: str, *, is_shared: bool
) -> InboxView:
    """Save filters under a name. Raises `NotAUser`, `InboxViewNameTaken`, `TooManyInboxViews`."""
    owner = require_user(user_id)
    count = queries.count_views(session, owner)
    if count >= MOST_VIEWS:
        raise TooManyInboxViews(
            "You have too many saved views.",
            limit=MOST_VIEWS,
            actual=count + 1,
            unit="views",
            remedy="Delete one that you no longer need.",
        )
    if queries.has_view_named(session, owner, name):
        raise InboxViewNameTaken("You have a saved view of this name.", remedy="Choose another name, or delete it.")
    row = InboxView(
        team_id=session.team_id, id=new_id(), user_id=owner, name=name, filters=filters, is_shared=is_shared
    )
    session.add(row)
    session.flush()
    return row


def delete_view(session: WriteSession, user_id: UserId | None, view_id: UUID) -> InboxView:
    """Delete a view of the user, or a shared one, and return it. Raises `InboxViewNotFound`."""
    row = queries.select_view(session, view_id)
    if row is None or not (row.is_shared or row.user_id == user_id):
        raise InboxViewNotFound("The team has no such saved view, or it is of another user.")
    session.delete(row)
    return row
