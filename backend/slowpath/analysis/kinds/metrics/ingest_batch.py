"""What a request brings, whatever its protocol: samples by series, and what of it is wrong, by name.

A series is known by a key, bytes that its protocol makes of its labels: the same labels in the same protocol, the same key.
So labels are taken apart once in the life of a process, and then a sample costs a look-up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from slowpath.analysis.kinds.metrics.column_codec import Floats, Ints
from slowpath.analysis.kinds.metrics.series_data import NativeSeries, SeriesKind, SparseBuckets

Labels = tuple[tuple[str, str], ...]

NAME: Final = "__name__"
MAX_LABELS: Final = 100
MAX_NAME_BYTES: Final = 1024
MAX_VALUE_BYTES: Final = 4096
MAX_SERIES: Final = 100_000
"""In one request."""
MAX_SPELLED_BYTES: Final = 256 << 20
"""In one request: the labels of all its series, written out. Protocols that refer to shared texts can repeat them."""
BATCH_BYTES: Final = 1 << 20
"""About how much memory a request's samples take before they are handed over."""
SAMPLE_BYTES: Final = 150
SERIES_BYTES: Final = 1_500
BUCKET_BYTES: Final = 80
EXEMPLAR_BYTES: Final = 2_000
MAX_SAMPLES: Final = 1_000_000
"""In one request."""
MAX_EXEMPLARS: Final = 10_000
"""In one request."""
MAX_BUCKETS: Final = 5_000
"""In one native histogram."""
MAX_TOLD: Final = 10
"""How many faults of one kind are told with their details."""


class BatchTooLarge(ValueError):
    """A request holds more than one may: nothing of it is taken."""

    def __init__(self, what: str, limit: int) -> None:
        """Keep what there is too much of."""
        super().__init__(f"more than {limit} {what}")
        self.what = what
        self.limit = limit


class InvalidSeries(ValueError):
    """The labels of a series break a rule."""

    def __init__(self, slug: str, detail: str) -> None:
        """Keep which rule, and how."""
        super().__init__(detail)
        self.slug = slug


@dataclass
class RejectedSamples:
    """What was refused, by name."""

    counts: dict[str, int] = field(default_factory=dict)
    details: dict[str, list[str]] = field(default_factory=dict)

    def add(self, slug: str, detail: str, times: int = 1) -> None:
        """Note a fault that cost so many samples."""
        self.counts[slug] = self.counts.get(slug, 0) + times
        told = self.details.setdefault(slug, [])
        if len(told) < MAX_TOLD:
            told.append(detail[:300])

    def join(self, others: "RejectedSamples") -> None:
        """Take over what another part of the request was refused for."""
        for slug, count in others.counts.items():
            self.counts[slug] = self.counts.get(slug, 0) + count
            told = self.details.setdefault(slug, [])
            told += others.details[slug][: MAX_TOLD - len(told)]

    def __bool__(self) -> bool:
        return bool(self.counts)


@dataclass(frozen=True, slots=True)
class NewSeries:
    """Labels met for the first time in this process."""

    key: bytes
    labels: Labels
    """Sorted by name, `__name__` among them."""
    kind: SeriesKind
    unit: str = ""


@dataclass(frozen=True, slots=True)
class IncomingHistogram:
    """One native histogram as it came."""

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
    """One observation with labels of its own, such as a trace's id."""

    slot: int
    at_ms: int
    value: float
    labels: Labels


@dataclass
class Totals:
    """What a request brought so far."""

    samples: int = 0
    exemplars: int = 0
    families: int = 0
    new_series: int = 0
    spelled_bytes: int = 0


