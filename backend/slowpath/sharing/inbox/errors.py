"""Errors of the inbox."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound


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


class InvalidSlackSignature(NotAuthenticated):
    """The request is not signed by the Slack app of the channel, or is old."""

    slug = "slack-signature-invalid"
    title = "The signature is invalid"


class TooManySlackFailures(LimitExceeded):
    """Too many invalid signatures in a short time."""

    slug = "too-many-slack-failures"
    title = "Too many invalid signatures"


class SlackInteractionRepeated(Conflict):
    """The same signed request was received before."""

    slug = "slack-interaction-repeated"
    title = "The request was received before"


class MalformedSlackInteraction(InvalidRequest):
    """The request is signed, but is not a button of a message of Slowpath."""

    slug = "malformed-slack-interaction"
    title = "The request is not a button of Slowpath"
