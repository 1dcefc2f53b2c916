"""Inputs of one diff view: profiles at one sample type, stacks at one granularity, normalizations."""

from dataclasses import dataclass, replace
from functools import cached_property

from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.estimates.rate_estimates import AS_EXPECTED
from slowpath.analysis.kinds.profiles.sets.profile_kind_values import ProfileKindValues
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization, ProfileSets, bases_of, make_sets
from slowpath.analysis.kinds.profiles.sets.quantum import quantum_of
from slowpath.analysis.kinds.profiles.sets.stack_values import FunctionOccurrences, StackValues, lay_out_stack_values
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import DistinctStacks
from slowpath.analysis.kinds.profiles.stacks.granularities import Granularity, StacksByGranularity
from slowpath.analysis.kinds.profiles.views.diff_header import DiffHeader, DiffNormalization, DiffSide


@dataclass(frozen=True)
class DiffViewSummary:
    """What a comparison's result lists of one view; `normalizations` are ids."""

    kind: str
    sample_type: SampleType
    unit: str
    granularity: Granularity
    normalizations: tuple[str, ...]
    default_normalization: str


@dataclass(frozen=True)
class DiffViewInputs:
    """Inputs shared by the tree and the tables of one view; each part is computed on first use.

    `comparison` has what the rows are tested with; without it, as for a single side, nothing is tested.
    """

    values: ProfileKindValues
    comparison: ProfileKindComparison | None
    layouts: StacksByGranularity
    sample_type: SampleType
    granularity: Granularity

    @cached_property
    def sets(self) -> ProfileSets:
        """Return the profiles by this view's sample type. Raises `ValueError` if no profile has it."""
        if self.sample_type == self.values.sets.sample_type:
            return self.values.sets
        compared = self.values.sets
        sets = make_sets(compared.distinct(compared.is_base), compared.distinct(~compared.is_base), self.sample_type)
        if sets is None:
            raise ValueError(f"no profile has sample type {self.sample_type}")
        return sets

    @cached_property
    def bases(self) -> tuple[Normalization, ...]:
        """Return all normalizations that make the sides comparable, with the scatter of functions in the comparison.

        The scatter is of counts, which the sample types of a CPU profile share; other kinds have none.
        """
        known = {} if self.comparison is None else {each.id: each.scatter for each in self.comparison.bases}
        return tuple(replace(each, scatter=known.get(each.id, AS_EXPECTED)) for each in bases_of(self.sets))

    @cached_property
    def default(self) -> Normalization:
        """Return the normalization that the comparison is evaluated on, if this view has it; else the first."""
        requested = self.values.basis.id
        return next((basis for basis in self.bases if basis.id == requested), self.bases[0])

    @cached_property
    def stacks(self) -> DistinctStacks:
        """Return the stacks at this granularity."""
        return self.layouts.at(self.granularity)

    @cached_property
    def measured(self) -> StackValues:
        """Return the stacks with the values of every profile."""
        if self.sets is self.values.sets and self.granularity == "function":
            return self.values.measured
        return lay_out_stack_values(self.stacks, self.sets)

    @cached_property
    def functions_measured(self) -> StackValues:
        """Return the stacks of functions, which attribution is of, with this view's values."""
        if self.granularity == "function":
            return self.measured
        if self.sets is self.values.sets:
            return self.values.measured
        return lay_out_stack_values(self.layouts.at("function"), self.sets)

    @cached_property
    def occurrences(self) -> FunctionOccurrences:
        """Return which functions (or packages) occur on which stacks."""
        if self.granularity == "function":
            return self.values.occurrences
        return FunctionOccurrences.of(self.stacks.frames, len(self.stacks.labels))

    @cached_property
    def quantum(self) -> float:
        """Return the raw value of one independent count."""
        return quantum_of(self.sets)

    def scale(self, basis: Normalization) -> tuple[float, float]:
        """Return (base, candidate) factors from raw to displayed values; 0 for a side without weight."""
        base = self.sets.is_base
        return basis.scale(base), basis.scale(~base)

    def describe(self) -> DiffViewSummary:
        """Return what a comparison's result lists of this view."""
        return DiffViewSummary(
            kind=self.values.kind,
            sample_type=self.sample_type,
            unit=self.sample_type.unit,
            granularity=self.granularity,
            normalizations=tuple(basis.id for basis in self.bases),
            default_normalization=self.default.id,
        )

    @cached_property
    def header(self) -> DiffHeader:
        """Return the header of the table of functions; other files of this view replace its format."""
        return DiffHeader(
            format="slowpath.functions",
            kind=self.values.kind,
            sample_type=self.sample_type,
            granularity=self.granularity,
            normalizations=[DiffNormalization(each.id, each.unit, *self.scale(each)) for each in self.bases],
            default_normalization=self.default.id,
            categories=self.values.attribution.categories,
            base=self._side("base"),
            candidate=self._side("candidate"),
        )

    def _side(self, label: str) -> DiffSide:
        mask = self.sets.is_base if label == "base" else ~self.sets.is_base
        return DiffSide(label, len(self.sets.distinct(mask)), float(self.sets.totals()[mask].sum()))
