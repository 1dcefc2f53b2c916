"""Query the samples of one federated service, within limits of time and samples."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from slowpath.analysis.kinds.metrics.panels.time_grid import scrape_interval_ms
from slowpath.analysis.kinds.metrics.protocols.ingest_batch import NAME, Labels, kind_of, native_series
from slowpath.analysis.kinds.metrics.samples.series_classification import ClassificationRule, family_of
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData, SeriesKind
from slowpath.core.errors import TooLarge, UpstreamUnavailable
from slowpath.evidence.metric_sources.errors import PageTooLarge, RangeSelectorNotSupported
from slowpath.evidence.metric_sources.rules import (
    COARSE_MS,
    MOST_AT_STEPS,
    MOST_FEDERATED_SERIES,
    MOST_PAGE_SAMPLES,
    MOST_POINTS,
    MOST_RAW_SAMPLES,
    PROBE_MS,
    STEPS_A_COLUMN,
)
from slowpath.evidence.metric_sources.service import history_import
from slowpath.evidence.metric_sources.service.prometheus_client import PrometheusClient, SamplePage, SeriesSamples
from slowpath.evidence.metrics.service.remote_samples import LabeledSeries
from slowpath.evidence.metrics.service.series_reader import SeriesSelector


@dataclass(frozen=True)
class QueryBudget:
    """Time limit of all queries, from its creation on."""

    seconds: float
    begun: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """Return the seconds left. Raises `UpstreamUnavailable` if none are left."""
        left = self.begun + self.seconds - time.monotonic()
        if left <= 0:
            raise UpstreamUnavailable(
                f"The source did not return the data within {self.seconds:g} seconds.",
                slug="asked-too-long",
                limit=self.seconds,
                unit="seconds",
            )
        return left


@dataclass(frozen=True)
class QueryMode:
    """Mode of a query: raw samples (step_ms is None), or values at steps."""

    step_ms: int | None
    interval_ms: int


@dataclass
class FederatedSampleSource:
    """Sample source of one federated service."""

    api: PrometheusClient
    equal: Mapping[str, str]
    column_ms: int
    """Width of a dashboard column."""
    kinds_of: Callable[[Sequence[str]], history_import.Families]
    """Return the kinds of metric families, possibly from a cache."""
    most_raw: int = field(default_factory=lambda: MOST_RAW_SAMPLES)
    most_at_steps: int = field(default_factory=lambda: MOST_AT_STEPS)
    at_steps_ms: int | None = None
    """Step of the values, or None for raw samples."""
    found: Sequence[LabeledSeries] = ()

    def series(self, rules: Sequence[ClassificationRule], between_ms: tuple[int, int]) -> Sequence[LabeledSeries]:
        """Query the series of recognized metrics. Raises `TooLarge`, `SourceRejectedQuery`, `UpstreamUnavailable`."""
        names = history_import.select_importable_names(self.api.names(*between_ms, self.equal), rules)
        if not names:
            return ()
        found = self.api.series(names, self.equal, *between_ms)
        if len(found) > MOST_FEDERATED_SERIES:
            raise TooLarge(
                "These labels select too many series for a federated service.",
                slug="too-many-series",
                limit=MOST_FEDERATED_SERIES,
                actual=len(found),
                unit="series",
            )
        kinds = self.kinds_of(sorted({*names, *(family_of(name) for name in names)}))
        self.found = [_labelled(labels, kinds, set(names)) for labels in found]
        return self.found

    def select(self, selectors: Sequence[SeriesSelector], from_ms: int, to_ms: int) -> list[list[SeriesData]]:
        """Read the series of each selector in from_ms..to_ms, both included."""
        mine, numbers = self.own(selectors)
        mode = self.choose_mode(mine, numbers, from_ms, to_ms)
        try:
            pages = [self.pages(one, number, mode, from_ms, to_ms) for one, number in zip(mine, numbers, strict=True)]
        except RangeSelectorNotSupported:
            mode = self.at_steps(sum(numbers), COARSE_MS, to_ms - from_ms)
            pages = [self.pages(one, number, mode, from_ms, to_ms) for one, number in zip(mine, numbers, strict=True)]
        self.at_steps_ms = mode.step_ms
        ids = count(1)
        return [[data for found in by_labels(each).values() for data in self.data(found, next(ids))] for each in pages]

    def own(self, selectors: Sequence[SeriesSelector]) -> tuple[list[SeriesSelector], list[int]]:
        """Return the selectors with the labels of the service, and how many of the listed series each selects."""
        mine = [SeriesSelector(one.name, {**one.equal, **self.equal}) for one in selectors]
        return mine, [sum(one.name == each.name and one.means(each.labels) for each in self.found) for one in mine]

    def choose_mode(
        self, selectors: Sequence[SeriesSelector], numbers: Sequence[int], from_ms: int, to_ms: int
    ) -> QueryMode:
        """Choose raw samples if a short query estimates their number to be within the limit, or else steps."""
        sampled = next((one for one, number in zip(selectors, numbers, strict=True) if number), None)
        if sampled is None:
            return QueryMode(None, COARSE_MS)
        try:
            page = self.api.page(sampled, max(from_ms, to_ms - PROBE_MS), to_ms)
        except (RangeSelectorNotSupported, PageTooLarge):
            return self.at_steps(sum(numbers), COARSE_MS, to_ms - from_ms)
        seen = [data for found in page.series for data in self.data([found], 0)]
        interval_ms = scrape_interval_ms(seen)
        if sum(numbers) * (to_ms - from_ms) <= self.most_raw * interval_ms:
            return QueryMode(None, interval_ms)
        return self.at_steps(sum(numbers), interval_ms, to_ms - from_ms)

    def at_steps(self, number: int, interval_ms: int, range_ms: int) -> QueryMode:
        """Return the mode with the finest step of which the number of values is within the limit."""
        step_ms = max(self.column_ms // STEPS_A_COLUMN, interval_ms, 1000)
        while number * range_ms > self.most_at_steps * step_ms:
            step_ms *= 2
        return QueryMode(step_ms, step_ms)

    def pages(
        self, selector: SeriesSelector, number: int, mode: QueryMode, from_ms: int, to_ms: int
    ) -> list[SamplePage]:
        """Query page by page. Raises `PageTooLarge` if one minute exceeds the page limit."""
        width = max(MOST_PAGE_SAMPLES * mode.interval_ms // max(number, 1), COARSE_MS)
        width = min(width, MOST_POINTS * mode.interval_ms)
        after, pages = from_ms - 1, []
        while after < to_ms:
            until = min(after + width, to_ms)
            try:
                if mode.step_ms is None:
                    pages.append(self.api.page(selector, after, until))
                else:
                    pages.append(self.api.steps(selector, after, until, mode.step_ms))
            except PageTooLarge:
                if width <= COARSE_MS:
                    raise
                width = max(width // 4, COARSE_MS)
                continue
            after = until
        return pages

    def data(self, found: Sequence[SeriesSamples], series_id: int) -> list[SeriesData]:
        """Return one series from its pages; a series with floats and histograms becomes two."""
        labels = dict(found[0].labels)
        name = labels.pop(NAME, "")
        kind: SeriesKind = next((one.kind for one in self.found if one.name == name), kind_of(((NAME, name),)))
        times = np.concatenate([one.times_ms for one in found])
        natives = [each for one in found for each in one.natives]
        data = []
        if len(times):
            values = np.concatenate([one.values for one in found])
            data.append(SeriesData(series_id, name, labels, kind, times, values))
        if natives:
            native_times = np.array([at_ms for at_ms, _ in natives], np.int64)
            histograms = native_series([one for _, one in natives])
            data.append(SeriesData(series_id, name, labels, "histogram", native_times, None, histograms))
        return data


def by_labels(pages: Sequence[SamplePage]) -> dict[Labels, list[SeriesSamples]]:
    """Return the parts of each series in the order of the pages."""
    found: dict[Labels, list[SeriesSamples]] = {}
    for page in pages:
        for one in page.series:
            found.setdefault(one.labels, []).append(one)
    return found


def _labelled(labels: Mapping[str, str], kinds: history_import.Families, names: set[str]) -> LabeledSeries:
    """Return a series with its kind as reported by the source, or else by its name."""
    name = labels.get(NAME, "")
    by_name = history_import.kind_by_name(name, names)
    kind, unit = kinds.get(name) or (by_name, kinds.get(family_of(name), (by_name, ""))[1])
    return LabeledSeries(name, {label: value for label, value in labels.items() if label != NAME}, kind, unit)
