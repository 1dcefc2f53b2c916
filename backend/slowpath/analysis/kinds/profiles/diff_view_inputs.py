"""What one diff view stands on: its profiles at one sample type, its stacks at one granularity, its bases."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from slowpath.analysis.kinds.profiles.distinct_stacks import DistinctStacks
from slowpath.analysis.kinds.profiles.granularities import Granularity, StacksByGranularity
from slowpath.analysis.kinds.profiles.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.profile_sets import Normalization, ProfileSets, bases_of, make_sets
from slowpath.analysis.kinds.profiles.profile_table import SampleType
from slowpath.analysis.kinds.profiles.quantum import quantum_of
from slowpath.analysis.kinds.profiles.stack_values import FunctionOccurrences, StackValues, lay_out_stack_values


@dataclass(frozen=True)
class DiffViewInputs:
    """Shared by the tree and the tables of one view; each part is computed when it is asked for."""

    comparison: ProfileKindComparison
    layouts: StacksByGranularity
    sample_type: SampleType
    granularity: Granularity

    @cached_property
    def sets(self) -> ProfileSets:
        """The profiles, compared by this view's sample type. Raises `ValueError` where no profile has it."""
        if self.sample_type == self.comparison.sets.sample_type:
            return self.comparison.sets
        sets = make_sets(self.comparison.sets.base, self.comparison.sets.candidate, self.sample_type)
        if sets is None:
            raise ValueError(f"no profile has sample type {self.sample_type}")
        return sets

    @cached_property
    def bases(self) -> tuple[Normalization, ...]:
        """All ways to make the sides comparable."""
        return bases_of(self.sets)

    @cached_property
    def default(self) -> Normalization:
        """The basis that the comparison is judged on, where this view has it."""
        wanted = self.comparison.basis.id
        return next((basis for basis in self.bases if basis.id == wanted), self.bases[0])

    @cached_property
    def stacks(self) -> DistinctStacks:
        """The stacks at this granularity."""
        return self.layouts.at(self.granularity)

    @cached_property
    def measured(self) -> StackValues:
        """The stacks with every profile's values."""
        if self.sets is self.comparison.sets and self.granularity == "function":
            return self.comparison.measured
        return lay_out_stack_values(self.stacks, self.sets)

    @cached_property
    def occurrences(self) -> FunctionOccurrences:
        """Which functions (or packages) stand on which stacks."""
        if self.granularity == "function":
            return self.comparison.occurrences
        return FunctionOccurrences.of(self.stacks.frames, len(self.stacks.labels))

    @cached_property
    def quantum(self) -> float:
        """Raw value of one independent count."""
        return quantum_of(self.sets)

    def scale(self, basis: Normalization) -> tuple[float, float]:
        """(base, candidate): displayed value = raw value x scale; 0 of a side that weighs nothing."""
        base = self.sets.is_base
        return basis.scale(base), basis.scale(~base)

    def describe(self) -> dict[str, Any]:
        """What the result JSON says of this view."""
        return {
            "kind": self.comparison.kind,
            "sample_type": {"type": self.sample_type.type, "unit": self.sample_type.unit},
            "unit": self.sample_type.unit,
            "granularity": self.granularity,
            "bases": [basis.id for basis in self.bases],
            "default_basis": self.default.id,
        }

    def header(self, name: str) -> dict[str, Any]:
        """The head of every column file of this view; `name` is its format."""
        return {
            "format": name,
            "format_version": 1,
            "kind": self.comparison.kind,
            "sample_type": {"type": self.sample_type.type, "unit": self.sample_type.unit},
            "granularity": self.granularity,
            "bases": [
                {
                    "id": basis.id,
                    "unit": basis.unit,
                    "base_scale": self.scale(basis)[0],
                    "candidate_scale": self.scale(basis)[1],
                }
                for basis in self.bases
            ],
            "default_basis": self.default.id,
            "categories": list(self.comparison.attribution.categories),
            "base": self._side("base"),
            "candidate": self._side("candidate"),
        }

    def _side(self, label: str) -> dict[str, Any]:
        mask = self.sets.is_base if label == "base" else ~self.sets.is_base
        total = float(self.sets.totals()[mask].sum())
        return {"label": label, "artifacts": int(np.count_nonzero(mask)), "total_raw": total}
