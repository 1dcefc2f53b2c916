"""The tree of stacks of one kind for other programs: its frames, and the values of every sample type."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.diff_tree import DiffTree
from slowpath.analysis.kinds.profiles.diff_views import DiffViewBuilder
from slowpath.analysis.kinds.profiles.group_sums import sum_by
from slowpath.analysis.kinds.profiles.profile_header import SampleType
from slowpath.analysis.kinds.profiles.profile_kind_values import ProfileKindValues
from slowpath.analysis.kinds.profiles.stack_trie import StackTrie

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class ExportFrame:
    """A function and its file, which may be empty."""

    name: str
    file: str


@dataclass(frozen=True)
class ExportTree:
    """The tree of one kind of profile, summed over the profiles of a set. Subtracted values are at least 0."""

    values: ProfileKindValues

    @cached_property
    def _builder(self) -> DiffViewBuilder:
        return DiffViewBuilder(self.values)

    @cached_property
    def _tree(self) -> DiffTree:
        return DiffTree(self._builder.view(self.values.sets.sample_type, "function").ground)

    @property
    def trie(self) -> StackTrie:
        """Return the nodes in preorder; of a very large tree only those heavy enough to be drawn."""
        return self._tree.trie

    @property
    def categories(self) -> NDArray[np.uint8]:
        """Return the runtime category of a stack that would end at each node."""
        return self._tree.kinds[0]

    @cached_property
    def frames(self) -> Sequence[ExportFrame]:
        """Return the functions; the label of a node is an index of them, 0 is the root."""
        return [ExportFrame(label.name, label.file) for label in self.values.labels]

    @property
    def sample_types(self) -> list[SampleType]:
        """Return the sample types that all profiles have, the chosen one first."""
        return self._builder.sample_types()

    def self_values(self, sample_type: SampleType) -> F64:
        """Return the value of each node without its children."""
        measured = self._builder.view(sample_type, "function").ground.measured
        value = measured.weighted(np.ones(len(measured.own)))
        return np.maximum(sum_by(self.trie.node_of_stack, value, self.trie.count), 0.0)
