"""Values that the services of comparisons return."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from slowpath.core.ids import ArtifactId
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.comparisons.rules import LabelMatchers, TimeRange
from slowpath.verdicts.comparisons.rules.side_sources import SideEvidence


@dataclass(frozen=True)
class ResolvedSource:
    """What a source selects now: artifacts, time range of metrics, label, and the build that was chosen.

    `left_out` counts artifacts beyond the limit of a side by kind; None are those not decoded yet. `empty_reason` states why
    there is neither an artifact nor a time range.
    """

    evidence: tuple[SideEvidence, ...]
    label: str | None = None
    time_range: TimeRange | None = None
    build: Build | None = None
    left_out: Mapping[str | None, int] = field(default_factory=dict)
    empty_reason: str | None = None
    labels: LabelMatchers = ()

    @property
    def artifact_ids(self) -> tuple[ArtifactId, ...]:
        """Return the IDs of the artifacts."""
        return tuple(each.artifact_id for each in self.evidence)
