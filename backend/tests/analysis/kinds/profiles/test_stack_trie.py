"""Trees made of stacks: drawn, and compared with a tree that is grown one frame at a time."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.kinds.profiles.stacks.stack_frames import StackFrames
from slowpath.analysis.kinds.profiles.stacks.stack_order import order_stacks, read_order
from slowpath.analysis.kinds.profiles.stacks.stack_segments import StackSegments, build_stack_segments
from slowpath.analysis.kinds.profiles.stacks.stack_trie import StackTrie, make_nodes, propagate_up
from tests.analysis.kinds.profiles.test_distinct_stacks import frames_of, words

F64 = np.ndarray[tuple[int], np.dtype[np.float64]]
Stack = tuple[tuple[int, int], ...]
"""(label, line) of each frame."""


@dataclass
class ReferenceNode:
    """A node of a tree that is grown one frame at a time."""

    label: int = 0
    line: int = 0
    weight: float = 0.0
    own: float = 0.0
    unseen: int = 0
    children: dict[tuple[int, int], "ReferenceNode"] = field(default_factory=dict)

    def count(self) -> int:
        return 1 + sum(child.count() for child in self.children.values())


def grow(stacks: list[Stack], weight: list[float], least: float) -> ReferenceNode:
    root = ReferenceNode()
    for stack, value in zip(stacks, weight, strict=True):
        node = root
        node.weight += value
        for frame in stack:
            node = node.children.setdefault(frame, ReferenceNode(*frame))
            node.weight += value
    for stack, value in zip(stacks, weight, strict=True):
        node = root
        for frame in stack:
            if abs(node.weight) < least:
                node.unseen += 1
                break
            node = node.children[frame]
        else:
            node.own += value
    prune(root, least)
    return root


def prune(node: ReferenceNode, least: float) -> None:
    if abs(node.weight) < least:
        node.children.clear()
    for child in node.children.values():
        prune(child, least)


Row = tuple[int, int, int, float, float, int, int]
"""Depth, label, line, weight, own value, nodes of the subtree, stacks that go on below it."""


def rows_of_reference(node: ReferenceNode, depth: int = 0) -> list[Row]:
    """Nodes in preorder, the heaviest child first, equal ones by label and line."""
    rows: list[Row] = [(depth, node.label, node.line, node.weight, node.own, node.count(), node.unseen)]
    ordered = sorted(node.children.values(), key=lambda child: (-child.weight, child.label, child.line))
    return rows + [row for child in ordered for row in rows_of_reference(child, depth + 1)]


def rows_of(trie: StackTrie, weight: F64, own: F64) -> list[Row]:
    segment, last = trie.segment, trie.is_last
    columns = (
        trie.depth,
        trie.label,
        trie.line,
        weight[segment],
        own[segment] * last,
        trie.size,
        trie.segments.unseen[segment],
    )
    return list(zip(*(column.tolist() for column in columns), strict=True))


def segments_of(frames: StackFrames, weight: F64, least: float = 0.0) -> StackSegments:
    complete = build_stack_segments(frames, order_stacks(frames))
    return complete.limited(complete.totals(weight), least)


def tree_of(frames: StackFrames, weight: F64, least: float = 0.0) -> StackTrie:
    segments = segments_of(frames, weight, least)
    return make_nodes(segments, segments.number_nodes(segments.totals(weight)))


def drawn(tree: StackTrie, weight: F64) -> list[str]:
    total = tree.segments.totals(weight)[tree.segment]
    return [f"{'  ' * int(d)}{label}:{t:g}" for d, label, t in zip(tree.depth, tree.label, total, strict=True)]


frames_and_lines = st.lists(st.tuples(st.integers(1, 3), st.integers(-1, 1)), max_size=6).map(tuple)
weighed = st.lists(st.tuples(frames_and_lines, st.integers(-1, 4)), min_size=1, max_size=30)


def frames_with_lines(stacks: list[Stack]) -> StackFrames:
    plain = frames_of([[label for label, _ in stack] for stack in stacks])
    lines = [line for stack in stacks for _, line in stack]
    return StackFrames(plain.start, plain.label, np.array(lines, dtype=np.int32))


@given(weighed, st.booleans(), st.integers(0, 6))
def test_a_tree_is_that_grown_one_frame_at_a_time(
    samples: list[tuple[Stack, int]], with_lines: bool, least: int
) -> None:
    stacks = [stack if with_lines else tuple((label, 0) for label, _ in stack) for stack, _ in samples]
    weight = np.array([float(value) for _, value in samples])
    frames = frames_with_lines(stacks) if with_lines else frames_of([[label for label, _ in stack] for stack in stacks])
    tree = tree_of(frames, weight, least)
    segments = tree.segments
    own = segments.own(np.arange(len(stacks)), weight)
    assert rows_of(tree, segments.totals(weight), own) == rows_of_reference(grow(stacks, weight.tolist(), least))
    assert tree.number.tolist() == list(range(tree.count))
    assert np.all(tree.depth[1:] == tree.depth[tree.parent[1:]] + 1)
    ended = np.bincount(tree.node_of_stack[segments.stops_whole], weight[segments.stops_whole], tree.count)
    assert ended.tolist() == (own[tree.segment] * tree.is_last).tolist()


@given(weighed, st.integers(0, 6), st.integers(0, 8))
def test_nodes_of_some_segments_are_those_of_the_complete_tree(
    samples: list[tuple[Stack, int]], least: int, heavy: int
) -> None:
    weight = np.array([float(abs(value)) for _, value in samples])
    segments = segments_of(frames_with_lines([stack for stack, _ in samples]), weight, least)
    of_segment = segments.totals(weight)
    number = segments.number_nodes(of_segment)
    complete = make_nodes(segments, number)
    chosen = segments.with_ancestors(of_segment >= heavy)
    some = make_nodes(segments, number, chosen)
    where = np.flatnonzero(chosen[complete.segment])
    assert some.number.tolist() == where.tolist()
    for column in ("label", "line", "depth", "size", "segment", "within"):
        assert getattr(some, column).tolist() == getattr(complete, column)[where].tolist()
    assert some.number[some.parent].tolist() == complete.parent[where].tolist()


@given(weighed, st.integers(0, 6), st.sets(st.integers(1, 3)))
def test_the_nodes_of_a_label_are_found(samples: list[tuple[Stack, int]], least: int, labels: set[int]) -> None:
    weight = np.array([float(value) for _, value in samples])
    tree = tree_of(frames_with_lines([stack for stack, _ in samples]), weight, least)
    segment, within, label = tree.segments.find_nodes(np.isin(np.arange(4), list(labels)))
    nodes = tree.begins[segment] + within
    assert sorted(nodes.tolist()) == np.flatnonzero(np.isin(tree.label, list(labels))).tolist()
    assert tree.label[nodes].tolist() == label.tolist()


@given(words)
def test_the_order_of_a_profile_is_that_of_its_sorted_stacks(stacks: list[list[int]]) -> None:
    """The decoder numbers nodes in preorder, so the last nodes of sorted stacks tell what these share."""
    distinct = sorted({tuple(stack) for stack in stacks})
    prefixes = sorted({stack[:depth] for stack in distinct for depth in range(len(stack) + 1)} | {()})
    nodes = np.array([prefixes.index(stack) for stack in distinct])
    frames = frames_of([list(stack) for stack in distinct])
    read, sorted_again = read_order(frames, nodes), order_stacks(frames)
    assert read is not None
    assert read.stacks.tolist() == sorted_again.stacks.tolist() == list(range(len(distinct)))
    assert read.shared.tolist() == sorted_again.shared.tolist()


def test_no_order_is_read_if_nodes_are_on_no_stack_or_stacks_not_sorted() -> None:
    frames = frames_of([[1, 2], [1, 3]])
    assert read_order(frames, np.array([2, 3])) is not None
    assert read_order(frames, np.array([2, 4])) is None  # node 3 is on no stack
    assert read_order(frames_of([[1, 3], [1, 2]]), np.array([2, 3])) is None
    assert read_order(frames_of([]), np.zeros(0, dtype=np.int64)) is None


def test_a_tree_in_preorder_with_the_heaviest_child_first() -> None:
    weight = np.array([1.0, 5.0, 2.0])
    tree = tree_of(frames_of([[1, 2], [1, 3], [4]]), weight)
    assert drawn(tree, weight) == ["0:8", "  1:6", "    3:5", "    2:1", "  4:2"]
    assert tree.size.tolist() == [5, 3, 1, 1, 1]
    assert tree.parent.tolist() == [0, 0, 1, 1, 0]


def test_light_nodes_retain_their_weight_and_hide_what_is_beneath() -> None:
    weight = np.array([1.0, 1.0, 8.0])
    tree = tree_of(frames_of([[1, 2], [1, 3], [4, 5]]), weight, least=3)
    assert drawn(tree, weight) == ["0:10", "  4:8", "    5:8", "  1:2"]
    assert tree.segments.unseen[tree.segment].tolist() == [0, 0, 0, 2]


def test_nothing_is_a_root() -> None:
    assert drawn(tree_of(frames_of([[]]), np.array([3.0])), np.array([3.0])) == ["0:3"]
    no_stacks = StackFrames(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    assert drawn(tree_of(no_stacks, np.zeros(0)), np.zeros(0)) == ["0:0"]


def test_bits_are_inherited_along_unbroken_runs_only() -> None:
    parent = np.array([0, 0, 1, 2, 3])
    own = np.array([0, 1, 2, 4, 8], dtype=np.uint64)
    passes = np.array([False, True, True, False, True])
    assert propagate_up(parent, own, passes).tolist() == [0, 1, 3, 0, 8]
