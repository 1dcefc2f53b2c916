"""Compact samples into chunks of one series group and hour, and join chunks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.metrics.samples.column_codec import Ints
from slowpath.analysis.kinds.metrics.samples.late_samples import HOUR_MS, joined_late, late_runs_by_hour
from slowpath.analysis.kinds.metrics.samples.native_histogram_columns import join_natives, take_natives
from slowpath.analysis.kinds.metrics.samples.sample_columns import (
    NativeHistogramColumns,
    SampleColumns,
    by_series,
    merged,
)
from slowpath.analysis.kinds.metrics.samples.series_chunks import (
    FloatSamples,
    NativeHistogramRun,
    SeriesChunk,
    encode_block,
)
from slowpath.analysis.kinds.metrics.samples.series_data import LateSamples

Place = tuple[int, int]
"""Series group and hour."""


@dataclass(frozen=True, slots=True)
class CompactedChunk:
    """Packed samples of one hour of a series group."""

    block_id: int
    hour: int
    samples: int
    content: bytes


@dataclass(frozen=True, slots=True)
class SortedSamples:
    """Samples by series group and hour."""

    parts: Mapping[Place, SampleColumns]
    late: Mapping[Place, Mapping[int, Sequence[LateSamples]]]
    newest_ms: Mapping[int, int]
    """By series."""


def partition_samples(tails: Sequence[tuple[SampleColumns, int]], block_of: Mapping[int, int]) -> SortedSamples:
    """Sort samples (with their time of receipt, earliest first) by series group and hour, without unknown series."""
    ids = np.array(sorted(block_of), np.int64)
    blocks = np.array([block_of[series_id] for series_id in ids.tolist()], np.int64)
    all_samples = merged([part for part, _ in tails])
    places: dict[Place, SampleColumns] = {}
    for place, at in _places(all_samples.series, all_samples.times_ms, ids, blocks):
        places[place] = SampleColumns(all_samples.series[at], all_samples.times_ms[at], all_samples.values[at])
    if all_samples.natives is not None:
        natives_all = all_samples.natives
        for place, at in _places(natives_all.series, natives_all.times_ms, ids, blocks):
            natives = NativeHistogramColumns(
                natives_all.series[at], natives_all.times_ms[at], take_natives(natives_all.histograms, at)
            )
            floats = places.get(place, SampleColumns(at[:0], at[:0], np.zeros(0)))
            places[place] = SampleColumns(floats.series, floats.times_ms, floats.values, natives)
    return SortedSamples(places, _late(tails, block_of), _newest(all_samples))


def _places(series: Ints, times_ms: Ints, ids: Ints, blocks: Ints) -> Iterator[tuple[Place, Ints]]:
    """Yield each series group and hour with the positions of its samples, by series and time."""
    if not len(ids) or not len(series):
        return
    at = np.minimum(np.searchsorted(ids, series), len(ids) - 1)
    is_known = np.flatnonzero(ids[at] == series)
    block, hour = blocks[at][is_known], times_ms[is_known] // HOUR_MS
    order = np.lexsort((hour, block))
    is_known, block, hour = is_known[order], block[order], hour[order]
    cuts = np.flatnonzero((np.diff(block) != 0) | (np.diff(hour) != 0)) + 1
    for positions in np.split(is_known, cuts):
        if len(positions):
            place = blocks[at[positions[0]]], times_ms[positions[0]] // HOUR_MS
            yield (int(place[0]), int(place[1])), positions


def _late(
    tails: Sequence[tuple[SampleColumns, int]], block_of: Mapping[int, int]
) -> dict[Place, dict[int, tuple[LateSamples, ...]]]:
    late: dict[Place, dict[int, tuple[LateSamples, ...]]] = {}
    for part, received_ms in tails:
        for series_id, hour, run in late_runs_by_hour(part, received_ms):
            if series_id in block_of:
                place = (block_of[series_id], hour)
                late[place] = joined_late(late.get(place, {}), {series_id: (run,)})
    return late


def _newest(all_samples: SampleColumns) -> dict[int, int]:
    newest = {series_id: int(all_samples.times_ms[at.stop - 1]) for series_id, at in by_series(all_samples.series)}
    if all_samples.natives is not None:
        for series_id, at in by_series(all_samples.natives.series):
            newest[series_id] = max(newest.get(series_id, 0), int(all_samples.natives.times_ms[at.stop - 1]))
    return newest


def compact_chunk(sorted_out: SortedSamples) -> Iterator[CompactedChunk]:
    """Pack the samples of each series group and hour."""
    for place, part in sorted_out.parts.items():
        block = SeriesChunk(_floats(part), _natives(part), joined_late({}, sorted_out.late.get(place, {})))
        yield CompactedChunk(*place, block.samples, encode_block(block))


def _floats(part: SampleColumns) -> list[FloatSamples]:
    return [FloatSamples(series_id, part.times_ms[at], part.values[at]) for series_id, at in by_series(part.series)]


def _natives(part: SampleColumns) -> list[NativeHistogramRun]:
    if part.natives is None:
        return []
    times, histograms = part.natives.times_ms, part.natives.histograms
    return [
        NativeHistogramRun(series_id, times[at], take_natives(histograms, np.arange(at.start, at.stop)))
        for series_id, at in by_series(part.natives.series)
    ]


def join_chunks(parts: Sequence[SeriesChunk]) -> SeriesChunk:
    """Join chunks of some series; of two samples with the same time the one of the earlier chunk remains."""
    if len(parts) == 1:
        return parts[0]
    floats: dict[int, list[FloatSamples]] = {}
    natives: dict[int, list[NativeHistogramRun]] = {}
    late: dict[int, tuple[LateSamples, ...]] = {}
    for part in parts:
        for run in part.floats:
            floats.setdefault(run.series_id, []).append(run)
        for native in part.natives:
            natives.setdefault(native.series_id, []).append(native)
        late = joined_late(late, part.late)
    return SeriesChunk(
        [join_runs(runs) for runs in floats.values()], [join_native_runs(runs) for runs in natives.values()], late
    )


def join_runs(runs: Sequence[FloatSamples]) -> FloatSamples:
    """Join the samples of one series; of two with the same time the one of the earlier run remains."""
    times = np.concatenate([run.times_ms for run in runs])
    values = np.concatenate([run.values.view(np.uint64) for run in runs]).view(np.float64)
    first = first_of_each(times)
    return FloatSamples(runs[0].series_id, times[first], values[first])


def join_native_runs(runs: Sequence[NativeHistogramRun]) -> NativeHistogramRun:
    """Join the histograms of one series like `join_runs`."""
    times = np.concatenate([run.times_ms for run in runs])
    histograms = join_natives([run.histograms for run in runs])
    if (np.diff(times) > 0).all():
        return NativeHistogramRun(runs[0].series_id, times, histograms)
    first = first_of_each(times)
    return NativeHistogramRun(runs[0].series_id, times[first], take_natives(histograms, first))


def first_of_each(times: Ints) -> Ints:
    """Return the positions by time, of equal times the first one."""
    order: Ints = np.argsort(times, kind="stable")
    firsts: Ints = order[np.append(True, np.diff(times[order]) != 0)[: len(order)]]
    return firsts
