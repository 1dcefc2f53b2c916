"""Inputs of one diff view: profiles at one sample type, stacks at one granularity, normalizations."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slowpath.analysis.kinds.profiles.diff_header import DiffHeader, DiffNormalization, DiffSide
from slowpath.analysis.kinds.profiles.distinct_stacks import DistinctStacks
from slowpath.analysis.kinds.profiles.granularities import Granularity, StacksByGranularity
from slowpath.analysis.kinds.profiles.profile_header import SampleType
from slowpath.analysis.kinds.profiles.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.profile_sets import Normalization, ProfileSets, bases_of, make_sets
from slowpath.analysis.kinds.profiles.quantum import quantum_of
from slowpath.analysis.kinds.profiles.stack_values import FunctionOccurrences, StackValues, lay_out_stack_values


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
    """Inputs shared by the tree and the tables of one view; each part is computed on first use."""

    comparison: ProfileKindComparison
    layouts: StacksByGranularity
    sample_type: SampleType
    granularity: Granularity

    @cached_property
    def sets(self) -> ProfileSets:
        """Return the profiles by this view's sample type. Raises `ValueError` if no profile has it."""
        if self.sample_type == self.comparison.sets.sample_type:
            return self.comparison.sets
        sets = make_sets(self.comparison.sets.base, self.comparison.sets.candidate, self.sample_type)
        if sets is None:
            raise ValueError(f"no profile has sample type {self.sample_type}")
        return sets

    @cached_property
    def bases(self) -> tuple[Normalization, ...]:
        """Return all normalizations that make the sides comparable."""
        return bases_of(self.sets)

    @cached_property
    def default(self) -> Normalization:
        """Return the normalization that the comparison is evaluated on, if this view has it; else the first."""
        requested = self.comparison.basis.id
        return next((basis for basis in self.bases if basis.id == requested), self.bases[0])

    @cached_property
    def stacks(self) -> DistinctStacks:
        """Return the stacks at this granularity."""
        return self.layouts.at(self.granularity)

    @cached_property
    def measured(self) -> StackValues:
        """Return the stacks with the values of every profile."""
        if self.sets is self.comparison.sets and self.granularity == "function":
            return self.comparison.measured
        return lay_out_stack_values(self.stacks, self.sets)

    @cached_property
    def occurrences(self) -> FunctionOccurrences:
        """Return which functions (or packages) occur on which stacks."""
        if self.granularity == "function":
            return self.comparison.occurrences
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
            kind=self.comparison.kind,
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
            kind=self.comparison.kind,
            sample_type=self.sample_type,
            granularity=self.granularity,
            normalizations=[DiffNormalization(each.id, each.unit, *self.scale(each)) for each in self.bases],
            default_normalization=self.default.id,
            categories=self.comparison.attribution.categories,
            base=self._side("base"),
            candidate=self._side("candidate"),
        )

    def _side(self, label: str) -> DiffSide:
        mask = self.sets.is_base if label == "base" else ~self.sets.is_base
        return DiffSide(label, int(np.count_nonzero(mask)), float(self.sets.totals()[mask].sum()))
