"""What can go wrong with channels and messages."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class ChannelNotFound(NotFound):
    """No such channel in this team."""

    slug = "channel-not-found"
    title = "No such channel"


class NotificationNotFound(NotFound):
    """No such message in this team."""

    slug = "message-not-found"
    title = "No such notification"


class TooManyChannels(LimitExceeded):
    """The team has reached its limit of channels."""

    slug = "too-many-channels"
    title = "Too many channels"


class InvalidChannel(InvalidRequest):
    """A channel that could never be told anything as it was given."""

    slug = "channel-refused"
    title = "This channel cannot be used"


class ChannelNotActive(Conflict):
    """The channel is off or dead."""

    slug = "channel-not-on"
    title = "The channel is not active"


class NotificationPending(Conflict):
    """The notification is pending."""

    slug = "message-waits"
    title = "The notification is pending"


class PermanentDeliveryError(InvalidRequest):
    """Who is told answered that this message will never be taken."""

    slug = "message-refused"
    title = "The receiver rejected the notification"


class ReceiverGone(InvalidRequest):
    """Who is told answered that nobody is there any more."""

    slug = "receiver-gone"
    title = "The receiver no longer exists"
