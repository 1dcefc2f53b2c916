"""Where bisects and probes stand, and how often what may happen."""

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
PurposeName = Literal["baseline", "boundary", "control", "probe", "verify", "override"]
PhaseName = Literal["deploying", "warming", "soaking", "collecting", "idle"]
EndingName = Literal["done", "unbuildable", "unhealthy", "failed"]
MoveName = Literal["pause", "resume", "cancel", "approve", "retry"]
CommandName = Literal["measure", "wait", "stop"]
CallbackName = Literal["building", "rolling", "ready", "unbuildable", "failed"]


class BisectState(StrEnum):
    """Where a bisect stands. The first four are open."""

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
"""Ended after measurements that say how deploys vary."""


class ProbeState(StrEnum):
    """Where a deploy stands."""

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
"""A runner has it, and it is to go on."""
LIVING: Final = UNDER_WAY | {ProbeState.QUEUED}
"""More is to come of it."""
STARTING: Final = frozenset({ProbeState.LEASED, ProbeState.DEPLOYING, ProbeState.WARMING})
"""Nothing can be measured of it yet."""
NO_BUILD: Final = frozenset({ProbeState.UNBUILDABLE, ProbeState.UNHEALTHY})
"""The build itself is at fault: it can not be measured, however often it is tried."""
NOT_COUNTED: Final = frozenset({ProbeState.FAILED, ProbeState.INVALIDATED, ProbeState.LOST})
"""What it gave does not count, and may be asked for again."""

LEASE_SECONDS: Final = 30
"""A runner beats at a third of it."""
WATCH_SECONDS: Final = 30.0
MOST_WAIT_SECONDS: Final = 25
MOST_SLOTS: Final = 64
MOST_RUNNERS: Final = 200
ALIVE_SECONDS: Final = 90
"""A runner that was seen so lately is there."""
LOG_BYTES: Final = 8192
DETAIL_BYTES: Final = 1024
MOST_WINDOWS: Final = 1000
"""Of a probe: a control that stays."""
MOST_OPEN: Final = 50
"""Bisects of a team that have not ended."""
MOST_PROBES: Final = 2000
"""Of a bisect."""
MOST_FAILURES: Final = 3
"""So many deploys that failed, were lost or gave nothing, one after another, pause a bisect: a person must look."""
MOST_BAD_WINDOWS: Final = 3
"""So many windows of a probe without a number, and it is given up."""
MARK_COUNTS: Final = 4
"""What a person says weighs as much as so many verdicts of a measurement."""
CALLBACKS_PER_MINUTE: Final = (120, 60)
MOST_SHOWN: Final = 200
"""Candidates of a level that are told one by one, the most believed; the chart has all."""
MOST_EVENTS: Final = 200
