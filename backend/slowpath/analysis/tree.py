"""Trees as arrays: depth, order, totals and merging, without a Python loop over nodes.

A tree is its `parent` array (root 0 is its own parent here, so that jumping past it is harmless). Questions about
whole paths are answered by pointer doubling: log2(depth) rounds over all nodes, however the nodes are ordered.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]
F64 = NDArray[np.float64]
U64 = NDArray[np.uint64]

# 2^20 is deeper than any stack that the decoder lets through; more rounds than that mean a circle.
MOST_ROUNDS = 21


class TreeError(ValueError):
    """The parent array does not describe a tree."""


def depths(parent: Index) -> Index:
    """Distance to the root of every node."""
    depth = np.ones(len(parent), dtype=np.int64)
    depth[0] = 0
    jump = parent
    for _ in range(MOST_ROUNDS):
        if not jump.any():
            return depth
        depth = depth + depth[jump]
        jump = jump[jump]
    raise TreeError("a path does not end at the root")


def levels(depth: Index) -> list[Index]:
    """The nodes of each depth, root first."""
    order = np.argsort(depth, kind="stable")
    starts = np.searchsorted(depth[order], np.arange(int(depth.max()) + 2))
    return [order[a:b] for a, b in zip(starts[:-1], starts[1:], strict=True)]


@dataclass(frozen=True)
class Preorder:
    """An order of the nodes in which each subtree is one slice: `order[new] = old`, `position[old] = new`."""

    order: Index
    position: Index
    parent: Index
    size: Index

    def totals(self, own: F64) -> F64:
        """Sum over each subtree of `own`; both in preorder."""
        running = np.concatenate([np.zeros(1), np.cumsum(own)])
        here = np.arange(len(own))
        total: F64 = running[here + self.size] - running[here]
        return total


def preorder(parent: Index, own_weight: F64) -> Preorder:
    """Preorder with the heavier child first; weights are subtree sums of `own_weight`, ties keep their order."""
    count = len(parent)
    rows = levels(depths(parent))
    weight = own_weight.astype(np.float64, copy=True)
    size = np.ones(count, dtype=np.int64)
    for row in reversed(rows[1:]):
        np.add.at(weight, parent[row], weight[row])
        np.add.at(size, parent[row], size[row])
    position = np.zeros(count, dtype=np.int64)
    for row in rows[1:]:
        above = parent[row]
        by = np.lexsort((-weight[row], position[above]))
        row, above = row[by], above[by]
        before = np.cumsum(size[row]) - size[row]
        first = np.concatenate([[True], above[1:] != above[:-1]])
        group_start = np.maximum.accumulate(np.where(first, np.arange(len(row)), 0))
        position[row] = position[above] + 1 + before - before[group_start]
    order = np.empty(count, dtype=np.int64)
    order[position] = np.arange(count)
    return Preorder(order=order, position=position, parent=position[parent[order]], size=size[order])


def path_hashes(parent: Index, key: U64) -> U64:
    """A 64-bit hash of the keys from the root to each node; the root's is 0.

    A polynomial in an odd constant over mixed keys, built by pointer doubling: what a jump passes over is appended
    at the root side.
    """
    hashed = _mix(key)
    hashed[0] = 0
    factor = np.full(len(parent), 0x9E3779B97F4A7C15, dtype=np.uint64)
    factor[0] = 1
    jump = parent
    for _ in range(MOST_ROUNDS):
        if not jump.any():
            return hashed
        hashed = hashed + factor * hashed[jump]
        factor = factor * factor[jump]
        jump = jump[jump]
    raise TreeError("a path does not end at the root")


def _mix(key: U64) -> U64:
    """Finaliser of splitmix64 (Steele, Lea, Flood 2014): near keys become far hashes."""
    z = key + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: U64 = z ^ (z >> np.uint64(31))
    return mixed


def merge_equal_paths(parent: Index, key: U64) -> tuple[Index, Index]:
    """Let nodes with the same keys from the root become one: (merged id of each node, a representative of each).

    The root stays 0. Raises `TreeError` if two different paths share a hash, which nobody has seen happen by chance.
    """
    hashed = path_hashes(parent, key)
    ids, representative = number_hashes(hashed)
    same_key = key[representative[ids]] == key
    same_parent = ids[parent[representative[ids]]] == ids[parent]
    if not np.all((same_key & same_parent)[1:]):
        raise TreeError("two different paths have the same hash")
    return ids, representative


def number_hashes(hashed: U64) -> tuple[Index, Index]:
    """Number equal hashes alike: (number of each entry, first entry of each number); hash 0 is number 0."""
    order = np.argsort(hashed, kind="stable")
    ordered = hashed[order]
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    ids = np.empty(len(hashed), dtype=np.int64)
    ids[order] = np.cumsum(first) - 1
    return ids, order[first]


def outermost(position_end: Index, group: Index) -> NDArray[np.bool_]:
    """Which nodes have no ancestor of the same group. Nodes in preorder; `position_end` is one past the subtree.

    Inside a group, in preorder, a node is nested if and only if it begins before the furthest end seen so far.
    """
    count = len(group)
    by_group = np.argsort(group, kind="stable")
    grouped = group[by_group]
    # Adding a band per group keeps the running maximum from leaking into the next group.
    band = grouped * (count + 1)
    furthest = np.maximum.accumulate(position_end[by_group] + band)
    nested_here = np.concatenate([[False], (by_group + band)[1:] < furthest[:-1]])
    result = np.empty(count, dtype=np.bool_)
    result[by_group] = ~nested_here
    return result


def inherit(parent: Index, own: U64, passes: NDArray[np.bool_]) -> U64:
    """OR of `own` from each node upwards along unbroken runs of nodes that pass; 0 where the node does not.

    A node hands down to its child only when both pass.
    """
    blank = len(parent)  # a node beyond the end, with nothing to hand down
    gathered = np.concatenate([np.where(passes, own, np.uint64(0)), np.zeros(1, dtype=np.uint64)])
    jump = np.concatenate([np.where(passes & passes[parent], parent, blank), [blank]])
    jump[0] = blank
    for _ in range(MOST_ROUNDS):
        if np.all(jump == blank):
            return gathered[:-1]
        gathered = gathered | gathered[jump]
        jump = jump[jump]
    raise TreeError("a path does not end at the root")


def nearest(parent: Index, wanted: NDArray[np.bool_]) -> Index:
    """The nearest node at or above each node that is wanted, or -1."""
    blank = len(parent)
    jump = np.concatenate([np.where(wanted, np.arange(blank), parent), [blank]])
    if not wanted[0]:
        jump[0] = blank
    for _ in range(MOST_ROUNDS):
        further = jump[jump]
        if np.array_equal(further, jump):
            return np.where(jump[:-1] == blank, -1, jump[:-1])
        jump = further
    raise TreeError("a path does not end at the root")
