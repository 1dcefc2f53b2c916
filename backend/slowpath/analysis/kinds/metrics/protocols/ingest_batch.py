"""The samples of one request by series, whatever its protocol, and rejected samples by reason.

A series is identified by a key, the bytes of its labels in its protocol: equal labels in one protocol have equal keys. So
labels are parsed once per process, and then a sample costs a lookup.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from slowpath.analysis.kinds.metrics.samples.column_codec import Floats, Ints
from slowpath.analysis.kinds.metrics.samples.series_data import NativeSeries, SeriesKind, SparseBuckets

Labels = tuple[tuple[str, str], ...]

NAME: Final = "__name__"
MAX_LABELS: Final = 100
MAX_NAME_BYTES: Final = 1024
MAX_VALUE_BYTES: Final = 4096
MAX_SERIES: Final = 100_000
"""Per request."""
MAX_SPELLED_BYTES: Final = 256 << 20
"""Per request: the expanded labels of all its series. Protocols with shared texts can repeat them."""
BATCH_BYTES: Final = 1 << 20
"""Approximate memory of a request's samples before they are delivered."""
SAMPLE_BYTES: Final = 150
SERIES_BYTES: Final = 1_500
BUCKET_BYTES: Final = 80
EXEMPLAR_BYTES: Final = 2_000
MAX_SAMPLES: Final = 1_000_000
"""Per request."""
MAX_EXEMPLARS: Final = 10_000
"""Per request."""
MAX_BUCKETS: Final = 5_000
"""Per native histogram."""
MAX_DETAILS: Final = 10
"""How many errors of one kind are reported with details."""


class BatchTooLarge(ValueError):
    """A request exceeds a limit: nothing of it is stored."""

    def __init__(self, what: str, limit: int) -> None:
        """Name what exceeds which limit."""
        super().__init__(f"more than {limit} {what}")
        self.what = what
        self.limit = limit


class InvalidSeries(ValueError):
    """The labels of a series break a rule."""

    def __init__(self, slug: str, detail: str) -> None:
        """Name the rule and the violation."""
        super().__init__(detail)
        self.slug = slug


@dataclass
class RejectedSamples:
    """Rejected samples by reason."""

    counts: dict[str, int] = field(default_factory=dict)
    details: dict[str, list[str]] = field(default_factory=dict)

    def add(self, slug: str, detail: str, times: int = 1) -> None:
        """Record an error that rejected this many samples."""
        self.counts[slug] = self.counts.get(slug, 0) + times
        details = self.details.setdefault(slug, [])
        if len(details) < MAX_DETAILS:
            details.append(detail[:300])

    def join(self, others: "RejectedSamples") -> None:
        """Add the rejected samples of another part of the request."""
        for slug, count in others.counts.items():
            self.counts[slug] = self.counts.get(slug, 0) + count
            details = self.details.setdefault(slug, [])
            details += others.details[slug][: MAX_DETAILS - len(details)]

    def __bool__(self) -> bool:
        return bool(self.counts)


@dataclass(frozen=True, slots=True)
class NewSeries:
    """Labels seen for the first time in this process."""

    key: bytes
    labels: Labels
    """Sorted by name, including `__name__`."""
    kind: SeriesKind
    unit: str = ""


@dataclass(frozen=True, slots=True)
class IncomingHistogram:
    """One native histogram as received."""

    schema: int
    zero_threshold: float
    zero_count: float
    count: float
    sum: float
    positive: tuple[tuple[int, ...], tuple[float, ...]]
    """Indices, ascending, and counts."""
    negative: tuple[tuple[int, ...], tuple[float, ...]]
    reset_hint: int
    bounds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class IncomingExemplar:
    """One observation with separate labels, such as a trace id."""

    slot: int
    at_ms: int
    value: float
    labels: Labels


@dataclass
class Totals:
    """Totals of a request so far."""

    samples: int = 0
    exemplars: int = 0
    families: int = 0
    new_series: int = 0
    spelled_bytes: int = 0


