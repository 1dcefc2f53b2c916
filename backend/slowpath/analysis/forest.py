"""The union of many profiles' call trees: equal paths become one node, and every profile knows where it lies in it.

Three granularities share one shape: functions (the decoder's path hashes), lines (function path plus line numbers)
and packages (runs of frames of one package become one frame). Merging is sorting; there is no loop over nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from slowpath.analysis.names import package_of
from slowpath.analysis.profile_table import NO_NODE, ProfileTable
from slowpath.analysis.regraft import regrafted
from slowpath.analysis.tree import Index, TreeError, U64, merge_equal_paths, number_hashes, path_hashes

Granularity = Literal["function", "package", "line"]
GRANULARITIES: tuple[Granularity, ...] = ("function", "package", "line")


@dataclass(frozen=True)
class Label:
    """What a node is called: the normalised key that matches across builds, and the name that people read."""

    key: str
    name: str
    file: str


@dataclass(frozen=True)
class Forest:
    """A united tree in no particular order; node 0 is the root and its own parent.

    `label[node]` indexes `labels` (the root has label 0, whose key is empty); `line[node]` is 0 but at line
    granularity; `function_node[node]` is a node of the function forest standing for it; `placed[p][line_node]` is
    the node on which profile p's line node lies.
    """

    parent: Index
    label: Index
    line: Index
    labels: tuple[Label, ...]
    function_node: Index
    placed: tuple[Index, ...]


def unite(tables: Sequence[ProfileTable]) -> Forest:
    """The function forest of all tables, with stacks that were cut at the root put back where they fit."""
    starts = np.cumsum([0, *(len(table.node_parent) for table in tables)])
    hashes = np.concatenate([table.node_hash for table in tables])
    hashes[starts[:-1]] = 0
    if np.count_nonzero(hashes == 0) != len(tables):
        raise TreeError("a node has the root's hash")
    ids, first = number_hashes(hashes)
    owner = np.searchsorted(starts, first, side="right") - 1
    local = first - starts[owner]
    parent = np.zeros(len(first), dtype=np.int64)
    key = np.zeros(len(first), dtype=np.int64)
    for number, table in enumerate(tables):
        mine = np.flatnonzero(owner == number)
        key[mine] = table.node_key[local[mine]]
        mine = mine[mine > 0]
        parent[mine] = ids[starts[number] + table.node_parent[local[mine]].astype(np.int64)]
    label, labels = _labels(tables, owner, key)
    moved, representative = regrafted(parent, label, [entry.key for entry in labels])
    if representative is not None:
        parent, label, ids = moved[parent[representative]], label[representative], moved[ids]
    placed = tuple(
        ids[start + table.line_node_node.astype(np.int64)] for start, table in zip(starts, tables, strict=False)
    )
    return Forest(
        parent=parent,
        label=label,
        line=np.zeros(len(parent), dtype=np.int64),
        labels=labels,
        function_node=np.arange(len(parent)),
        placed=placed,
    )


def _labels(tables: Sequence[ProfileTable], owner: Index, key: Index) -> tuple[Index, tuple[Label, ...]]:
    """Number the keys of the representatives over all profiles; the root is label 0."""
    numbers: dict[str, int] = {"": 0}
    labels = [Label("", "", "")]
    label = np.zeros(len(key), dtype=np.int64)
    for number, table in enumerate(tables):
        mine = np.flatnonzero(owner == number)
        mine = mine[mine > 0]
        used, inverse = np.unique(key[mine], return_inverse=True)
        known = _names_of_keys(table)
        of_used = np.zeros(len(used), dtype=np.int64)
        for i, string in enumerate(used.tolist()):
            text = table.strings[string]
            if text not in numbers:
                numbers[text] = len(labels)
                labels.append(_label(table, text, known.get(string)))
            of_used[i] = numbers[text]
        label[mine] = of_used[inverse]
    return label, tuple(labels)


def _label(table: ProfileTable, key: str, function: int | None) -> Label:
    if function is None:
        return Label(key, key, "")
    file = table.strings[int(table.function_file[abs(function) - 1])]
    name = key if function < 0 else table.strings[int(table.function_name[function - 1])]
    return Label(key, name, file)


def _names_of_keys(table: ProfileTable) -> dict[int, int]:
    """For each key string one of its functions, counted from 1; negative when functions of several names share it.

    `New.func1` and `New.func2` share the key `New.func`: showing either name would be a lie.
    """
    count = len(table.function_key)
    if count == 0:
        return {}
    order = np.lexsort((table.function_name, table.function_key))
    keys, names = table.function_key[order], table.function_name[order]
    first = np.concatenate([[True], keys[1:] != keys[:-1]])
    last = np.concatenate([first[1:], [True]])
    several = names[first] != names[last]
    chosen = order[first] + 1
    return dict(zip(keys[first].tolist(), np.where(several, -chosen, chosen).tolist(), strict=True))


def by_line(functions: Forest, tables: Sequence[ProfileTable]) -> Forest:
    """The same forest with a node for every (function, line) path.

    Its path hash joins the function path (already united, cut stacks put back) with the line numbers along the
    profile's own path. Parents must follow: the parent's hash is that of the profile's parent node, unless a cut
    stack was moved, where the function forest's parents are followed without lines.
    """
    hashes = [_line_hashes(functions, number, table) for number, table in enumerate(tables)]
    starts = np.cumsum([0, *(len(each) for each in hashes)])
    joined = np.concatenate(hashes)
    joined[starts[:-1]] = 0
    ids, first = number_hashes(joined)
    owner = np.searchsorted(starts, first, side="right") - 1
    local = first - starts[owner]
    parent = np.zeros(len(first), dtype=np.int64)
    line = np.zeros(len(first), dtype=np.int64)
    function_node = np.zeros(len(first), dtype=np.int64)
    for number, table in enumerate(tables):
        mine = np.flatnonzero((owner == number) & (np.arange(len(first)) > 0))
        line[mine] = table.line_node_line[local[mine]]
        function_node[mine] = functions.placed[number][local[mine]]
        parent[mine] = ids[starts[number] + table.line_node_parent[local[mine]].astype(np.int64)]
    return Forest(
        parent=parent,
        label=functions.label[function_node],
        line=line,
        labels=functions.labels,
        function_node=function_node,
        placed=tuple(ids[a:b] for a, b in zip(starts[:-1], starts[1:], strict=True)),
    )


def _line_hashes(functions: Forest, number: int, table: ProfileTable) -> U64:
    parent = table.line_node_parent.astype(np.int64)
    parent[0] = 0
    node = functions.placed[number].astype(np.uint64)
    lines = table.line_node_line.astype(np.int64).astype(np.uint64)
    return path_hashes(parent, lines ^ (node << np.uint64(32)))


def by_package(functions: Forest) -> Forest:
    """The same forest with runs of frames of one package drawn as one frame."""
    names = [package_of(label.key) for label in functions.labels]
    unique = sorted(set(names) - {""})
    numbers = {"": 0, **{name: i + 1 for i, name in enumerate(unique)}}
    package = np.array([numbers[name] for name in names], dtype=np.int64)[functions.label]
    package[0] = 0
    parent = functions.parent
    same = (package == package[parent]) & (np.arange(len(parent)) > 0)
    top = _top_of_run(parent, same)
    above = top[parent[top]]
    node, representative = merge_equal_paths(above, package.astype(np.uint64))
    return Forest(
        parent=node[above[representative]],
        label=package[representative],
        line=np.zeros(len(representative), dtype=np.int64),
        labels=(Label("", "", ""), *(Label(name, name, "") for name in unique)),
        function_node=representative,
        placed=tuple(node[each] for each in functions.placed),
    )


def _top_of_run(parent: Index, same: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Index:
    """The topmost node of each unbroken run of `same` links."""
    jump = np.where(same, parent, np.arange(len(parent)))
    while True:
        further = jump[jump]
        if np.array_equal(further, jump):
            return jump
        jump = further


__all__ = ["GRANULARITIES", "NO_NODE", "Forest", "Granularity", "Label", "by_line", "by_package", "unite"]
