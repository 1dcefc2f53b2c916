"""Pure decisions about comparisons."""

from enum import StrEnum


class ViewState(StrEnum):
    """Where a view stands. `uncut`: nobody has looked at it yet, so nothing was done for it."""

    UNCUT = "uncut"
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ComparisonState(StrEnum):
    """Where a comparison or an export stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Side(StrEnum):
    """The two sides; never before and after."""

    BASE = "base"
    CANDIDATE = "candidate"


class Granularity(StrEnum):
    """What one frame of a view is."""

    PACKAGE = "package"
    FUNCTION = "function"
    LINE = "line"


class ExportFormat(StrEnum):
    """What a comparison can be taken away as."""

    PPROF_BASE = "pprof-base"
    PPROF_CANDIDATE = "pprof-candidate"
    PPROF_DIFF = "pprof-diff"
    JSON = "json"
    CSV = "csv"


MAX_ARTIFACTS_A_SIDE = 200
"""Beyond this nothing more is learnt that would not show already; memory grows with it."""
