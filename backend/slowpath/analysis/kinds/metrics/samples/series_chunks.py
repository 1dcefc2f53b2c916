"""Chunks of stored series: an hour of up to a few hundred series of a group, as one packed value.

A group is scraped together: series with equal times share one column of times, and their values form one matrix, a row each.
A sample of a histogram's bucket then takes about a byte, most of it incompressible noise.

    b"smc1", then one zstd frame of:
      groups of series with equal times: rows, columns, series ids, times, values (see `column_codec`)
      runs of native histograms, one series each, column by column
      late runs: which stretches were received long after their time
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import zstandard

from slowpath.analysis.kinds.metrics.samples.column_codec import ColumnReader, ColumnWriter, CorruptChunk, Floats, Ints
from slowpath.analysis.kinds.metrics.samples.native_histogram_columns import offsets_of
from slowpath.analysis.kinds.metrics.samples.series_data import LateSamples, NativeSeries, SparseBuckets

__all__ = [
    "CorruptChunk",
    "FloatMatrix",
    "FloatSamples",
    "GroupedChunk",
    "NativeHistogramRun",
    "SeriesChunk",
    "decode_blocks",
    "decode_groups",
    "encode_block",
    "matrices",
]

MAGIC: Final = b"smc1"
LEVEL: Final = 6
MAX_UNPACKED: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class FloatSamples:
    """Samples of one series, ascending in time, one per time."""

    series_id: int
    times_ms: Ints
    values: Floats


@dataclass(frozen=True, slots=True)
class FloatMatrix:
    """Series sampled at the same times: [S] ids, [n] times, [S, n] values."""

    series_ids: Ints
    times_ms: Ints
    values: Floats

    def runs(self) -> Iterator[FloatSamples]:
        """Yield each series separately."""
        for series_id, row in zip(self.series_ids.tolist(), self.values, strict=True):
            yield FloatSamples(series_id, self.times_ms, row)


@dataclass(frozen=True, slots=True)
class NativeHistogramRun:
    """Native histograms of one series, ascending in time, one per time."""

    series_id: int
    times_ms: Ints
    histograms: NativeSeries


@dataclass(frozen=True, slots=True)
class GroupedChunk:
    """An hour of some series as stored: for readers of complete matrices."""

    groups: Sequence[FloatMatrix]
    natives: Sequence[NativeHistogramRun]
    late: dict[int, tuple[LateSamples, ...]]


@dataclass(frozen=True, slots=True)
class SeriesChunk:
    """An hour of some series."""

    floats: Sequence[FloatSamples] = ()
    natives: Sequence[NativeHistogramRun] = ()
    late: dict[int, tuple[LateSamples, ...]] = field(default_factory=dict)
    """By series id."""

    @property
    def samples(self) -> int:
        """Return the number of samples; a native histogram is one."""
        return sum(len(run.times_ms) for run in self.floats) + sum(len(run.times_ms) for run in self.natives)


def encode_block(block: SeriesChunk) -> bytes:
    """Pack a chunk."""
    writer = ColumnWriter()
    groups = matrices(block.floats)
    writer.count(len(groups))
    for group in groups:
        _put_group(writer, group)
    writer.count(len(block.natives))
    for run in block.natives:
        put_native(writer, run)
    late = [(series_id, run) for series_id, runs in sorted(block.late.items()) for run in runs]
    writer.count(len(late))
    for column in ("from_ms", "to_ms", "received_ms"):
        writer.times(np.array([getattr(run, column) for _, run in late], np.int64))
    writer.ascending(np.array([series_id for series_id, _ in late], np.int64))
    return MAGIC + zstandard.ZstdCompressor(level=LEVEL).compress(writer.bytes())


def decode_blocks(contents: Sequence[bytes]) -> Iterator[SeriesChunk]:
    """Unpack chunks. Raises `CorruptChunk`."""
    for one in decode_groups(contents):
        yield SeriesChunk([run for group in one.groups for run in group.runs()], one.natives, one.late)


def decode_groups(contents: Sequence[bytes]) -> Iterator[GroupedChunk]:
    """Unpack chunks, with series of the same times together. Raises `CorruptChunk`."""
    unpacker = zstandard.ZstdDecompressor()
    known: dict[bytes, Ints] = {}
    for content in contents:
        if content[:4] != MAGIC:
            raise CorruptChunk("the chunk has the wrong header")
        try:
            packed = memoryview(content)[4:]
            # A damaged frame may state any size, which would be allocated at once.
            if zstandard.frame_content_size(packed) > MAX_UNPACKED:
                raise CorruptChunk(f"the chunk's stated size exceeds {MAX_UNPACKED} bytes")
            yield _block(ColumnReader(unpacker.decompress(packed, max_output_size=MAX_UNPACKED)), known)
        except zstandard.ZstdError as error:
            raise CorruptChunk(str(error)) from error


def _block(reader: ColumnReader, known: dict[bytes, Ints]) -> GroupedChunk:
    groups = [_group(reader, known) for _ in range(reader.count())]
    natives = [get_native(reader) for _ in range(reader.count())]
    late = _late(reader)
    if not reader.at_end:
        raise CorruptChunk("the chunk has data after its end")
    return GroupedChunk(groups, natives, late)


def _late(reader: ColumnReader) -> dict[int, tuple[LateSamples, ...]]:
    n_late = reader.count()
    late: dict[int, tuple[LateSamples, ...]] = {}
    if n_late == 0:  # the usual case
        if not reader.nothing(4):
            raise CorruptChunk("an empty section of the chunk has data")
        return late
    columns = [reader.times(n_late).tolist() for _ in range(3)]
    for series_id, *run_values in zip(reader.ascending(n_late).tolist(), *columns, strict=True):
        late[series_id] = (*late.get(series_id, ()), LateSamples(*run_values))
    return late


def matrices(runs: Sequence[FloatSamples]) -> list[FloatMatrix]:
    """Return the series sampled at the same times together, in the order of their ids."""
    groups: dict[bytes, list[FloatSamples]] = {}
    for run in sorted(runs, key=lambda run: run.series_id):
        if len(run.times_ms):
            groups.setdefault(run.times_ms.tobytes(), []).append(run)
    return [
        FloatMatrix(
            np.array([run.series_id for run in group], np.int64),
            group[0].times_ms,
            np.stack([run.values for run in group]),
        )
        for group in groups.values()
    ]


def _put_group(writer: ColumnWriter, group: FloatMatrix) -> None:
    writer.count(len(group.series_ids))
    writer.count(len(group.times_ms))
    writer.ascending(group.series_ids)
    writer.times(group.times_ms)
    writer.floats(group.values)


def _group(reader: ColumnReader, known: dict[bytes, Ints]) -> FloatMatrix:
    rows, columns = reader.count(), reader.count()
    series_ids = reader.same(rows, known)
    times = reader.times(columns)
    return FloatMatrix(series_ids, times, reader.floats(rows, columns))


def put_native(writer: ColumnWriter, run: NativeHistogramRun) -> None:
    """Write native histograms column by column."""
    histograms, n = run.histograms, len(run.times_ms)
    writer.count(n)
    writer.ints(np.array([run.series_id], np.int64))
    writer.times(run.times_ms)
    writer.ints(histograms.schema.astype(np.int64))
    writer.ints(histograms.reset_hint.astype(np.int64))
    writer.floats(np.stack([histograms.zero_threshold, histograms.zero_count, histograms.count, histograms.sum]))
    for buckets in (histograms.positive, histograms.negative):
        _put_buckets(writer, buckets)
    writer.ints(np.diff(histograms.custom_offset))
    writer.floats(histograms.custom_bounds[None, :])


def get_native(reader: ColumnReader) -> NativeHistogramRun:
    """Read the output of `put_native`. Raises `CorruptChunk`."""
    n = reader.count()
    series_id = int(reader.ints(1)[0])
    times = reader.times(n)
    schema = reader.ints(n).astype(np.int32)
    reset_hint = reader.ints(n).astype(np.uint8)
    zero_threshold, zero_count, count, total = reader.floats(4, n)
    positive, negative = _buckets(reader, n), _buckets(reader, n)
    custom_offset = offsets_of(reader.ints(n))
    bounds = reader.floats(1, int(custom_offset[-1]))[0]
    histograms = NativeSeries(
        schema, zero_threshold, zero_count, count, total, positive, negative, reset_hint, custom_offset, bounds
    )
    return NativeHistogramRun(series_id, times, histograms)


def _put_buckets(writer: ColumnWriter, buckets: SparseBuckets) -> None:
    """Write constant buckets as a matrix, one bucket per row, and others one after the other."""
    lengths = np.diff(buckets.offset)
    n = len(lengths)
    width = int(lengths[0]) if n else 0
    steady = n > 0 and bool((lengths == width).all())
    steady = steady and bool((buckets.index.reshape(n, width) == buckets.index[:width]).all())
    writer.count(int(steady))
    if steady:
        writer.count(width)
        writer.ascending(buckets.index[:width].astype(np.int64))
        writer.floats(buckets.count.reshape(n, width).T)
    else:
        writer.ints(lengths)
        writer.ascending(buckets.index.astype(np.int64))
        writer.floats(buckets.count[None, :])


def _buckets(reader: ColumnReader, n: int) -> SparseBuckets:
    if reader.count():
        width = reader.count()
        index = reader.ascending(width)
        counts = reader.floats(width, n)
        offset = np.arange(n + 1, dtype=np.int64) * width
        return SparseBuckets(offset, np.tile(index.astype(np.int32), n), np.ascontiguousarray(counts.T).reshape(-1))
    offset = offsets_of(reader.ints(n))
    size = int(offset[-1])
    return SparseBuckets(offset, reader.ascending(size).astype(np.int32), reader.floats(1, size)[0])
