"""What can go wrong with channels and messages."""

from slowpath.core.errors import Conflict, NotFound, Refused, TooMany


class ChannelNotFound(NotFound):
    """No such channel in this team."""

    slug = "channel-not-found"
    title = "No such channel"


class MessageNotFound(NotFound):
    """No such message in this team."""

    slug = "message-not-found"
    title = "No such message"


class TooManyChannels(TooMany):
    """The team has as many channels as it may."""

    slug = "too-many-channels"
    title = "Too many channels"


class ChannelRefused(Refused):
    """A channel that could never be told anything as it was given."""

    slug = "channel-refused"
    title = "This channel can not be used"


class ChannelNotOn(Conflict):
    """The channel is off or dead."""

    slug = "channel-not-on"
    title = "The channel is not on"


class MessageWaits(Conflict):
    """The message is on its way."""

    slug = "message-waits"
    title = "The message is on its way"


class NeverTaken(Refused):
    """Who is told answered that this message will never be taken."""

    slug = "message-refused"
    title = "The message was refused"


class Gone(Refused):
    """Who is told answered that nobody is there any more."""

    slug = "receiver-gone"
    title = "Nobody is there any more"
