"""The cost of each label value in each profile: (values x profiles), for any selection of samples."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by
from slowpath.analysis.kinds.profiles.decoded.label_values import MOST_VALUES
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.decoded.sample_labels import LabelSets, LabelSetSums, SampleLabels
from slowpath.analysis.kinds.profiles.sets.profile_sets import ProfileSets
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

MOST_KEYS = 20
"""Labels that are compared: those of the largest cost."""
WITHOUT = -1


@dataclass(frozen=True)
class KeyTotals:
    """One label: its compared values, the value of each set of samples (`WITHOUT` for none), and how many were cut."""

    key: str
    values: tuple[str, ...]
    of_set: Index
    cut_values: int


@dataclass(frozen=True)
class LabelTotals:
    """Samples of all profiles by their set of labels: the profile and the raw cost of each set, and its labels by key."""

    keys: tuple[KeyTotals, ...]
    profile: Index
    cost: F64
    profiles: int

    def rows(self, key: KeyTotals, among: Mask | None = None) -> F64:
        """Return the cost of each value (values x profiles), of the sets `among` only."""
        chosen = key.of_set != WITHOUT
        if among is not None:
            chosen = chosen & among
        group = key.of_set[chosen] * self.profiles + self.profile[chosen]
        return sum_by(group, self.cost[chosen], len(key.values) * self.profiles).reshape(-1, self.profiles)

    def row(self, among: Mask) -> F64:
        """Return the cost of some sets in each profile."""
        return sum_by(self.profile[among], self.cost[among], self.profiles)


def label_totals(sets: ProfileSets) -> LabelTotals | None:
    """Sum the samples of all profiles by their labels; None unless both sides have labels."""
    numbering: dict[str, _Numbering] = {}
    profile, cost, labelled = [], [], set()
    sizes: list[int] = []
    for number, (artifact, sample_type) in enumerate(zip(sets.artifacts, sets.sample_type_of, strict=True)):
        table = artifact.table
        labels = table.sample_labels or table.label_set_sums
        if labels is None:
            continue
        cost.append(_sum_by_set(labels, table.values[sample_type], sample_type) * sets.sign[number])
        profile.append(np.full(labels.sets, number, dtype=np.int64))
        labelled.add(number < sets.base_count)
        _number_values(numbering, table, labels, len(sizes))
        sizes.append(labels.sets)
    if len(labelled) < 2:
        return None
    costs = np.concatenate(cost)
    keys = [each.totals(key, sizes, costs) for key, each in numbering.items()]
    weight = [float(np.abs(costs[each.of_set != WITHOUT]).sum()) for each in keys]
    largest = sorted(range(len(keys)), key=lambda at: (-weight[at], keys[at].key))[:MOST_KEYS]
    return LabelTotals(tuple(keys[at] for at in largest), np.concatenate(profile), costs, len(sets.artifacts))


def _sum_by_set(labels: SampleLabels | LabelSetSums, values: NDArray[np.int64], sample_type: int) -> F64:
    if isinstance(labels, LabelSetSums):
        return labels.sums[sample_type].astype(np.float64)
    return sum_by(labels.set_of_sample, values, labels.sets)


@dataclass
class _Numbering:
    """The values of one key by number, and per labelled profile the value of each of its sets."""

    numbers: dict[str, int] = field(default_factory=dict)
    of_set: dict[int, Index] = field(default_factory=dict)

    def totals(self, key: str, sizes: Sequence[int], costs: F64) -> KeyTotals:
        """Concatenate the profiles, and keep the values of the largest cost."""
        parts = [self.of_set.get(at, np.full(size, WITHOUT, dtype=np.int64)) for at, size in enumerate(sizes)]
        of_set = np.concatenate(parts)
        known = of_set != WITHOUT
        cost = sum_by(of_set[known], np.abs(costs[known]), len(self.numbers))
        chosen = np.sort(np.argsort(-cost, kind="stable")[:MOST_VALUES])
        place = np.full(len(self.numbers) + 1, WITHOUT, dtype=np.int64)  # the last one is that of WITHOUT
        place[chosen] = np.arange(len(chosen))
        texts = list(self.numbers)
        values = tuple(texts[at] for at in chosen.tolist())
        return KeyTotals(key, values, place[of_set], len(texts) - len(values))


def _number_values(numbering: dict[str, _Numbering], table: ProfileTable, labels: LabelSets, at: int) -> None:
    """Number the values of each key in one profile; a set with several values of a key has the first."""
    owner, label = labels.members
    for string in np.unique(labels.key).tolist():
        of_key = numbering.setdefault(table.strings[string], _Numbering())
        rows = np.flatnonzero(labels.key == string)
        number = np.full(len(labels.key), WITHOUT, dtype=np.int64)
        texts = table.strings.texts(labels.value[rows])
        number[rows] = [of_key.numbers.setdefault(text, len(of_key.numbers)) for text in texts]
        of_set = np.full(labels.sets, WITHOUT, dtype=np.int64)
        mine = np.flatnonzero(number[label] != WITHOUT)[::-1]
        of_set[owner[mine]] = number[label[mine]]
        of_key.of_set[at] = of_set
