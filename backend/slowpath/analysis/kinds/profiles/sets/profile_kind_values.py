"""The values of one kind of profile: its stacks with the values of every profile, attributed, and its normalizations.

That is all that views of one side are made of; `profile_kind_comparison` adds estimates and tests of two sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.categories.stack_attribution import StackAttribution, attribute_stacks
from slowpath.analysis.kinds.profiles.decoded.function_keys import Labels
from slowpath.analysis.kinds.profiles.sets.precomputed_totals import repeated_labels
from slowpath.analysis.kinds.profiles.sets.profile_sets import BasisId, Normalization, ProfileSets, bases_of
from slowpath.analysis.kinds.profiles.sets.stack_values import FunctionOccurrences, StackValues, lay_out_stack_values
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import unite_stacks

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class ProfileKindValues:
    """One kind of profile, whose base may be empty. `basis` is the default normalization."""

    kind: str
    sets: ProfileSets
    bases: tuple[Normalization, ...]
    basis: Normalization
    measured: StackValues
    attribution: StackAttribution

    @cached_property
    def occurrences(self) -> FunctionOccurrences:
        """Return which functions occur on which stacks. Views whose totals the decoder counted do not need it."""
        stacks = self.measured.stacks
        return FunctionOccurrences.of(stacks.frames, len(stacks.labels), repeated_labels(stacks, self.sets))

    @property
    def labels(self) -> Labels:
        """Return the labels of the functions."""
        return self.measured.stacks.labels

    def scale(self, basis: Normalization) -> tuple[float, float]:
        """Return (base, candidate): displayed value = summed raw value x scale; 0 for a side without weight."""
        base = self.sets.is_base
        return basis.scale(base), basis.scale(~base)


def measure_kind(kind: str, sets: ProfileSets) -> ProfileKindValues:
    """Merge and attribute the stacks of one kind."""
    stacks = unite_stacks([artifact.table for artifact in sets.artifacts], sets.is_base)
    bases = bases_of(sets)
    return ProfileKindValues(
        kind=kind,
        sets=sets,
        bases=bases,
        basis=choose_basis(bases),
        measured=lay_out_stack_values(stacks, sets),
        attribution=attribute_stacks(stacks.frames, stacks.labels),
    )


def choose_basis(bases: Sequence[Normalization]) -> Normalization:
    """Choose per request if the load is known, else per second, else share; for gauges the mean."""
    by_id: dict[BasisId, Normalization] = {basis.id: basis for basis in bases}
    return by_id.get("per_request") or by_id.get("per_second") or by_id.get("mean") or by_id["share"]
