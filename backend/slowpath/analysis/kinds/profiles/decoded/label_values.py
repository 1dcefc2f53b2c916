"""Labels of samples (pprof labels): select samples by label, and list the values of each label with their share."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import write_columns
from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable, StringTable, read_profile_columns
from slowpath.analysis.kinds.profiles.decoded.profile_trees import NO_NODE, LineNodes, LineTree
from slowpath.analysis.kinds.profiles.decoded.sample_labels import SampleLabels

Mask = NDArray[np.bool_]
F64 = NDArray[np.float64]
U32 = NDArray[np.uint32]

MOST_VALUES = 1_000
"""Values of a key that are listed: the largest ones."""
_SAMPLE_COLUMNS = ("sample_", "value_")
_SUMMARY_COLUMNS = ("stack_", "key_", "spot_")
_NUMERIC = re.compile(r"-?\d+ (?P<unit>\S.*)", re.DOTALL)


@dataclass(frozen=True)
class LabelMatcher:
    """Selects the samples whose label `key` has the value `value`; None selects samples without the key."""

    key: str
    value: str | None

    def __str__(self) -> str:
        return f"no {self.key}" if self.value is None else f"{self.key}={self.value}"


@dataclass(frozen=True)
class LabelValue:
    """One value of a label: the sum of its samples, its share of all samples, and how many profiles have it."""

    value: str
    raw: float
    share: float
    profiles: int


@dataclass(frozen=True)
class LabelKey:
    """A label with its largest values, largest first, and how many more it has.

    `unit` is that of a numeric label. `without_share` is the share of the samples without the key.
    """

    key: str
    unit: str | None
    values: tuple[LabelValue, ...]
    other_values: int
    without_share: float


@dataclass
class _KeySums:
    """The sums of one key over profiles: of samples with the key, and per value (sum, profiles)."""

    raw: float = 0.0
    values: dict[str, tuple[float, int]] = field(default_factory=dict)


def select_samples(table: ProfileTable, matchers: Sequence[LabelMatcher]) -> ProfileTable:
    """Return the profile with only the samples that match `matchers`, as if no other sample had been recorded.

    Several matchers of one key are alternatives; a sample has to match each key.

    Duration, time and sample types stay; there is no summary, so sums are computed from the samples.
    """
    selected = _matching_keys(table, matchers)
    return table if selected.all() else _only(table, selected)


def select_columns(content: bytes, matchers: Sequence[LabelMatcher]) -> bytes | None:
    """Return a decoded profile as a file with only the matching samples, for the export; None without any.

    The summary is left out; nodes without a sample stay. Raises `ColumnFileError`.
    """
    columns = read_profile_columns(content)
    selected = _matching_keys(ProfileTable.parse(content, checked=True), matchers)
    if not selected.any():
        return None
    arrays = {
        name: array[selected] if name.startswith(_SAMPLE_COLUMNS) else array
        for name, array in columns.arrays.items()
        if not name.startswith(_SUMMARY_COLUMNS)
    }
    return write_columns({name: value for name, value in columns.header.items() if name != "columns"}, arrays)


def list_label_values(tables: Sequence[ProfileTable], sample_type: SampleType) -> tuple[LabelKey, ...]:
    """Return the labels of the profiles with this sample type, those of the largest share first."""
    sums: dict[str, _KeySums] = {}
    total = 0.0
    for table in tables:
        if sample_type in table.sample_types:
            number = table.sample_types.index(sample_type)
            total += table.total(number)
            _add_labels(sums, table, number)
    keys = [_label_key(key, each, total) for key, each in sums.items()]
    return tuple(sorted(keys, key=lambda each: (each.without_share, each.key)))


def _matching_keys(table: ProfileTable, matchers: Sequence[LabelMatcher]) -> Mask:
    """Return the samples that match: for each key, one of its matchers."""
    by_key: dict[str, Mask] = {}
    for matcher in matchers:
        matching, former = _matching(table, matcher), by_key.get(matcher.key)
        by_key[matcher.key] = matching if former is None else former | matching
    selected: Mask = np.logical_and.reduce([np.ones(len(table.sample_line_node), dtype=np.bool_), *by_key.values()])
    return selected


def _matching(table: ProfileTable, matcher: LabelMatcher) -> Mask:
    labels = table.sample_labels
    if labels is None:
        return np.full(len(table.sample_line_node), matcher.value is None)
    wanted = _has_text(table.strings, labels.key, matcher.key)
    if matcher.value is None:
        without: Mask = ~labels.sets_with(wanted)
        return without[labels.set_of_sample]
    rows = np.flatnonzero(wanted)
    wanted[rows] = _has_text(table.strings, labels.value[rows], matcher.value)
    return labels.sets_with(wanted)[labels.set_of_sample]


def _has_text(strings: StringTable, indices: U32, text: str) -> Mask:
    """Return which strings are equal to `text`."""
    distinct, inverse = np.unique(indices, return_inverse=True)
    equal = np.array([each == text for each in strings.texts(distinct)], dtype=np.bool_)
    return equal[inverse]


def _only(table: ProfileTable, selected: Mask) -> ProfileTable:
    labels = table.sample_labels
    retained = replace(
        table,
        sample_node=table.sample_node[selected],
        sample_line_node=table.sample_line_node[selected],
        sample_labels=None if labels is None else replace(labels, set_of_sample=labels.set_of_sample[selected]),
        values=tuple(values[selected] for values in table.values),
    )
    return _without_unused_nodes(retained) if table.lines.count else replace(retained, summary=None)


def _without_unused_nodes(table: ProfileTable) -> ProfileTable:
    """Remove the nodes of both trees that have no sample; the others keep their order."""
    of_lines = table.lines.nodes
    lines = _with_ancestors(table.sample_line_node, of_lines.parent)
    nodes = _with_ancestors(table.sample_node, table.node_parent)
    line_place, node_place = _places(lines), _places(nodes)
    ends = np.unique(table.sample_node).astype(np.int64)
    hashed = np.zeros(int(np.count_nonzero(nodes)), dtype=np.uint64)
    hashed[node_place[ends]] = table.hashes_of(ends)
    return replace(
        table,
        node_parent=_moved(table.node_parent[nodes], node_place),
        node_key=table.node_key[nodes],
        node_hash=hashed,
        lines=LineTree.of(
            LineNodes(_moved(of_lines.parent[lines], line_place), of_lines.key[lines], of_lines.line[lines])
        ),
        sample_node=node_place[table.sample_node],
        sample_line_node=line_place[table.sample_line_node],
        summary=None,
    )


def _with_ancestors(nodes: U32, parent: U32) -> Mask:
    """Return which nodes are among `nodes` or above one of them; the root is always."""
    used = np.zeros(len(parent), dtype=np.bool_)
    used[0] = True
    level = np.unique(nodes)
    while len(level := level[~used[level]]):
        used[level] = True
        level = np.unique(parent[level])
    return used


def _places(used: Mask) -> U32:
    return (np.cumsum(used) - 1).astype(np.uint32)


def _moved(parent: U32, place: U32) -> U32:
    """Return the parents' new places; the root has none."""
    moved = place[np.where(parent == NO_NODE, 0, parent)]
    moved[0] = NO_NODE
    return moved


