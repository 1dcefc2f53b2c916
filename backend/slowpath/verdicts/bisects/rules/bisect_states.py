"""States of bisects and probes, and limits."""

from enum import StrEnum
from typing import Final, Literal

BisectStateName = Literal[
    "planned", "waiting-approval", "searching", "paused", "found", "not-in-range", "not-separable", "stopped",
    "cancelled", "failed",
]  # fmt: skip
ProbeStateName = Literal[
    "queued", "leased", "deploying", "warming", "soaking", "collecting", "idle", "stopping", "done", "unbuildable",
    "unhealthy", "failed", "invalidated", "lost",
]  # fmt: skip
PurposeName = Literal["baseline", "boundary", "control", "probe", "verify", "override", "variant", "compile"]
PhaseName = Literal["deploying", "warming", "soaking", "collecting", "idle"]
EndingName = Literal["done", "unbuildable", "unhealthy", "failed"]
MoveName = Literal["pause", "resume", "cancel", "approve", "retry"]
CommandName = Literal["measure", "wait", "stop"]
CallbackName = Literal["building", "rolling", "ready", "unbuildable", "failed"]


class BisectState(StrEnum):
    """States of a bisect. The first four are open."""

    PLANNED = "planned"
    WAITING = "waiting-approval"
    SEARCHING = "searching"
    PAUSED = "paused"
    FOUND = "found"
    NOT_IN_RANGE = "not-in-range"
    NOT_SEPARABLE = "not-separable"
    STOPPED = "stopped"
    CANCELLED = "cancelled"
    FAILED = "failed"


OPEN: Final = frozenset({BisectState.PLANNED, BisectState.WAITING, BisectState.SEARCHING, BisectState.PAUSED})


MEASURED: Final = frozenset(
    {BisectState.FOUND, BisectState.NOT_IN_RANGE, BisectState.NOT_SEPARABLE, BisectState.STOPPED}
)
"""Ended states whose measurements estimate the dispersion between deployments."""


class ProbeState(StrEnum):
    """States of a probe."""

    QUEUED = "queued"
    LEASED = "leased"
    DEPLOYING = "deploying"
    WARMING = "warming"
    SOAKING = "soaking"
    COLLECTING = "collecting"
    IDLE = "idle"
    STOPPING = "stopping"
    DONE = "done"
    UNBUILDABLE = "unbuildable"
    UNHEALTHY = "unhealthy"
    FAILED = "failed"
    INVALIDATED = "invalidated"
    LOST = "lost"


UNDER_WAY: Final = frozenset(
    {
        ProbeState.LEASED,
        ProbeState.DEPLOYING,
        ProbeState.WARMING,
        ProbeState.SOAKING,
        ProbeState.COLLECTING,
        ProbeState.IDLE,
    }
)
"""Leased and continuing."""
LIVING: Final = UNDER_WAY | {ProbeState.QUEUED}
"""Not ended: more measurements can follow."""
STARTING: Final = frozenset({ProbeState.LEASED, ProbeState.DEPLOYING, ProbeState.WARMING})
"""Before the first measurement."""
NO_BUILD: Final = frozenset({ProbeState.UNBUILDABLE, ProbeState.UNHEALTHY})
"""The build cannot be measured, however often it is retried."""
NOT_COUNTED: Final = frozenset({ProbeState.FAILED, ProbeState.INVALIDATED, ProbeState.LOST})
"""The measurements do not count; another probe may be queued."""

COMPILE: Final = "compile"
"""Purpose of the probe that deploys nothing: it compiles the culprit of a bisect that has ended and the build before it."""


def may_be_leased(state: str, purpose: str) -> bool:
    """Return whether a runner may lease a queued probe of a bisect in this state."""
    return state == (BisectState.FOUND if purpose == COMPILE else BisectState.SEARCHING)


LEASE_SECONDS: Final = 30
"""Lease time; heartbeats follow at a third of it."""
WATCH_SECONDS: Final = 30.0
MOST_WAIT_SECONDS: Final = 25
MOST_SLOTS: Final = 64
MOST_RUNNERS: Final = 200
ALIVE_SECONDS: Final = 90
"""A runner seen within this time counts as alive."""
LOG_BYTES: Final = 8192
DETAIL_BYTES: Final = 1024
MOST_WINDOWS: Final = 1000
"""Most measurements of a probe; a control stays deployed."""
MOST_OPEN: Final = 50
"""Most open bisects of a team."""
MOST_PROBES: Final = 2000
"""Most probes of a bisect."""
MOST_FAILURES: Final = 3
"""Consecutive probes that failed, were lost or gave no value before the bisect pauses."""
MOST_BAD_WINDOWS: Final = 3
"""Measurements without a value before a probe is invalidated."""
MARK_COUNTS: Final = 4
"""Weight of an override, in verdicts of measurements."""
CALLBACKS_PER_MINUTE: Final = (120, 60)
MOST_SHOWN: Final = 200
"""Most candidates of a level returned one by one, by posterior; the chart has all."""
MOST_EVENTS: Final = 200
