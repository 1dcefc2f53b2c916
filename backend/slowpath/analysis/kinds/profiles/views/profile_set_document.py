"""What a profile set contains, and the summary of one view: `slowpath.profile_summary/1`."""

from dataclasses import dataclass
from typing import Final, Literal

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.kinds.profiles.decoded.label_values import LabelKey
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType

SummaryFormat = Literal["slowpath.profile_summary/1"]
SUMMARY_FORMAT: Final[SummaryFormat] = "slowpath.profile_summary/1"


@dataclass(frozen=True)
class ProfileSetKind:
    """A kind of profile in a set: the sample types that all its profiles have, and the number of profiles."""

    kind: str
    sample_types: tuple[SampleType, ...]
    default_sample_type: str
    artifacts: int


@dataclass(frozen=True)
class ProfileSetConditions:
    """Conditions under which the profiles were recorded. A text is null unless all profiles agree.

    `requests` is the sum over the runs, null unless known for all.
    """

    go_version: str | None
    goos: str | None
    goarch: str | None
    gomaxprocs: int | None
    cpu_model: str | None
    commits: tuple[str, ...]
    build_ids: tuple[str, ...]
    runs: int
    requests: int | None


@dataclass(frozen=True)
class ProfileTotal:
    """The total of a view, in the unit of the sample type; `cores` is CPU seconds per second. Null if unknown."""

    raw: float
    per_second: float | None
    per_request: float | None
    cores: float | None


@dataclass(frozen=True)
class CategoryCaller:
    """An attributed caller of a runtime category, and its share of the category's cost."""

    function: str
    share: float


@dataclass(frozen=True)
class ProfileCategory:
    """A runtime category: its cost, its share of the total, and its largest attributed callers."""

    category: str
    share: float
    raw: float
    attributed_callers: tuple[CategoryCaller, ...]


@dataclass(frozen=True, kw_only=True)
class ProfileViewSummary:
    """Where the cost of one view is. Categories are sorted by cost, and their costs sum to the total."""

    format: SummaryFormat = SUMMARY_FORMAT
    headline: str
    kind: str
    sample_type: SampleType
    total: ProfileTotal
    samples: int
    profiles: int
    categories: tuple[ProfileCategory, ...]
    labels: tuple[LabelKey, ...]
    caveats: tuple[Caveat, ...]
