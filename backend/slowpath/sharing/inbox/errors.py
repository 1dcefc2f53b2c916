"""Errors of the inbox."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class InboxItemNotFound(NotFound):
    """The team has no such item in the inbox."""

    slug = "inbox-item-not-found"
    title = "No such item"


class InboxViewNotFound(NotFound):
    """The team has no such saved view, or it is of another user."""

    slug = "inbox-view-not-found"
    title = "No such saved view"


class InboxViewNameTaken(Conflict):
    """The user has a saved view of this name."""

    slug = "inbox-view-name-taken"
    title = "The name is taken"


class TooManyInboxViews(LimitExceeded):
    """The user has reached the limit of saved views."""

    slug = "too-many-inbox-views"
    title = "Too many saved views"


class ActionNotSupported(InvalidRequest):
    """The action does not apply to the kind or the state of the item."""

    slug = "inbox-action-not-supported"
    title = "The action does not apply"


class NotAUser(InvalidRequest):
    """The request needs a signed-in user, which a token is not."""

    slug = "inbox-needs-user"
    title = "Sign in as a user"