@dataclass
class IngestBatch:
    """Samples by slot: >= 0 is a known series' slot, -1 - i the i-th of `new`.

    A large request becomes several of these, one after the other (`handed_over`).
    """

    slots: list[int] = field(default_factory=list)
    times_ms: list[int] = field(default_factory=list)
    values: list[bytes] = field(default_factory=list)
    """Eight bytes each, little-endian: a NaN's bits survive."""
    whole: list[tuple[Ints, Ints, Floats]] = field(default_factory=list)
    """Slots, times and values that came in whole columns."""
    natives: list[tuple[int, int, IncomingHistogram]] = field(default_factory=list)
    """Slot, time, histogram."""
    deltas: set[int] = field(default_factory=set)
    """Slots whose values are changes since the sample before."""
    exemplars: list[IncomingExemplar] = field(default_factory=list)
    new: list[NewSeries] = field(default_factory=list)
    created_ms: dict[int, int] = field(default_factory=dict)
    """By slot: when its counter began at zero."""
    told: dict[int, tuple[SeriesKind, str]] = field(default_factory=dict)
    """By slot: kind and unit, where the sender said them (remote write 2)."""
    families: dict[str, tuple[SeriesKind, str]] = field(default_factory=dict)
    """Kind and unit of whole families (remote write 1)."""
    faults: RejectedSamples = field(default_factory=RejectedSamples)
    new_slots: dict[bytes, int] = field(default_factory=dict)
    bad_keys: dict[bytes, tuple[str, str]] = field(default_factory=dict)
    so_far: Totals = field(default_factory=Totals)
    """Of the request, with what was handed over before."""
    weight: int = 0
    """About how many bytes the new series take."""

    def handed_over(self, deliver: "Deliver | None") -> "IngestBatch":
        """Return where to go on: here, or in a new one after this one was delivered, if it is large. Raises `BatchTooLarge`."""
        waiting = len(self.slots)
        if self.so_far.samples + waiting > MAX_SAMPLES:
            raise BatchTooLarge("samples in a request", MAX_SAMPLES)
        if deliver is None or self.weight + waiting * SAMPLE_BYTES < BATCH_BYTES:
            return self
        self.so_far.samples += waiting
        deliver(self)
        return IngestBatch(so_far=self.so_far)

    def columns(self) -> tuple[Ints, Ints, Floats]:
        """Return slots, times and values in the order in which they came."""
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
        """Return the slot of a key; labels are asked for if it is new. Raises `InvalidSeries`, `BatchTooLarge`."""
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
                self.bad_keys[key] = (bad.slug, str(bad)[:300])  # the exception would hold on to its frames
                raise
            self.so_far.new_series += 1
            self.new.append(NewSeries(key, checked, kind if kind != "unknown" else kind_of(checked), unit))
            found = self.new_slots[key] = -len(self.new)
        return found


Deliver = Callable[[IngestBatch], None]
"""Takes a part of a request's samples; what is known may have changed when it returns."""


def check_labels(labels: Labels) -> Labels:
    """Return the labels without empty values, which mean "absent". Raises `InvalidSeries`."""
    if len(labels) > MAX_LABELS:
        raise InvalidSeries("too-many-labels", f"{len(labels)} labels; a series may have {MAX_LABELS}.")
    before = ""
    for position, (name, value) in enumerate(labels):
        if not name:
            raise InvalidSeries("empty-label-name", f"A label has no name: {_shown(labels)}.")
        if len(name.encode()) > MAX_NAME_BYTES:
            raise InvalidSeries(
                "label-name-too-long", f"A label's name is longer than {MAX_NAME_BYTES} bytes: {name[:60]}…."
            )
        if len(value.encode()) > MAX_VALUE_BYTES:
            raise InvalidSeries("label-value-too-long", f"The label {name} is longer than {MAX_VALUE_BYTES} bytes.")
        if position and name == before:
            raise InvalidSeries("label-twice", f"The label {name} is there twice: {_shown(labels)}.")
        if position and name < before:
            raise InvalidSeries("labels-unsorted", f"The label {name} stands after {before}: {_shown(labels)}.")
        before = name
    kept = tuple((name, value) for name, value in labels if value)
    if not any(name == NAME for name, _ in kept):
        raise InvalidSeries("no-name", f"A series has no {NAME}: {_shown(labels)}.")
    return kept


def _shown(labels: Labels) -> str:
    return "{" + ", ".join(f"{name}={value!r}"[:60] for name, value in labels[:8]) + "}"


def kind_of(labels: Labels) -> SeriesKind:
    """Return what a name says of its kind: by Prometheus's conventions these grow and begin again at zero."""
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
