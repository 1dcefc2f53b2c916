"""Errors of bisects, probes and runners."""

from slowpath.core.errors import Conflict, Gone, InvalidRequest, LimitExceeded, NotFound


class BisectNotFound(NotFound):
    """The team has no such bisect."""

    slug = "bisect-not-found"
    title = "No such bisect"


class PreflightNotFound(NotFound):
    """The team has no such preflight; they are stored for a day."""

    slug = "bisect-preflight-not-found"
    title = "No such preflight"


class LevelNotFound(NotFound):
    """The bisect has not expanded a candidate with this ID."""

    slug = "bisect-level-not-found"
    title = "No such level of this bisect"


class RunnerNotFound(NotFound):
    """The team has no such runner."""

    slug = "runner-not-found"
    title = "No such runner"


class ProbeNotFound(NotFound):
    """The team has no such probe."""

    slug = "probe-not-found"
    title = "No such probe"


class CallbackNotFound(NotFound):
    """No probe has this callback secret."""

    slug = "callback-not-found"
    title = "No such callback"


class CallbackClosed(Gone):
    """The probe has ended, or already reported a final state."""

    slug = "callback-ended"
    title = "This deployment has ended"


class BisectIncomplete(InvalidRequest):
    """A value that a bisect requires is missing and has no default."""

    slug = "bisect-incomplete"
    title = "Required settings are missing"


class InvalidBisectRequest(InvalidRequest):
    """The request does not apply to this bisect."""

    slug = "bisect-refused"
    title = "Invalid request for this bisect"


class InvalidBisectState(Conflict):
    """The state of the bisect does not allow this action."""

    slug = "bisect-state"
    title = "Not allowed in this state"


class ProbeLeasedElsewhere(Conflict):
    """Another runner holds the lease of this probe."""

    slug = "not-your-probe"
    title = "Another runner holds this probe"


class RunnerBusy(Conflict):
    """The runner has deployments that have not ended."""

    slug = "runner-busy"
    title = "The runner still has deployments"


class RunnerNameTaken(Conflict):
    """Another process is registered under the name of this runner."""

    slug = "runner-taken"
    title = "The runner name is taken"


class TooManyBisects(LimitExceeded):
    """The team has reached the limit of open bisects or of runners."""

    slug = "too-many-bisects"
    title = "Too many bisects or runners"


class InvalidCommitRange(InvalidRequest):
    """The range between the two commits cannot be searched."""

    slug = "bisect-range"
    title = "Nothing to search between these commits"
