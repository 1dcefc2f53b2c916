"""Chunks are restored to the last bit, are small, and damage is reported."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.samples.native_histogram_columns import join_natives, take_natives
from slowpath.analysis.kinds.metrics.samples.series_chunks import (
    CorruptChunk,
    FloatSamples,
    NativeHistogramRun,
    SeriesChunk,
    decode_blocks,
    encode_block,
)
from slowpath.analysis.kinds.metrics.samples.series_data import (
    STALE_NAN_BITS,
    LateSamples,
    NativeSeries,
    SparseBuckets,
)
from tests.analysis.kinds.metrics.stale_samples import STALE_NAN

BITS = st.one_of(
    st.floats(width=64).map(lambda value: int(np.float64(value).view(np.uint64))),
    st.integers(0, 2**64 - 1),
    st.just(STALE_NAN_BITS),
    st.integers(-1000, 1000).map(lambda value: int(np.float64(value).view(np.uint64))),
    st.integers(-1000, 1000).map(lambda value: int(np.float64(value / 100).view(np.uint64))),
)
TIMES = st.lists(st.integers(-(2**50), 2**50), max_size=12, unique=True).map(sorted)


def bits(values: NDArray[np.float64]) -> list[int]:
    bit_patterns: list[int] = np.ascontiguousarray(values).view(np.uint64).tolist()
    return bit_patterns


@st.composite
def blocks(draw: st.DrawFn) -> SeriesChunk:
    shared = draw(TIMES)
    runs = []
    for series_id in draw(st.lists(st.integers(0, 2**62), max_size=6, unique=True)):
        times = shared if draw(st.booleans()) else draw(TIMES)
        values = draw(st.lists(BITS, min_size=len(times), max_size=len(times)))
        runs.append(FloatSamples(series_id, np.array(times, np.int64), np.array(values, np.uint64).view(np.float64)))
    return SeriesChunk([run for run in sorted(runs, key=lambda run: run.series_id) if len(run.times_ms)])


@given(blocks())
def test_a_block_comes_back_to_the_last_bit(block: SeriesChunk) -> None:
    (back,) = decode_blocks([encode_block(block)])

    by_name = {run.series_id: (run.times_ms.tolist(), bits(run.values)) for run in block.floats}
    assert {run.series_id: (run.times_ms.tolist(), bits(run.values)) for run in back.floats} == by_name
    assert back.samples == block.samples


def buckets(draw: st.DrawFn, n: int) -> SparseBuckets:
    layout = sorted(draw(st.sets(st.integers(-500, 500), max_size=5)))
    rows = [layout if draw(st.booleans()) else layout[:1] for _ in range(n)]
    offset = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    index = np.array([number for row in rows for number in row], np.int32)
    counts = draw(st.lists(st.floats(0, 1e9), min_size=len(index), max_size=len(index)))
    return SparseBuckets(offset, index, np.array(counts, np.float64))


@st.composite
def natives(draw: st.DrawFn) -> NativeHistogramRun:
    times = draw(TIMES.filter(bool))
    n = len(times)
    threshold, zeros, count, total = (
        np.array(draw(st.lists(BITS, min_size=n, max_size=n)), np.uint64).view(np.float64) for _ in range(4)
    )
    schema = np.array(draw(st.lists(st.sampled_from([-53, -4, 0, 3, 8]), min_size=n, max_size=n)), np.int32)
    hint = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.uint8)
    lengths = np.where(schema == -53, 2, 0)
    offset = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    bounds = np.tile([0.5, 2.5], int((schema == -53).sum()))
    positive, negative = buckets(draw, n), buckets(draw, n)
    series = NativeSeries(schema, threshold, zeros, count, total, positive, negative, hint, offset, bounds)
    return NativeHistogramRun(draw(st.integers(0, 2**62)), np.array(times, np.int64), series)


def bit_patterns_of(run: NativeHistogramRun) -> list[object]:
    histograms = run.histograms
    return [
        run.series_id,
        run.times_ms.tolist(),
        histograms.schema.tolist(),
        histograms.reset_hint.tolist(),
        *map(
            bits,
            (
                histograms.zero_threshold,
                histograms.zero_count,
                histograms.count,
                histograms.sum,
                histograms.custom_bounds,
            ),
        ),
        histograms.custom_offset.tolist(),
        *(
            [side.offset.tolist(), side.index.tolist(), bits(side.count)]
            for side in (histograms.positive, histograms.negative)
        ),
    ]


@given(natives())
def test_native_histograms_come_back_to_the_last_bit(run: NativeHistogramRun) -> None:
    (back,) = decode_blocks([encode_block(SeriesChunk(natives=[run]))])

    assert bit_patterns_of(back.natives[0]) == bit_patterns_of(run)


@given(natives(), st.data())
def test_histograms_taken_one_by_one_and_joined_are_the_same(run: NativeHistogramRun, data: st.DataObject) -> None:
    n = len(run.times_ms)
    cut = data.draw(st.integers(0, n))
    parts = [take_natives(run.histograms, np.arange(0, cut)), take_natives(run.histograms, np.arange(cut, n))]

    assert bit_patterns_of(NativeHistogramRun(run.series_id, run.times_ms, join_natives(parts))) == bit_patterns_of(run)


def test_late_runs_come_back() -> None:
    late = {3: (LateSamples(1, 2, 900), LateSamples(5, 6, 950)), 9: (LateSamples(0, 0, 7),)}

    (back,) = decode_blocks([encode_block(SeriesChunk(late=late))])

    assert back.late == late


def counters(rows: int, columns: int) -> SeriesChunk:
    """Counters of requests as a busy service has them: Poisson steps, a stale marker at the end of one."""
    rng = np.random.default_rng(7)
    times = 1_800_000_000_000 + np.arange(columns) * 15_000 + rng.integers(-2, 3, columns)
    values = np.cumsum(rng.poisson(np.geomspace(2, 400, rows)[:, None], (rows, columns)), axis=1).astype(np.float64)
    values[0, -1] = STALE_NAN
    return SeriesChunk([FloatSamples(number + 1, times, row) for number, row in enumerate(values)])


def test_a_sample_of_a_counter_takes_about_a_byte() -> None:
    block = counters(18, 240)

    assert len(encode_block(block)) / block.samples < 1.3


def test_the_bytes_stay_readable() -> None:
    """Written once; what reads it today must read it for ever."""
    golden = bytes.fromhex(GOLDEN)

    (back,) = decode_blocks([golden])

    assert [run.series_id for run in back.floats] == [1, 2, 3]
    assert back.floats[0].times_ms.tolist() == [1_800_000_000_000, 1_800_000_015_000, 1_800_000_030_001]
    assert bits(back.floats[0].values) == bits(np.array([1.0, 5.0, STALE_NAN]))
    assert back.floats[1].values.tolist() == [0.25, 0.5, -1.5]
    assert back.floats[2].values.tolist() == [1 / 3, 2 / 3, 1e300]


def golden_block() -> SeriesChunk:
    times = np.array([1_800_000_000_000, 1_800_000_015_000, 1_800_000_030_001])
    rows = ([1.0, 5.0, STALE_NAN], [0.25, 0.5, -1.5], [1 / 3, 2 / 3, 1e300])
    return SeriesChunk([FloatSamples(number + 1, times, np.array(row)) for number, row in enumerate(rows)])


GOLDEN = (
    "736d633128b52ffd205c6d020022840f1ca035e9ff833dd847604c6a8afe7ffdebd7303649b55ccdeed5b6dc291f1b0e7a96"
    "8b5cc0ed252e7393f4c0440bf0c0be5ba9117aad0b85cd0249bbdf020400e16c9c19bf51a19d392d"
    ""
)


@pytest.mark.parametrize("cut", [0, 3, 4, 10, -1])
def test_damaged_files_are_reported(cut: int) -> None:
    content = encode_block(counters(3, 20))

    with pytest.raises(CorruptChunk):
        list(decode_blocks([content[:cut]]))


@given(st.integers(0, 2000), st.integers(1, 255))
def test_no_flipped_bits_end_in_anything_but_a_name(at: int, mask: int) -> None:
    content = bytearray(encode_block(counters(3, 20)))
    content[at % len(content)] ^= mask
    with suppress(CorruptChunk):
        list(decode_blocks([bytes(content)]))
