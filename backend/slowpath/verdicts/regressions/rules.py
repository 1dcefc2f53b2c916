"""States of regressions and build verdicts, and limits of the evaluation."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal

StateName = Literal["new", "investigating", "acknowledged", "fixed", "improved", "not-a-regression", "ignored"]
BuildVerdictName = Literal["pending", "evaluating", "passed", "changed", "inconclusive", "skipped"]
CauseName = Literal["code", "conditions"]
EventName = Literal[
    "opened",
    "state",
    "assignee",
    "due",
    "note",
    "comparison",
    "changed",
    "fixed",
    "improved",
    "still-slower",
    "reopened",
    "merged-to-branch",
    "bisect-not-started",
]
EvidenceName = Literal["comparison", "fix-verification"]


class RegressionState(StrEnum):
    """States of a regression. `new`, `investigating` and `acknowledged` are open."""

    NEW = "new"
    INVESTIGATING = "investigating"
    ACKNOWLEDGED = "acknowledged"
    FIXED = "fixed"
    IMPROVED = "improved"
    NOT_A_REGRESSION = "not-a-regression"
    IGNORED = "ignored"


OPEN: Final = frozenset({RegressionState.NEW, RegressionState.INVESTIGATING, RegressionState.ACKNOWLEDGED})
STILL_TRUE: Final = OPEN | {RegressionState.NOT_A_REGRESSION, RegressionState.IGNORED}
"""States in which the change itself persists, whatever its triage."""


class BuildVerdictState(StrEnum):
    """States of the verdict on a build."""

    PENDING = "pending"
    EVALUATING = "evaluating"
    PASSED = "passed"
    CHANGED = "changed"
    INCONCLUSIVE = "inconclusive"
    SKIPPED = "skipped"


MAIN_BRANCHES: Final = ("main", "master", "trunk", "develop")
"""Usual names of the default branch; the first that a service has is used."""
NO_BRANCH: Final = ""
"""The branch of builds uploaded without one: they form a separate build history."""
MOST_BUILDS: Final = 200
"""Builds of a history that are evaluated: older ones do not represent today's noise."""
MOST_ARTIFACTS: Final = 40
"""Artifacts per kind and build that are measured: more hardly reduce the standard error."""
MOST_FUNCTIONS: Final = 256
"""Functions per build that are measured, the largest by total."""
LEAST_SHARE: Final = 0.004
"""Least share of the total that a function needs in some build to have a series."""
LATENCY: Final = "latency"
"""The kind of series measured from the metrics of deployments, not from artifacts."""
MOST_WATCHED: Final = 200
MOST_SERIES: Final = 40
"""Series per page."""
SPARK: Final = 44
"""Values of a sparkline."""
SETTLE_SECONDS: Final = 5.0
"""Delay before an evaluation, since more artifacts of the same build usually follow."""
MOST_ANCESTORS: Final = 200
"""Earlier builds that are considered as the base of a comparison: the newest."""
MOST_ANCESTORS_READ: Final = 40
"""Of these, the nearest whose artifacts are read."""
MOST_DESCENDANTS: Final = 20
"""Newest builds whose comparison is refreshed when an earlier build gets more evidence."""
REFUTING_BUILDS: Final = 12
"""Later builds of a branch within which the detectable change of a history is found."""
MOST_COMPARED: Final = 10
"""Artifacts per kind on each side of the comparison that is evidence."""


def guess_default_branch(branches: Mapping[str, int]) -> str:
    """Return the default branch: by its name, else the branch with most builds.

    `branches`: number of builds by branch.
    """
    named = next((branch for branch in MAIN_BRANCHES if branch in branches), None)
    return named or max(branches, key=lambda branch: (branches[branch], branch), default=NO_BRANCH)


def is_notifiable(*, confirmed: bool, state: str) -> bool:
    """Return whether notifications of a regression may be sent."""
    return confirmed and state not in (RegressionState.NOT_A_REGRESSION, RegressionState.IGNORED)
