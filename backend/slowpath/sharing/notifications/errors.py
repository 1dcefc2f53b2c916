"""What can go wrong with channels and messages."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class ChannelNotFound(NotFound):
    """No such channel in this team."""

    slug = "channel-not-found"
    title = "No such channel"


class NotificationNotFound(NotFound):
    """No such message in this team."""

    slug = "message-not-found"
    title = "No such message"


class TooManyChannels(LimitExceeded):
    """The team has as many channels as it may."""

    slug = "too-many-channels"
    title = "Too many channels"


class InvalidChannel(InvalidRequest):
    """A channel that could never be told anything as it was given."""

    slug = "channel-refused"
    title = "This channel can not be used"


class ChannelNotActive(Conflict):
    """The channel is off or dead."""

    slug = "channel-not-on"
    title = "The channel is not on"


class NotificationPending(Conflict):
    """The message is on its way."""

    slug = "message-waits"
    title = "The message is on its way"


class PermanentDeliveryError(InvalidRequest):
    """Who is told answered that this message will never be taken."""

    slug = "message-refused"
    title = "The message was refused"


class ReceiverGone(InvalidRequest):
    """Who is told answered that nobody is there any more."""

    slug = "receiver-gone"
    title = "Nobody is there any more"
