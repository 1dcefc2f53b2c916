"""Samples as they came, folded into blocks: an hour of a block each, together with what was in it before."""

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
"""Block and hour."""


@dataclass(frozen=True, slots=True)
class CompactedChunk:
    """An hour of a block, packed anew."""

    block_id: int
    hour: int
    samples: int
    content: bytes


@dataclass(frozen=True, slots=True)
class SortedSamples:
    """Samples by block and hour."""

    parts: Mapping[Place, SampleColumns]
    late: Mapping[Place, Mapping[int, Sequence[LateSamples]]]
    newest_ms: Mapping[int, int]
    """By series."""


def partition_samples(tails: Sequence[tuple[SampleColumns, int]], block_of: Mapping[int, int]) -> SortedSamples:
    """Sort samples (with when they were received, earliest first) by block and hour; those of no known series are left out."""
    ids = np.array(sorted(block_of), np.int64)
    blocks = np.array([block_of[series_id] for series_id in ids.tolist()], np.int64)
    whole = merged([part for part, _ in tails])
    places: dict[Place, SampleColumns] = {}
    for place, at in _places(whole.series, whole.times_ms, ids, blocks):
        places[place] = SampleColumns(whole.series[at], whole.times_ms[at], whole.values[at])
    if whole.natives is not None:
        told = whole.natives
        for place, at in _places(told.series, told.times_ms, ids, blocks):
            natives = NativeHistogramColumns(told.series[at], told.times_ms[at], take_natives(told.histograms, at))
            floats = places.get(place, SampleColumns(at[:0], at[:0], np.zeros(0)))
            places[place] = SampleColumns(floats.series, floats.times_ms, floats.values, natives)
    return SortedSamples(places, _late(tails, block_of), _newest(whole))


def _places(series: Ints, times_ms: Ints, ids: Ints, blocks: Ints) -> Iterator[tuple[Place, Ints]]:
    """Yield each block and hour with the positions of its samples, by series and time as they were."""
    if not len(ids) or not len(series):
        return
    at = np.minimum(np.searchsorted(ids, series), len(ids) - 1)
    known = np.flatnonzero(ids[at] == series)
    block, hour = blocks[at][known], times_ms[known] // HOUR_MS
    order = np.lexsort((hour, block))
    known, block, hour = known[order], block[order], hour[order]
    cuts = np.flatnonzero((np.diff(block) != 0) | (np.diff(hour) != 0)) + 1
    for positions in np.split(known, cuts):
        if len(positions):
            place = blocks[at[positions[0]]], times_ms[positions[0]] // HOUR_MS
            yield (int(place[0]), int(place[1])), positions


def _late(
    tails: Sequence[tuple[SampleColumns, int]], block_of: Mapping[int, int]
) -> dict[Place, dict[int, tuple[LateSamples, ...]]]:
    told: dict[Place, dict[int, tuple[LateSamples, ...]]] = {}
    for part, received_ms in tails:
        for series_id, hour, run in late_runs_by_hour(part, received_ms):
            if series_id in block_of:
                place = (block_of[series_id], hour)
                told[place] = joined_late(told.get(place, {}), {series_id: (run,)})
    return told


def _newest(whole: SampleColumns) -> dict[int, int]:
    newest = {series_id: int(whole.times_ms[at.stop - 1]) for series_id, at in by_series(whole.series)}
    if whole.natives is not None:
        for series_id, at in by_series(whole.natives.series):
            newest[series_id] = max(newest.get(series_id, 0), int(whole.natives.times_ms[at.stop - 1]))
    return newest


def compact_chunk(sorted_out: SortedSamples, there: Mapping[Place, bytes]) -> Iterator[CompactedChunk]:
    """Pack each block and hour together with what is there already; what was there first stays."""
    for place, part in sorted_out.parts.items():
        before = next(decode_blocks([there[place]])) if place in there else SeriesChunk()
        late = joined_late(before.late, sorted_out.late.get(place, {}))
        block = SeriesChunk(_floats(before, part), _natives(before, part), late)
        yield CompactedChunk(*place, block.samples, encode_block(block))


def _floats(before: SeriesChunk, part: SampleColumns) -> list[FloatSamples]:
    runs = {run.series_id: run for run in before.floats}
    for series_id, at in by_series(part.series):
        fresh = FloatSamples(series_id, part.times_ms[at], part.values[at])
        runs[series_id] = _joined(runs[series_id], fresh) if series_id in runs else fresh
    return list(runs.values())


def _joined(before: FloatSamples, fresh: FloatSamples) -> FloatSamples:
    if before.times_ms[-1] < fresh.times_ms[0]:
        times = np.concatenate([before.times_ms, fresh.times_ms])
        bits = np.concatenate([before.values.view(np.uint64), fresh.values.view(np.uint64)])
        return FloatSamples(before.series_id, times, bits.view(np.float64))
    sole = merged([_one(run) for run in (before, fresh)])
    return FloatSamples(before.series_id, sole.times_ms, sole.values)


def _one(run: FloatSamples) -> SampleColumns:
    return SampleColumns(np.full(len(run.times_ms), run.series_id), run.times_ms, run.values)


def _natives(before: SeriesChunk, part: SampleColumns) -> list[NativeHistogramRun]:
    runs = {run.series_id: run for run in before.natives}
    if part.natives is None:
        return list(runs.values())
    told = part.natives
    for series_id, at in by_series(told.series):
        chosen = take_natives(told.histograms, np.arange(at.start, at.stop))
        fresh = NativeHistogramRun(series_id, told.times_ms[at], chosen)
        runs[series_id] = _joined_natives(runs[series_id], fresh) if series_id in runs else fresh
    return list(runs.values())


def _joined_natives(before: NativeHistogramRun, fresh: NativeHistogramRun) -> NativeHistogramRun:
    times = np.concatenate([before.times_ms, fresh.times_ms])
    histograms = join_natives([before.histograms, fresh.histograms])
    order: Ints = np.argsort(times, kind="stable")
    first = order[np.concatenate([[True], np.diff(times[order]) != 0])]
    return NativeHistogramRun(before.series_id, times[first], take_natives(histograms, first))
