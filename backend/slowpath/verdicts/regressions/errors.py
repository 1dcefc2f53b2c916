"""What can go wrong with regressions."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class RegressionNotFound(NotFound):
    """No such regression in this team."""

    slug = "regression-not-found"
    title = "No such regression"


class AssigneeNotInTeam(InvalidRequest):
    """A regression can be given to members of the team only."""

    slug = "not-a-member"
    title = "Not a member of the team"


class RegressionNotConfirmed(Conflict):
    """What is not confirmed is nobody's yet."""

    slug = "regression-not-confirmed"
    title = "Not confirmed yet"


class ComparisonNotClaimable(InvalidRequest):
    """The comparison does not hold what a regression needs."""

    slug = "nothing-to-claim"
    title = "No regression can be made of this"


class TooManyMuteRules(LimitExceeded):
    """The service has as many rules as it may."""

    slug = "too-many-watched-series"
    title = "Too many rules"
