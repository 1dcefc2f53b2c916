"""Compact samples into chunks of one series group and hour, merged with what is stored already."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.metrics.column_codec import Ints
from slowpath.analysis.kinds.metrics.late_samples import HOUR_MS, joined_late, late_runs_by_hour
from slowpath.analysis.kinds.metrics.native_histogram_columns import join_natives, take_natives
from slowpath.analysis.kinds.metrics.sample_columns import NativeHistogramColumns, SampleColumns, by_series, merged
from slowpath.analysis.kinds.metrics.series_chunks import (
    FloatSamples,
    NativeHistogramRun,
    SeriesChunk,
    decode_blocks,
    encode_block,
)
from slowpath.analysis.kinds.metrics.series_data import LateSamples

Place = tuple[int, int]
"""Series group and hour."""


@dataclass(frozen=True, slots=True)
class CompactedChunk:
    """An hour of a series group, packed again."""

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


def compact_chunk(sorted_out: SortedSamples, stored: Mapping[Place, bytes]) -> Iterator[CompactedChunk]:
    """Pack each series group and hour together with what is stored; samples stored first remain."""
    for place, part in sorted_out.parts.items():
        before = next(decode_blocks([stored[place]])) if place in stored else SeriesChunk()
        late = joined_late(before.late, sorted_out.late.get(place, {}))
        block = SeriesChunk(_floats(before, part), _natives(before, part), late)
        yield CompactedChunk(*place, block.samples, encode_block(block))


def _floats(before: SeriesChunk, part: SampleColumns) -> list[FloatSamples]:
    runs = {run.series_id: run for run in before.floats}
    for series_id, at in by_series(part.series):
        new_run = FloatSamples(series_id, part.times_ms[at], part.values[at])
        runs[series_id] = _joined(runs[series_id], new_run) if series_id in runs else new_run
    return list(runs.values())


def _joined(before: FloatSamples, new_run: FloatSamples) -> FloatSamples:
    if before.times_ms[-1] < new_run.times_ms[0]:
        times = np.concatenate([before.times_ms, new_run.times_ms])
        bits = np.concatenate([before.values.view(np.uint64), new_run.values.view(np.uint64)])
        return FloatSamples(before.series_id, times, bits.view(np.float64))
    sole = merged([_one(run) for run in (before, new_run)])
    return FloatSamples(before.series_id, sole.times_ms, sole.values)


def _one(run: FloatSamples) -> SampleColumns:
    return SampleColumns(np.full(len(run.times_ms), run.series_id), run.times_ms, run.values)


def _natives(before: SeriesChunk, part: SampleColumns) -> list[NativeHistogramRun]:
    runs = {run.series_id: run for run in before.natives}
    if part.natives is None:
        return list(runs.values())
    native_columns = part.natives
    for series_id, at in by_series(native_columns.series):
        chosen = take_natives(native_columns.histograms, np.arange(at.start, at.stop))
        new_run = NativeHistogramRun(series_id, native_columns.times_ms[at], chosen)
        runs[series_id] = _joined_natives(runs[series_id], new_run) if series_id in runs else new_run
    return list(runs.values())


def _joined_natives(before: NativeHistogramRun, new_run: NativeHistogramRun) -> NativeHistogramRun:
    times = np.concatenate([before.times_ms, new_run.times_ms])
    histograms = join_natives([before.histograms, new_run.histograms])
    order: Ints = np.argsort(times, kind="stable")
    first = order[np.concatenate([[True], np.diff(times[order]) != 0])]
    return NativeHistogramRun(before.series_id, times[first], take_natives(histograms, first))
