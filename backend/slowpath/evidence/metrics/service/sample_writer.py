"""Validate, deduplicate and write the samples of one push."""

import math
from dataclasses import dataclass

import numpy as np
from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import IncomingExemplar, RejectedSamples, native_series
from slowpath.analysis.kinds.metrics.samples.column_codec import Floats, Ints
from slowpath.analysis.kinds.metrics.samples.native_histogram_columns import native_bits, take_natives
from slowpath.analysis.kinds.metrics.samples.sample_columns import NativeHistogramColumns, SampleColumns, pack_tail
from slowpath.analysis.kinds.metrics.samples.sample_deduplication import (
    Bits,
    DeduplicationMasks,
    Mask,
    deduplicate_against_stored,
    deduplicate_within_request,
)
from slowpath.core.ids import new_id
from slowpath.evidence.metrics.rules import DAY_MS, FUTURE_MS, iso
from slowpath.evidence.metrics.service.series_cache import NEVER, UNKNOWN
from slowpath.evidence.metrics.service.series_reader import SeriesPieces, joined, joined_natives, read_samples
from slowpath.evidence.metrics.service.series_registry import REFUSED, IngestRequest, sanitize_text
from slowpath.evidence.metrics.tables import MetricExemplar, MetricWalRecord

WAIT_FOR_DISK = text("SET LOCAL synchronous_commit = on")


@dataclass
class WriteResult:
    """Result of a push, or of a part of it."""

    samples: int
    """Number of samples written now or before."""
    histograms: int
    exemplars: int
    faults: RejectedSamples

    def add(self, part: "WriteResult") -> None:
        """Add the result of another part of the push."""
        self.samples += part.samples
        self.histograms += part.histograms
        self.exemplars += part.exemplars
        self.faults.join(part.faults)


@dataclass(frozen=True)
class SampleColumn:
    """Samples of one type (floats or histograms) for deduplication: equal bits mean equal values."""

    slots: Ints
    times_ms: Ints
    bits: Bits

    def at(self, chosen: Ints) -> "SampleColumn":
        """Return the samples at these positions."""
        return SampleColumn(self.slots[chosen], self.times_ms[chosen], self.bits[chosen])


def write_samples(intake: IngestRequest, made: Ints, between_ms: tuple[int, int]) -> WriteResult:
    """Write the samples of a push in a time range. `made` are the slots of its new series."""
    return _SampleWriter(intake, made, between_ms).write()


def _bits_of(values: Floats) -> Bits:
    return np.ascontiguousarray(values).view(np.uint64)


