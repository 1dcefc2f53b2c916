"""Sets of labelled profiles, resampled from real captures, with effects on one value of a label.

As in `resampled_sets`, only the effect is simulated: a Poisson-distributed number of its own samples is added to every stack of
the value.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from bench.resampled_sets import count_column, table_of
from slowpath.analysis.formats.column_file import pack_strings
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable, StringTable
from slowpath.analysis.kinds.profiles.decoded.sample_labels import SampleLabels
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import unite_stacks
from slowpath.units import Nanoseconds

LabelSet = tuple[tuple[str, str], ...]
I64 = NDArray[np.int64]


@dataclass(frozen=True)
class LabelledPool:
    """Captures of one binary on common samples: (captures x samples) counts, and the labels of each sample."""

    captures: tuple[ProfileArtifact, ...]
    common: ProfileTable
    counts: I64
    label_sets: tuple[LabelSet, ...]
    of_sample: I64

    def share(self, label: tuple[str, str]) -> float:
        """Return the share of the samples with a label."""
        return float(self.counts[:, self.having(label)].sum() / self.counts.sum())

    def having(self, label: tuple[str, str]) -> NDArray[np.bool_]:
        """Return which samples have a label."""
        return np.array([label in each for each in self.label_sets], dtype=np.bool_)[self.of_sample]

    def profiles(self, count: int, samples: int, rng: Generator) -> tuple[ProfileArtifact, ...]:
        """Return `count` profiles of about `samples` samples, each joined from captures drawn with replacement.

        The program was busy all the time, so they last as long as their CPU time: what else the machine did is left out.
        """
        each = max(1, round(samples / self.counts.sum(axis=1).mean()))
        drawn = rng.integers(0, len(self.captures), (count, each))
        return tuple(self._joined(chosen, number) for number, chosen in enumerate(drawn))

    def _joined(self, chosen: I64, number: int) -> ProfileArtifact:
        parts = [self.captures[at] for at in chosen.tolist()]
        counts = self.counts[chosen].sum(axis=0)
        wall = Nanoseconds(sum(part.facts.cpu_ns or 0 for part in parts))
        facts = replace(
            parts[0].facts,
            run=f"longer/{number}",
            requests=sum(part.facts.requests or 0 for part in parts),
            wall_ns=wall,
            cpu_ns=wall,
        )
        table = replace(self.common, values=(counts, counts * self.common.period), duration_ns=wall, build_ids=())
        return ProfileArtifact(f"longer/{number}", table, facts)

    def with_effect(
        self, profile: ProfileArtifact, label: tuple[str, str], effect: float, rng: Generator
    ) -> ProfileArtifact:
        """Return the profile as if requests with the label took `1 + effect` times as long, and the process accordingly."""
        counts, inside = profile.table.values[0], self.having(label)
        grown = counts + np.where(inside, rng.poisson(counts * effect), 0)
        part = effect * float(counts[inside].sum()) / float(counts.sum())
        cpu_ns = Nanoseconds(round((profile.facts.cpu_ns or 0) * (1 + part)))
        table = replace(profile.table, values=(grown, grown * self.common.period))
        return replace(profile, table=table, facts=replace(profile.facts, cpu_ns=cpu_ns))


def pool_of(captures: Sequence[ProfileArtifact]) -> LabelledPool:
    """Return the pool of some captures."""
    tables = [each.table for each in captures]
    stacks = unite_stacks(tables)
    of_set: dict[LabelSet, int] = {}
    found: list[tuple[I64, I64]] = []
    for table, of_row in zip(tables, stacks.of_row, strict=True):
        leaf = table.sample_node
        stack = of_row[np.searchsorted(table.stacks.node, leaf)]
        numbers = np.array([of_set.setdefault(each, len(of_set)) for each in _label_sets(table)], dtype=np.int64)
        assert table.sample_labels is not None
        found.append((stack << 32 | numbers[table.sample_labels.set_of_sample], table.values[count_column(table)]))
    pairs, row = np.unique(np.concatenate([pair for pair, _ in found]), return_inverse=True)
    ends = np.cumsum([len(pair) for pair, _ in found])[:-1]
    counts = np.zeros((len(captures), len(pairs)), dtype=np.int64)
    for mine, rows, (_, values) in zip(counts, np.split(row, ends), found, strict=True):
        np.add.at(mine, rows, values)
    common = table_of(stacks, tables[0])
    common = _with_samples(common, pairs >> 32)
    return _labelled(tuple(captures), common, counts, tuple(of_set), pairs & 0xFFFFFFFF)


def with_random_label(pool: LabelledPool, key: str, values: int, rng: Generator) -> LabelledPool:
    """Return the pool with a label of so many values, which every single sample gets at random, instead of its own labels."""
    pairs = len(pool.of_sample)
    spread = np.stack([rng.multinomial(row, np.full(values, 1 / values)) for row in pool.counts.sum(axis=0)])
    sample, value = np.nonzero(spread)
    share = spread[sample, value]
    counts = np.zeros((len(pool.captures), len(sample)), dtype=np.int64)
    start = np.searchsorted(sample, np.arange(pairs + 1))
    for capture, own in enumerate(pool.counts):
        for at in np.flatnonzero(own).tolist():
            mine = slice(start[at], start[at + 1])
            counts[capture, mine] = rng.multinomial(own[at], share[mine] / share[mine].sum())
    common = _with_samples(pool.common, sample)
    sets = tuple(((key, f"{each:04}"),) for each in range(values))
    return _labelled(pool.captures, common, counts, sets, value)


def _with_samples(table: ProfileTable, samples: I64) -> ProfileTable:
    """Return the table with these samples instead of its own."""
    return replace(table, sample_node=table.sample_node[samples], sample_line_node=table.sample_line_node[samples])


def _labelled(
    captures: tuple[ProfileArtifact, ...], common: ProfileTable, counts: I64, sets: tuple[LabelSet, ...], of_sample: I64
) -> LabelledPool:
    labels = sorted({label for each in sets for label in each})
    at = {label: number for number, label in enumerate(labels)}
    texts = [common.strings[number] for number in range(len(common.strings))]
    number_of = {
        text: len(texts) + place for place, text in enumerate(dict.fromkeys(text for each in labels for text in each))
    }
    packed = pack_strings([*texts, *number_of])
    columns = SampleLabels(
        set_of_sample=of_sample.astype(np.uint32),
        set_start=np.cumsum([0, *(len(each) for each in sets)]).astype(np.uint32),
        label_of_set=np.array([at[label] for each in sets for label in each], dtype=np.uint32),
        key=np.array([number_of[key] for key, _ in labels], dtype=np.uint32),
        value=np.array([number_of[value] for _, value in labels], dtype=np.uint32),
    )
    strings = StringTable(packed["strings_offset"], packed["strings_bytes"].tobytes())
    table = replace(common, strings=strings, sample_labels=columns, summary=None)
    return LabelledPool(captures, table, counts, sets, of_sample)


def _label_sets(table: ProfileTable) -> list[LabelSet]:
    labels = table.sample_labels
    assert labels is not None, "the capture has no labels"
    texts = [(table.strings[key], table.strings[value]) for key, value in zip(labels.key, labels.value, strict=True)]
    starts = labels.set_start.tolist()
    members = labels.label_of_set.tolist()
    return [tuple(texts[at] for at in members[low:high]) for low, high in pairwise(starts)]