@dataclass
class IngestBatch:
    """Samples by slot: >= 0 is a known series' slot, -1 - i the i-th of `new`.

    A large request becomes several batches, one after the other (`handed_over`).
    """

    slots: list[int] = field(default_factory=list)
    times_ms: list[int] = field(default_factory=list)
    values: list[bytes] = field(default_factory=list)
    """Eight bytes each, little-endian, so that the bits of a NaN are preserved."""
    whole: list[tuple[Ints, Ints, Floats]] = field(default_factory=list)
    """Slots, times and values received in complete columns."""
    natives: list[tuple[int, int, IncomingHistogram]] = field(default_factory=list)
    """Slot, time, histogram."""
    deltas: set[int] = field(default_factory=set)
    """Slots whose values are changes since the previous sample."""
    exemplars: list[IncomingExemplar] = field(default_factory=list)
    new: list[NewSeries] = field(default_factory=list)
    created_ms: dict[int, int] = field(default_factory=dict)
    """By slot: when its counter began at zero."""
    stated_kinds: dict[int, tuple[SeriesKind, str]] = field(default_factory=dict)
    """By slot: kind and unit, if the sender stated them (remote write 2)."""
    families: dict[str, tuple[SeriesKind, str]] = field(default_factory=dict)
    """Kind and unit of metric families (remote write 1)."""
    faults: RejectedSamples = field(default_factory=RejectedSamples)
    new_slots: dict[bytes, int] = field(default_factory=dict)
    bad_keys: dict[bytes, tuple[str, str]] = field(default_factory=dict)
    so_far: Totals = field(default_factory=Totals)
    """Of the request, including batches delivered before."""
    weight: int = 0
    """Approximate size of the new series."""

    def handed_over(self, deliver: "Deliver | None") -> "IngestBatch":
        """Return the batch to continue with: this one, or a new one after delivering this.

        Raises `BatchTooLarge`.
        """
        waiting = len(self.slots)
        if self.so_far.samples + waiting > MAX_SAMPLES:
            raise BatchTooLarge("samples in a request", MAX_SAMPLES)
        if deliver is None or self.weight + waiting * SAMPLE_BYTES < BATCH_BYTES:
            return self
        self.so_far.samples += waiting
        deliver(self)
        return IngestBatch(so_far=self.so_far)

    def columns(self) -> tuple[Ints, Ints, Floats]:
        """Return slots, times and values in the order received."""
        one_by_one = (
            np.array(self.slots, np.int64),
            np.array(self.times_ms, np.int64),
            np.frombuffer(b"".join(self.values), np.float64),
        )
        parts = [*self.whole, one_by_one]
        return (
            np.concatenate([part[0] for part in parts]),
            np.concatenate([part[1] for part in parts]),
            np.concatenate([part[2].view(np.uint64) for part in parts]).view(np.float64),
        )

    def slot(
        self, key: bytes, known: Mapping[bytes, int], labels: Callable[[], Labels], kind: SeriesKind, unit: str = ""
    ) -> int:
        """Return the slot of a key; labels are parsed if it is new. Raises `InvalidSeries`, `BatchTooLarge`."""
        found = known.get(key)
        if found is None:
            found = self.new_slots.get(key)
        self.so_far.spelled_bytes += len(key)
        if self.so_far.spelled_bytes > MAX_SPELLED_BYTES:
            raise BatchTooLarge("bytes of labels in a request", MAX_SPELLED_BYTES)
        if found is None:
            if key in self.bad_keys:
                raise InvalidSeries(*self.bad_keys[key])
            if self.so_far.new_series >= MAX_SERIES:
                raise BatchTooLarge("new series in a request", MAX_SERIES)
            self.weight += SERIES_BYTES + 6 * len(key)
            try:
                checked = check_labels(labels())
            except InvalidSeries as bad:
                self.bad_keys[key] = (bad.slug, str(bad)[:300])  # the exception would keep its frames alive
                raise
            self.so_far.new_series += 1
            self.new.append(NewSeries(key, checked, kind if kind != "unknown" else kind_of(checked), unit))
            found = self.new_slots[key] = -len(self.new)
        return found


Deliver = Callable[[IngestBatch], None]
"""Takes a part of a request's samples; the known series may have changed when it returns."""


def check_labels(labels: Labels) -> Labels:
    """Return the labels without empty values, which mean "absent". Raises `InvalidSeries`."""
    if len(labels) > MAX_LABELS:
        raise InvalidSeries("too-many-labels", f"A series has {len(labels)} labels, the limit is {MAX_LABELS}.")
    before = ""
    for position, (name, value) in enumerate(labels):
        if not name:
            raise InvalidSeries("empty-label-name", f"A label has no name: {_format_labels(labels)}.")
        if len(name.encode()) > MAX_NAME_BYTES:
            raise InvalidSeries(
                "label-name-too-long", f"A label's name is longer than {MAX_NAME_BYTES} bytes: {name[:60]}…."
            )
        if len(value.encode()) > MAX_VALUE_BYTES:
            raise InvalidSeries("label-value-too-long", f"The label {name} is longer than {MAX_VALUE_BYTES} bytes.")
        if position and name == before:
            raise InvalidSeries("label-twice", f"The label {name} occurs twice: {_format_labels(labels)}.")
        if position and name < before:
            raise InvalidSeries("labels-unsorted", f"The label {name} comes after {before}: {_format_labels(labels)}.")
        before = name
    non_empty = tuple((name, value) for name, value in labels if value)
    if not any(name == NAME for name, _ in non_empty):
        raise InvalidSeries("no-name", f"A series has no {NAME}: {_format_labels(labels)}.")
    return non_empty


def _format_labels(labels: Labels) -> str:
    return "{" + ", ".join(f"{name}={value!r}"[:60] for name, value in labels[:8]) + "}"


def kind_of(labels: Labels) -> SeriesKind:
    """Return the kind of a series by its name: by Prometheus's conventions these grow and reset to zero."""
    name = next((value for label, value in labels if label == NAME), "")
    return "counter" if name.endswith(("_total", "_bucket", "_count", "_sum")) else "unknown"


def native_series(histograms: Sequence[IncomingHistogram]) -> NativeSeries:
    """Return histograms as columns."""
    return NativeSeries(
        np.array([one.schema for one in histograms], np.int32),
        np.array([one.zero_threshold for one in histograms], np.float64),
        np.array([one.zero_count for one in histograms], np.float64),
        np.array([one.count for one in histograms], np.float64),
        np.array([one.sum for one in histograms], np.float64),
        _buckets([one.positive for one in histograms]),
        _buckets([one.negative for one in histograms]),
        np.array([one.reset_hint for one in histograms], np.uint8),
        _offset([len(one.bounds) for one in histograms]),
        np.array([bound for one in histograms for bound in one.bounds], np.float64),
    )


def _buckets(sides: Sequence[tuple[tuple[int, ...], tuple[float, ...]]]) -> SparseBuckets:
    return SparseBuckets(
        _offset([len(index) for index, _ in sides]),
        np.array([number for index, _ in sides for number in index], np.int32),
        np.array([count for _, counts in sides for count in counts], np.float64),
    )


def _offset(lengths: Sequence[int]) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.array(lengths, np.int64), dtype=np.int64)])
