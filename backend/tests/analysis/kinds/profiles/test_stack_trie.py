"""Trees grown from stacks, drawn."""

import numpy as np
from hypothesis import given

from slowpath.analysis.kinds.profiles.stack_trie import StackTrie, build_stack_trie, propagate_up
from tests.analysis.kinds.profiles.test_distinct_stacks import frames_of, words


def drawn(tree: StackTrie, own: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[str]:
    total = tree.totals(own)
    return [f"{'  ' * int(d)}{label}:{t:g}" for d, label, t in zip(tree.depth, tree.label, total, strict=True)]


def own_of(
    tree: StackTrie, weight: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.bincount(tree.node_of_stack, weights=weight, minlength=tree.count).astype(np.float64)


def test_a_tree_in_preorder_with_the_heaviest_child_first() -> None:
    weight = np.array([1.0, 5.0, 2.0])
    tree = build_stack_trie(frames_of([[1, 2], [1, 3], [4]]), weight)
    assert drawn(tree, own_of(tree, weight)) == ["0:8", "  1:6", "    3:5", "    2:1", "  4:2"]
    assert tree.size.tolist() == [5, 3, 1, 1, 1]
    assert tree.parent.tolist() == [0, 0, 1, 1, 0]


def test_light_nodes_keep_their_weight_and_hide_what_is_beneath() -> None:
    weight = np.array([1.0, 1.0, 8.0])
    tree = build_stack_trie(frames_of([[1, 2], [1, 3], [4, 5]]), weight, least=3)
    assert drawn(tree, own_of(tree, weight)) == ["0:10", "  4:8", "    5:8", "  1:2"]
    assert tree.unseen.tolist() == [0, 0, 0, 2]


def test_nothing_is_a_root() -> None:
    tree = build_stack_trie(frames_of([[]]), np.array([3.0]))
    assert drawn(tree, own_of(tree, np.array([3.0]))) == ["0:3"]


def test_lines_are_nodes_of_their_own() -> None:
    frames = frames_of([[1, 2], [1, 2]])
    with_lines = type(frames)(frames.start, frames.label, np.array([1, 7, 1, 8], dtype=np.int32))
    tree = build_stack_trie(with_lines, np.ones(2))
    assert tree.count == 4
    assert sorted(tree.line.tolist()) == [0, 1, 7, 8]


@given(words)
def test_a_tree_agrees_with_its_prefixes(stacks: list[list[int]]) -> None:
    weight = np.arange(1.0, len(stacks) + 1)
    tree = build_stack_trie(frames_of(stacks), weight)
    prefixes = {tuple(stack[:depth]) for stack in stacks for depth in range(len(stack) + 1)} | {()}
    assert tree.count == len(prefixes)
    total = tree.totals(own_of(tree, weight))
    assert total[0] == weight.sum()
    assert np.all(tree.parent[1:] < np.arange(1, tree.count))
    for node in range(tree.count):
        path: list[int] = []
        at = node
        while at:
            path.insert(0, int(tree.label[at]))
            at = int(tree.parent[at])
        expected = sum(w for stack, w in zip(stacks, weight, strict=True) if stack[: len(path)] == path)
        assert total[node] == expected


def test_bits_are_inherited_along_unbroken_runs_only() -> None:
    parent = np.array([0, 0, 1, 2, 3])
    own = np.array([0, 1, 2, 4, 8], dtype=np.uint64)
    passes = np.array([False, True, True, False, True])
    assert propagate_up(parent, own, passes).tolist() == [0, 1, 3, 0, 8]
