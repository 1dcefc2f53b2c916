"""Which nodes of a tree are of the runtime, the runtime category of a stack that would end at each, and that of each function."""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.categories.runtime_category_rules import runtime_rules
from slowpath.analysis.kinds.profiles.categories.stack_attribution import categories_of
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index
from slowpath.analysis.kinds.profiles.stacks.stack_segments import StackSegments
from slowpath.analysis.kinds.profiles.stacks.stack_trie import StackTrie, make_nodes, propagate_up
from slowpath.analysis.kinds.profiles.views.diff_view_inputs import DiffViewInputs

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]
U8 = NDArray[np.uint8]


def find_node_kinds(ground: DiffViewInputs, trie: StackTrie) -> tuple[U8, Mask]:
    """Return (category of a stack that would end at each node, whether its frame is of the runtime)."""
    rules, labels = runtime_rules(), ground.stacks.labels
    is_runtime = _runtime_labels(ground)
    runtime = is_runtime[trie.label]
    if ground.granularity == "package":
        return _package_categories(ground, trie), runtime
    runtime[0] = False
    of_label = np.zeros((3, len(labels)), dtype=np.uint64)
    for row in np.flatnonzero(is_runtime).tolist():
        bits = rules.bits(labels.keys[row])
        of_label[:, row] = bits.any, bits.unless, bits.leaf
    category, where = np.zeros(trie.count, dtype=np.uint8), np.flatnonzero(runtime)
    if len(where):
        matched, unless, leaf = (each[trie.label] for each in of_label)
        category[where] = categories_of(
            propagate_up(trie.parent, matched, runtime)[where],
            propagate_up(trie.parent, unless, runtime)[where],
            leaf[where],
            len(rules.rules),
        )
    return category, runtime


def _runtime_labels(ground: DiffViewInputs) -> Mask:
    """Return which labels are of the runtime."""
    rules, labels = runtime_rules(), ground.stacks.labels
    is_runtime = np.zeros(len(labels), dtype=np.bool_)
    if ground.granularity == "package":
        is_runtime[:] = [bool(rules.runtime_prefix.match(f"{key}.")) for key in labels.keys]
        return is_runtime
    for row in np.flatnonzero(~labels.numbers.of_modules()).tolist():
        is_runtime[row] = rules.bits(labels.keys[row]).is_runtime
    return is_runtime


def _package_categories(ground: DiffViewInputs, trie: StackTrie) -> U8:
    """Return for each package the category of a stack that ends there."""
    values, segments = ground.values, trie.segments
    of_segment = np.zeros(segments.count, dtype=np.uint8)
    for functions, packages in zip(values.measured.stacks.of_row, ground.stacks.of_row, strict=True):
        of_segment[segments.of_stack[packages]] = values.attribution.category[functions]
    category: U8 = of_segment[trie.segment] * trie.is_last
    return category


def find_label_categories(ground: DiffViewInputs, segments: StackSegments, weight: F64, number: Index) -> U8:
    """Return for each label the category of its heaviest node, of equal ones the last; `weight` is that of each segment.

    `number` is that of the first node of each segment. Only these nodes are made: all others have no influence.
    """
    labels = ground.stacks.labels
    is_package = ground.granularity == "package"
    searched = np.ones(len(labels), dtype=np.bool_) if is_package else _runtime_labels(ground)
    category = np.zeros(len(labels), dtype=np.uint8)
    segment, within, label = segments.find_nodes(searched)
    if len(segment) == 0:
        return category
    order = np.lexsort((number[segment] + within, weight[segment]))
    heaviest = np.full(len(labels), -1, dtype=np.int64)
    heaviest[label[order]] = order  # in ascending order, so that the heaviest node is written last
    found = np.flatnonzero(heaviest >= 0)
    chosen = np.zeros(segments.count, dtype=np.bool_)
    chosen[segment[heaviest[found]]] = True
    trie = make_nodes(segments, number, segments.with_ancestors(chosen))
    nodes = trie.begins[segment[heaviest[found]]] + within[heaviest[found]]
    category[found] = find_node_kinds(ground, trie)[0][nodes]
    return category
