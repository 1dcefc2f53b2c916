"""Totals precomputed by the decoder, as matrices: (functions or lines) x profiles.

They are valid if no truncated stack was restored (see `truncated_stacks`). They save the walk over all frames of all
profiles, which is most of the work of a comparison.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by
from slowpath.analysis.kinds.profiles.decoded.profile_summary import DecodedProfileSummary, FunctionSummary
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.sets.profile_sets import ProfileSets
from slowpath.analysis.kinds.profiles.sets.stack_values import FunctionOccurrences
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import DistinctStacks
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index

F64 = NDArray[np.float64]

# Sums of the same values in different order differ by less than this.
ROUNDING = 1e-9


@dataclass(frozen=True)
class LineTotals:
    """Self and total values of lines: `label` and `line` identify a row, columns are profiles."""

    label: Index
    line: Index
    own: F64
    total: F64


def function_totals(stacks: DistinctStacks, sets: ProfileSets) -> F64 | None:
    """Return totals including callees (labels x profiles); None if they must be computed from the stacks."""
    summaries = _summaries(stacks, sets)
    if summaries is None:
        return None
    rows = np.zeros((len(stacks.labels), len(summaries)))
    for number, (summary, sample_type) in enumerate(zip(summaries, sets.sample_type_of, strict=True)):
        names = summary.functions
        rows[stacks.label_of_string[number][names.key], number] = names.total[sample_type] * sets.sign[number]
    return rows


def repeated_labels(stacks: DistinctStacks, sets: ProfileSets) -> NDArray[np.bool_] | None:
    """Return which functions occur on some stack more than once (recursion).

    None if unknown without the stacks. The decoder counts a function once per stack. Counted once per frame its total
    is larger exactly if it repeats, so one sum over all frames replaces sorting them.
    """
    summaries = _summaries(stacks, sets)
    if summaries is None:
        return None
    weight, once = np.zeros(stacks.frames.count), np.zeros(len(stacks.labels))
    for number, summary in enumerate(summaries):
        for values, totals in zip(summary.stacks.values, summary.functions.total, strict=True):
            total = float(values.sum(dtype=np.float64))
            if len(values) and int(values.min()) < 0:
                return None
            if total > 0:
                weight += sum_by(stacks.of_row[number], values / total, len(weight))
                once += sum_by(stacks.label_of_string[number][summary.functions.key], totals / total, len(once))
    if np.any(weight == 0):  # a stack without a value could contain undetected recursion
        return None
    each = FunctionOccurrences(stacks.frames, None, len(once)).sums(weight)
    return each > once * (1 + ROUNDING)


def line_totals(stacks: DistinctStacks, sets: ProfileSets) -> LineTotals | None:
    """Return the values of all lines, by label and line; None if they must be computed from the stacks."""
    summaries = _summaries(stacks, sets)
    lines = [] if summaries is None else [each.lines for each in summaries if each.lines is not None]
    if summaries is None or len(lines) < len(summaries):
        return None
    pairs = [_pairs(names, of_string) for names, of_string in zip(lines, stacks.label_of_string, strict=True)]
    unique, row = np.unique(np.concatenate(pairs), return_inverse=True)
    ends = np.cumsum([0, *(len(each) for each in pairs)])
    self_values, total = np.zeros((len(unique), len(lines))), np.zeros((len(unique), len(lines)))
    for number, (names, sample_type) in enumerate(zip(lines, sets.sample_type_of, strict=True)):
        rows, sign = row[ends[number] : ends[number + 1]], sets.sign[number]
        self_values[rows, number] = names.own[sample_type] * sign
        total[rows, number] = names.total[sample_type] * sign
    return LineTotals(
        unique >> 32, (unique & 0xFFFFFFFF).astype(np.uint32).view(np.int32).astype(np.int64), self_values, total
    )


def _pairs(names: FunctionSummary, of_string: NDArray[np.int32]) -> Index:
    assert names.line is not None
    pairs: Index = of_string[names.key].astype(np.int64) << 32 | names.line.view(np.uint32).astype(np.int64)
    return pairs


def _summaries(stacks: DistinctStacks, sets: ProfileSets) -> list[DecodedProfileSummary] | None:
    tables: Sequence[ProfileTable] = [artifact.table for artifact in sets.artifacts]
    if not stacks.as_read or len(tables) != len(stacks.label_of_string):
        return None
    found = [table.sums for table in tables]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None
