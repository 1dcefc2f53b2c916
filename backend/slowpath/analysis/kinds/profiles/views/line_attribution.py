"""The runtime cost attributed to each line: of a runtime stack, the line of its attributed caller."""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.sets.precomputed_totals import LineTotals
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index, StackFrames
from slowpath.analysis.kinds.profiles.views.diff_view_inputs import DiffViewInputs

F64 = NDArray[np.float64]

NO_CALLER = -1


def attribute_lines(ground: DiffViewInputs, lines: LineTotals) -> F64:
    """Return the raw attributed cost of each of `lines` (lines x profiles).

    A restored stack whose attributed caller is among the restored frames has no line.
    """
    stacks, sets = ground.layouts.at("function"), ground.sets
    attribution = ground.values.attribution
    caller = np.where(attribution.entry > 0, attribution.attributed_caller, 0).astype(np.int64)
    distance = _find_distances(stacks.frames, caller)
    known = _pairs(lines.label, lines.line)
    order = np.argsort(known)
    rows = np.zeros((len(known), len(sets.artifacts)))
    for number, (artifact, sample_type) in enumerate(zip(sets.artifacts, sets.sample_type_of, strict=True)):
        table = artifact.table
        stack = stacks.of_row[number][_rows_of_samples(table)]
        samples = np.flatnonzero((distance[stack] != NO_CALLER) & (table.values[sample_type] != 0))
        node = _ancestors(table, table.sample_line_node[samples].astype(np.int64), distance[stack[samples]])
        label = stacks.label_of_string[number][table.lines.nodes.key[node]]
        found = np.flatnonzero((node > 0) & (label == caller[stack[samples]]))
        pairs = _pairs(label[found].astype(np.int64), table.lines.nodes.line[node[found]].astype(np.int64))
        row = order[np.searchsorted(known, pairs, sorter=order)]
        values = table.values[sample_type][samples[found]].astype(np.float64) * sets.sign[number]
        rows[:, number] = sum_by(row, values, len(known))
    return rows


def _pairs(label: Index, line: Index) -> Index:
    return label << 32 | line & 0xFFFFFFFF


def _find_distances(frames: StackFrames, caller: Index) -> Index:
    """Return for each stack how many frames its attributed caller is above the leaf, or `NO_CALLER`."""
    distance = np.full(frames.count, NO_CALLER, dtype=np.int64)
    stacks = np.flatnonzero((caller > 0) & (frames.depth > 0))
    place = frames.start[stacks + 1] - 1
    while len(stacks):
        is_caller = frames.label[place] == caller[stacks]
        distance[stacks[is_caller]] = frames.start[stacks[is_caller] + 1] - 1 - place[is_caller]
        continues = ~is_caller & (place > frames.start[stacks])
        stacks, place = stacks[continues], place[continues] - 1
    return distance


def _rows_of_samples(table: ProfileTable) -> Index:
    """Return for each sample its row in the table of distinct stacks, which is in the order of the nodes."""
    return np.searchsorted(table.stacks.node, table.sample_node)


def _ancestors(table: ProfileTable, node: Index, distance: Index) -> Index:
    """Return the line node that is `distance` above each node; 0 beyond the root."""
    node, distance, parent = node.copy(), distance.copy(), table.lines.nodes.parent
    moving = np.flatnonzero((distance > 0) & (node > 0))
    while len(moving):
        node[moving] = parent[node[moving]]
        distance[moving] -= 1
        moving = moving[(distance[moving] > 0) & (node[moving] > 0)]
    return node
