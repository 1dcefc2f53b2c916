"""Errors of budgets."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound


class BudgetNotFound(NotFound):
    """The team has no such budget."""

    slug = "budget-not-found"
    title = "No such budget"


class InvalidBudget(InvalidRequest):
    """A budget that cannot be evaluated."""

    slug = "invalid-budget"
    title = "This budget cannot be evaluated"


class BudgetExists(Conflict):
    """The service has a budget of the same measurement."""

    slug = "budget-exists"
    title = "This budget exists"


class TooManyBudgets(LimitExceeded):
    """The service has as many budgets as it may have."""

    slug = "too-many-budgets"
    title = "Too many budgets"
