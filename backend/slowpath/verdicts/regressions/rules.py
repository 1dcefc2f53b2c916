"""States of regressions and of judgements, and the limits of what is watched."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal

StateName = Literal["new", "investigating", "acknowledged", "fixed", "improved", "not-a-regression", "ignored"]
JudgementName = Literal["pending", "evaluating", "passed", "changed", "inconclusive", "skipped"]
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
]
EvidenceName = Literal["comparison", "fix-verification"]


class RegressionState(StrEnum):
    """Where a regression stands. `new`, `investigating` and `acknowledged` are open."""

    NEW = "new"
    INVESTIGATING = "investigating"
    ACKNOWLEDGED = "acknowledged"
    FIXED = "fixed"
    IMPROVED = "improved"
    NOT_A_REGRESSION = "not-a-regression"
    IGNORED = "ignored"


OPEN: Final = frozenset({RegressionState.NEW, RegressionState.INVESTIGATING, RegressionState.ACKNOWLEDGED})
STILL_TRUE: Final = OPEN | {RegressionState.NOT_A_REGRESSION, RegressionState.IGNORED}
"""What was found is still so, whatever people think of it."""


class BuildVerdictState(StrEnum):
    """What is known of a build."""

    PENDING = "pending"
    EVALUATING = "evaluating"
    PASSED = "passed"
    CHANGED = "changed"
    INCONCLUSIVE = "inconclusive"
    SKIPPED = "skipped"


MAIN_BRANCHES: Final = ("main", "master", "trunk", "develop")
"""How the branch that others come from is mostly called, the first that a service has."""
NO_BRANCH: Final = ""
"""Of builds that were told without one: they are a line of their own."""
MOST_BUILDS: Final = 200
"""How far back a line of builds is looked at: older ones say little of today's noise."""
MOST_ARTIFACTS: Final = 40
"""Of a kind in a build: more make its value hardly surer."""
MOST_FUNCTIONS: Final = 256
"""Of a build, by their totals."""
LEAST_SHARE: Final = 0.004
"""Of the whole: a function that is smaller in all builds has no series of its own."""
NEVER_JUDGED: Final = frozenset({"profile.mutex", "profile.block"})
"""Idle waits rule them and two runs of one binary differ: they are drawn, and nobody is told of them."""
NEEDS_LOAD: Final = frozenset({"profile.allocs"})
"""Shares of what was allocated are drawn only: when one grows all others shrink, and nothing says which."""
LATENCY: Final = "latency"
"""The kind of series that no artifact measures: metrics of where a build was deployed do."""
MOST_WATCHED: Final = 200
MOST_SERIES: Final = 40
"""On a page."""
SPARK: Final = 44
"""Values that a row of the list draws."""
SETTLE_SECONDS: Final = 5.0
"""After an artifact of a build is decoded others of the same build mostly follow: so long is waited for them."""
MOST_COMPARED: Final = 10
"""Artifacts of a kind on each side of the comparison that is attached."""


def guess_default_branch(branches: Mapping[str, int]) -> str:
    """Return the branch that others come from, of how many builds each has: by its name, else that with most builds."""
    named = next((branch for branch in MAIN_BRANCHES if branch in branches), None)
    return named or max(branches, key=lambda branch: (branches[branch], branch), default=NO_BRANCH)


def is_notifiable(*, confirmed: bool, state: str) -> bool:
    """Tell whether anyone may hear of a regression."""
    return confirmed and state not in (RegressionState.NOT_A_REGRESSION, RegressionState.IGNORED)