class _SampleWriter:
    def __init__(self, intake: IngestRequest, made: Ints, between_ms: tuple[int, int]) -> None:
        self.session = intake.session
        self.team = intake.team
        self.incoming = intake.incoming
        self.faults = intake.incoming.faults
        self.made = made
        self.between_ms = between_ms

    def write(self) -> WriteResult:
        slots, times, values = self.incoming.columns()
        changes = np.isin(slots, list(self.incoming.deltas))
        slots = self._slots(slots)
        if changes.any():
            values, known = self._added_up(slots, times, values, changes)
            slots, times, values, n_known = slots[~known], times[~known], values[~known], int(known.sum())
        else:
            n_known = 0
        floats = SampleColumn(slots, times, _bits_of(values))
        new, n_same = self._deduplicate(floats)
        natives, n_histograms, n_same_natives = self._natives()
        self._store(SampleColumns(self.team.ids[floats.slots[new]], times[new], values[new], natives))
        self.team.newest(floats.slots[new], times[new], floats.bits[new])
        return WriteResult(len(new) + n_same + n_known, n_histograms + n_same_natives, self._exemplars(), self.faults)

    def _added_up(self, slots: Ints, times: Ints, values: Floats, changes: Mask) -> tuple[Floats, Mask]:
        """Convert deltas to cumulative totals; return the totals, and which deltas were added before.

        A delta that is not newer than the total was sent again and is already included. Without a total of the last day,
        the total starts at zero, which readers treat as a counter reset.
        """
        totals, known = values.copy(), np.zeros(len(slots), np.bool_)
        mine = np.flatnonzero(changes & (slots != REFUSED))
        unknown = mine[self.team.last_ms[slots[mine]] == UNKNOWN]
        if len(unknown):
            self._stored(SampleColumn(slots[unknown], times[unknown] - DAY_MS, np.zeros(len(unknown), np.uint64)))
        newest: dict[int, tuple[int, float]] = {}
        for at in mine[np.lexsort((times[mine], slots[mine]))].tolist():
            slot, at_ms = int(slots[at]), int(times[at])
            last_ms, total = newest.get(slot) or (int(self.team.last_ms[slot]), self._total(slot))
            if at_ms <= last_ms:
                known[at] = True
                continue
            totals[at] = total + values[at]
            newest[slot] = (at_ms, float(totals[at]))
        return totals, known

    def _total(self, slot: int) -> float:
        total = float(self.team.last_bits[slot : slot + 1].view(np.float64)[0])
        return total if math.isfinite(total) else 0.0

    def _natives(self) -> tuple[NativeHistogramColumns | None, int, int]:
        """Return the histograms to write, their number, and the number already written."""
        received = self.incoming.natives
        if not received:
            return None, 0, 0
        histograms = native_series([one for *_, one in received])
        slots = self._slots(np.array([slot for slot, _, _ in received], np.int64))
        column = SampleColumn(slots, np.array([at_ms for _, at_ms, _ in received], np.int64), native_bits(histograms))
        new, n_same = self._deduplicate(column)
        mine = column.at(new)
        self.team.newest(mine.slots, mine.times_ms, mine.bits)
        return (
            NativeHistogramColumns(self.team.ids[mine.slots], mine.times_ms, take_natives(histograms, new)),
            len(new),
            n_same,
        )

    def _slots(self, slots: Ints) -> Ints:
        """Resolve references to new series to slots, or REFUSED."""
        if len(self.made):
            slots = np.where(slots < 0, self.made[np.maximum(-1 - slots, 0)], slots)
        self.team.touch(slots[slots != REFUSED])
        return slots

    def _deduplicate(self, column: SampleColumn) -> tuple[Ints, int]:
        """Return the positions of the samples to write, and the number already written."""
        positions = np.flatnonzero(self._in_time(column))
        among = deduplicate_within_request(column.slots[positions], column.times_ms[positions], column.bits[positions])
        n_same, n_contrary = int(among.same.sum()), int(among.contrary.sum())
        positions = positions[among.new]
        checked = self._find_duplicates(column.at(positions))
        n_same += int(checked.same.sum())
        n_contrary += int(checked.contrary.sum())
        if n_contrary:
            detail = "The series already has a different value at the same time; the first value is retained."
            self.faults.add("same-time-other-value", detail, n_contrary)
        return positions[checked.new], n_same

    def _in_time(self, column: SampleColumn) -> Mask:
        """Return the mask of samples that have a series and are neither too old nor ahead of the clock."""
        least, most = self.between_ms
        has_series = column.slots != REFUSED
        old, ahead = has_series & (column.times_ms < least), has_series & (column.times_ms > most)
        if old.any():
            detail = (
                f"A sample of {iso(column.times_ms[old].min())} is older than the retention of samples ({iso(least)})."
            )
            self.faults.add("too-old", detail, int(old.sum()))
        if ahead.any():
            at = iso(column.times_ms[ahead].max())
            detail = f"A sample of {at} is more than 10 minutes ahead of the server's clock ({iso(most - FUTURE_MS)})."
            self.faults.add("too-far-ahead", detail, int(ahead.sum()))
        good: Mask = has_series & ~old & ~ahead
        return good

    def _find_duplicates(self, column: SampleColumn) -> DeduplicationMasks:
        """Deduplicate samples by the newest cached sample of each series, or by the stored samples if necessary."""
        last = self.team.last_ms[column.slots]
        same = (column.times_ms == last) & (column.bits == self.team.last_bits[column.slots])
        contrary = (column.times_ms == last) & ~same
        asked = column.times_ms < last
        if asked.any():
            mine = np.flatnonzero(asked)
            stored = deduplicate_against_stored(
                column.slots[mine], column.times_ms[mine], column.bits[mine], self._stored(column.at(mine))
            )
            same[mine], contrary[mine] = stored.same, stored.contrary
        return DeduplicationMasks(~(same | contrary), same, contrary)

    def _stored(self, column: SampleColumn) -> dict[int, tuple[Ints, Bits]]:
        """Read the stored samples of these series from the oldest of these times on; update the cache."""
        slots = np.unique(column.slots)
        unknown = slots[self.team.last_ms[slots] == UNKNOWN].tolist()
        to_ms = self.between_ms[1] if unknown else int(column.times_ms.max())
        ids, blocks = self.team.ids[slots].tolist(), self.team.blocks[slots].tolist()
        runs = read_samples(self.session, dict(zip(ids, blocks, strict=True)), int(column.times_ms.min()), to_ms)
        stored = {
            slot: _times_and_bits(runs[series_id])
            for slot, series_id in zip(slots.tolist(), ids, strict=True)
            if series_id in runs
        }
        self.team.dirty = self.team.dirty or bool(unknown)
        for slot in unknown:
            self.team.last_ms[slot] = NEVER
            if slot in stored and len(stored[slot][0]):
                self.team.last_ms[slot], self.team.last_bits[slot] = stored[slot][0][-1], stored[slot][1][-1]
        return stored

    def _store(self, samples: SampleColumns) -> None:
        if not len(samples):
            return
        self.session.execute(WAIT_FOR_DISK)
        first_ms, last_ms = samples.span_ms()
        self.session.execute(
            insert(MetricWalRecord).values(
                team_id=self.session.team_id,
                first_ms=first_ms,
                last_ms=last_ms,
                samples=len(samples),
                content=pack_tail(samples),
            )
        )

    def _exemplars(self) -> int:
        """Write exemplars; return the number written."""
        received = self.incoming.exemplars
        slots = self._slots(np.array([one.slot for one in received], np.int64)).tolist()
        least, most = self.between_ms
        rows = [
            self._exemplar(one, slot)
            for one, slot in zip(received, slots, strict=True)
            if slot != REFUSED and least <= one.at_ms <= most
        ]
        if rows:
            self.session.execute(insert(MetricExemplar).on_conflict_do_nothing(), rows)
        return len(rows)

    def _exemplar(self, one: IncomingExemplar, slot: int) -> dict[str, object]:
        return {
            "team_id": self.session.team_id,
            "id": new_id(),
            "series_id": int(self.team.ids[slot]),
            "at_ms": one.at_ms,
            "value": one.value,
            "labels": {sanitize_text(name): sanitize_text(value) for name, value in one.labels},
        }


def _times_and_bits(runs: SeriesPieces) -> tuple[Ints, Bits]:
    """Return times and bits of all samples of a series, floats and histograms, ascending in time."""
    times, bits = np.zeros(0, np.int64), np.zeros(0, np.uint64)
    if runs.times:
        times, values = joined(runs)
        bits = _bits_of(values)
    if runs.natives:
        native = joined_natives(runs)
        times = np.concatenate([times, native.times_ms])
        bits = np.concatenate([bits, native_bits(native.histograms)])
        order = np.argsort(times, kind="stable")
        times, bits = times[order], bits[order]
    return times, bits
