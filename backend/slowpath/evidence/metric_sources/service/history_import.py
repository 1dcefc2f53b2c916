"""Import the history of a source page by page, through the same ingest as pushed samples."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import NAME as NAME_LABEL
from slowpath.analysis.kinds.metrics.protocols.ingest_batch import (
    IngestBatch,
    InvalidSeries,
    Labels,
    RejectedSamples,
    kind_of,
)
from slowpath.analysis.kinds.metrics.samples.series_classification import (
    ClassificationRule,
    classify_series,
    family_of,
    rule_for,
)
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.evidence.metric_sources.errors import PageTooLarge, RangeSelectorNotSupported, SourceRejectedQuery
from slowpath.evidence.metric_sources.rules import (
    COARSE_MS,
    FIRST_PAGE_MS,
    MOST_COARSE_NAMES,
    MOST_NAMES,
    narrower,
    wider,
)
from slowpath.evidence.metric_sources.service.prometheus_client import PrometheusClient, SamplePage, SeriesSamples
from slowpath.evidence.metrics.service import metric_rules, sample_ingest
from slowpath.evidence.metrics.service.series_cache import TeamSeriesCache
from slowpath.evidence.metrics.service.series_reader import SeriesSelector
from slowpath.evidence.metrics.service.series_registry import rule_of

MOST_RULES: Final = 1_000
ANY_SERVICE: Final = {"job": "any"}
"""Placeholder labels: whether labels name a service is decided per series at ingest."""
Families = Mapping[str, tuple[SeriesKind, str]]


@dataclass(frozen=True)
class ImportSelection:
    """Metrics of a source that an import includes."""

    names: Sequence[str]
    more: int
    """Number of recognized names above the limit, which are skipped."""
    families: Families


@dataclass
class DownsampledMetrics:
    """Metrics whose raw samples are not available: they are imported as values at the multiples of a step."""

    refused: RangeSelectorNotSupported | None = None
    """Error of the source if it does not support range selectors; then no more are sent."""
    names: list[str] = field(default_factory=list)
    why: str | None = None

    def note(self, name: str, error: RangeSelectorNotSupported | PageTooLarge) -> None:
        """Record a metric that is imported at steps from now on."""
        if isinstance(error, RangeSelectorNotSupported):
            self.refused = error
        self.names.append(name)
        self.why = self.why or error.detail

    def to_json(self) -> dict[str, Any] | None:
        """Return the JSON that is stored with the source."""
        if not self.names:
            return None
        shown = self.names[:MOST_COARSE_NAMES]
        return {"count": len(self.names), "names": shown, "step_s": COARSE_MS // 1000, "reason": self.why}


@dataclass
class ImportProgress:
    """Counts of an import in progress."""

    samples: int = 0
    series: set[Labels] = field(default_factory=set)
    faults: RejectedSamples = field(default_factory=RejectedSamples)
    coarser: DownsampledMetrics = field(default_factory=DownsampledMetrics)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that is stored with the source."""
        return {
            "samples": self.samples,
            "series": len(self.series),
            "skipped": [
                {"metric": slug, "count": count, "detail": self.faults.details[slug][0]}
                for slug, count in self.faults.counts.items()
            ],
            "downsampled": self.coarser.to_json(),
        }


def rules_of(session: ReadSession) -> list[ClassificationRule]:
    """Return the metric rules of the team."""
    return [rule_of(row) for row in metric_rules.rules(session, None, MOST_RULES)]


def select_importable_names(names: Sequence[str], rules: Sequence[ClassificationRule]) -> list[str]:
    """Return the names that the dashboard can use: recognized by name, or by a metric rule."""
    there = set(names)
    return [name for name in names if _is_recognized(name, rules, kind_by_name(name, there))]


def kind_by_name(name: str, there: Collection[str]) -> SeriesKind:
    """Return the kind of a series by its name and the other names of the source.

    A native histogram has only its family's name: the name of a latency without a `_count` series is taken for one.
    """
    alone = f"{family_of(name)}_count" not in there
    if alone and classify_series(name, ANY_SERVICE, "histogram", ()).role == "latency":
        return "histogram"
    return kind_of(((NAME_LABEL, name),))


def _is_recognized(name: str, rules: Sequence[ClassificationRule], kind: SeriesKind) -> bool:
    family = family_of(name)
    matching = [rule for rule in rules if rule.metric in (name, family)]
    if any(rule.role != "ignore" for rule in matching):
        return True
    ignored = rule_for(name, ANY_SERVICE, matching) is not None
    return not ignored and classify_series(name, ANY_SERVICE, kind, ()).role is not None


