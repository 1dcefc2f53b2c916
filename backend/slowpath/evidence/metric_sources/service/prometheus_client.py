"""Client of a Prometheus-compatible API. All responses are untrusted input."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import NAME, IncomingHistogram, Labels
from slowpath.analysis.kinds.metrics.protocols.native_histogram_json import parse_histograms
from slowpath.analysis.kinds.metrics.samples.column_codec import Floats, Ints
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind
from slowpath.core.errors import TooLarge
from slowpath.core.ports import EgressConnection, HttpResponse
from slowpath.evidence.metric_sources.errors import PageTooLarge, RangeSelectorNotSupported, SourceRejectedQuery
from slowpath.evidence.metric_sources.rules import CHECK_SECONDS, MAX_NAMES_BYTES, MAX_PAGE_BYTES, PAGE_SECONDS
from slowpath.evidence.metrics.service.series_reader import SeriesSelector

KINDS: Final[Mapping[str, SeriesKind]] = {
    "counter": "counter",
    "gauge": "gauge",
    "histogram": "histogram",
    "gaugehistogram": "gauge-histogram",
}
ORDINARY_NAN: Final = 0x7FF8000000000001
"""Bits that Prometheus stores for a NaN that is not a stale marker."""
MAX_TIME_MS: Final = 1e14
MAX_ECHO: Final = 200
LABEL: Final = re.compile("[a-zA-Z_][a-zA-Z0-9_]*")
NAMES_AT_ONCE: Final = 50
REJECTED_STATUSES: Final = frozenset((400, 404, 405, 422, 501))
"""Status codes of a rejected query; 429 and other 5xx are temporary."""


@dataclass(frozen=True)
class SeriesSamples:
    """Samples of one series."""

    labels: Labels
    times_ms: Ints
    values: Floats
    natives: Sequence[tuple[int, IncomingHistogram]] = ()
    """Times and native histograms."""
    skipped_natives: int = 0
    """Number of skipped native histograms with custom bounds: this API returns only their filled buckets."""


@dataclass(frozen=True)
class SamplePage:
    """Samples of one selector in a time range."""

    series: Sequence[SeriesSamples]
    size_bytes: int


@dataclass(frozen=True)
class PrometheusClient:
    """Client of one source."""

    peer: EgressConnection
    headers: Mapping[str, str]
    left: Callable[[], float] = lambda: math.inf
    """Return the seconds left for all queries. Raises if none are left."""
    is_strict: bool = False
    """Whether a response that its source marks as incomplete is an error: missing series would look like a change."""

    def version(self) -> str | None:
        """Return the version of the source, or None if it does not report one."""
        answer = self._get("/api/v1/status/buildinfo", (), MAX_NAMES_BYTES)
        try:
            data = _data(answer)
        except SourceRejectedQuery:
            if answer.status in {401, 403}:
                raise
            return None
        version = data.get("version") if isinstance(data, dict) else None
        return _text(version)[:MAX_ECHO] if isinstance(version, str) else None

    def names(self, from_ms: int, to_ms: int, equal: Mapping[str, str] | None = None) -> list[str]:
        """Return the metric names in a time range, optionally of the series with these labels."""
        query = [("start", _seconds(from_ms)), ("end", _seconds(to_ms))]
        if equal:
            query.append(("match[]", _join_matchers(_format_matchers(equal))))
        answer = self._get(f"/api/v1/label/{NAME}/values", query, MAX_NAMES_BYTES)
        data = _data(answer, is_strict=self.is_strict)
        if not isinstance(data, list) or not all(isinstance(name, str) for name in data):
            raise _invalid_response()
        return sorted({_text(name) for name in data})

    def series(
        self, names: Sequence[str], equal: Mapping[str, str], from_ms: int, to_ms: int
    ) -> list[Mapping[str, str]]:
        """Return the labels of the series with these names in a time range. Raises `TooLarge`."""
        found: list[Mapping[str, str]] = []
        for at in range(0, len(names), NAMES_AT_ONCE):
            any_of = json.dumps("|".join(map(re.escape, names[at : at + NAMES_AT_ONCE])), ensure_ascii=False)
            match = _join_matchers([f"{NAME}=~{any_of}", *_format_matchers(equal)])
            query = (("match[]", match), ("start", _seconds(from_ms)), ("end", _seconds(to_ms)))
            data = _data(self._get("/api/v1/series", query, MAX_NAMES_BYTES), is_strict=self.is_strict)
            if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
                raise _invalid_response()
            found += [{_text(label): _text(str(value)) for label, value in one.items()} for one in data]
        return found

    def kinds(self, names: Sequence[str]) -> dict[str, tuple[SeriesKind, str]]:
        """Return kind and unit of metric families, as far as the source reports them."""
        try:
            data = _data(self._get("/api/v1/metadata", (), MAX_NAMES_BYTES))
        except (SourceRejectedQuery, TooLarge):
            return {}
        families = {name: data[name] for name in names if isinstance(data, dict) and name in data}
        kinds = {}
        for family, entries in families.items():
            entry = entries[0] if isinstance(entries, list) and entries else None
            if isinstance(entry, dict) and str(entry.get("type")) in KINDS:
                unit = _text(str(entry.get("unit", "")))[:MAX_ECHO]
                kinds[family] = (KINDS[str(entry["type"])], unit)
        return kinds

    def page(self, selector: SeriesSelector, after_ms: int, to_ms: int) -> SamplePage:
        """Return the raw samples of a selector in (after_ms, to_ms]. Raises `PageTooLarge`, `RangeSelectorNotSupported`.

        An instant query for a range selector returns raw samples; `query_range` returns values at steps.
        """
        # Prometheus 2 includes the start of a range and 3 does not; `_found` drops samples at the start.
        query = (("query", f"{format_promql_selector(selector)}[{to_ms - after_ms}ms]"), ("time", _seconds(to_ms)))
        answer = self._samples("/api/v1/query", query, selector.name)
        if answer.status in REJECTED_STATUSES:
            try:
                _data(answer)
            except SourceRejectedQuery as error:
                raise RangeSelectorNotSupported(error.detail) from error
        return self._page(answer, after_ms, to_ms)

    def steps(self, selector: SeriesSelector, after_ms: int, to_ms: int, step_ms: int) -> SamplePage:
        """Return the values of a selector at the multiples of a step in (after_ms, to_ms]. Raises `PageTooLarge`."""
        first_ms = (after_ms // step_ms + 1) * step_ms
        if first_ms > to_ms:
            return SamplePage((), 0)
        query = (
            ("query", format_promql_selector(selector)),
            ("start", _seconds(first_ms)),
            ("end", _seconds(to_ms)),
            ("step", _seconds(step_ms)),
        )
        return self._page(self._samples("/api/v1/query_range", query, selector.name), after_ms, to_ms)

    def _page(self, answer: HttpResponse, after_ms: int, to_ms: int) -> SamplePage:
        data = _data(answer, is_strict=self.is_strict)
        if not isinstance(data, dict) or data.get("resultType") != "matrix" or not isinstance(data.get("result"), list):
            raise _invalid_response()
        return SamplePage([_found(one, after_ms, to_ms) for one in data["result"]], len(answer.content))

    def _samples(self, path: str, query: Sequence[tuple[str, str]], name: str) -> HttpResponse:
        try:
            answer = self._get(path, query, MAX_PAGE_BYTES, PAGE_SECONDS)
        except TooLarge as error:
            raise _page_too_large(name) from error
        if answer.status in REJECTED_STATUSES and b"too many samples" in answer.content:
            raise _page_too_large(name)
        return answer

    def _get(
        self, path: str, query: Sequence[tuple[str, str]], max_bytes: int, seconds: float = CHECK_SECONDS
    ) -> HttpResponse:
        seconds = min(seconds, self.left())
        return self.peer.get(path, query, self.headers, max_bytes=max_bytes, seconds=seconds)


def _data(answer: HttpResponse, *, is_strict: bool = False) -> Any:  # noqa: ANN401 - untrusted JSON
    """Return the data of a response. Raises `SourceRejectedQuery` with one line of the source's error.

    Thanos marks an incomplete response by warnings, VictoriaMetrics by `isPartial`.
    """
    try:
        body = json.loads(answer.content)
    except (ValueError, RecursionError) as error:
        raise _rejected(answer.status, None) if answer.status != 200 else _invalid_response() from error
    message = body.get("error") if isinstance(body, dict) else None
    if answer.status != 200:
        raise _rejected(answer.status, message)
    if not isinstance(body, dict) or body.get("status") != "success":
        raise _invalid_response()
    warnings = body.get("warnings")
    if is_strict and (warnings or body.get("isPartial") is True):
        first = warnings[0] if isinstance(warnings, list) else None
        reason = f": {_text(first)[:MAX_ECHO]}" if isinstance(first, str) else "."
        raise SourceRejectedQuery(f"The source marked its response as incomplete{reason}", slug="source-incomplete")
    return body.get("data")


def _rejected(status: int, message: object) -> SourceRejectedQuery:
    if status in {401, 403}:
        return SourceRejectedQuery(
            f"The source rejected the credentials ({status}).",
            slug="source-not-signed-in",
            remedy="Enter other credentials.",
        )
    reason = f": {_text(message)[:MAX_ECHO]}" if isinstance(message, str) else ""
    return SourceRejectedQuery(f"The source responded with status {status}{reason}.")


def _invalid_response() -> SourceRejectedQuery:
    return SourceRejectedQuery(
        "The response is not that of a Prometheus API.",
        slug="source-strange",
        remedy="Enter the base URL without /api/v1, such as https://host/prometheus.",
    )


def _page_too_large(name: str) -> PageTooLarge:
    return PageTooLarge(
        f"The samples of {name[:MAX_ECHO]} exceed the size limit of a response.", limit=MAX_PAGE_BYTES, unit="bytes"
    )


def format_promql_selector(selector: SeriesSelector) -> str:
    """Return a selector in PromQL; as in PromQL, the value "" matches series without the label."""
    return _join_matchers(_format_matchers({NAME: selector.name, **selector.equal}))


def _format_matchers(equal: Mapping[str, str]) -> list[str]:
    """Return label matchers in PromQL. Names that need quotes exist only in Prometheus 3."""
    matchers = []
    for label, value in equal.items():
        plain = LABEL.fullmatch(label) is not None
        if plain or value:
            name = label if plain else json.dumps(label, ensure_ascii=False)
            matchers.append(f"{name}={json.dumps(value, ensure_ascii=False)}")
    return matchers


def _join_matchers(matchers: Sequence[str]) -> str:
    return "{" + ",".join(matchers) + "}"


def _found(one: Any, after_ms: int, to_ms: int) -> SeriesSamples:  # noqa: ANN401 - untrusted JSON
    try:
        labels = tuple(sorted((_text(name), _text(value)) for name, value in one["metric"].items()))
        pairs = one.get("values", [])
        times = np.array([float(at) for at, _ in pairs], np.float64) * 1000
        values = np.array([float(value) for _, value in pairs], np.float64)
        native_pairs = one.get("histograms", [])
        native_times = np.array([float(at) for at, _ in native_pairs], np.float64) * 1000
        natives = parse_histograms([histogram for _, histogram in native_pairs])
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise _invalid_response() from error
    if not (np.abs(times) < MAX_TIME_MS).all() or not (np.abs(native_times) < MAX_TIME_MS).all():
        raise _invalid_response()
    times_ms = np.rint(times).astype(np.int64)
    inside = (times_ms > after_ms) & (times_ms <= to_ms)
    values = values[inside]
    values.view(np.uint64)[np.isnan(values)] = ORDINARY_NAN
    found = [
        (at, native)
        for at, native in zip(np.rint(native_times).astype(np.int64).tolist(), natives, strict=True)
        if after_ms < at <= to_ms
    ]
    known = [(at, native) for at, native in found if native is not None]
    return SeriesSamples(labels, times_ms[inside], values, known, len(found) - len(known))


def _text(value: str) -> str:
    """Return a text without lone surrogates, which JSON can contain."""
    return value.encode("utf-8", "replace").decode()


def _seconds(at_ms: int) -> str:
    whole, rest = divmod(at_ms, 1000)
    return f"{whole}.{math.floor(rest):03d}"