def sum_by_label(table: ProfileTable, labels: SampleLabels, sample_type: int) -> tuple[F64, F64]:
    """Return the sum of the samples with each label, and the sum per set of labels."""
    by_set = sum_by(labels.set_of_sample, table.values[sample_type].astype(np.float64), labels.sets)
    owner, label = labels.members
    return sum_by(label, by_set[owner], len(labels.key)), by_set


def _add_labels(sums: dict[str, _KeySums], table: ProfileTable, sample_type: int) -> None:
    labels = table.sample_labels
    if labels is None:
        return
    by_label, by_set = sum_by_label(table, labels, sample_type)
    present = np.zeros(len(labels.key), dtype=np.bool_)
    occurring = np.zeros(labels.sets, dtype=np.bool_)
    occurring[labels.set_of_sample] = True
    owner, label = labels.members
    present[label[occurring[owner]]] = True
    for number in np.unique(labels.key[present]).tolist():
        rows = np.flatnonzero(present & (labels.key == number))
        of_key = sums.setdefault(table.strings[number], _KeySums())
        of_key.raw += float(by_set[labels.sets_with(labels.key == number)].sum())
        texts = table.strings.texts(labels.value[rows])
        for text, raw in zip(texts, by_label[rows].tolist(), strict=True):
            before, profiles = of_key.values.get(text, (0.0, 0))
            of_key.values[text] = before + raw, profiles + 1


def _label_key(key: str, sums: _KeySums, total: float) -> LabelKey:
    ranked = sorted(sums.values.items(), key=lambda item: (-item[1][0], item[0]))
    values = [LabelValue(text, raw, raw / total if total else 0.0, n) for text, (raw, n) in ranked[:MOST_VALUES]]
    return LabelKey(
        key=key,
        unit=_unit(list(sums.values)),
        values=tuple(values),
        other_values=max(0, len(ranked) - MOST_VALUES),
        without_share=max(0.0, 1 - sums.raw / total) if total else 0.0,
    )


def _unit(values: Sequence[str]) -> str | None:
    """Return the unit that all values have behind a whole number, as the decoder writes numeric labels; else None."""
    units: set[str | None] = set()
    for value in values:
        found = _NUMERIC.fullmatch(value)
        units.add(found["unit"] if found else None)
        if len(units) > 1 or None in units:
            return None
    return units.pop() if units else None
