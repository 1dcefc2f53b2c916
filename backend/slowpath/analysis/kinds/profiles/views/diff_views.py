"""Build diff views as columns: a merged tree, a table of functions, and lines."""

from dataclasses import dataclass
from functools import cached_property

from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.sets.profile_kind_values import ProfileKindValues
from slowpath.analysis.kinds.profiles.stacks.granularities import Granularity, StacksByGranularity
from slowpath.analysis.kinds.profiles.views.diff_header import Part
from slowpath.analysis.kinds.profiles.views.diff_tree import FIRST_NODES, DiffTree
from slowpath.analysis.kinds.profiles.views.diff_view_inputs import DiffViewInputs, DiffViewSummary
from slowpath.analysis.kinds.profiles.views.diff_view_tables import function_table, line_table


class DiffViewBuilder:
    """Builds the views of one kind of profile; stacks are merged once per granularity.

    Of values that are not compared the views have one side, and nothing in them is tested.
    """

    def __init__(self, values: ProfileKindValues) -> None:
        self.values = values
        self._comparison = values if isinstance(values, ProfileKindComparison) else None
        tables = [artifact.table for artifact in values.sets.artifacts]
        self._layouts = StacksByGranularity(values.measured.stacks, tables)

    def sample_types(self) -> list[SampleType]:
        """Return the sample types that every profile has, the compared one first."""
        sets = self.values.sets
        shared = [
            each
            for each in sets.artifacts[0].table.sample_types
            if each != sets.sample_type and all(each in a.table.sample_types for a in sets.artifacts)
        ]
        return [sets.sample_type, *shared]

    def view(self, sample_type: SampleType, granularity: Granularity) -> "DiffViewColumns":
        """Return the view of one sample type at one granularity."""
        return DiffViewColumns(DiffViewInputs(self.values, self._comparison, self._layouts, sample_type, granularity))


@dataclass(frozen=True)
class DiffViewColumns:
    """One diff view; its columns are computed on request."""

    ground: DiffViewInputs

    @property
    def kind(self) -> str:
        """Return the kind of the profiles: cpu, heap, ..."""
        return self.ground.values.kind

    @property
    def sample_type(self) -> SampleType:
        """Return what the values count."""
        return self.ground.sample_type

    @property
    def granularity(self) -> Granularity:
        """Return what a frame is: a function, a package or a line."""
        return self.ground.granularity

    @cached_property
    def _tree(self) -> DiffTree:
        return DiffTree(self.ground)

    def describe(self) -> DiffViewSummary:
        """Return what a comparison's result lists of this view."""
        return self.ground.describe()

    def diff_columns(self, part: Part = "all") -> bytes:
        """Return the merged tree: `all` nodes, the `first` 8,192, or the `rest` of the 500,000 largest."""
        return self._tree.part(part)

    @property
    def has_rest(self) -> bool:
        """Return whether some nodes are not among the first ones."""
        return self._tree.segments.nodes > FIRST_NODES

    def function_columns(self) -> bytes:
        """Return the table of functions (or packages): values on both sides, intervals per normalization."""
        return function_table(self.ground, self._tree)

    def line_columns(self) -> bytes:
        """Return own and total values per line of each function, sorted by function and line."""
        return line_table(self.ground)
