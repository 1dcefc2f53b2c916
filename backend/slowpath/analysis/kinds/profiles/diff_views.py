"""The diff as columns: a merged tree, a table of functions, and lines, for the page to draw."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from slowpath.analysis.kinds.profiles.diff_tree import DiffTree
from slowpath.analysis.kinds.profiles.diff_view_inputs import DiffViewInputs
from slowpath.analysis.kinds.profiles.diff_view_tables import function_table, line_table
from slowpath.analysis.kinds.profiles.granularities import Granularity, StacksByGranularity
from slowpath.analysis.kinds.profiles.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.profile_table import SampleType


class DiffViewBuilder:
    """Makes the views of one kind; stacks are laid out once per granularity."""

    def __init__(self, comparison: ProfileKindComparison) -> None:
        self.comparison = comparison
        tables = [artifact.table for artifact in comparison.sets.artifacts]
        self._layouts = StacksByGranularity(comparison.measured.stacks, tables)

    def sample_types(self) -> list[SampleType]:
        """Sample types that every profile has, the compared one first."""
        sets = self.comparison.sets
        shared = [
            each
            for each in sets.artifacts[0].table.sample_types
            if each != sets.sample_type and all(each in a.table.sample_types for a in sets.artifacts)
        ]
        return [sets.sample_type, *shared]

    def view(self, sample_type: SampleType, granularity: Granularity) -> "DiffViewColumns":
        """The view of one sample type at one granularity."""
        return DiffViewColumns(DiffViewInputs(self.comparison, self._layouts, sample_type, granularity))


@dataclass(frozen=True)
class DiffViewColumns:
    """One diff view, computed when asked."""

    ground: DiffViewInputs

    @property
    def kind(self) -> str:
        """Kind of the profiles: cpu, heap, ..."""
        return self.ground.comparison.kind

    @property
    def sample_type(self) -> SampleType:
        """What the values count."""
        return self.ground.sample_type

    @property
    def granularity(self) -> Granularity:
        """What a frame is: a function, a package or a line."""
        return self.ground.granularity

    @cached_property
    def _tree(self) -> DiffTree:
        return DiffTree(self.ground)

    def describe(self) -> dict[str, Any]:
        """What the result JSON says of this view."""
        return self.ground.describe()

    def diff_columns(self, part: str = "all") -> bytes:
        """The merged tree: `all` nodes, the `first` 8,192, or the `rest` of the 500,000 largest."""
        return self._tree.part(part)

    def function_columns(self) -> bytes:
        """The table of functions (or packages): totals and own values on both sides, intervals and states per basis."""
        return function_table(self.ground, self._tree)

    def line_columns(self) -> bytes:
        """Own and total values per line of each function, sorted by function and line."""
        return line_table(self.ground)