def select_metrics_to_import(
    api: PrometheusClient, rules: Sequence[ClassificationRule], from_ms: int, to_ms: int
) -> ImportSelection:
    """Query the recognized metrics of a source. Raises `SourceRejectedQuery`, `UpstreamUnavailable`."""
    names = select_importable_names(api.names(from_ms, to_ms), rules)
    selected = names[:MOST_NAMES]
    families = api.kinds(sorted({*selected, *(family_of(name) for name in selected)}))
    return ImportSelection(selected, len(names) - len(selected), families)


def iterate_sample_pages(
    api: PrometheusClient,
    name: str,
    between: tuple[int, int],
    going: Callable[[float], None],
    coarser: DownsampledMetrics,
) -> Iterator[SamplePage]:
    """Yield the samples of a metric in a closed time range, page by page. `going` receives the progress (0 to 1).

    If the source rejects range selectors, or one minute exceeds the page limit, the rest is queried by `query_range`.
    Raises `PageTooLarge` if a minute at steps exceeds the limit too, `SourceRejectedQuery`, `UpstreamUnavailable`.
    """
    from_ms, to_ms = between
    selector, at_steps = SeriesSelector(name), coarser.refused is not None
    if coarser.refused is not None:
        coarser.note(name, coarser.refused)
    width, after = FIRST_PAGE_MS, from_ms - 1
    while after < to_ms:
        going((after - from_ms) / (to_ms - from_ms + 1))
        until = min(after + width, to_ms)
        try:
            page = api.steps(selector, after, until, COARSE_MS) if at_steps else api.page(selector, after, until)
        except (RangeSelectorNotSupported, PageTooLarge) as error:
            less = narrower(until - after) if isinstance(error, PageTooLarge) else None
            if less is not None:
                width = less
                continue
            if at_steps:
                raise
            page = _steps_instead(api, selector, (after, until), error)
            at_steps = True
            coarser.note(name, error)
        yield page
        after, width = until, wider(width, page.size_bytes)


def _steps_instead(
    api: PrometheusClient,
    selector: SeriesSelector,
    between: tuple[int, int],
    error: RangeSelectorNotSupported | PageTooLarge,
) -> SamplePage:
    """Query a page by `query_range`; if the source rejects this too, raise the former error."""
    try:
        return api.steps(selector, *between, COARSE_MS)
    except SourceRejectedQuery as refused:
        raise error from refused


def write_samples(
    session: WriteSession,
    team: TeamSeriesCache,
    page: SamplePage,
    families: Families,
    brought: ImportProgress,
    *,
    now_ms: int,
    most_series: int,
) -> None:
    """Write a page of samples; existing samples count as written."""
    if not any(len(one.times_ms) or one.natives or one.skipped_natives for one in page.series):
        return
    taken = sample_ingest.ingest_samples(
        session,
        team,
        "import",
        lambda known, _deliver: incoming_of(page.series, families, known),
        now_ms=now_ms,
        most_series=most_series,
    )
    brought.samples += taken.samples + taken.histograms
    brought.series.update(one.labels for one in page.series if len(one.times_ms) or one.natives)
    for slug, count in taken.faults.counts.items():
        brought.faults.add(slug, taken.faults.details[slug][0], count)


def incoming_of(series: Sequence[SeriesSamples], families: Families, known: Mapping[bytes, int]) -> IngestBatch:
    """Return a page as an ingest batch."""
    incoming = IngestBatch(families=dict(families))
    for one in series:
        if one.skipped_natives:
            detail = "Native histograms with custom bounds are skipped: this API returns only filled buckets. Push them instead."
            incoming.faults.add("native-histogram", detail, one.skipped_natives)
        if not len(one.times_ms) and not one.natives:
            continue
        key = b"\xff".join(part.encode() for pair in one.labels for part in pair)
        kind: SeriesKind = "histogram" if one.natives else "unknown"
        try:
            slot = incoming.slot(key, known, lambda labels=one.labels: labels, kind)  # type: ignore[misc]  # mypy infers no lambda with a default
        except InvalidSeries as bad:
            incoming.faults.add(bad.slug, str(bad), len(one.times_ms) + len(one.natives))
            continue
        incoming.whole.append((np.full(len(one.times_ms), slot, np.int64), one.times_ms, one.values))
        incoming.natives += [(slot, at_ms, native) for at_ms, native in one.natives]
    return incoming
