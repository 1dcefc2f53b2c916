"""Rules of profile sets and of stored views, without a database."""

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum

from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher


class ViewState(StrEnum):
    """States of a view. `not-built`: it was not requested yet."""

    NOT_BUILT = "not-built"
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Granularity(StrEnum):
    """What one frame of a view represents."""

    PACKAGE = "package"
    FUNCTION = "function"
    LINE = "line"


class ProfileSetState(StrEnum):
    """States of a profile set or of its exports."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ProfileExportFormat(StrEnum):
    """File formats of an export of a profile set."""

    PPROF = "pprof"
    SPEEDSCOPE = "speedscope"
    FIREFOX_PROFILER = "firefox-profiler"
    CSV = "csv"
    PGO = "pgo"
    STACK_SIZES = "stack-sizes"
    PGO_CHECK = "pgo-check"


MAX_ARTIFACTS_A_SET = 200
"""Most artifacts per set: as many as on a side of a comparison."""
MAX_LABEL_MATCHERS = 20
"""Most label matchers of a view. Those of one key are alternatives."""
MAX_VIEWS_A_SET = 500
"""Most views of a set: each filter by labels makes one, and views are stored until the set is deleted."""


@dataclass(frozen=True)
class ProfileViewKey:
    """A view: a sample type of a kind at a granularity, of the samples that match its labels."""

    kind: str
    sample_type: str
    granularity: Granularity
    labels: tuple[LabelMatcher, ...] = ()

    @property
    def labels_digest(self) -> str:
        """Return what identifies the matchers in any order; an empty text without any."""
        if not self.labels:
            return ""
        pairs = sorted({json.dumps([matcher.key, matcher.value]) for matcher in self.labels})
        return hashlib.sha256("\n".join(pairs).encode()).hexdigest()
