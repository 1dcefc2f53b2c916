"""The labels of a profile's samples, as arrays: which sets of labels there are, and which set each sample has.

Reads what `slowpath-decode profile` writes if any sample has a label. Numeric labels are text with their unit
(`4096 bytes`). A brief file has no samples: of a CPU profile it has the sum of each set.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import Array, ColumnFile, ColumnFileError

U32 = NDArray[np.uint32]
I64 = NDArray[np.int64]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class LabelSets:
    """Sets of labels. Label l has the strings `key[l]` and `value[l]` of the profile's table.

    The labels of set s are `label_of_set[set_start[s] : set_start[s + 1]]`.
    """

    set_start: U32
    label_of_set: U32
    key: U32
    value: U32

    @property
    def sets(self) -> int:
        """Return the number of sets of labels."""
        return len(self.set_start) - 1

    @cached_property
    def members(self) -> tuple[Index, Index]:
        """Return (set, label) of each label in a set, each pair once."""
        start = self.set_start.astype(np.int64)
        owner = np.repeat(np.arange(self.sets, dtype=np.int64), start[1:] - start[:-1])
        pairs = np.unique(owner * max(len(self.key), 1) + self.label_of_set)
        return pairs // max(len(self.key), 1), pairs % max(len(self.key), 1)

    def sets_with(self, labels: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which sets contain at least one of the marked labels."""
        owner, label = self.members
        found = np.zeros(self.sets, dtype=np.bool_)
        found[owner[labels[label]]] = True
        return found


@dataclass(frozen=True)
class SampleLabels(LabelSets):
    """The labels of samples: `set_of_sample[i]` is the set of sample i."""

    set_of_sample: U32


@dataclass(frozen=True)
class LabelSetSums(LabelSets):
    """The labels of a brief file: `sums[t][s]` is the sum of the samples with set s, in sample type t."""

    sums: tuple[I64, ...]


def read_sample_labels(columns: ColumnFile) -> SampleLabels | None:
    """Read the labels, or None if no sample has any. Raises `ColumnFileError` if a column is missing or mistyped."""
    if "sample_labelset" not in columns.arrays:
        return None
    return SampleLabels(*_read_sets(columns), columns.column("sample_labelset", "u32"))


def read_label_set_sums(columns: ColumnFile, types: int, strings: int) -> LabelSetSums | None:
    """Read the sums of a brief file with so many sample types and strings, or None. Raises `ColumnFileError`."""
    if "labelset_value_0" not in columns.arrays:
        return None
    sums = tuple(columns.column(f"labelset_value_{number}", "i64") for number in range(types))
    labels = LabelSetSums(*_read_sets(columns), sums)
    _check_sets(labels, strings)
    if any(len(each) != labels.sets for each in sums):
        raise ColumnFileError("length-differs", "the sums of sets of labels differ in length")
    return labels


def _read_sets(columns: ColumnFile) -> tuple[U32, U32, U32, U32]:
    return (
        columns.column("labelset_offset", "u32"),
        columns.column("labelset_label", "u32"),
        columns.column("label_key", "u32"),
        columns.column("label_value", "u32"),
    )


def check_sample_labels(labels: SampleLabels, samples: int, strings: int) -> None:
    """Check lengths and indices, so that later code may index without checks. Raises `ColumnFileError`."""
    if len(labels.set_of_sample) != samples:
        raise ColumnFileError("length-differs", "the columns of labels differ in length")
    _check_sets(labels, strings)
    _check_below("sample_labelset", labels.set_of_sample, labels.sets)


def _check_sets(labels: LabelSets, strings: int) -> None:
    if len(labels.key) != len(labels.value):
        raise ColumnFileError("length-differs", "the columns of labels differ in length")
    start = labels.set_start
    if not len(start) or start[0] != 0 or int(start[-1]) != len(labels.label_of_set) or np.any(start[1:] < start[:-1]):
        raise ColumnFileError("labels-damaged", "offsets of sets of labels do not ascend to their number")
    _check_below("labelset_label", labels.label_of_set, len(labels.key))
    _check_below("label_key", labels.key, strings)
    _check_below("label_value", labels.value, strings)


def _check_below(name: str, array: Array, limit: int) -> None:
    if len(array) and int(array.max()) >= limit:
        raise ColumnFileError("index-outside", f"{name} refers to {int(array.max())} of {limit}")
