"""Errors of notification channels and notifications."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class ChannelNotFound(NotFound):
    """The team has no such channel."""

    slug = "channel-not-found"
    title = "No such channel"


class NotificationNotFound(NotFound):
    """The team has no such notification."""

    slug = "message-not-found"
    title = "No such notification"


class TooManyChannels(LimitExceeded):
    """The team has reached its limit of channels."""

    slug = "too-many-channels"
    title = "Too many channels"


class InvalidChannel(InvalidRequest):
    """The channel's settings can never work."""

    slug = "channel-refused"
    title = "This channel cannot be used"


class ChannelNotActive(Conflict):
    """The channel is off, or disabled after failures."""

    slug = "channel-not-on"
    title = "The channel is not active"


class NotificationPending(Conflict):
    """The notification is pending."""

    slug = "message-waits"
    title = "The notification is pending"


class PermanentDeliveryError(InvalidRequest):
    """The receiver permanently rejected the notification."""

    slug = "message-refused"
    title = "The receiver rejected the notification"


class ReceiverGone(InvalidRequest):
    """The receiver no longer exists."""

    slug = "receiver-gone"
    title = "The receiver no longer exists"


class IssueTrackerMissing(InvalidRequest):
    """The channel cannot create issues of this service."""

    slug = "issue-tracker-missing"
    title = "No issue can be created there"
