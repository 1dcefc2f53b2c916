"""Errors of regressions."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class RegressionNotFound(NotFound):
    """The team has no such regression."""

    slug = "regression-not-found"
    title = "No such regression"


class AssigneeNotInTeam(InvalidRequest):
    """Only members of the team can be assigned a regression."""

    slug = "not-a-member"
    title = "Not a member of the team"


class RegressionNotConfirmed(Conflict):
    """The regression is not confirmed yet."""

    slug = "regression-not-confirmed"
    title = "Not confirmed yet"


class ComparisonNotClaimable(InvalidRequest):
    """The comparison lacks what a regression requires."""

    slug = "nothing-to-claim"
    title = "Cannot create a regression from this comparison"


class TooManyMuteRules(LimitExceeded):
    """The service has reached the limit of mute rules."""

    slug = "too-many-watched-series"
    title = "Too many mute rules"
