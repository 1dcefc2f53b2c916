"""Samples of many series in flat columns: as received, as WAL records, and merged.

Of two samples with the same series and time the first one is stored: its sender got the confirmation first.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import zstandard

from slowpath.analysis.kinds.metrics.samples.column_codec import ColumnReader, ColumnWriter, CorruptChunk, Floats, Ints
from slowpath.analysis.kinds.metrics.samples.native_histogram_columns import join_natives, take_natives
from slowpath.analysis.kinds.metrics.samples.series_chunks import NativeHistogramRun, get_native, put_native
from slowpath.analysis.kinds.metrics.samples.series_data import NativeSeries

TAIL_MAGIC: Final = b"smt1"
TAIL_LEVEL: Final = 1
HEAD: Final = struct.Struct("<4sII")
MAX_UNPACKED: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class NativeHistogramColumns:
    """n native histograms of any series."""

    series: Ints  # [n]
    times_ms: Ints  # [n]
    histograms: NativeSeries


@dataclass(frozen=True, slots=True)
class SampleColumns:
    """n floats of any series, in the order received, and native histograms."""

    series: Ints  # [n]
    times_ms: Ints  # [n]
    values: Floats  # [n]
    natives: NativeHistogramColumns | None = None

    def __len__(self) -> int:
        return len(self.series) + (len(self.natives.series) if self.natives else 0)

    def all_series(self) -> Ints:
        """Return the series of all samples, histograms included."""
        return self.series if self.natives is None else np.concatenate([self.series, self.natives.series])

    def span_ms(self) -> tuple[int, int]:
        """Return the first and the last time. Requires a sample."""
        times = self.times_ms if self.natives is None else np.concatenate([self.times_ms, self.natives.times_ms])
        return int(times.min()), int(times.max())


NOTHING: Final = SampleColumns(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float64))


def pack_tail(samples: SampleColumns) -> bytes:
    """Pack samples quickly as a WAL record."""
    rest = b""
    if samples.natives is not None and len(samples.natives.series):
        writer = ColumnWriter()
        writer.count(len(samples.natives.series))
        writer.ints(samples.natives.series)
        put_native(writer, NativeHistogramRun(0, samples.natives.times_ms, samples.natives.histograms))
        rest = writer.bytes()
    columns = (
        np.ascontiguousarray(samples.series, np.int64).tobytes(),
        np.ascontiguousarray(samples.times_ms, np.int64).tobytes(),
        np.ascontiguousarray(samples.values, np.float64).tobytes(),
    )
    packed = zstandard.ZstdCompressor(level=TAIL_LEVEL).compress(b"".join((*columns, rest)))
    return HEAD.pack(TAIL_MAGIC, len(samples.series), len(rest)) + packed


def unpack_tails(contents: Sequence[bytes]) -> Iterator[SampleColumns]:
    """Unpack WAL records. Raises `CorruptChunk`."""
    unpacker = zstandard.ZstdDecompressor()
    for content in contents:
        if len(content) < HEAD.size:
            raise CorruptChunk("the WAL record is too short")
        magic, n, n_rest = HEAD.unpack_from(content)
        if magic != TAIL_MAGIC:
            raise CorruptChunk("the WAL record has the wrong header")
        try:
            plain = unpacker.decompress(memoryview(content)[HEAD.size :], max_output_size=MAX_UNPACKED)
        except zstandard.ZstdError as error:
            raise CorruptChunk(str(error)) from error
        if len(plain) != 24 * n + n_rest:
            raise CorruptChunk("the length of the WAL record does not match its header")
        series = np.frombuffer(plain, np.int64, n)
        times = np.frombuffer(plain, np.int64, n, 8 * n)
        values = np.frombuffer(plain, np.float64, n, 16 * n)
        yield SampleColumns(series, times, values, _rest(plain[24 * n :]))


def _rest(plain: bytes) -> NativeHistogramColumns | None:
    if not plain:
        return None
    reader = ColumnReader(plain)
    series = reader.ints(reader.count())
    run = get_native(reader)
    return NativeHistogramColumns(series, run.times_ms, run.histograms)


def chosen(samples: SampleColumns, series: Ints, from_ms: int, to_ms: int) -> SampleColumns:
    """Return the samples of these series (ascending ids) within from_ms..to_ms, both included."""
    keep = _of(samples.series, samples.times_ms, series, from_ms, to_ms)
    natives = samples.natives
    if natives is not None:
        at = np.flatnonzero(_of(natives.series, natives.times_ms, series, from_ms, to_ms))
        natives = NativeHistogramColumns(natives.series[at], natives.times_ms[at], take_natives(natives.histograms, at))
        natives = natives if len(at) else None
    return SampleColumns(samples.series[keep], samples.times_ms[keep], samples.values[keep], natives)


def _of(ids: Ints, times: Ints, series: Ints, from_ms: int, to_ms: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    at = np.minimum(np.searchsorted(series, ids), max(len(series) - 1, 0))
    among = series[at] == ids if len(series) else np.zeros(len(ids), np.bool_)
    inside: np.ndarray[tuple[int], np.dtype[np.bool_]] = among & (times >= from_ms) & (times <= to_ms)
    return inside


def merged(parts: Sequence[SampleColumns]) -> SampleColumns:
    """Return all samples by series and time, without duplicates.

    The earliest of the earliest part is used.
    """
    if not parts:
        return NOTHING
    series = np.concatenate([part.series for part in parts])
    times = np.concatenate([part.times_ms for part in parts])
    values = np.concatenate([part.values.view(np.uint64) for part in parts]).view(np.float64)
    order = _firsts(series, times)
    native_columns = [part.natives for part in parts if part.natives is not None]
    natives = None
    if native_columns:
        all_series = np.concatenate([part.series for part in native_columns])
        all_times = np.concatenate([part.times_ms for part in native_columns])
        first = _firsts(all_series, all_times)
        joined = take_natives(join_natives([part.histograms for part in native_columns]), first)
        natives = NativeHistogramColumns(all_series[first], all_times[first], joined)
    return SampleColumns(series[order], times[order], values[order], natives)


def _firsts(series: Ints, times: Ints) -> Ints:
    """Return the positions by series and time, the first of equals. The sort is stable to find the first."""
    order: Ints = np.lexsort((times, series))
    if not len(order):
        return order
    again = (series[order[1:]] == series[order[:-1]]) & (times[order[1:]] == times[order[:-1]])
    firsts: Ints = order[np.concatenate([[True], ~again])]
    return firsts


def by_series(series: Ints) -> Iterator[tuple[int, slice]]:
    """Yield each series id of a sorted column with the slice of its samples."""
    if not len(series):
        return
    cuts = np.flatnonzero(np.diff(series)) + 1
    starts = [0, *cuts.tolist()]
    ends = [*cuts.tolist(), len(series)]
    for series_id, start, end in zip(series[starts].tolist(), starts, ends, strict=True):
        yield series_id, slice(start, end)
