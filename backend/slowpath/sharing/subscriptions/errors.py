"""Errors of subscriptions."""

from slowpath.core.errors import InvalidRequest, LimitExceeded, NotFound


class SubscriberNotAUser(InvalidRequest):
    """The request needs a signed-in user, which a token is not."""

    slug = "subscription-needs-user"
    title = "Sign in as a user"


class InvalidMailSchedule(InvalidRequest):
    """The schedule of mails contradicts itself, or names an unknown time zone."""

    slug = "invalid-mail-schedule"
    title = "The schedule is invalid"


class InvalidUnsubscribeLink(NotFound):
    """The link was not made by this server."""

    slug = "unsubscribe-link-not-found"
    title = "No such link"


class TooManyInvalidLinks(LimitExceeded):
    """An address opened too many invalid links."""

    slug = "too-many-invalid-links"
    title = "Too many invalid links"
