"""What can go wrong with bisects, probes and runners."""

from slowpath.core.errors import Conflict, Gone, InvalidRequest, LimitExceeded, NotFound


class BisectNotFound(NotFound):
    """No such bisect in this team."""

    slug = "bisect-not-found"
    title = "No such bisect"


class LevelNotFound(NotFound):
    """A bisect has looked into no candidate of this id."""

    slug = "bisect-level-not-found"
    title = "No such level of this bisect"


class RunnerNotFound(NotFound):
    """No such runner in this team."""

    slug = "runner-not-found"
    title = "No such runner"


class ProbeNotFound(NotFound):
    """No such probe in this team."""

    slug = "probe-not-found"
    title = "No such probe"


class CallbackNotFound(NotFound):
    """Nothing is called back by this secret."""

    slug = "callback-not-found"
    title = "No such callback"


class CallbackClosed(Gone):
    """The deploy has ended, or has said its last word."""

    slug = "callback-ended"
    title = "This deploy has ended"


class BisectIncomplete(InvalidRequest):
    """Something that a bisect needs is neither given nor known."""

    slug = "bisect-incomplete"
    title = "Not enough is known to start"


class InvalidBisectRequest(InvalidRequest):
    """What was sent does not fit this bisect."""

    slug = "bisect-refused"
    title = "This does not fit the bisect"


class InvalidBisectState(Conflict):
    """The bisect is not in a state that allows this."""

    slug = "bisect-state"
    title = "Not possible in this state"


class ProbeLeasedElsewhere(Conflict):
    """Another runner has this probe."""

    slug = "not-your-probe"
    title = "Another runner has it"


class RunnerBusy(Conflict):
    """Deploys of the runner have not ended."""

    slug = "runner-busy"
    title = "The runner still has deploys"


class RunnerNameTaken(Conflict):
    """Another process has the runner's name."""

    slug = "runner-taken"
    title = "Another runner has this name"


class TooManyBisects(LimitExceeded):
    """As many bisects or runners as there may be."""

    slug = "too-many-bisects"
    title = "Too many"


class InvalidCommitRange(InvalidRequest):
    """Nothing can be searched between the two commits."""

    slug = "bisect-range"
    title = "Nothing to search between these commits"
