"""States and kinds of production events, and the times and numbers that limit their updates."""

from datetime import timedelta
from enum import StrEnum
from typing import Final, Literal

StateName = Literal["new", "investigating", "acknowledged", "closed", "not-a-regression", "ignored", "withdrawn"]
EventKindName = Literal["latency", "slow-deployment", "load", "gauge"]
HistoryKind = Literal[
    "opened", "joined", "returned", "budget", "state", "assignee", "due", "fix", "comparison", "closed", "reopened"
]


class ProductionEventState(StrEnum):
    """States of a production event. The first three are open."""

    NEW = "new"
    INVESTIGATING = "investigating"
    ACKNOWLEDGED = "acknowledged"
    CLOSED = "closed"
    """Closed by the proof that it is over."""
    NOT_A_REGRESSION = "not-a-regression"
    IGNORED = "ignored"
    WITHDRAWN = "withdrawn"


class EventKind(StrEnum):
    """What a production event is about. `slow-deployment`: of a verdict that no change point confirms."""

    LATENCY = "latency"
    SLOW_DEPLOYMENT = "slow-deployment"
    LOAD = "load"
    GAUGE = "gauge"


OPEN: Final = (ProductionEventState.NEW, ProductionEventState.INVESTIGATING, ProductionEventState.ACKNOWLEDGED)
SETTABLE: Final = frozenset({*OPEN, ProductionEventState.NOT_A_REGRESSION, ProductionEventState.IGNORED})
"""States that a user can set: only a proof closes an event."""

ANNOUNCE_WITHIN: Final = timedelta(hours=1)
"""An older change, such as one of imported history, is listed but not announced."""
OPEN_WITHIN: Final = timedelta(hours=24)
"""Older changes are history, and open no event."""
COMPARE_WITHIN: Final = timedelta(hours=24)
"""How long after its start an event gets a comparison as soon as both sides have evidence."""
CONFIRM_WITHIN: Final = timedelta(minutes=15)
"""An event that is not confirmed in this time is withdrawn."""
CHECK_EVERY: Final = timedelta(minutes=5)
"""How often an open event is checked for recovery."""
MOST_CHECKED: Final = 20
"""Events that one job checks: those that waited longest."""
MOST_OPENED: Final = 50
"""Events that one job opens. More at once would be one incident that the grouping missed."""
