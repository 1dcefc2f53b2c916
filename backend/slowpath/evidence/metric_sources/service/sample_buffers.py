"""Samples of federated services that a process holds, so that an evaluation queries only the newest ones each minute."""

import threading
import time
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import Labels
from slowpath.analysis.kinds.metrics.samples.series_classification import ClassificationRule
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData
from slowpath.evidence.metric_sources.rules import (
    BUFFERED_MS,
    FRESH_SECONDS,
    LISTED_SECONDS,
    MOST_CACHED_SAMPLES,
    OVERLAP_MS,
)
from slowpath.evidence.metric_sources.service.federated_samples import FederatedSampleSource, QueryMode, by_labels
from slowpath.evidence.metric_sources.service.prometheus_client import SamplePage, SeriesSamples
from slowpath.evidence.metrics.service.remote_samples import LabeledSeries
from slowpath.evidence.metrics.service.series_reader import SeriesSelector

SelectorKey = tuple[str, tuple[tuple[str, str], ...]]


@dataclass
class BufferedSeries:
    """Series of one selector in from_ms..until_ms, both included."""

    from_ms: int
    until_ms: int
    step_ms: int | None
    read_at: float
    series: Mapping[Labels, SeriesSamples]

    @property
    def samples(self) -> int:
        """Number of samples."""
        return sum(len(one.times_ms) + len(one.natives) for one in self.series.values())


@dataclass
class ServiceBuffer:
    """What is held of one service. `valid_for` changes with its connection and labels. Used by one thread at a time."""

    valid_for: object
    lock: threading.Lock = field(default_factory=threading.Lock)
    listed_at: float = float("-inf")
    found: Sequence[LabeledSeries] = ()
    mode: QueryMode | None = None
    parts: dict[SelectorKey, BufferedSeries] = field(default_factory=dict)

    def list_series(
        self, source: FederatedSampleSource, rules: Sequence[ClassificationRule], between_ms: tuple[int, int]
    ) -> Sequence[LabeledSeries]:
        """Return the series of the service, listed by the source every few minutes."""
        if time.monotonic() - self.listed_at > LISTED_SECONDS:
            self.found = source.series(rules, between_ms)
            self.mode = None
            self.listed_at = time.monotonic()
        source.found = self.found
        return self.found


class SampleBuffers:
    """Buffers of a process by service; the least recently used ones are dropped above a number of samples."""

    def __init__(self) -> None:
        """Create no buffers."""
        self._lock = threading.Lock()
        self._services: OrderedDict[str, ServiceBuffer] = OrderedDict()

    def of(self, service: str, valid_for: object) -> ServiceBuffer:
        """Return the buffer of a service, an empty one if its connection or labels changed."""
        with self._lock:
            found = self._services.get(service)
            if found is None or found.valid_for != valid_for:
                found = self._services[service] = ServiceBuffer(valid_for)
            self._services.move_to_end(service)
            held = {key: sum(each.samples for each in list(one.parts.values())) for key, one in self._services.items()}
            while len(self._services) > 1 and sum(held.values()) > MOST_CACHED_SAMPLES:
                held.pop(self._services.popitem(last=False)[0])
            return found


@dataclass(frozen=True)
class BufferedSampleSource:
    """Series of one service, of which only what the buffer lacks is queried: one query per selector and minute."""

    source: FederatedSampleSource
    buffer: ServiceBuffer

    def select(self, selectors: Sequence[SeriesSelector], from_ms: int, to_ms: int) -> list[list[SeriesData]]:
        """Return the series of each selector in from_ms..to_ms, both included."""
        mine, numbers = self.source.own(selectors)
        if self.buffer.mode is None:
            self.buffer.mode = self.source.choose_mode(mine, numbers, to_ms - BUFFERED_MS, to_ms)
        mode, ids = self.buffer.mode, count(1)
        found: list[list[SeriesData]] = []
        for one, number in zip(mine, numbers, strict=True):
            part = self._extended(one, number, mode, (from_ms, to_ms))
            inside = [_between(each, from_ms, to_ms) for each in part.series.values()]
            found.append([data for each in inside for data in self.source.data([each], next(ids))])
        return found

    def _extended(
        self, selector: SeriesSelector, number: int, mode: QueryMode, between_ms: tuple[int, int]
    ) -> BufferedSeries:
        from_ms, to_ms = between_ms
        key = selector.name, tuple(sorted(selector.equal.items()))
        known = self.buffer.parts.get(key)
        if known is None or known.step_ms != mode.step_ms or from_ms > known.until_ms or to_ms < known.from_ms:
            pages = self.source.pages(selector, number, mode, from_ms, to_ms)
            known = BufferedSeries(from_ms, to_ms, mode.step_ms, time.monotonic(), _joined({}, 0, pages))
        if from_ms < known.from_ms:
            pages = self.source.pages(selector, number, mode, from_ms, known.from_ms - 1)
            head = _joined({}, 0, pages)
            tail = [SamplePage(list(known.series.values()), 0)]
            known = BufferedSeries(
                from_ms, known.until_ms, mode.step_ms, known.read_at, _joined(head, known.from_ms, tail)
            )
        if to_ms > known.until_ms and time.monotonic() - known.read_at > FRESH_SECONDS:
            first_ms = max(known.until_ms - OVERLAP_MS, known.from_ms)
            pages = self.source.pages(selector, number, mode, first_ms, to_ms)
            begin_ms = max(known.from_ms, to_ms - BUFFERED_MS)
            series = _joined(known.series, first_ms, pages, begin_ms)
            known = BufferedSeries(begin_ms, to_ms, mode.step_ms, time.monotonic(), series)
        self.buffer.parts[key] = known
        return known


def _joined(
    before: Mapping[Labels, SeriesSamples], cut_ms: int, pages: Sequence[SamplePage], from_ms: int = 0
) -> dict[Labels, SeriesSamples]:
    """Join samples before `cut_ms` with those of pages, from `from_ms` on; series without samples are left out."""
    parts = by_labels(pages)
    joined = {}
    for labels in dict.fromkeys((*before, *parts)):
        known = [_between(before[labels], from_ms, cut_ms - 1)] if labels in before else []
        one = _concatenated(labels, [*known, *parts.get(labels, ())])
        if len(one.times_ms) or one.natives:
            joined[labels] = one
    return joined


def _concatenated(labels: Labels, parts: Sequence[SeriesSamples]) -> SeriesSamples:
    return SeriesSamples(
        labels,
        np.concatenate([one.times_ms for one in parts]),
        np.concatenate([one.values for one in parts]),
        [each for one in parts for each in one.natives],
    )


def _between(one: SeriesSamples, from_ms: int, to_ms: int) -> SeriesSamples:
    """Return the samples in from_ms..to_ms, both included."""
    first, last = np.searchsorted(one.times_ms, from_ms), np.searchsorted(one.times_ms, to_ms, side="right")
    natives = one.natives[
        bisect_left(one.natives, from_ms, key=lambda each: each[0]) : bisect_right(
            one.natives, to_ms, key=lambda each: each[0]
        )
    ]
    return SeriesSamples(one.labels, one.times_ms[first:last], one.values[first:last], natives)
