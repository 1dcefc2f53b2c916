"""The tree of stacks of one kind for other programs: its frames, and the values of every sample type."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.function_keys import Labels
from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.sets.profile_kind_values import ProfileKindValues
from slowpath.analysis.kinds.profiles.stacks.granularities import Granularity
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index
from slowpath.analysis.kinds.profiles.stacks.stack_order import pair_numbers, split_pairs
from slowpath.analysis.kinds.profiles.stacks.stack_trie import StackTrie
from slowpath.analysis.kinds.profiles.views.diff_tree import DiffTree
from slowpath.analysis.kinds.profiles.views.diff_views import DiffViewBuilder

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class ExportFrame:
    """A line of a function; the file may be empty, and the line 0. `function` is an index of the functions."""

    name: str
    file: str
    line: int
    function: int


@dataclass(frozen=True)
class ExportTree:
    """The tree of one kind of profile, summed over the profiles of a set. Subtracted values are at least 0."""

    values: ProfileKindValues

    @cached_property
    def _builder(self) -> DiffViewBuilder:
        return DiffViewBuilder(self.values)

    @cached_property
    def _granularity(self) -> Granularity:
        """Return `line`, or `function` if a profile was decoded without lines."""
        has_lines = all(artifact.table.lines.count for artifact in self.values.sets.artifacts)
        return "line" if has_lines else "function"

    @cached_property
    def _tree(self) -> DiffTree:
        return DiffTree(self._builder.view(self.values.sets.sample_type, self._granularity).ground)

    @property
    def trie(self) -> StackTrie:
        """Return the nodes in preorder; of a very large tree only those heavy enough to be drawn."""
        return self._tree.trie

    @property
    def categories(self) -> NDArray[np.uint8]:
        """Return the runtime category of a stack that would end at each node."""
        return self._tree.kinds[0]

    @cached_property
    def functions(self) -> Labels:
        """Return the functions; 0 is the root."""
        return self._tree.ground.stacks.labels

    @cached_property
    def _frames(self) -> tuple[Index, Index]:
        """Return the distinct pairs of function and line, as numbers, and the row of each node among them."""
        pairs, rows = np.unique(pair_numbers(self.trie.label, self.trie.line), return_inverse=True)
        return pairs, rows.reshape(-1)

    @property
    def frame_of_node(self) -> Index:
        """Return the frame of each node, an index of the frames."""
        return self._frames[1]

    @cached_property
    def frames(self) -> Sequence[ExportFrame]:
        """Return the lines of functions that nodes have; 0 is the root."""
        functions, lines = (each.tolist() for each in split_pairs(self._frames[0]))
        labels = self.functions
        return [
            ExportFrame(labels[row].name, labels[row].file, max(0, line), row)
            for row, line in zip(functions, lines, strict=True)
        ]

    @property
    def sample_types(self) -> list[SampleType]:
        """Return the sample types that all profiles have, the chosen one first."""
        return self._builder.sample_types()

    def self_values(self, sample_type: SampleType) -> F64:
        """Return the value of each node without its children."""
        measured = self._builder.view(sample_type, self._granularity).ground.measured
        value = measured.weighted(np.ones(len(measured.own)))
        return np.maximum(sum_by(self.trie.node_of_stack, value, self.trie.count), 0.0)
