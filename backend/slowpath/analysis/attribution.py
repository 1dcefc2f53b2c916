"""Every stack gets one category, one entry and one payer.

The category says which corner of the runtime worked; the entry is the runtime function that user code called; the
payer is the first user frame below it. All three come from the runtime prefix of a stack: the frames from the leaf
up to the first that is not the runtime's (`go_runtime_categories.json`, "how").
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.forest import Forest
from slowpath.analysis.names import is_standard
from slowpath.analysis.runtime_rules import Rules, runtime_rules
from slowpath.analysis.tree import Index, U64, inherit, nearest

# The stack is switched, nothing is called: an entry is what stands beside these.
STACK_SWITCHES = frozenset({"runtime.systemstack", "runtime.systemstack_switch"})

GROUPS = {
    "gc": ("gc-mark", "gc-assist", "gc-sweep", "gc-scavenge", "gc-write-barrier"),
    "lock": ("lock-runtime", "lock-sync"),
}


@dataclass(frozen=True)
class Attribution:
    """Of each forest node, taken as the leaf of a stack that ends there.

    `category` indexes `categories`; `entry` is the label of the runtime function that was called (-1: the stack ends
    in user code); `payer` is the node of the first user frame (-1: none); `is_runtime` marks frames of the runtime.
    """

    categories: tuple[str, ...]
    category: NDArray[np.uint8]
    entry: Index
    entry_category: NDArray[np.uint8]
    payer: Index
    is_runtime: NDArray[np.bool_]


def attribute(forest: Forest) -> Attribution:
    """Category, entry and payer of every node of a function forest."""
    rules = runtime_rules()
    bits = [rules.bits(label.key) for label in forest.labels]
    is_runtime = np.array([each.is_runtime for each in bits], dtype=np.bool_)[forest.label]
    is_runtime[0] = False
    any_bits = np.array([each.any for each in bits], dtype=np.uint64)
    unless_bits = np.array([each.unless for each in bits], dtype=np.uint64)
    leaf_bits = np.array([each.leaf for each in bits], dtype=np.uint64)
    matched = inherit(forest.parent, any_bits[forest.label], is_runtime)
    unless = inherit(forest.parent, unless_bits[forest.label], is_runtime)
    leaf = np.where(is_runtime, leaf_bits[forest.label], np.uint64(0))
    entry = _entries(forest, is_runtime)
    alone = _categories(rules, any_bits, unless_bits, leaf_bits)
    return Attribution(
        categories=rules.categories,
        category=np.where(is_runtime, _categories(rules, matched, unless, leaf), 0).astype(np.uint8),
        entry=entry,
        entry_category=np.where(entry >= 0, alone[entry], 0).astype(np.uint8),
        payer=_payers(forest, is_runtime),
        is_runtime=is_runtime,
    )


def _categories(rules: Rules, matched: U64, unless: U64, leaf: U64) -> NDArray[np.uint8]:
    """The first rule that matches: some frame of the prefix (and none that it excludes), or the leaf.

    What no rule names is the application's.
    """
    won = (matched & ~unless) | leaf
    category = np.zeros(len(won), dtype=np.uint8)
    for number in reversed(range(len(rules.rules))):
        category[(won >> np.uint64(number)) & np.uint64(1) == 1] = number + 1
    return category


def _entries(forest: Forest, is_runtime: NDArray[np.bool_]) -> Index:
    """Label of the outermost frame of the runtime prefix that is not a mere switch of stacks; -1 if no prefix."""
    switch = np.array([label.key in STACK_SWITCHES for label in forest.labels], dtype=np.bool_)[forest.label]
    # From a node upwards, an "edge" frame is one whose parent is no runtime frame; below a switch at the edge, the
    # next frame counts as the edge.
    at_edge = is_runtime & ~is_runtime[forest.parent]
    skipped = at_edge & switch
    edge = at_edge & ~skipped
    for _ in range(3):  # more than two switches in a row have not been seen
        below = is_runtime & skipped[forest.parent] & ~skipped
        edge |= below & ~switch
        skipped |= below & switch
    node = nearest(forest.parent, edge | (at_edge & switch) | ~is_runtime)
    entry = np.where(is_runtime, forest.label[np.maximum(node, 0)], -1)
    return entry


def _payers(forest: Forest, is_runtime: NDArray[np.bool_]) -> Index:
    """The first frame that is neither the runtime's nor the standard library's, else the first not the runtime's."""
    standard = np.array([is_standard(label.key) or not label.key for label in forest.labels], dtype=np.bool_)
    outside = np.array([label.key.startswith("[") for label in forest.labels], dtype=np.bool_)
    standing = np.arange(len(forest.parent)) > 0
    user = nearest(forest.parent, ~is_runtime & ~standard[forest.label] & ~outside[forest.label] & standing)
    library = nearest(forest.parent, ~is_runtime & ~outside[forest.label] & standing)
    return np.where(user >= 0, user, library)
