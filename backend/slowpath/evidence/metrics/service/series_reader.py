"""Read series from the WAL, the chunks and the roll-ups.

The WAL is read before the chunks, and these before the roll-ups: if a job moves samples in between, they are read twice and
merged. In the other order they would be missed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, cast

import numpy as np

from slowpath.analysis.kinds.metrics.rates.roll_ups import RESOLUTIONS_MS
from slowpath.analysis.kinds.metrics.samples.column_codec import Floats, Ints
from slowpath.analysis.kinds.metrics.samples.late_samples import late_runs
from slowpath.analysis.kinds.metrics.samples.native_histogram_columns import take_natives
from slowpath.analysis.kinds.metrics.samples.sample_columns import (
    by_series,
    chosen,
    merged,
    unpack_tails,
)
from slowpath.analysis.kinds.metrics.samples.sample_compaction import first_of_each, join_native_runs
from slowpath.analysis.kinds.metrics.samples.series_chunks import (
    FloatMatrix,
    GroupedChunk,
    NativeHistogramRun,
    decode_groups,
)
from slowpath.analysis.kinds.metrics.samples.series_data import LateSamples, RollUp, SeriesData, SeriesKind
from slowpath.core.db_sessions import ReadSession
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.errors import TooManySamples
from slowpath.evidence.metrics.rules import HOUR_MS, ROLL_UP_SPANS, SAMPLES_READ_MAX

SHORT: Final = 64
"""Maximum length of times that are compared by content."""


@dataclass(frozen=True)
class ReadReach:
    """What a reader needs: a sample per `step_ms` (0: all of them), and how many samples it may read (None: any number).

    A reader that needs its step gets an error if it would need too many samples, others a coarser roll-up.
    """

    step_ms: int = 0
    needs_step: bool = False
    samples_max: int | None = SAMPLES_READ_MAX


RAW: Final = ReadReach()
ANY_NUMBER: Final = ReadReach(samples_max=None)
"""For jobs that read the newest samples of all services."""


@dataclass(frozen=True)
class SeriesSelector:
    """A metric name with label matchers. As in PromQL, the value "" matches series without the label."""

    name: str
    equal: Mapping[str, str] = field(default_factory=dict)
    any_of: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def means(self, labels: Mapping[str, str]) -> bool:
        """Return whether a series with these labels matches."""
        return all(labels.get(label, "") == value for label, value in self.equal.items()) and all(
            labels.get(label, "") in values for label, values in self.any_of.items()
        )


class SeriesSource(Protocol):
    """Source of series: the database, or a metric source."""

    def select(self, selectors: Sequence[SeriesSelector], from_ms: int, to_ms: int) -> list[list[SeriesData]]:
        """Return the series of each selector with samples in from_ms..to_ms (inclusive), by series ID."""


@dataclass(frozen=True)
class StoredSeriesSource:
    """Series of the database."""

    session: ReadSession
    reach: ReadReach = RAW

    def select(self, selectors: Sequence[SeriesSelector], from_ms: int, to_ms: int) -> list[list[SeriesData]]:
        """Read all selectors in a few queries: series, number of samples, WAL, chunks, roll-ups. Raises `TooManySamples`."""
        named: dict[str, list[Any]] = {}
        for row in queries.series_named(self.session, sorted({one.name for one in selectors})):
            named.setdefault(row.name, []).append(row)
        found = _meant(selectors, named)
        rows = {row.id: row for rows in found for row in rows}
        block_of = {row.id: row.series_group_id for row in rows.values()}
        resolution_ms = choose_resolution_ms(self.session, block_of, (from_ms, to_ms), self.reach)
        runs = read_samples(self.session, block_of, from_ms, to_ms, resolution_ms)
        joiner = SeriesAssembler()
        return [[data for row in rows for data in _series_data(row, runs.get(row.id), joiner)] for rows in found]


def _meant(selectors: Sequence[SeriesSelector], named: Mapping[str, Sequence[Any]]) -> list[list[Any]]:
    """Return the matching rows of each selector, by an index on the labels that selectors use."""
    indexes: dict[tuple[str, tuple[str, ...]], dict[tuple[str, ...], list[Any]]] = {}
    found = []
    for one in selectors:
        labels = tuple(sorted(one.equal))
        by_values = indexes.get((one.name, labels))
        if by_values is None:
            by_values = indexes[one.name, labels] = {}
            for row in named.get(one.name, ()):
                by_values.setdefault(tuple(row.labels.get(label, "") for label in labels), []).append(row)
        rows = by_values.get(tuple(one.equal[label] for label in labels), [])
        found.append([row for row in rows if one.means(row.labels)] if one.any_of else rows)
    return found


@dataclass
class SeriesPieces:
    """Samples of one series: ascending pieces, then the newest samples."""

    times: list[Ints] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)
    natives: list[NativeHistogramRun] = field(default_factory=list)
    late: tuple[LateSamples, ...] = ()
    roll_up: RollUp | None = None


def select_all(
    session: ReadSession, selectors: Sequence[SeriesSelector], from_ms: int, to_ms: int, reach: ReadReach = RAW
) -> list[list[SeriesData]]:
    """Return the series of each selector; WAL and chunks are read once for all of them. Raises `TooManySamples`."""
    return StoredSeriesSource(session, reach).select(selectors, from_ms, to_ms)


def choose_resolution_ms(
    session: ReadSession, block_of: Mapping[int, int], between_ms: tuple[int, int], reach: ReadReach
) -> int:
    """Return the resolution to read at, 0 for raw samples. Raises `TooManySamples`.

    This is the only place that chooses: the coarsest roll-up that has a sample per step, or a coarser one if that has too
    many samples and the reader does not need its step.
    """
    wanted = max((each for each in RESOLUTIONS_MS if each <= reach.step_ms), default=0)
    coarser = [each for each in RESOLUTIONS_MS if each > wanted] if reach.step_ms and not reach.needs_step else []
    if reach.samples_max is None or not block_of:
        return wanted
    blocks, hours = sorted(set(block_of.values())), (between_ms[0] // HOUR_MS, between_ms[1] // HOUR_MS)
    samples = 0
    for resolution_ms in (wanted, *coarser):
        samples = queries.count_samples(session, blocks, hours, resolution_ms)
        if samples <= reach.samples_max:
            return resolution_ms
    raise TooManySamples.of(samples, reach.samples_max)


def read_samples(
    session: ReadSession, block_of: Mapping[int, int], from_ms: int, to_ms: int, resolution_ms: int = 0
) -> dict[int, SeriesPieces]:
    """Return the samples of series (ID to series group) in a time range; resolution 0 means raw samples."""
    if not block_of:
        return {}
    series_ids = np.array(sorted(block_of), np.int64)
    records = queries.select_wal_records(session, from_ms, to_ms)
    runs: dict[int, SeriesPieces] = {}
    pieces: dict[bytes, list[FloatMatrix]] = {}
    blocks, intervals = _blocks(session, sorted(set(block_of.values())), (from_ms, to_ms), resolution_ms)
    for block, cut in blocks:
        for group in block.groups:
            pieces.setdefault(group.series_ids.tobytes(), []).append(group if cut is None else _inside(group, cut))
        _add_rest(runs, block, block_of, cut)
    newest = _newest_of(runs, records, series_ids, (from_ms, to_ms))
    for groups in pieces.values():
        _add_groups(runs, groups, block_of, newest)
    for series_id, (times, values) in newest.items():
        into = runs.setdefault(series_id, SeriesPieces())
        into.times.append(times)
        into.values.append(values)
    for series_id, pieces_of_series in runs.items() if intervals else ():
        interval_ms = intervals.get(block_of[series_id])
        pieces_of_series.roll_up = RollUp(resolution_ms, interval_ms) if interval_ms else None
    return runs


def _blocks(
    session: ReadSession, blocks: Sequence[int], between_ms: tuple[int, int], resolution_ms: int
) -> tuple[Iterator[tuple[GroupedChunk, tuple[int, int] | None]], dict[int, int]]:
    """Return chunks, and the roll-ups of all other hours, each with the range to which it must be cut.

    Also return the scrape interval of each series group with roll-ups.
    """
    from_ms, to_ms = between_ms
    hours = (from_ms // HOUR_MS, to_ms // HOUR_MS)
    chunks = queries.chunks(session, blocks, hours, open_only=resolution_ms > 0)
    rolled_up = queries.roll_ups(session, blocks, hours, resolution_ms) if resolution_ms else []
    span = ROLL_UP_SPANS.get(resolution_ms, 1)
    found = [(hour, span, content) for _, hour, _, content in rolled_up]
    found += [(hour, 1, content) for hour, content in chunks]
    ends = ((hour * HOUR_MS, (hour + length) * HOUR_MS) for hour, length, _ in found)
    cuts = (None if from_ms <= start and end <= to_ms + 1 else between_ms for start, end in ends)
    blocks_read = zip(decode_groups([content for *_, content in found]), cuts, strict=True)
    return blocks_read, {block_id: interval_ms for block_id, _, interval_ms, _ in rolled_up}


Newest = dict[int, tuple[Ints, Floats]]
"""Times and values from the WAL, by series ID."""


def _add_groups(
    runs: dict[int, SeriesPieces], groups: Sequence[FloatMatrix], block_of_series: Mapping[int, int], newest: Newest
) -> None:
    """Append the chunks of the same series, for all series of a group at once, and then their newest samples."""
    filled = [each for each in groups if len(each.times_ms)]
    if not filled:
        return
    behind = _behind(max(filled, key=lambda each: int(each.times_ms[-1])), newest)
    if behind is not None:
        filled.append(behind)
    times = np.concatenate([each.times_ms for each in filled])
    values = np.concatenate([each.values for each in filled], axis=1)  # copies bits, which preserves stale markers
    if not (np.diff(times) > 0).all():  # pieces of one hour, or a roll-up and an hour that it has already
        first = first_of_each(times)
        times, values = times[first], values[:, first]
    for place, series_id in enumerate(filled[0].series_ids.tolist()):
        if series_id in block_of_series:
            into = runs.setdefault(series_id, SeriesPieces())
            into.times.append(times)
            into.values.append(values[place])


def _behind(last: FloatMatrix, newest: Newest) -> FloatMatrix | None:
    """Remove and return a group's newest samples from the WAL's, if all its series have the same, later times."""
    ids = last.series_ids.tolist()
    found = [newest[series_id] for series_id in ids if series_id in newest]
    if len(found) < len(ids) or found[0][0][0] <= last.times_ms[-1]:
        return None
    times = found[0][0]
    if not all(len(other) == len(times) and (other == times).all() for other, _ in found[1:]):
        return None
    for series_id in ids:
        del newest[series_id]
    return FloatMatrix(last.series_ids, times, np.stack([values for _, values in found]))


def _add_rest(
    runs: dict[int, SeriesPieces], block: GroupedChunk, block_of_series: Mapping[int, int], cut: tuple[int, int] | None
) -> None:
    for native in block.natives:
        if native.series_id in block_of_series:
            runs.setdefault(native.series_id, SeriesPieces()).natives.append(
                native if cut is None else _within(native, cut)
            )
    for series_id, late in block.late.items():
        if series_id in block_of_series:
            into = runs.setdefault(series_id, SeriesPieces())
            into.late = (*into.late, *late)


def _inside(group: FloatMatrix, cut: tuple[int, int]) -> FloatMatrix:
    start, end = np.searchsorted(group.times_ms, (cut[0], cut[1] + 1))
    return FloatMatrix(group.series_ids, group.times_ms[start:end], group.values[:, start:end])


def _within(run: NativeHistogramRun, cut: tuple[int, int]) -> NativeHistogramRun:
    start, end = np.searchsorted(run.times_ms, (cut[0], cut[1] + 1))
    return NativeHistogramRun(
        run.series_id, run.times_ms[start:end], take_natives(run.histograms, np.arange(start, end))
    )


def _newest_of(
    runs: dict[int, SeriesPieces], records: list[tuple[bytes, int]], series_ids: Ints, cut: tuple[int, int]
) -> Newest:
    """Read the WAL: return floats by series; add native histograms and late samples to the runs."""
    parts = [chosen(samples, series_ids, *cut) for samples in unpack_tails([content for content, _ in records])]
    for part, (_, received_ms) in zip(parts, records, strict=True):
        for series_id, late in late_runs(part, received_ms).items():
            into = runs.setdefault(series_id, SeriesPieces())
            into.late = (*into.late, late)
    newest = merged(parts)
    if newest.natives is not None:
        for series_id, at in by_series(newest.natives.series):
            histograms = take_natives(newest.natives.histograms, np.arange(at.start, at.stop))
            run = NativeHistogramRun(series_id, newest.natives.times_ms[at], histograms)
            runs.setdefault(series_id, SeriesPieces()).natives.append(run)
    return {series_id: (newest.times_ms[at], newest.values[at]) for series_id, at in by_series(newest.series)}


def _series_data(row: Any, runs: SeriesPieces | None, joiner: "SeriesAssembler") -> list[SeriesData]:  # noqa: ANN401 - a row of queries.SERIES_COLUMNS
    if runs is None:
        return []
    data = []
    kind = cast("SeriesKind", row.kind)
    if runs.times:
        times, values = joiner.joined(runs)
        if len(times):
            meta = (row.created_ms, runs.late, runs.roll_up)
            data.append(SeriesData(row.id, row.name, row.labels, kind, times, values, None, *meta))
    if runs.natives:
        native = joined_natives(runs)
        if len(native.times_ms):
            data.append(
                SeriesData(
                    row.id,
                    row.name,
                    row.labels,
                    kind,
                    native.times_ms,
                    None,
                    native.histograms,
                    row.created_ms,
                    runs.late,
                    runs.roll_up,
                )
            )
    return data


class SeriesAssembler:
    """Joins the pieces of series. Series with equal times share one time vector."""

    def __init__(self) -> None:
        """Create an assembler without times."""
        self._known: dict[tuple[int | bytes, ...], tuple[list[Ints], Ints, bool]] = {}

    def joined(self, runs: SeriesPieces) -> tuple[Ints, Floats]:
        """Return times and values of all pieces, ascending, without duplicate times."""
        if len(runs.times) == 1:
            return runs.times[0], runs.values[0]
        # If the group of a series changed in between, its pieces are not in time order.
        times, ascending = self._times(runs.times)
        values = np.concatenate(runs.values)
        if ascending:
            return times, values
        first = first_of_each(times)
        return times[first], values[first]

    def _times(self, pieces: list[Ints]) -> tuple[Ints, bool]:
        # A long piece is shared by its group; a short one is compared by content.
        key = tuple(id(piece) if len(piece) > SHORT else piece.tobytes() for piece in pieces)
        known = self._known.get(key)
        if known is None:
            times = np.concatenate(pieces)
            known = self._known[key] = pieces, times, bool((np.diff(times) > 0).all())
        return known[1], known[2]


def joined(runs: SeriesPieces) -> tuple[Ints, Floats]:
    """Return times and values of all pieces of one series, ascending, without duplicate times."""
    return SeriesAssembler().joined(runs)


def joined_natives(runs: SeriesPieces) -> NativeHistogramRun:
    """Return the histograms of all pieces, ascending, without duplicate times."""
    return join_native_runs(runs.natives)
